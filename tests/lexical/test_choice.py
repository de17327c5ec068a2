"""Which files are worth cutting, and that their snippets score as if all files had been cut."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import pytest

from pydantic_ai_smart_search.lexical import choice
from pydantic_ai_smart_search.lexical.choice import choose_files
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lexical.terms import find_words
from pydantic_ai_smart_search.source.scan import Scan
from tests.lexical.trees import index_of


@pytest.fixture(autouse=True)
def small_trees_are_big(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, 'CUT_ALL_BYTES', 0)
    monkeypatch.setattr(choice, 'CHOSEN_BYTES', 100)
    monkeypatch.setattr(choice, 'FILLING_BYTES', 0)


def scan_of(files: Mapping[str, str]) -> Scan:
    """What a scan for any word finds."""
    numbers: dict[bytes, int] = {}
    counts, found = array('I'), array('I')
    for text in files.values():
        words = find_words(text)
        counts.append(len(words))
        found.extend(numbers.setdefault(word, len(numbers)) for word in words)
    sizes = {path: len(text) for path, text in files.items()}
    return Scan(sizes=sizes, paths=list(files), counts=counts, found=found, words=list(numbers))


def choose(query: str, files: Mapping[str, str]) -> list[str] | None:
    chosen = choose_files(scan_of(files), sorted(files), weigh_terms(query))
    return None if chosen is None else list(chosen.paths)


def text(words: str, size: int = 40) -> str:
    """`words` filled up to `size` characters."""
    return words.ljust(size, '.')


def test_a_small_tree_is_cut_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, 'CUT_ALL_BYTES', 80)
    assert choose('expired sessions', {'a.py': text('x'), 'b.py': text('y')}) is None
    assert choose('expired sessions', {'a.py': text('x'), 'b.py': text('session', 41)}) == ['b.py']


def test_the_best_files_are_taken_until_there_is_enough_and_come_in_path_order() -> None:
    files = {
        'a.py': text('session'),
        'b.py': text('expired session'),
        'c.py': text('nothing'),
        'd.py': text('session.expire() # expires a session'),
        'e.py': text('session'),
    }
    assert choose('expired sessions', files) == ['a.py', 'b.py', 'd.py']


def test_the_path_of_a_file_counts_and_so_does_its_kind() -> None:
    files = {path: text('session', 60) for path in ('a.py', 'b.py', 'expire/c.py')}
    assert choose('expired sessions', files) == ['a.py', 'expire/c.py']
    files = {path: text('session', 60) for path in ('a_test.py', 'b.md', 'c.py', 'd.py')}
    assert choose('sessions', files) == ['c.py', 'd.py']
    assert choose('tests of sessions', files) == ['a_test.py', 'c.py']


def test_files_that_are_not_listed_are_not_chosen_however_well_they_fit() -> None:
    files = {'a.py': text('session'), 'secret.py': text('session')}
    chosen = choose_files(scan_of(files), ['a.py'], weigh_terms('sessions'))
    assert chosen is not None
    assert chosen.paths == ['a.py']


def test_files_too_big_to_be_read_take_no_room_and_are_left_to_be_counted() -> None:
    files = {'big.json': text('', 2 << 20), 'b.py': text('session'), 'c.py': text('', 2 << 20)}
    assert choose('sessions', files) == ['b.py', 'big.json']


def test_where_few_files_have_a_word_others_follow_in_path_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice, 'FILLING_BYTES', 60)
    files = {path: text('nothing') for path in ('a.py', 'b.py', 'c.py')}
    assert choose('expired sessions', files) == ['a.py', 'b.py']
    assert choose('expired sessions', files | {'d.py': text('session')}) == ['a.py', 'd.py']


def test_snippets_of_the_chosen_files_score_as_if_all_files_had_been_cut() -> None:
    """Exactly so here, where every file has as many words and snippets for its size."""
    files = {f'{name}.py': text(f'ant bee{name}', 20) for name in range(100, 160)}
    files |= {f'{name}.py': text(f'cat dog{name}', 20) for name in range(200, 203)}
    terms = weigh_terms('cats and dogs')
    chosen = choose_files(scan_of(files), sorted(files), terms)
    assert chosen is not None
    assert len(chosen.paths) == 3
    part = index_of({path: files[path] for path in chosen.paths})
    part.bm25.population = chosen.population
    of_part = shortlist_candidates(part, terms, 3).candidates
    of_all = shortlist_candidates(index_of(files), terms, 3).candidates
    for ours, theirs in zip(of_part, of_all, strict=True):
        assert (ours.path, ours.span) == (theirs.path, theirs.span)
        assert ours.score == pytest.approx(theirs.score)
        assert ours.coverage == pytest.approx(theirs.coverage)


def test_a_term_that_is_everywhere_still_counts_for_something() -> None:
    files = {f'{name}.py': text('cat\n\ncat\n\ncat', 20) for name in range(9)}
    terms = weigh_terms('cats')
    chosen = choose_files(scan_of(files), sorted(files), terms)
    assert chosen is not None
    part = index_of({path: files[path] for path in chosen.paths})
    part.bm25.population = chosen.population
    assert all(candidate.score > 0 for candidate in shortlist_candidates(part, terms, 3).candidates)
