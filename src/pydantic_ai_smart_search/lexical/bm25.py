"""BM25 over snippets that come and go."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.lexical.postings import Numbers, Postings, Segment
from pydantic_ai_smart_search.lexical.rank_bm25 import BM25Plus
from pydantic_ai_smart_search.lexical.words import Bag, WordBatch, WordTable, new_numbers

K1: Final = 2.0
B: Final = 0.75
DELTA: Final = 0.0
"""BM25+ adds this for every term a document has. `rank_bm25` adds it to documents without the term,
too, which would be every snippet of a sparse index; at 0 the two agree exactly.
"""

SEGMENT_WORDS: Final = 100_000
"""Words gathered before they are sorted into a segment, which takes some 5 MB at its peak. With
twice as many, indexing the standard library peaked 3 MB higher and took as long.
"""

MAX_WORDS_KNOWN: Final = 30_000
"""Distinct words kept, with their terms and rows, while segments follow one another: some 10 MB.
With twice as many, indexing the standard library peaked 5 MB higher and took as long.
"""

MAX_DEAD_SHARE: Final = 0.25
"""Removed snippets, as a share of the live ones, from which on they are dropped for good."""

MIN_DEAD: Final = 1_000
"""Removed snippets that are always tolerated: reading past them costs less than dropping them."""

_MIN_RARITY: Final = 1.01
"""What an estimate of how rare a term is counts for at least, so that no idf falls to 0."""

Scores = NDArray[np.float64]


class Contribution(NamedTuple):
    """What one term of a query adds to the scores of the snippets that have it."""

    weight: float
    """Of the term in the query."""
    postings: Postings
    scores: Scores
    """One for each posting."""

    def to(self, snippets: Numbers) -> Scores:
        """What it adds to each of `snippets`, 0 where the term is absent."""
        found = self.postings.snippets
        at = found.searchsorted(snippets).clip(max=len(found) - 1)
        return np.where(found[at] == snippets, self.scores[at], 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Population:
    """What the snippets are a sample of, so that a term is as rare as it is in all there is."""

    share: float
    """What part of the text of the population the snippets are, above 0 and up to 1."""
    groups: int
    """Groups of the population."""
    groups_with: Mapping[str, int]
    """Groups that have each term."""
    shares: Mapping[str, float]
    """What part of all occurrences of each term the snippets have, above 0 and up to 1."""


class SnippetBM25(BM25Plus):
    """BM25 with the idf of BM25+, over snippets that come and go.

    A snippet is a bag of raw words, in which names count `name_repeats` times; `split` turns a word
    into terms. Snippets are numbered from 0 in the order they are added. Whatever was added and
    removed before, the scores are exactly those of a fresh index of the live snippets, because
    counts, mean length and idf are those of the moment. For one thread at a time.
    """

    corpus_size: int
    """Live snippets."""
    avgdl: float
    """Terms a live snippet has on average, at the last query."""
    idf: dict[str, float]
    """What each term of the last query counts for."""
    population: Population | None
    """What the snippets are a sample of, `None` if they are all there is."""
    segments: list[Segment]
    """The postings of all that has settled."""
    lengths: Numbers
    """Terms of each snippet that has settled, by its number; of removed snippets too."""

    def __init__(
        self,
        split: Callable[[bytes], Sequence[str]],
        *,
        k1: float = K1,
        b: float = B,
        delta: float = DELTA,
        name_repeats: int = 1,
        segment_words: int = SEGMENT_WORDS,
        on_seal: Callable[[WordBatch], None] | None = None,
    ) -> None:
        """`on_seal` is given the words of snippets before they are sorted, in order, once each."""
        self._split = split
        self._name_repeats = name_repeats
        self._segment_words = segment_words
        self._on_seal = on_seal
        self.population = None
        super().__init__((), k1=k1, b=b, delta=delta)

    def _initialize(self, corpus: Iterable[Sequence[str]]) -> dict[str, int]:
        """Start empty: snippets come through `add`."""
        self._term_numbers = new_numbers()
        self.segments = []
        self.lengths = np.zeros(0, np.uint32)
        self._alive: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._live_length = 0
        self._words = WordTable(self._split, self._term_numbers)
        self._gathered = array('I')
        self._gathered_counts = array('I')
        return {}

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        """Set `idf` for the terms of one query; it is above 0 even for a term of every snippet."""
        shares: Mapping[str, float] = self.population.shares if self.population else {}
        self.idf = {
            term: math.log(max((self.documents + 1) * shares.get(term, 1.0) / count, _MIN_RARITY))
            for term, count in nd.items()
        }

    def add(self, bags: Sequence[Bag]) -> None:
        """Add snippets, under the next numbers."""
        number = self._words.number
        for words, names in bags:
            self._gathered.extend(number(words))
            self._gathered.extend(number(names))
            self._gathered_counts.append(len(words))
            self._gathered_counts.append(len(names))
        self.corpus_size += len(bags)
        if len(self._gathered) >= self._segment_words:
            self._seal()

    def absorb(self, segments: Sequence[Segment], lengths: Numbers, terms: Sequence[str]) -> None:
        """Add the settled snippets of another index, whose terms are numbered as in `terms`."""
        self.settle()
        numbers = np.fromiter(map(self._term_numbers.__getitem__, terms), np.uint32, len(terms))
        first = len(self.lengths)
        for segment in segments:
            self._append(segment.renamed(numbers, first))
        self._extend(lengths)
        self.corpus_size += len(lengths)

    def remove(self, numbers: range) -> None:
        """Remove live snippets."""
        self.settle()
        self._alive[numbers.start : numbers.stop] = False
        removed = self.lengths[numbers.start : numbers.stop]
        self._live_length -= int(removed.sum(dtype=np.int64))
        self.corpus_size -= len(numbers)

    def compact(self) -> NDArray[np.int64] | None:
        """Drop removed snippets once they are many, and number the rest anew in the same order.

        Returns:
            The old numbers of the rest, or `None` if they are still valid.
        """
        self.settle()
        dead = len(self._alive) - self.corpus_size
        if dead <= max(MIN_DEAD, MAX_DEAD_SHARE * self.corpus_size):
            return None
        kept = np.flatnonzero(self._alive)
        numbers = (np.cumsum(self._alive) - 1).astype(np.uint32)
        segments, self.segments = self.segments, []
        for segment in segments:
            self._append(segment.renumber(self._alive, numbers))
        self.lengths = self.lengths[kept]
        self._alive = self._alive[kept]
        return kept

    def terms(self, start: int) -> list[str]:
        """The terms by number, from `start` on."""
        return list(islice(self._term_numbers, start, None))

    def restore(self, segments: list[Segment], lengths: Numbers, terms: Sequence[str]) -> None:
        """Fill an empty index, without a live snippet yet; a term without a name is never found."""
        self.segments, self.lengths = segments, lengths
        self._alive = np.zeros(len(lengths), np.bool_)
        for number, term in enumerate(terms):
            self._term_numbers[term or f'\0{number}']

    def revive(self, runs: Sequence[range]) -> None:
        """Make the snippets of `runs` the live ones of a restored index."""
        for numbers in runs:
            self._alive[numbers.start : numbers.stop] = True
        self.corpus_size = int(self._alive.sum())
        self._live_length = int(self.lengths[self._alive].sum(dtype=np.int64))

    @property
    def documents(self) -> float:
        """Live snippets, or about how many the population has."""
        return self.corpus_size / self.population.share if self.population else self.corpus_size

    @property
    def alive(self) -> NDArray[np.bool_]:
        """For each number, whether its snippet is live."""
        self.settle()
        return self._alive

    def postings(self, term: str) -> Postings:
        """The live snippets that have `term`."""
        self.settle()
        number = self._term_numbers.get(term)
        if number is None:
            return Postings.join(())
        found = Postings.join([segment.find(number) for segment in self.segments])
        return found if len(self._alive) == self.corpus_size else found.where(self._alive)

    def get_scores(self, query: Iterable[str]) -> Scores:
        """The score of every number, 0 for removed snippets; a term counts as often as it comes."""
        return self.add_up(self.contributions(Counter(query)))

    def contributions(self, weights: Mapping[str, float]) -> dict[str, Contribution]:
        """What each term adds to which scores; terms that no live snippet has are left out."""
        found = {term: postings for term in weights if len((postings := self.postings(term))[0])}
        self._calc_idf({term: len(postings.snippets) for term, postings in found.items()})
        self.avgdl = self._live_length / max(self.corpus_size, 1)
        contributions: dict[str, Contribution] = {}
        for term, postings in found.items():
            lengths = self.lengths[postings.snippets]
            saturated = self._saturate(postings.frequencies, lengths, self.avgdl)
            scores = weights[term] * self.idf[term] * saturated
            contributions[term] = Contribution(weights[term], postings, scores)
        return contributions

    def add_up(self, contributions: Mapping[str, Contribution]) -> Scores:
        """The score of every number from what each term contributes, 0 for removed snippets."""
        scores = np.zeros(len(self.alive))
        for _, postings, part in contributions.values():
            scores[postings.snippets] += part
        return scores

    def score_groups(
        self, contributions: Mapping[str, Contribution], group_of: Numbers, groups: int
    ) -> Scores:
        """The score of every group of snippets as if it were one snippet.

        `group_of` gives the group of each number, from 0 to `groups` - 1. A group is as long as its
        live snippets together; without any it scores 0.
        """
        lengths = np.bincount(group_of, self.lengths * self.alive, minlength=groups)
        live, length = max(int(np.count_nonzero(lengths)), 1), float(self._live_length)
        groups_with: Mapping[str, int] = {}
        if self.population:
            live, groups_with = self.population.groups, self.population.groups_with
            length /= self.population.share
        scores = np.zeros(groups)
        for term, (weight, postings, _) in contributions.items():
            counts = np.bincount(group_of[postings.snippets], postings.frequencies)
            found = np.flatnonzero(counts)
            idf = math.log((live + 1) / groups_with.get(term, len(found)))
            saturated = self._saturate(counts[found], lengths[found], length / live)
            scores[found] += weight * idf * saturated
        return scores

    def _saturate(
        self, frequencies: NDArray[np.number], lengths: NDArray[np.number], average: float
    ) -> Scores:
        """What frequencies count for: up to k1 + 1, ever more slowly, and less in a long text."""
        counts = frequencies.astype(np.float64)
        norms = self.k1 * (1 - self.b + self.b * lengths.astype(np.float64) / average)
        return self.delta + counts * (self.k1 + 1) / (norms + counts)

    def settle(self) -> None:
        """Bring everything added so far into segments."""
        if self._gathered_counts:
            self._seal()
            self._words = WordTable(self._split, self._term_numbers)

    def _seal(self) -> None:
        """Sort the gathered words into a segment."""
        batch = WordBatch(self._words, self._gathered, self._gathered_counts)
        if self._on_seal is not None:
            self._on_seal(batch)
        bag = self._words.expand(batch, self._name_repeats)
        lengths = np.bincount(bag.snippets, minlength=len(self._gathered_counts) // 2)
        bag.snippets[:] += np.uint32(len(self.lengths))
        self._append(Segment.of_terms(bag))
        self._extend(lengths.astype(np.uint32))
        self._gathered = array('I')
        self._gathered_counts = array('I')
        if len(self._words) > MAX_WORDS_KNOWN:
            self._words = WordTable(self._split, self._term_numbers)

    def _extend(self, lengths: Numbers) -> None:
        """Number live snippets of these lengths."""
        self.lengths = np.concatenate((self.lengths, lengths))
        self._alive = np.concatenate((self._alive, np.ones(len(lengths), np.bool_)))
        self._live_length += int(lengths.sum(dtype=np.int64))

    def _append(self, segment: Segment) -> None:
        """Add a segment, merged with those before it that are not twice its size.

        So a posting is copied a few times at most, and small changes leave few segments behind.
        """
        while self.segments:
            before = self.segments[-1]
            if len(before) >= 2 * len(segment) or len(before) + len(segment) > self._segment_words:
                break
            segment = self.segments.pop().merge(segment)
        self.segments.append(segment)
