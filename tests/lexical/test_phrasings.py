from __future__ import annotations

import pytest

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.phrasings import shortlist_phrasings
from pydantic_ai_smart_search.lexical.query import merge_phrasings, weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.source.kinds import FileKind
from tests.lexical.trees import index_of

FILES = {
    **{f'other{n}.py': f'nothing of interest {n}' for n in range(20)},
    'a.py': 'evict entry',
    'z.py': 'green row',
    'c.py': 'evict row',
}


def found(index: SnippetIndex, *phrasings: str, k: int = 10) -> list[Candidate]:
    return list(shortlist_phrasings(index, [*map(weigh_terms, phrasings)], k).candidates)


def test_one_phrasing_is_ranked_as_it_is() -> None:
    index = index_of(FILES)
    alone = shortlist_candidates(index, weigh_terms('evict'), 10)
    assert found(index, 'evict') == alone.candidates


def test_a_snippet_that_only_an_alternative_finds_is_shortlisted() -> None:
    index = index_of(FILES)
    assert 'z.py' not in [one.path for one in found(index, 'evict entry', k=3)]
    assert 'z.py' in [one.path for one in found(index, 'evict entry', 'green row', k=3)]


def test_a_place_in_the_querys_own_list_counts_twice() -> None:
    first, second, *_ = found(index_of(FILES), 'entry', 'green')
    assert (first.path, second.path) == ('a.py', 'z.py')
    assert first.score == pytest.approx(2 / 61)
    assert second.score == pytest.approx(1 / 61)
    assert [tuple(part) for part in first.parts] == [('phrasing 1', pytest.approx(2 / 61))]


def test_a_snippet_of_both_lists_comes_first_and_keeps_its_best_figures() -> None:
    candidates = found(index_of(FILES), 'evict', 'row')
    assert candidates[0].path == 'c.py'
    assert candidates[0].coverage == 1.0
    assert candidates[0].strength == 1.0
    assert [one.rank for one in candidates] == list(range(1, len(candidates) + 1))


def test_a_snippet_without_a_word_of_any_phrasing_comes_last() -> None:
    candidates = found(index_of(FILES), 'evict', 'row', k=30)
    assert len(candidates) == len(FILES)
    assert {one.score for one in candidates[3:]} == {0}
    assert [one.path for one in candidates[3:]] == sorted(one.path for one in candidates[3:])


def test_the_words_of_an_alternative_weigh_half() -> None:
    merged = merge_phrasings([weigh_terms('evict entry'), weigh_terms('evict row in tests')])
    assert [merged.weights[term] for term in ('evict', 'entri', 'row')] == [1.0, 1.0, 0.5]
    assert FileKind.TEST in merged.kinds
