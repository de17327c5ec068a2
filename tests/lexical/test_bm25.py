"""The engine: incremental, and exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pydantic_ai_smart_search.lexical import bm25
from pydantic_ai_smart_search.lexical.bm25 import SnippetBM25
from pydantic_ai_smart_search.lexical.rank_bm25 import BM25Plus
from pydantic_ai_smart_search.lexical.words import Bag

WORDS = [word.encode() for word in ('ant', 'bee', 'cat', 'dog_eel', 'fox_ant', 'ant_ant', '_')]
QUERY = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox', 'gnu', 'ant']

words = st.lists(st.sampled_from(WORDS), max_size=12)
snippets = st.lists(words, max_size=4)


def split(word: bytes) -> list[str]:
    return [part for part in word.decode().split('_') if part]


def terms(words: Sequence[bytes]) -> list[str]:
    return [term for word in words for term in split(word)]


def bag(words: Sequence[bytes]) -> Bag:
    return Bag(words, ())


def fresh(bags: Sequence[Sequence[bytes]]) -> SnippetBM25:
    engine = SnippetBM25(split)
    engine.add([bag(words) for words in bags])
    return engine


@given(st.lists(words.filter(terms), min_size=1, max_size=20))
def test_scores_are_those_of_rank_bm25(bags: list[list[bytes]]) -> None:
    theirs = BM25Plus([terms(words) for words in bags], k1=bm25.K1, b=bm25.B, delta=0)
    np.testing.assert_allclose(fresh(bags).get_scores(QUERY), theirs.get_scores(QUERY))


@given(st.lists(words.filter(terms), min_size=1, max_size=20))
def test_a_delta_is_added_where_the_term_is(bags: list[list[bytes]]) -> None:
    engine = SnippetBM25(split, delta=0.5)
    engine.add([bag(words) for words in bags])
    theirs = BM25Plus([terms(words) for words in bags], k1=bm25.K1, b=bm25.B, delta=0.5)
    with_ant = ['ant' in terms(words) for words in bags]
    expected = np.where(with_ant, theirs.get_scores(['ant']), 0)
    np.testing.assert_allclose(engine.get_scores(['ant']), expected)


@pytest.mark.parametrize('count', [2, 3, 4])
def test_a_term_in_half_of_few_snippets_counts(count: int) -> None:
    scores = fresh([[b'ant', b'bee'] if n % 2 else [b'cat'] for n in range(count)]).get_scores(
        ['ant']
    )
    assert all((score > 0) == bool(n % 2) for n, score in enumerate(scores))


def test_a_term_in_every_snippet_counts() -> None:
    assert (fresh([[b'ant'], [b'ant', b'bee']]).get_scores(['ant']) > 0).all()


def test_no_snippets_no_scores() -> None:
    engine = fresh([])
    assert len(engine.get_scores(QUERY)) == 0
    assert engine.compact() is None


def test_names_count_several_times() -> None:
    engine = SnippetBM25(split, name_repeats=3)
    engine.add([Bag([b'bee'], [b'ant', b'dog_eel']), Bag([b'cat'], [])])
    repeated = fresh([[b'bee', *[b'ant', b'dog_eel'] * 3], [b'cat']])
    assert engine.get_scores(QUERY).tolist() == repeated.get_scores(QUERY).tolist()


def test_what_terms_contribute_is_told_for_any_snippets() -> None:
    engine = fresh([[b'ant'], [b'bee'], [b'ant', b'bee'], [b'cat']])
    parts = engine.contributions({'ant': 1.0, 'bee': 0.5, 'gnu': 1.0})
    assert set(parts) == {'ant', 'bee'}
    asked = np.array([3, 2, 0], np.uint32)
    total = sum(part.to(asked) for part in parts.values())
    assert np.array_equal(total, engine.add_up(parts)[asked])
    assert parts['ant'].to(asked).tolist()[0] == 0


@given(st.lists(st.tuples(words, st.integers(0, 3)), min_size=1, max_size=15), st.data())
def test_a_group_scores_as_if_it_were_one_snippet(
    grouped: list[tuple[list[bytes], int]], data: st.DataObject
) -> None:
    engine = fresh([words for words, _ in grouped])
    gone = data.draw(st.sets(st.integers(0, len(grouped) - 1)))
    for number in gone:
        engine.remove(range(number, number + 1))
    together: list[list[bytes]] = [[] for _ in range(4)]
    for number, (words, group) in enumerate(grouped):
        together[group] += [] if number in gone else words
    group_of = np.array([group for _, group in grouped], np.uint32)
    scores = engine.score_groups(engine.contributions(dict.fromkeys(QUERY, 1.0)), group_of, 4)
    non_empty = [group for group in range(4) if terms(together[group])]
    expected = fresh([together[group] for group in non_empty]).get_scores(sorted(set(QUERY)))
    np.testing.assert_allclose(scores[non_empty], expected)
    assert not scores[[group for group in range(4) if group not in non_empty]].any()


class Changes(RuleBasedStateMachine):
    """Any sequence of additions, removals and compactions scores as a fresh index does."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = SnippetBM25(split, segment_words=16)
        self.bags: list[list[bytes] | None] = []
        """By number, `None` once removed."""
        self.files: list[range] = []

    @rule(bags=snippets, names=words)
    def add(self, bags: list[list[bytes]], names: list[bytes]) -> None:
        first = len(self.bags)
        self.engine.add([Bag(words, names) for words in bags])
        self.bags += [words + names for words in bags]
        self.files.append(range(first, len(self.bags)))

    @precondition(lambda self: self.files)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        numbers = self.files.pop(data.draw(st.integers(0, len(self.files) - 1)))
        self.engine.remove(numbers)
        for number in numbers:
            self.bags[number] = None

    @rule()
    def compact(self) -> None:
        kept = self.engine.compact()
        live = [number for number, words in enumerate(self.bags) if words is not None]
        if kept is None:
            return
        assert kept.tolist() == live
        self.files = [
            range(live.index(file.start), live.index(file.start) + len(file))
            for file in self.files
            if file
        ]
        self.bags = [words for words in self.bags if words is not None]

    @invariant()
    def scores_equal_those_of_a_fresh_index(self) -> None:
        live = [words for words in self.bags if words is not None]
        alive = np.array([words is not None for words in self.bags], np.bool_)
        scores = self.engine.get_scores(QUERY)
        assert self.engine.corpus_size == len(live)
        assert self.engine.alive.tolist() == alive.tolist()
        assert scores[alive].tolist() == fresh(live).get_scores(QUERY).tolist()
        assert not scores[~alive].any()


TestChanges = Changes.TestCase
TestChanges.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


@pytest.fixture(autouse=True)
def drop_removed_snippets_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small examples reach it, too."""
    monkeypatch.setattr(bm25, 'MIN_DEAD', 2)
    monkeypatch.setattr(bm25, 'MAX_WORDS_KNOWN', 4)


def test_words_are_split_once_while_they_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, 'MAX_WORDS_KNOWN', 100)
    seen: list[bytes] = []

    def watched(word: bytes) -> list[str]:
        seen.append(word)
        return split(word)

    engine = SnippetBM25(watched, segment_words=4)
    for _ in range(10):
        engine.add([bag([b'ant', b'dog_eel'])])
    assert seen == [b'ant', b'dog_eel']
