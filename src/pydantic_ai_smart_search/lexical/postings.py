"""Inverted lists in flat arrays: which snippets have a term, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint32]
Frequencies = NDArray[np.uint16]

_TERM_BITS = np.uint64(32)


class Postings(NamedTuple):
    """The snippets that have one term."""

    snippets: Numbers
    """Ascending."""
    frequencies: Frequencies
    """How often each has it; 65,535 stands for more, which no snippet is long enough for."""

    @classmethod
    def join(cls, parts: Sequence[Postings]) -> Postings:
        """One list of several whose snippets ascend from part to part."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([_NO_SNIPPETS, *(part.snippets for part in parts)]),
            np.concatenate([_NO_FREQUENCIES, *(part.frequencies for part in parts)]),
        )

    def where(self, keep: NDArray[np.bool_]) -> Postings:
        """Those of the snippets whose number is true in `keep`."""
        kept = keep[self.snippets]
        return Postings(self.snippets[kept], self.frequencies[kept])


_NO_SNIPPETS: Numbers = np.zeros(0, np.uint32)
_NO_FREQUENCIES: Frequencies = np.zeros(0, np.uint16)


class BagOfTerms(NamedTuple):
    """Snippets as one sequence of terms."""

    terms: Numbers
    snippets: Numbers
    """The snippet of each term; ascending."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The postings of a run of consecutive snippets."""

    terms: Numbers
    """Ascending."""
    offsets: NDArray[np.int64]
    """Where the postings of each term start, and at the end their number."""
    postings: Postings
    """Those of the first term, then those of the second, and so on."""

    @classmethod
    def of_terms(cls, bag: BagOfTerms) -> Self:
        """Count how often each snippet has each term."""
        keys = bag.terms.astype(np.uint64)
        keys <<= _TERM_BITS
        keys |= bag.snippets
        keys.sort()
        starts = _starts_of_runs(keys)
        frequencies = np.diff(starts, append=len(keys)).clip(max=0xFFFF).astype(np.uint16)
        keys = keys[starts]
        return cls.of_sorted(
            (keys >> _TERM_BITS).astype(np.uint32), Postings(keys.astype(np.uint32), frequencies)
        )

    @classmethod
    def of_sorted(cls, terms: Numbers, postings: Postings) -> Self:
        """From the term of each of `postings`, sorted by term and then by snippet."""
        starts = _starts_of_runs(terms)
        return cls(terms[starts], np.append(starts, len(terms)), postings)

    def __len__(self) -> int:
        return len(self.postings.snippets)

    def find(self, term: int) -> Postings:
        """The postings of a term, none if the segment does not have it."""
        at = int(self.terms.searchsorted(np.uint32(term)))  # another type would copy the terms
        if at == len(self.terms) or self.terms[at] != term:
            return Postings(_NO_SNIPPETS, _NO_FREQUENCIES)
        start, end = self.offsets[at], self.offsets[at + 1]
        return Postings(self.postings.snippets[start:end], self.postings.frequencies[start:end])

    def merge(self, following: Segment) -> Segment:
        """One segment of this and the one whose snippets follow."""
        terms = np.concatenate((self._term_of_each(), following._term_of_each()))
        order = np.argsort(terms, kind='stable')
        snippets, frequencies = Postings.join((self.postings, following.postings))
        return Segment.of_sorted(terms[order], Postings(snippets[order], frequencies[order]))

    def renamed(self, terms: Numbers, first: int) -> Segment:
        """The same under other numbers: `terms` by the number so far, and snippets from `first`."""
        of_each = terms[self._term_of_each()]
        order = np.argsort(of_each, kind='stable')
        snippets = self.postings.snippets[order] + np.uint32(first)
        return Segment.of_sorted(
            of_each[order], Postings(snippets, self.postings.frequencies[order])
        )

    def renumber(self, keep: NDArray[np.bool_], numbers: Numbers) -> Segment:
        """The postings of the snippets that are true in `keep`, under their new `numbers`."""
        kept = keep[self.postings.snippets]
        snippets = numbers[self.postings.snippets[kept]]
        return Segment.of_sorted(
            self._term_of_each()[kept], Postings(snippets, self.postings.frequencies[kept])
        )

    def _term_of_each(self) -> Numbers:
        return np.repeat(self.terms, np.diff(self.offsets))


def _starts_of_runs(values: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Where `values` differ from the one before."""
    changes = np.empty(len(values), np.bool_)
    changes[:1] = True
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return np.flatnonzero(changes)
