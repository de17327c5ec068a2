"""From a query to weighted terms."""

from __future__ import annotations

import pytest

from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.synonyms import (
    ABBREVIATION_WEIGHT,
    RELATIVES,
    SYNONYM_WEIGHT,
)
from pydantic_ai_smart_search.lexical.terms import stem
from pydantic_ai_smart_search.source.kinds import FileKind


def test_a_query_is_its_words_without_stop_words_each_once() -> None:
    terms = weigh_terms('Where are the expired sessions, and expiring sessions, rejected?')
    assert terms.asked == ('expir', 'session', 'reject')
    assert [terms.weights[term] for term in terms.asked] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize('query', ['how does it work with that', '?', 'a', "isn't it", '12345678'])
def test_only_telling_words_are_asked(query: str) -> None:
    assert set(weigh_terms(query).asked) <= {'work'}


def test_stop_words_alone_give_no_terms() -> None:
    terms = weigh_terms('How does this do that?')
    assert not terms.asked
    assert not terms.weights


def test_relatives_follow_at_their_weight() -> None:
    terms = weigh_terms('db message')
    assert list(terms.weights)[:2] == ['db', 'messag']
    assert terms.weights['databas'] == ABBREVIATION_WEIGHT
    assert terms.weights['msg'] == ABBREVIATION_WEIGHT
    assert weigh_terms('evict').weights['prun'] == SYNONYM_WEIGHT


def test_a_relative_that_is_asked_keeps_its_full_weight() -> None:
    assert weigh_terms('msg message').weights == {'msg': 1.0, 'messag': 1.0}


def test_relatives_are_stems_and_abbreviations_are_mutual() -> None:
    assert all(stem(term) in RELATIVES for term in ('configuration', 'cfg', 'retries'))
    for term, relatives in RELATIVES.items():
        assert term not in relatives
        for relative, weight in relatives.items():
            assert RELATIVES[relative][term] == weight


@pytest.mark.parametrize(
    ('query', 'kind'),
    [
        ('tests for expired sessions', FileKind.TEST),
        ('what does test_sessions.py cover', FileKind.TEST),
        ('documentation of sessions', FileKind.DOCS),
        ('session section of `README.md`', FileKind.DOCS),
        ('scripts in package.json', FileKind.DATA),
        ('the dataset of sessions', FileKind.DATA),
    ],
)
def test_a_query_can_ask_for_a_kind_of_file(query: str, kind: FileKind) -> None:
    assert weigh_terms(query).kinds - {FileKind.CODE} == {kind}


def test_a_plain_query_asks_for_no_kind() -> None:
    assert weigh_terms('parse a json response, e.g. of a server.').kinds <= {FileKind.CODE}
