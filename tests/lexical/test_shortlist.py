"""The shortlist: the right snippets, in a reproducible order, with room for more than one file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.index import SnippetIndex, digest_of
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import MAX_FILE_SHARE, shortlist_candidates
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.source.kinds import FileKind
from tests.lexical.trees import add, index_of


def found(index: SnippetIndex, query: str, k: int = 10) -> list[Candidate]:
    return list(shortlist_candidates(index, weigh_terms(query), k).candidates)


def paths(candidates: list[Candidate]) -> list[str]:
    return [candidate.path for candidate in candidates]


FILLER = {f'other{n}.py': f'nothing of interest {n}' for n in range(100, 120)}


def test_a_candidate_says_where_it_is_and_of_which_content() -> None:
    index = SnippetIndex()
    add(index, 'src/cache.py', 'a\n\nevict entry', 'Cache.evict')
    shortlist = shortlist_candidates(index, weigh_terms('evict the oldest entry'), 1)
    (best,) = shortlist.candidates
    assert (best.path, best.span, best.symbol) == ('src/cache.py', LineSpan(3, 3), 'Cache.evict')
    assert (best.kind, best.digest) == (FileKind.CODE, digest_of(b'a\n\nevict entry'))
    assert (best.rank, best.strength) == (1, 1.0)
    assert shortlist.snippets == 2


def test_an_empty_index_gives_no_candidates() -> None:
    assert found(SnippetIndex(), 'anything') == []


def test_the_words_of_path_and_symbol_find_a_snippet() -> None:
    index = index_of({**FILLER, 'src/cookie_jar.py': 'x = 1'})
    add(index, 'b.py', 'y = 2', 'Jar.expire')
    assert paths(found(index, 'cookie', 1)) == ['src/cookie_jar.py']
    assert paths(found(index, 'expired', 1)) == ['b.py']


def test_a_snippet_is_found_by_its_meaning_where_no_word_agrees() -> None:
    files = {
        **FILLER,
        'z.py': 'response = http.request(url)',
        'b.py': 'def draw_circle(radius): canvas.show()',
        'c.py': 'web page = 1',
    }
    query = 'download a web page'
    assert 'z.py' not in paths(found(index_of(files), query, 2))
    candidates = found(index_of(files, use_embedding=True), query, 2)
    assert paths(candidates) == ['c.py', 'z.py']
    assert [part.name for part in candidates[1].parts] == ['meaning']


def test_a_relative_finds_less_than_the_word_itself() -> None:
    index = index_of({**FILLER, 'a.py': 'message one', 'b.py': 'msg two'})
    assert paths(found(index, 'msg', 2)) == ['b.py', 'a.py']


@pytest.mark.parametrize('path', ['tests/test_a.py', 'docs/a.md', 'a.json'])
def test_implementation_comes_before_tests_docs_and_data(path: str) -> None:
    text = 'rotate the log'
    index = index_of({**FILLER, path: text, 'z.py': text})
    assert paths(found(index, 'rotate log', 2)) == ['z.py', path]


@pytest.mark.parametrize(
    ('path', 'query'),
    [
        ('tests/test_a.py', 'tests of log rotation'),
        ('docs/a.md', 'documentation of rotate log'),
        ('a.json', 'rotate log in package.json'),
    ],
)
def test_a_query_that_asks_for_a_kind_gets_it_at_full_weight(path: str, query: str) -> None:
    index = index_of({**FILLER, path: 'rotate the log'})
    assert [part.name for part in found(index, query, 1)[0].parts if part.score < 0] == []


def test_a_file_named_for_the_query_comes_first() -> None:
    index = index_of({**FILLER, 'src/a.py': 'cookie jar', 'src/jar.py': 'jar', 'b/jar/c.py': 'jar'})
    candidates = found(index, 'jar', 3)
    assert paths(candidates)[0] == 'src/jar.py'
    assert [part.name for part in candidates[0].parts if part.name == 'name of file']
    assert not [part.name for part in candidates[1].parts if part.name == 'name of file']


def test_the_file_around_a_snippet_counts_a_little() -> None:
    index = index_of({**FILLER, 'a.py': 'rotate', 'b.py': 'rotate\n\nlog\n\nlog\n\nlog'})
    assert paths(found(index, 'rotate log', 5))[0] == 'b.py'


def test_the_best_of_another_file_comes_before_the_next_of_the_same() -> None:
    index = index_of({**FILLER, 'a.py': 'rotate log\n\nrotate log', 'b.py': 'rotate log'})
    assert paths(found(index, 'rotate log', 3)) == ['a.py', 'b.py', 'a.py']


def test_one_file_cannot_fill_the_shortlist() -> None:
    many = '\n\n'.join(['rotate log'] * 100)  # more than the best of the pool
    index = index_of({'a.py': many, **{f'b{n}.py': 'rotate ' + 'word ' * 40 for n in range(100)}})
    assert paths(found(index, 'rotate log', 16)).count('a.py') == MAX_FILE_SHARE * 16


def test_one_file_may_fill_what_others_leave() -> None:
    index = index_of({'a.py': '\n\n'.join(['rotate log'] * 50), 'b.py': 'rotate'})
    assert paths(found(index, 'rotate log', 16)).count('a.py') == 15


def test_what_does_not_match_follows_in_path_order() -> None:
    index = index_of({'c.py': 'x\n\ny', 'b.py': 'rotate\n\nz', 'a.py': 'w'})
    candidates = found(index, 'rotate', 4)
    assert [(c.path, c.span.first) for c in candidates] == [
        ('b.py', 1),
        ('a.py', 1),
        ('b.py', 3),
        ('c.py', 1),
    ]
    assert [c.rank for c in candidates] == [1, 2, 3, 4]
    assert [(c.score, c.strength, c.coverage, c.parts) for c in candidates[1:]] == [
        (0, 0, 0, ())
    ] * 3


def test_a_small_tree_without_any_match_is_judged_whole() -> None:
    assert paths(found(index_of({'b.py': 'x', 'a.py': 'y'}), 'rotate')) == ['a.py', 'b.py']


def test_equal_scores_are_ordered_by_path_and_line() -> None:
    index = index_of({'b.py': 'rotate', 'a.py': 'rotate\n\nrotate', **FILLER})
    places = [(c.path, c.span.first) for c in found(index, 'rotate', 3)]
    assert places == [('a.py', 1), ('b.py', 1), ('a.py', 3)]


def test_coverage_is_the_share_of_what_was_asked() -> None:
    index = index_of({**FILLER, 'a.py': 'rotate log', 'b.py': 'rotate'})
    both, one = found(index, 'rotate log', 2)
    assert both.coverage == pytest.approx(1)
    assert one.coverage == pytest.approx(0.5, abs=0.1)


def test_a_word_that_no_snippet_has_lowers_coverage() -> None:
    (best,) = found(index_of({**FILLER, 'a.py': 'rotate'}), 'rotate gyroscopes', 1)
    assert 0.4 < best.coverage < 0.6


def test_relatives_do_not_cover_what_was_asked() -> None:
    (best,) = found(index_of({**FILLER, 'a.py': 'msg'}), 'message', 1)
    assert best.coverage == 0
    assert best.score > 0


words = st.lists(
    st.sampled_from(['rotate', 'log', 'msg', 'entry', 'cache']), min_size=1, max_size=6
)
files = st.dictionaries(
    st.sampled_from(['a.py', 'b/c.py', 'test_d.py', 'docs/e.md', 'f.json', 'g.py']),
    st.lists(words.map(' '.join), min_size=1, max_size=9).map('\n\n'.join),
    min_size=1,
)


@given(files, st.integers(1, 20))
def test_parts_add_up_to_the_score(tree: dict[str, str], k: int) -> None:
    for candidate in found(index_of(tree), 'rotate message cache', k):
        assert sum(part.score for part in candidate.parts) == pytest.approx(candidate.score)


@given(files, st.integers(1, 60))
def test_a_longer_shortlist_has_no_snippet_twice_and_is_in_order(
    tree: dict[str, str], k: int
) -> None:
    index = index_of(tree)
    candidates = found(index, 'rotate log', k)
    assert len(candidates) == min(k, index.snippets)
    assert len({(c.path, c.span) for c in candidates}) == len(candidates)
    assert [c.rank for c in candidates] == list(range(1, len(candidates) + 1))
    assert all(0 <= c.coverage <= 1 + 1e-9 and 0 <= c.strength for c in candidates)


@given(files, st.permutations(['a.py', 'b/c.py', 'test_d.py', 'docs/e.md', 'f.json', 'g.py']))
def test_the_order_of_indexing_does_not_show(tree: dict[str, str], order: list[str]) -> None:
    shuffled = {path: tree[path] for path in order if path in tree}
    ours = [(c.path, c.span) for c in found(index_of(tree), 'rotate log cache', 8)]
    assert [(c.path, c.span) for c in found(index_of(shuffled), 'rotate log cache', 8)] == ours
