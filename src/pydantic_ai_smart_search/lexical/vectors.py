"""The meaning of snippets that come and go, as vectors."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.embedding.encoder import (
    DIMENSIONS,
    Embedding,
    Flat,
    Vectors,
)

STEPS: Final = 127
"""A number of a vector is kept as so many steps from 0 to 1, in a byte."""

CHUNK_SNIPPETS: Final = 2_048
"""Snippets encoded and compared in one go: as floats 1 MB, which a processor's cache holds."""

MAX_WORDS_KNOWN: Final = 100_000
"""Distinct words kept, with what they are made of, from one chunk to the next: about 15 MB."""

Bytes = NDArray[np.int8]


class SnippetVectors:
    """A vector for each snippet, by its number. For one thread at a time.

    Snippets are numbered from 0 in the order they are added.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._chunks: list[Bytes] = []
        self._forget_words()
        self._gathered = array('I')
        self._ends = array('I')

    def add(self, texts: Sequence[Sequence[bytes]]) -> None:
        """Add snippets by their words, under the next numbers."""
        number = self._word_numbers.__getitem__
        for words in texts:
            self._gathered.extend(map(number, words))
            self._ends.append(len(self._gathered))
        if len(self._ends) >= CHUNK_SNIPPETS:
            self._settle()

    def rows(self, start: int) -> Bytes:
        """The vectors by number, from `start` on."""
        self._settle()
        return np.concatenate([np.zeros((0, DIMENSIONS), np.int8), *self._chunks])[start:]

    def restore(self, rows: bytes) -> None:
        """Fill an empty index with vectors that `rows` gave, as bytes."""
        vectors = np.frombuffer(rows, np.int8).reshape(-1, DIMENSIONS)
        self._chunks = [
            vectors[start : start + CHUNK_SNIPPETS]
            for start in range(0, len(vectors), CHUNK_SNIPPETS)
        ]

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Keep the snippets of these numbers, ascending, and number them anew in this order."""
        self._settle()
        starts = np.cumsum([0, *(len(chunk) for chunk in self._chunks)])
        cuts = numbers.searchsorted(starts)
        self._chunks = [
            chunk[numbers[first:last] - start]
            for chunk, start, first, last in zip(
                self._chunks, starts[:-1], cuts[:-1], cuts[1:], strict=True
            )
        ]

    def cosines(self, query: Sequence[bytes]) -> Vectors:
        """How near each snippet is to the words of a query, -1..1; 0 where either means nothing."""
        self._settle()
        asked = self._embedding.encode([query])[0] / np.float32(STEPS)
        # Not by BLAS, which may wake threads for a chunk: they took thirty times as long on two
        # busy cores.
        near = [np.einsum('ij,j', chunk.astype(np.float32), asked) for chunk in self._chunks]
        return np.concatenate([np.zeros(0, np.float32), *near])

    def _settle(self) -> None:
        """Encode everything added so far."""
        if not self._ends:
            return
        new = list(islice(self._word_numbers, len(self._words.ends), None))
        self._words = self._words.join(self._embedding.spell(new))
        texts = Flat(np.frombuffer(self._gathered, np.uint32), np.array(self._ends, np.int64))
        vectors = self._embedding.encode_words(texts, self._words)
        self._chunks.append(np.rint(vectors * STEPS).astype(np.int8))
        self._gathered = array('I')
        self._ends = array('I')
        if len(self._words.ends) > MAX_WORDS_KNOWN:
            self._forget_words()

    def _forget_words(self) -> None:
        self._word_numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._words = self._embedding.spell([])
