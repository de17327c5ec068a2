"""The best candidates of an index for one query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.lexical.bm25 import Contribution, Scores
from pydantic_ai_smart_search.lexical.candidate import Candidate, ScorePart, Shortlist
from pydantic_ai_smart_search.lexical.fusion import score_meaning
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.postings import Numbers
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.lexical.terms import terms_of
from pydantic_ai_smart_search.source.kinds import FileKind

FILE_WEIGHT: Final = 0.4
"""Share of a whole file's score that each of its snippets is given: a file that is all about the
query says something about every part of it. Chosen by hand. Without it nothing rises, and recall@24
of commits falls from .68 to .63. (This and what follows: `benchmarks/results/
ablation-2026-11-29.json`, 60 queries of a kind, so that one more or less is .017.)
"""

KIND_WEIGHTS: Final[Mapping[FileKind, float]] = {
    FileKind.CODE: 1.0,
    FileKind.TEST: 0.5,
    FileKind.DOCS: 0.4,
    FileKind.DATA: 0.4,
}
"""What a score is multiplied with where the query does not ask for the kind of file: tests and docs
repeat the words of the implementation, and would stand in front of it. With 1 for all of them
recall@24 of commits falls from .68 to .59, and their MRR from .44 to .37.
"""

FILE_NAME_WEIGHT: Final = 0.15
"""What a score gains, as a share of it, where every word of the file's name is one of the query's;
in proportion where some are. `cookiejar.py` is about the cookie jar, whatever a snippet of it says.
Without it the MRR of queries for files falls from .82 to .78; that of queries for lines rises from
.50 to .51.
"""

NEXT_OF_FILE_WEIGHT: Final = 0.8
"""What the score of every snippet but the best of a file is multiplied with, so that other files
are seen too. A trade: with 1, nDCG@10 of queries for files falls from .86 to .82, but recall@24 of
queries for lines, whose answers lie in one file, rises from .64 to .67.
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
    scoring = _score_snippets(index, terms)
    chosen = _choose(index, scoring, k)
    if len(chosen) < k:
        chosen += islice(_unmatched(index, scoring.totals), k - len(chosen))
    return Shortlist(candidates=_describe(index, terms, scoring, chosen), snippets=index.snippets)


class _Scoring(NamedTuple):
    """The scores of all snippets, and what they are made of."""

    contributions: Mapping[str, Contribution]
    file_of: Numbers
    file_scores: Scores
    """By number of file."""
    kind_weights: Scores
    """By number of file."""
    name_weights: Scores
    """By number of file."""
    by_words: Scores
    """Of its words and its file's, weighted by kind, by number of snippet."""
    meaning: Scores
    """What its meaning adds, by number of snippet."""
    totals: Scores
    """By number of snippet; 0 where nothing of the query is in it."""


class _Choice(NamedTuple):
    number: int
    score: float
    weight: float
    """What the total of the snippet was multiplied with for its place in its file."""


def _score_snippets(index: SnippetIndex, terms: QueryTerms) -> _Scoring:
    file_of = index.file_of
    contributions = index.bm25.contributions(terms.weights)
    scores = index.bm25.add_up(contributions)
    files = index.bm25.score_groups(contributions, file_of, len(index.files))
    file_scores = FILE_WEIGHT * files
    kind_weights = np.array(
        [1.0 if file.kind in terms.kinds else KIND_WEIGHTS[file.kind] for file in index.files],
        np.float64,
    )
    weights = kind_weights[file_of]
    by_words = np.where(scores, (scores + file_scores[file_of]) * weights, 0.0)
    meaning = np.zeros(len(by_words))
    if index.vectors is not None:
        live = index.bm25.alive
        cosines = index.vectors.cosines(terms.words)[live]
        meaning[live] = score_meaning(by_words[live], cosines, weights[live], file_of[live])
    name_weights = _weigh_names(index, terms, np.flatnonzero(files))
    totals = (by_words + meaning) * name_weights[file_of]
    return _Scoring(
        contributions=contributions,
        file_of=file_of,
        file_scores=file_scores,
        kind_weights=kind_weights,
        name_weights=name_weights,
        by_words=by_words,
        meaning=meaning,
        totals=totals,
    )


def _weigh_names(index: SnippetIndex, terms: QueryTerms, numbers: NDArray[np.int64]) -> Scores:
    """What the score of each file is multiplied with for its name; only `numbers` may match."""
    weights = np.ones(len(index.files))
    matching: list[int] = numbers.tolist()
    for number in matching:
        name = _terms_of_name(index.files[number].path.rpartition('/')[2])
        share = sum(term in terms.weights for term in name) / max(len(name), 1)
        weights[number] += FILE_NAME_WEIGHT * share
    return weights


def _split_name(name: str) -> frozenset[str]:
    """The terms of a file's name without its suffix."""
    return frozenset(terms_of(name.rpartition('.')[0] or name))


_terms_of_name = lru_cache(maxsize=32_768)(_split_name)
"""Names repeat: every package has its `__init__`."""


def _choose(index: SnippetIndex, scoring: _Scoring, k: int) -> list[_Choice]:
    """The best `k` of the snippets that match, from a pool that grows until it surely has them."""
    totals = scoring.totals
    matched = np.flatnonzero(totals)
    size = POOL_FACTOR * k
    while size < len(matched):
        floor = np.partition(totals[matched], -size)[-size]
        chosen = _rank(index, scoring, matched[totals[matched] >= floor], k)[0][:k]
        if len(chosen) == k and chosen[-1].score >= floor:
            return chosen
        size *= POOL_FACTOR
    within, beyond = _rank(index, scoring, matched, k)
    return [*within, *beyond][:k]


def _rank(
    index: SnippetIndex, scoring: _Scoring, numbers: NDArray[np.int64], k: int
) -> tuple[list[_Choice], list[_Choice]]:
    """The snippets `numbers`, best first: those within the bound of their file, and the others."""

    def order(choice: _Choice) -> tuple[float, str, int]:
        file = index.files[int(scoring.file_of[choice.number])]
        return -choice.score, file.path, choice.number

    by_total = sorted(
        (_Choice(n, float(scoring.totals[n]), 1.0) for n in numbers.tolist()), key=order
    )
    seen: Counter[int] = Counter()
    within: list[_Choice] = []
    beyond: list[_Choice] = []
    for number, total, _ in by_total:
        file = int(scoring.file_of[number])
        weight = NEXT_OF_FILE_WEIGHT if seen[file] else 1.0
        some = within if seen[file] < MAX_FILE_SHARE * k else beyond
        some.append(_Choice(number, weight * total, weight))
        seen[file] += 1
    return sorted(within, key=order), sorted(beyond, key=order)


def _unmatched(index: SnippetIndex, totals: Scores) -> Iterator[_Choice]:
    """The snippets without a term of the query, by path and line."""
    for file in index.indexed_files():
        yield from (_Choice(number, 0.0, 1.0) for number in file.snippets if not totals[number])


def _describe(
    index: SnippetIndex, terms: QueryTerms, scoring: _Scoring, chosen: Sequence[_Choice]
) -> list[Candidate]:
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
    scoring: _Scoring, choice: _Choice, contributions: Sequence[tuple[str, float]]
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
