"""BM25 over numpy postings that can be added to and taken from."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Plus

K1: Final = 1.2
B: Final = 0.75
DELTA: Final = 0.0

SEGMENT_WORDS: Final = 1_500_000
"""Words gathered before they are sorted into a segment."""

MAX_DEAD_SHARE: Final = 0.25
MIN_DEAD: Final = 1_000

Ids = NDArray[np.uint32]
Counts = NDArray[np.uint16]
Scores = NDArray[np.float64]


class Postings(NamedTuple):
    """The snippets that contain one term."""

    ids: Ids
    """Ascending."""
    frequencies: Counts
    """How often each contains it."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """Postings of a run of consecutive snippet ids."""

    terms: Ids
    offsets: NDArray[np.int64]
    ids: Ids
    frequencies: Counts

    def find(self, term: int) -> Postings:
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return Postings(self.ids[:0], self.frequencies[:0])
        start, end = self.offsets[at], self.offsets[at + 1]
        return Postings(self.ids[start:end], self.frequencies[start:end])


class _WordIds(dict[bytes, int]):
    """Raw word -> its number; a new word is split into terms the first time it is seen."""

    def __init__(self, split: Callable[[bytes], Sequence[str]], term_ids: dict[str, int]) -> None:
        super().__init__()
        self._split, self._term_ids = split, term_ids
        self.terms = array('I')
        self.ends = array('I')

    def __missing__(self, word: bytes) -> int:
        ids = self._term_ids
        for term in self._split(word):
            self.terms.append(ids.setdefault(term, len(ids)))
        self.ends.append(len(self.terms))
        self[word] = number = len(self)
        return number


class SnippetBM25(BM25Plus):
    """Okapi BM25 with the idf of BM25+, over snippets that come and go."""

    def __init__(
        self,
        split: Callable[[bytes], Sequence[str]],
        *,
        k1: float = K1,
        b: float = B,
        delta: float = DELTA,
        segment_words: int = SEGMENT_WORDS,
    ) -> None:
        self._split = split
        self._segment_words = segment_words
        super().__init__((), k1=k1, b=b, delta=delta)

    def _initialize(self, corpus: Iterable[Sequence[str]]) -> dict[str, int]:
        self._term_ids: dict[str, int] = {}
        self._segments: list[_Segment] = []
        self._alive: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._lengths: Ids = np.zeros(0, np.uint32)
        self._total_length = 0
        self._start_segment()
        self._word_ids = _WordIds(self._split, self._term_ids)
        self._next = 0
        return {}

    def _start_segment(self) -> None:
        self._words = array('I')
        self._word_counts = array('I')

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        self.idf = {term: math.log((self.corpus_size + 1) / n) for term, n in nd.items()}

    def add(self, words: Sequence[bytes]) -> int:
        """Add one snippet, and return its id, one more than the last."""
        self._words.extend(map(self._word_ids.__getitem__, words))
        self._word_counts.append(len(words))
        number = self._next
        self._next += 1
        self.corpus_size += 1
        if len(self._words) >= self._segment_words:
            self._seal()
        return number

    def remove(self, ids: range) -> None:
        """Forget the snippets `ids`."""
        self._flush()
        self._alive[ids.start : ids.stop] = False
        self._total_length -= int(self._lengths[ids.start : ids.stop].sum(dtype=np.int64))
        self.corpus_size -= len(ids)

    def _flush(self) -> None:
        if self._word_counts:
            self._seal()

    def _seal(self) -> None:
        words = np.frombuffer(self._words, np.uint32)
        counts = np.frombuffer(self._word_counts, np.uint32)
        first = self._next - len(counts)
        ends = np.frombuffer(self._word_ids.ends, np.uint32).astype(np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
        flat = np.frombuffer(self._word_ids.terms, np.uint32)
        repeats = (ends - starts)[words]
        snippet_of = np.repeat(np.arange(first, self._next, dtype=np.uint32), counts)
        snippets = np.repeat(snippet_of, repeats)
        shift = starts[words] - (np.cumsum(repeats) - repeats)
        terms = flat[np.repeat(shift, repeats) + np.arange(len(snippets))]
        lengths = np.bincount(snippets - first, minlength=len(counts)).astype(np.uint32)
        keys = terms.astype(np.uint64) << np.uint64(32) | snippets
        keys.sort()
        at = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
        frequencies = np.diff(at, append=len(keys)).clip(max=0xFFFF).astype(np.uint16)
        keys = keys[at]
        self._push(_segment_of((keys >> np.uint64(32)).astype(np.uint32), keys.astype(np.uint32), frequencies))
        self._lengths = np.concatenate((self._lengths, lengths))
        self._alive = np.concatenate((self._alive, np.ones(len(counts), np.bool_)))
        self._total_length += int(lengths.sum(dtype=np.int64))
        self._start_segment()

    def _push(self, segment: _Segment) -> None:
        while self._segments and len(self._segments[-1].ids) < 2 * len(segment.ids):
            if len(self._segments[-1].ids) + len(segment.ids) > 2 * self._segment_words:
                break
            segment = _merge(self._segments.pop(), segment)
        self._segments.append(segment)

    def postings(self, term: str) -> Postings:
        """The live snippets that contain `term`."""
        self._flush()
        number = self._term_ids.get(term, -1)
        found = [segment.find(number) for segment in self._segments] if number >= 0 else []
        ids = np.concatenate([part.ids for part in found] or [np.zeros(0, np.uint32)])
        frequencies = np.concatenate([part.frequencies for part in found] or [np.zeros(0, np.uint16)])
        if len(self._alive) > self.corpus_size:
            keep = self._alive[ids]
            ids, frequencies = ids[keep], frequencies[keep]
        return Postings(ids, frequencies)

    @property
    def lengths(self) -> Ids:
        """Terms of each snippet, by id."""
        self._flush()
        return self._lengths

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which ids are live."""
        self._flush()
        return self._alive

    def get_scores(self, query: Iterable[str]) -> Scores:
        """The score of every id, 0 for those that are gone; a mapping gives each term a weight."""
        weights = query if isinstance(query, Mapping) else Counter(query)
        self._flush()
        self.avgdl = self._total_length / self.corpus_size if self.corpus_size else 1.0
        found = {term: postings for term in weights if len((postings := self.postings(term)).ids)}
        self._calc_idf({term: len(postings.ids) for term, postings in found.items()})
        scores = np.zeros(len(self._lengths))
        for term, (ids, frequencies) in found.items():
            scores[ids] += weights[term] * self.idf[term] * self.saturate(frequencies, self._lengths[ids], self.avgdl)
        return scores

    def saturate(self, frequencies: NDArray[np.generic], lengths: NDArray[np.generic], average: float) -> Scores:
        tf = frequencies.astype(np.float64)
        return self.delta + tf * (self.k1 + 1) / (self.k1 * (1 - self.b + self.b * lengths / average) + tf)

    def compact(self) -> NDArray[np.intp] | None:
        """Drop removed snippets once they are many; the old ids of those kept, in order, or `None`."""
        self._flush()
        dead = len(self._alive) - self.corpus_size
        if dead <= max(MIN_DEAD, MAX_DEAD_SHARE * self.corpus_size):
            return None
        kept = np.flatnonzero(self._alive)
        renumbered = (np.cumsum(self._alive) - 1).astype(np.uint32)
        segments, self._segments = self._segments, []
        for segment in segments:
            keep = self._alive[segment.ids]
            terms = np.repeat(segment.terms, np.diff(segment.offsets))[keep]
            self._push(_segment_of(terms, renumbered[segment.ids[keep]], segment.frequencies[keep]))
        self._lengths = self._lengths[kept]
        self._alive = np.ones(len(kept), np.bool_)
        self._next = len(kept)
        return kept


def _segment_of(terms: Ids, ids: Ids, frequencies: Counts) -> _Segment:
    """A segment from one entry a posting, sorted by term and id."""
    at = np.flatnonzero(np.diff(terms, prepend=~terms[:1]))
    return _Segment(terms[at], np.append(at, len(terms)), ids, frequencies)


def _merge(first: _Segment, second: _Segment) -> _Segment:
    """One segment; the ids of `second` follow those of `first`."""
    terms = np.concatenate([np.repeat(part.terms, np.diff(part.offsets)) for part in (first, second)])
    order = np.argsort(terms, kind='stable')
    return _segment_of(
        terms[order],
        np.concatenate((first.ids, second.ids))[order],
        np.concatenate((first.frequencies, second.frequencies))[order],
    )
