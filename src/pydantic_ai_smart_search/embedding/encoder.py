"""Turns words into vectors, by numpy and a file of this package."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

MODEL: Final = Path(__file__).with_name('model.npz')
"""The vectors; `training/` makes them, and its model card says of what."""

DIMENSIONS: Final = 128
"""Length of a vector. 256 bought nothing in a trial, and a snippet's vector is kept in memory."""

GRAM_CHARS: Final = 4
"""Characters of the pieces that stand for a part outside the vocabulary: three are in too many
words to mean anything, five are as rare as the word.
"""

GRAM_BUCKETS: Final = 8_192
"""Rows that pieces are hashed to, 1 MB."""

MAX_WORD_CHARS: Final = 64
"""Longer words are data (hashes, encoded blobs) and have no meaning."""

MAX_PART_CHARS: Final = 20
"""Longer parts are data too; `internationalization` is 20."""

BLOCK_TEXTS: Final = 4
"""Texts summed by one product. With 4 of ordinary length it stays well below a million
multiplications, from which on OpenBLAS wakes threads that cost more than they do: 16 texts took
three times as long on two cores.
"""

_WORD_BITS: Final = np.uint64(32)
_RUN: Final = re.compile(rb'\w+')
_PART: Final = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+')


def find_words(text: str) -> list[bytes]:
    """The raw words of `text`, in order: runs of ASCII letters, digits and underscores."""
    return _RUN.findall(text.encode(errors='replace'))


def parts_of(word: bytes) -> list[str]:
    """The lower-case parts of an identifier: `readHTTPHeader2` is read, http, header.

    Single letters and digits say nothing of what code does.
    """
    if word.isalpha() and word.islower():  # ASCII, and in one part
        return [word.decode()] if 1 < len(word) <= MAX_PART_CHARS else []
    if len(word) > MAX_WORD_CHARS:
        return []
    return [
        part.lower()
        for part in _PART.findall(word.decode(errors='replace'))
        if 1 < len(part) <= MAX_PART_CHARS
    ]


def grams_of(part: str) -> list[int]:
    """The buckets of a part's pieces, its ends marked; at least one."""
    marked = f'<{part}>'.encode()
    count = max(1, len(marked) - GRAM_CHARS + 1)
    return [crc32(marked[at : at + GRAM_CHARS]) % GRAM_BUCKETS for at in range(count)]


class Flat(NamedTuple):
    """Many lists of numbers, one after the other."""

    numbers: NDArray[np.uint32]
    ends: NDArray[np.int64]
    """Where each list ends; it starts where the one before ended."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words taken apart, each distinct part once."""

    parts: Sequence[str]
    """In the order they were first met."""
    of_words: Flat
    """The numbers of each word's parts."""


@dataclass(frozen=True, slots=True)
class WordRows:
    """What the vectors of words are sums of: rows of the table, each times a weight."""

    rows: NDArray[np.uint32]
    """Those of word 0, then those of word 1, and so on."""
    weights: Vectors
    """One for each of `rows`."""
    ends: NDArray[np.int64]
    """Where the rows of each word end."""

    def join(self, following: WordRows) -> WordRows:
        """These words and then those."""
        return WordRows(
            np.concatenate((self.rows, following.rows)),
            np.concatenate((self.weights, following.weights)),
            np.concatenate((self.ends, following.ends + len(self.rows))),
        )


def take_apart(words: Sequence[bytes]) -> Spelling:
    """The parts of `words`. Most share theirs with others: what follows is done once per part."""
    ids: dict[str, int] = {}
    numbers: list[int] = []
    ends: list[int] = []
    for word in words:
        numbers += (ids.setdefault(part, len(ids)) for part in parts_of(word))
        ends.append(len(numbers))
    return Spelling(list(ids), Flat(np.array(numbers, np.uint32), np.array(ends, np.int64)))


def rows_of_parts(parts: Sequence[str], vocabulary: Mapping[str, int]) -> Flat:
    """The row of each part in the vocabulary; of another the rows of its pieces, to be averaged."""
    rows: list[int] = []
    ends: list[int] = []
    for part in parts:
        row = vocabulary.get(part)
        if row is None:
            rows += (len(vocabulary) + gram for gram in grams_of(part))
        else:
            rows.append(row)
        ends.append(len(rows))
    return Flat(np.array(rows, np.uint32), np.array(ends, np.int64))


class Embedding:
    """A table of vectors for the parts of identifiers, and for pieces of those it does not know."""

    def __init__(self, parts: Sequence[str], table: NDArray[np.int8], scales: Vectors) -> None:
        self._vocabulary = {part: row for row, part in enumerate(parts)}
        self._table = table
        self._scales = scales

    @classmethod
    @cache
    def load(cls) -> Embedding:
        """The model of this package, loaded once."""
        with np.load(MODEL) as arrays:
            parts = arrays['parts'].tobytes().decode().split('\n')
            return cls(parts, arrays['table'], arrays['scales'])

    def spell(self, words: Sequence[bytes]) -> WordRows:
        """What the vectors of `words` are sums of; nothing for a word without parts."""
        spelling = take_apart(words)
        of_parts = rows_of_parts(spelling.parts, self._vocabulary)
        numbers, ends = spelling.of_words
        at, sizes = _find_runs(of_parts.ends, numbers)
        rows = of_parts.numbers[at]
        weights = self._scales[rows] / np.repeat(sizes, sizes).astype(np.float32)
        return WordRows(rows, weights, np.append(0, np.cumsum(sizes))[ends])

    def encode(self, texts: Sequence[Sequence[bytes]]) -> Vectors:
        """One vector of length 1 a text, [len(texts), 128]; zero for one without known words."""
        ids: dict[bytes, int] = {}
        flat = [ids.setdefault(word, len(ids)) for text in texts for word in text]
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        return self.encode_words(Flat(np.array(flat, np.uint32), ends), self.spell(list(ids)))

    def encode_words(self, texts: Flat, words: WordRows) -> Vectors:
        """The same of texts that are given as numbers of `words`.

        A word counts by the square root of how often it occurs, so that a loop variable does not
        outweigh the rest.
        """
        count = len(texts.ends)
        text_of = np.repeat(np.arange(count, dtype=np.uint64), np.diff(texts.ends, prepend=0))
        keys, counts = np.unique((text_of << _WORD_BITS) | texts.numbers, return_counts=True)
        at, sizes = _find_runs(words.ends, keys.astype(np.uint32))
        rows = words.rows[at]
        values = np.repeat(np.sqrt(counts, dtype=np.float32), sizes) * words.weights[at]
        text_of = np.repeat((keys >> _WORD_BITS).astype(np.int64), sizes)
        sums = np.zeros((count, DIMENSIONS), np.float32)
        starts = range(0, count, BLOCK_TEXTS)
        cuts = text_of.searchsorted([*starts, count])
        for start, first, last in zip(starts, cuts[:-1], cuts[1:], strict=True):
            share = np.zeros((min(BLOCK_TEXTS, count - start), last - first), np.float32)
            share[text_of[first:last] - start, np.arange(last - first)] = values[first:last]
            vectors = self._table[rows[first:last]].astype(np.float32)
            sums[start : start + BLOCK_TEXTS] = share @ vectors
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        norms[norms == 0] = 1
        return sums / norms


def _find_runs(
    ends: NDArray[np.int64], numbers: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the members of the lists `numbers` are, of lists that end at `ends`; their sizes."""
    sizes = np.diff(ends, prepend=0)[numbers]
    shifts = ends[numbers] - np.cumsum(sizes)
    places: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(shifts, sizes)
    return places, sizes
