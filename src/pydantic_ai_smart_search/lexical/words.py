"""Raw words as numbers, and what terms they stand for."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np

from pydantic_ai_smart_search.lexical.postings import BagOfTerms


class WordNumbers(dict[bytes, int]):
    """Raw word -> its number; a word is split into terms when it is first looked up.

    Looking words up by `map(numbers.__getitem__, words)` keeps the loop over them in C.
    """

    def __init__(self, split: Callable[[bytes], Sequence[str]], terms: dict[str, int]) -> None:
        """`terms` maps each term to its number, and is added to."""
        super().__init__()
        self._split = split
        self._term_numbers = terms
        self._terms = array('I')
        self._ends = array('I')

    def __missing__(self, word: bytes) -> int:
        numbers = self._term_numbers
        for term in self._split(word):
            self._terms.append(numbers.setdefault(term, len(numbers)))
        self._ends.append(len(self._terms))
        self[word] = number = len(self)
        return number

    def expand(self, words: array[int], counts: array[int], first: int) -> BagOfTerms:
        """The terms of snippets from number `first` on; `counts` says how many `words` each has."""
        word = np.frombuffer(words, np.uint32)
        ends = np.frombuffer(self._ends, np.uint32)
        starts = np.concatenate((np.zeros(1, np.uint32), ends[:-1]))
        sizes = (ends - starts)[word]
        snippet = np.repeat(np.arange(first, first + len(counts), dtype=np.uint32), counts)
        # Term i of the result is term i - (terms before its word) of that word.
        shift = starts[word] - (np.cumsum(sizes, dtype=np.uint32) - sizes)
        at = np.repeat(shift, sizes)
        at += np.arange(len(at), dtype=np.uint32)
        return BagOfTerms(np.frombuffer(self._terms, np.uint32)[at], np.repeat(snippet, sizes))
