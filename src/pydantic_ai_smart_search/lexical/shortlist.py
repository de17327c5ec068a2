"""The best candidates of an index for one query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.lexical.bm25 import Scores
from pydantic_ai_smart_search.lexical.candidate import Candidate, ScorePart, Shortlist
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.lexical.scoring import Scoring, score_snippets

NEXT_OF_FILE_WEIGHT: Final = 0.8
"""What the score of every snippet but the best of a file is multiplied with, so that other files
are seen too. A trade: with 1, nDCG@10 of queries for files falls from .86 to .82, but recall@24 of
queries for lines, whose answers lie in one file, rises from .64 to .67. (This and what follows:
`benchmarks/results/ablation-2026-11-29.json`.)
"""

MAX_FILE_SHARE: Final = 0.375
"""Share of the shortlist one file may take while others match: 9 of the 24 snippets that a run with
the default request limit judges. A promise more than a gain: without it only recall@128 of commits
differs by more than .001, and rises from .82 to .83.
"""

FIRST_CANDIDATES: Final = 5
"""Candidates that stand for a whole search: as many as a call returns unless it says otherwise."""

POOL_FACTOR: Final = 4
"""Snippets that are ranked for each one wanted: the rules for files reorder only near neighbours.
"""


def shortlist_candidates(index: SnippetIndex, terms: QueryTerms, k: int) -> Shortlist:
    """At most `k` snippets, best first; ties by path and line.

    A snippet scores by its own words and a little by those of its whole file; less if its file is
    no implementation and the query asks for none of its kind, and less if its file has a better
    one. Where fewer than `k` snippets have a word of the query, others follow in path order, so
    that a small tree is judged whole.
    """
    scoring = score_snippets(index, terms)
    chosen = _choose(index, scoring, k)
    if len(chosen) < k:
        chosen += islice(_unmatched(index, scoring.totals), k - len(chosen))
    return Shortlist(candidates=describe(index, terms, scoring, chosen), snippets=index.snippets)


class Chosen(NamedTuple):
    """A snippet that becomes a candidate."""

    number: int
    score: float
    """Its total, less what it loses by its place in its file."""


def _choose(index: SnippetIndex, scoring: Scoring, k: int) -> list[Chosen]:
    """The best `k` of the snippets that match, from a pool that grows until it surely has them."""
    totals = scoring.totals
    matched = np.flatnonzero(totals)
    values = totals[matched]
    size = POOL_FACTOR * k
    while size < len(matched):
        floor = np.partition(values, -size)[-size]
        chosen = _rank(index, scoring, matched[values >= floor], k)[0][:k]
        if len(chosen) == k and chosen[-1].score >= floor:
            return chosen
        size *= POOL_FACTOR
    within, beyond = _rank(index, scoring, matched, k)
    return [*within, *beyond][:k]


def _rank(
    index: SnippetIndex, scoring: Scoring, numbers: NDArray[np.int64], k: int
) -> tuple[list[Chosen], list[Chosen]]:
    """The snippets `numbers`, best first: those within the bound of their file, and the others."""

    def order(choice: Chosen) -> tuple[float, str, int]:
        file = index.files[int(scoring.file_of[choice.number])]
        return -choice.score, file.path, choice.number

    by_total = sorted((Chosen(n, float(scoring.totals[n])) for n in numbers.tolist()), key=order)
    seen: Counter[int] = Counter()
    within: list[Chosen] = []
    beyond: list[Chosen] = []
    for number, total in by_total:
        file = int(scoring.file_of[number])
        weight = NEXT_OF_FILE_WEIGHT if seen[file] else 1.0
        some = within if seen[file] < MAX_FILE_SHARE * k else beyond
        some.append(Chosen(number, weight * total))
        seen[file] += 1
    return sorted(within, key=order), sorted(beyond, key=order)


def _unmatched(index: SnippetIndex, totals: Scores) -> Iterator[Chosen]:
    """The snippets without a term of the query, by path and line."""
    for file in index.indexed_files():
        yield from (Chosen(number, 0.0) for number in file.snippets if not totals[number])


def describe(
    index: SnippetIndex, terms: QueryTerms, scoring: Scoring, chosen: Sequence[Chosen]
) -> list[Candidate]:
    """The chosen snippets as candidates, ranked in the order they come, the best first."""
    numbers = np.array([choice.number for choice in chosen], np.uint32)
    parts = {term: part.to(numbers) for term, part in scoring.contributions.items()}
    coverage = _coverage(index, terms, parts, len(chosen))
    best = chosen[0].score if chosen else 0.0
    candidates: list[Candidate] = []
    for place, choice in enumerate(chosen):
        snippet = index.snippet(choice.number)
        candidates.append(
            Candidate(
                path=snippet.file.path,
                span=snippet.span,
                symbol=snippet.symbol,
                kind=snippet.file.kind,
                digest=snippet.file.content.digest,
                rank=place + 1,
                score=choice.score,
                coverage=float(coverage[place]),
                search_coverage=float(coverage[:FIRST_CANDIDATES].max()),
                strength=choice.score / best if best else 0.0,
                parts=_parts(
                    scoring, choice, [(term, float(part[place])) for term, part in parts.items()]
                ),
            )
        )
    return candidates


def _coverage(
    index: SnippetIndex, terms: QueryTerms, parts: Mapping[str, Scores], count: int
) -> Scores:
    """The share of the idf of the query's own terms that each of the chosen snippets has.

    A term that no snippet has counts like one that a single snippet has.
    """
    rarest = math.log(index.bm25.documents + 1)
    idf = {term: index.bm25.idf.get(term, rarest) for term in terms.asked}
    covered = np.zeros(count)
    for term in terms.asked:
        if term in parts:
            covered += idf[term] * (parts[term] > 0)
    return covered / (sum(idf.values()) or 1.0)


def _parts(
    scoring: Scoring, choice: Chosen, contributions: Sequence[tuple[str, float]]
) -> tuple[ScorePart, ...]:
    """The addends of a score: what it gained by each term and its file, and lost by the rules."""
    if not choice.score:
        return ()
    file = scoring.file_of[choice.number]
    total = float(scoring.totals[choice.number])
    by_words = float(scoring.by_words[choice.number])
    meaning = float(scoring.meaning[choice.number])
    kind_weight = float(scoring.kind_weights[file])
    rules = (
        ScorePart('whole file', float(scoring.file_scores[file]) if by_words else 0.0),
        ScorePart('kind of file', by_words - by_words / kind_weight),
        ScorePart('meaning', meaning),
        ScorePart('name of file', total - (by_words + meaning)),
        ScorePart('next of file', choice.score - total),
    )
    terms = (ScorePart(term, score) for term, score in contributions)
    return tuple(part for part in (*terms, *rules) if part.score)
