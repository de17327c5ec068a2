"""Turns words into vectors, by numpy and a file of this package."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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

BLOCK_TEXTS: Final = 8
"""Texts encoded at once. With 8 of ordinary length the product stays below a million
multiplications, from which on OpenBLAS wakes threads that cost more than they do: 16 took three
times as long on two cores.
"""

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

    def word_vectors(self, words: Sequence[bytes]) -> Vectors:
        """One vector a word, [len(words), 128]: the sum of its parts', zero for one without any."""
        spelling = take_apart(words)
        rows, ends = rows_of_parts(spelling.parts, self._vocabulary)
        parts = sum_runs(self._table[rows] * self._scales[rows, None], ends)
        parts /= np.diff(ends, prepend=0).astype(np.float32)[:, None]
        numbers, ends = spelling.of_words
        return sum_runs(parts[numbers], ends)

    def encode(self, texts: Sequence[Sequence[bytes]]) -> Vectors:
        """One vector of length 1 a text, [len(texts), 128]; zero for one without known words."""
        ids: dict[bytes, int] = {}
        flat = [ids.setdefault(word, len(ids)) for text in texts for word in text]
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        vectors = self.word_vectors(list(ids))
        blocks = [np.zeros((0, DIMENSIONS), np.float32)]
        for words, block in blocks_of(Flat(np.array(flat, np.uint32), ends)):
            distinct, words = np.unique(words, return_inverse=True)
            blocks.append(encode_block(words, block, vectors[distinct]))
        return np.concatenate(blocks)


def sum_runs(values: Vectors, ends: NDArray[np.int64]) -> Vectors:
    """Sums of runs of rows: each ends before its row in `ends` and starts where the last ended.

    Runs are short: the first rows of all are added, then the second ones, and so on.
    """
    sums = np.zeros((len(ends), values.shape[1]), np.float32)
    starts = np.concatenate((ends[:1] * 0, ends[:-1]))
    left = np.flatnonzero(starts < ends)
    while len(left):
        sums[left] += values[starts[left]]
        starts[left] += 1
        left = left[starts[left] < ends[left]]
    return sums


def blocks_of(texts: Flat) -> Iterator[Flat]:
    """The same texts, a few at a time."""
    first = 0
    for start in range(0, len(texts.ends), BLOCK_TEXTS):
        ends = texts.ends[start : start + BLOCK_TEXTS]
        yield Flat(texts.numbers[first : ends[-1]], ends - first)
        first = int(ends[-1])


def encode_block(words: NDArray[np.int64], ends: NDArray[np.int64], vectors: Vectors) -> Vectors:
    """A vector of length 1 for each text, whose words are rows of `vectors`; zero for no words.

    A word counts by the square root of how often it occurs, so that a loop variable does not
    outweigh the rest.
    """
    text_of = ends.searchsorted(np.arange(len(words)), side='right')
    counts = np.bincount(text_of * len(vectors) + words, minlength=len(ends) * len(vectors))
    sums = np.sqrt(counts, dtype=np.float32).reshape(len(ends), len(vectors)) @ vectors
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    norms[norms == 0] = 1
    return sums / norms
