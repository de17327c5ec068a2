"""The meaning of snippets that come and go, as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.embedding.encoder import (
    DIMENSIONS,
    Embedding,
    Flat,
    Vectors,
    WordRows,
)
from pydantic_ai_smart_search.lexical.words import WordBatch, WordTable

STEPS: Final = 127
"""A number of a vector is kept as so many steps from 0 to 1, in a byte."""

PART_SNIPPETS: Final = 2_048
"""Snippets encoded and compared in one go: as floats 1 MB, which a processor's cache holds."""

Bytes = NDArray[np.int8]


class SnippetVectors:
    """A vector for each snippet, by its number. For one thread at a time.

    Snippets are numbered from 0 in the order they are added.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._parts: list[Bytes] = []
        self._spelled = WeakKeyDictionary[WordTable, WordRows]()
        """The words of each table, as long as whoever numbers words by it."""

    def add(self, batch: WordBatch) -> None:
        """Add snippets by their words, under the next numbers."""
        known = self._spelled.get(batch.table) or self._embedding.spell([])
        new = batch.table.words(len(known.ends))
        self._spelled[batch.table] = words = known.join(self._embedding.spell(new))
        numbers = np.frombuffer(batch.numbers, np.uint32)
        counts = np.frombuffer(batch.counts, np.uint32).reshape(-1, 2)
        ends = np.cumsum(counts.sum(axis=1, dtype=np.int64))
        first = 0
        for start in range(0, len(ends), PART_SNIPPETS):
            of_part = ends[start : start + PART_SNIPPETS]
            texts = Flat(numbers[first : of_part[-1]], of_part - first)
            vectors = self._embedding.encode_words(texts, words)
            self._parts.append(np.rint(vectors * STEPS).astype(np.int8))
            first = int(of_part[-1])

    def rows(self, start: int) -> Bytes:
        """The vectors by number, from `start` on."""
        return np.concatenate([np.zeros((0, DIMENSIONS), np.int8), *self._parts])[start:]

    def append(self, rows: Bytes) -> None:
        """Add snippets by vectors that `rows` gave, under the next numbers."""
        self._parts += [
            rows[start : start + PART_SNIPPETS] for start in range(0, len(rows), PART_SNIPPETS)
        ]

    def restore(self, rows: bytes) -> None:
        """Fill an empty index with vectors that `rows` gave, as bytes."""
        self.append(np.frombuffer(rows, np.int8).reshape(-1, DIMENSIONS))

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Keep the snippets of these numbers, ascending, and number them anew in this order."""
        starts = np.cumsum([0, *(len(part) for part in self._parts)])
        cuts = numbers.searchsorted(starts)
        self._parts = [
            part[numbers[first:last] - start]
            for part, start, first, last in zip(
                self._parts, starts[:-1], cuts[:-1], cuts[1:], strict=True
            )
        ]

    def cosines(self, query: Sequence[bytes]) -> Vectors:
        """How near each snippet is to the words of a query, -1..1; 0 where either means nothing."""
        asked = self._embedding.encode([query])[0] / np.float32(STEPS)
        # Not by BLAS, which may wake threads for a part: they took thirty times as long on two
        # busy cores.
        near = [np.einsum('ij,j', part.astype(np.float32), asked) for part in self._parts]
        return np.concatenate([np.zeros(0, np.float32), *near])
