"""Raw words as numbers, and the terms they stand for."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from pydantic_ai_smart_search.lexical.postings import BagOfTerms


def new_numbers() -> defaultdict[str, int]:
    """Numbers strings from 0 in the order they are first looked up, in C."""
    return defaultdict(count().__next__)


class Bag(NamedTuple):
    """The raw words of one snippet."""

    words: Sequence[bytes]
    """Those of its text."""
    names: Sequence[bytes]
    """Those of what it is called, its path and its symbol."""


class WordBatch(NamedTuple):
    """Snippets as the numbers of their words."""

    table: WordTable
    """What the numbers are of."""
    numbers: array[int]
    """The words of each snippet and then its names, snippet after snippet."""
    counts: array[int]
    """Two for each snippet: how many words it has, and how many names."""


class WordTable:
    """Numbers raw words, and splits each into terms once.

    Words are numbered as they come, which stays in C, and split later in one go.
    """

    def __init__(
        self, split: Callable[[bytes], Sequence[str]], terms: defaultdict[str, int]
    ) -> None:
        """`terms` gives each term its number."""
        self._split = split
        self._term_numbers = terms
        self._word_numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._terms = array('I')
        """Those of word 0, then those of word 1, and so on."""
        self._ends = array('I')
        """Where the terms of each word end."""

    def __len__(self) -> int:
        return len(self._word_numbers)

    def number(self, words: Iterable[bytes]) -> Iterable[int]:
        """The number of each word."""
        return map(self._word_numbers.__getitem__, words)

    def words(self, start: int) -> list[bytes]:
        """The words by number, from `start` on."""
        return list(islice(self._word_numbers, start, None))

    def expand(self, batch: WordBatch, name_repeats: int) -> BagOfTerms:
        """The terms of snippets, numbered from 0; a name stands for `name_repeats` words."""
        self._split_new_words()
        counts = np.frombuffer(batch.counts, np.uint32)
        of_words, of_names = counts.reshape(-1, 2).T
        repeats = np.tile(np.array([1, name_repeats], np.uint8), len(of_words))
        word = np.repeat(np.frombuffer(batch.numbers, np.uint32), np.repeat(repeats, counts))
        snippets = np.arange(len(of_words), dtype=np.uint32)
        snippet = np.repeat(snippets, of_words + name_repeats * of_names)
        ends = np.frombuffer(self._ends, np.uint32)
        starts = np.concatenate((np.zeros(1, np.uint32), ends[:-1]))
        sizes = (ends - starts)[word]
        # Term i of the result is term i + shift of the table, where the shift is that of its word;
        # it wraps around, as unsigned numbers may.
        shift = starts[word] - (np.cumsum(sizes, dtype=np.uint32) - sizes)
        at = np.repeat(shift, sizes)
        at += np.arange(len(at), dtype=np.uint32)
        return BagOfTerms(np.frombuffer(self._terms, np.uint32)[at], np.repeat(snippet, sizes))

    def _split_new_words(self) -> None:
        number = self._term_numbers.__getitem__
        for word in self.words(len(self._ends)):
            self._terms.extend(map(number, self._split(word)))
            self._ends.append(len(self._terms))
