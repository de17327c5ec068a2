from __future__ import annotations

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.index import SnippetIndex, digest_of
from pydantic_ai_smart_search.lexical.missed import MAX_RESCUED, MissedFile, find_missed, rescue
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from tests.lexical.trees import add, index_of

TERMS = weigh_terms('evict the oldest entry')


def missed_in(index: SnippetIndex, *judged: str, count: int = 10) -> list[MissedFile]:
    """The files missed where all snippets of the files `judged` are judged."""
    candidates = shortlist_candidates(index, TERMS, 100).candidates if judged else ()
    return find_missed(index, TERMS, [one for one in candidates if one.path in judged], count)


def paths(files: list[MissedFile]) -> list[str]:
    return [file.path for file in files]


def test_files_come_nearest_first_and_those_without_a_word_in_path_order() -> None:
    index = index_of(
        {
            'z.py': 'nothing here',
            'b.py': 'entry = 1 and other words of no interest',
            'a.py': 'nothing there',
            'c.py': 'evict the oldest entry',
        }
    )
    assert paths(missed_in(index)) == ['c.py', 'b.py', 'a.py', 'z.py']
    assert paths(missed_in(index, 'b.py', count=2)) == ['c.py', 'a.py']
    assert missed_in(index, count=0) == []
    assert missed_in(SnippetIndex()) == []


def test_a_file_without_a_word_of_the_query_is_found_by_its_meaning() -> None:
    files = {f'a{n}.py': f'unrelated text number {n}' for n in range(20)}
    files['z.py'] = 'drop the least recently used item'
    assert paths(missed_in(index_of(files)))[0] == 'a0.py'
    assert paths(missed_in(index_of(files, use_embedding=True)))[0] == 'z.py'


def test_files_that_are_gone_are_not_missed() -> None:
    index = index_of({'a.py': 'evict', 'b.py': 'entry'})
    index.keep_only({'b.py'})
    assert paths(missed_in(index)) == ['b.py']


def test_a_missed_file_has_its_names_and_its_best_snippets_nearest_first() -> None:
    index = SnippetIndex()
    add(index, 'cache.py', 'import time', None)
    add(index, 'cache.py', 'x = 1\n\nevict oldest entry\n\nget entry', 'Cache.evict')
    (file,) = missed_in(index)
    assert file.digest == digest_of(b'x = 1\n\nevict oldest entry\n\nget entry')
    assert file.symbols == ['Cache.evict']
    assert [candidate.span.first for candidate in file.candidates] == [3, 5, 1]
    assert file.candidates[0].score > file.candidates[1].score > 0


def test_a_file_of_which_the_best_snippet_is_judged_has_the_others_left() -> None:
    index = index_of({'a.py': 'evict oldest entry\n\noldest entry\n\nentry', 'b.py': 'entry'})
    first, *_ = shortlist_candidates(index, TERMS, 10).candidates
    missed = find_missed(index, TERMS, [first], 10)
    assert paths(missed) == ['a.py', 'b.py']
    assert [candidate.span.first for candidate in missed[0].candidates] == [3, 5]


def test_rescued_snippets_take_turns_with_the_shortlist() -> None:
    files = {f'a{n}.py': 'evict the oldest entry' for n in range(4)}
    index = index_of({**files, 'y.py': 'entry\n\noldest entry', 'z.py': 'oldest'})
    shortlist = shortlist_candidates(index, TERMS, 4)
    missed = missed_in(index, *files)
    rescued = rescue(shortlist, [missed[1], missed[0]], 6).candidates
    assert [one.path for one in rescued] == ['a0.py', 'z.py', 'a1.py', 'y.py', 'a2.py', 'y.py']
    assert [one.rank for one in rescued] == [1, 2, 3, 4, 5, 6]
    assert rescue(shortlist, [], 6) == shortlist


def test_files_count_as_rescued_if_there_is_room_for_a_snippet_of_theirs() -> None:
    files = {f'a{n}.py': 'evict the oldest entry' for n in range(4)}
    index = index_of({**files, 'y.py': 'entry\n\noldest entry', 'z.py': 'oldest'})
    shortlist = shortlist_candidates(index, TERMS, 4)
    missed = missed_in(index, *files)
    assert [rescue(shortlist, missed, k).rescued_files for k in (1, 2, 3, 4, 6)] == [0, 1, 1, 2, 2]


def test_a_snippet_that_was_far_down_moves_up_and_stays_one() -> None:
    files = {f'a{n}.py': 'evict the oldest entry' for n in range(4)}
    index = index_of({**files, 'z.py': 'entry of something else altogether'})
    shortlist = shortlist_candidates(index, TERMS, 5)
    assert shortlist.candidates[-1].path == 'z.py'
    rescued = rescue(shortlist, missed_in(index, *files), 5).candidates
    assert [one.path for one in rescued] == ['a0.py', 'z.py', 'a1.py', 'a2.py', 'a3.py']


def test_one_search_rescues_only_so_many_snippets() -> None:
    def spans(candidates: list[Candidate]) -> list[tuple[str, int]]:
        return [(one.path, one.span.first) for one in candidates]

    index = index_of({f'{name}.py': '\n\n'.join(['entry'] * 20) for name in 'yz'})
    nothing = shortlist_candidates(SnippetIndex(), TERMS, 100)
    rescued = list(rescue(nothing, missed_in(index), 100).candidates)
    assert len(rescued) == MAX_RESCUED
    assert spans(rescued)[:4] == [('y.py', 1), ('z.py', 1), ('y.py', 3), ('z.py', 3)]
