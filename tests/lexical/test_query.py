"""From a query to weighted terms."""

from __future__ import annotations

import pytest

from pydantic_ai_smart_search.lexical.query import JOINED_WEIGHT, weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lexical.synonyms import (
    ABBREVIATION_WEIGHT,
    RELATIVES,
    SYNONYM_WEIGHT,
)
from pydantic_ai_smart_search.lexical.terms import stem
from pydantic_ai_smart_search.source.kinds import FileKind
from tests.lexical.trees import index_of


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
    assert weigh_terms('msg of message').weights == {'msg': 1.0, 'messag': 1.0}


def test_two_words_in_a_row_are_looked_for_as_one_name() -> None:
    weights = weigh_terms('Keep alive, after a timeout of named evaluations').weights
    joined = [term for term, weight in weights.items() if weight == JOINED_WEIGHT]
    assert joined[:2] == ['keepaliv', 'namedevaluation']
    asked = weigh_terms('keepAlive keep alive').weights
    assert asked['keepaliv'] == 1.0


@pytest.mark.parametrize('query', ['keep the alive', 'keep-2 alive', 'user_id', 'keep'])
def test_only_whole_neighbours_are_joined(query: str) -> None:
    assert JOINED_WEIGHT not in {w for t, w in weigh_terms(query).weights.items() if 'keepal' in t}


def test_a_name_in_one_word_is_found_by_a_query_in_two() -> None:
    index = index_of(
        {
            'a.py': 'def keep(): alive = 1',
            'b.py': 'def keep_alive(): ...',
            'c.py': 'def f(): keep = alive()',
        }
    )
    found = shortlist_candidates(index, weigh_terms('how to keep alive'), 3).candidates
    assert found[0].path == 'b.py'
    assert 'keepaliv' in {part.name for part in found[0].parts}


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
