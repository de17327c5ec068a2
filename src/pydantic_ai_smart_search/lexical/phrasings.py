"""One shortlist for several phrasings of a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pydantic_ai_smart_search.lexical.candidate import Candidate, ScorePart, Shortlist
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lines import LineSpan

RANK_OFFSET: Final = 60
"""What reciprocal rank fusion adds to a rank, so that the first few places count about the same:
the constant of Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and
individual rank learning methods" (SIGIR 2009).
"""

QUERY_WEIGHT: Final = 2.0
"""What a place in the list of the query itself counts for; in that of another phrasing it is 1."""


class _Place(NamedTuple):
    path: str
    span: LineSpan


def shortlist_phrasings(index: SnippetIndex, phrasings: Sequence[QueryTerms], k: int) -> Shortlist:
    """At most `k` snippets that fit the query, the first of `phrasings`, or the others; best first.

    Each phrasing has a shortlist of its own, and they are put together by weighted reciprocal rank
    fusion. Of several figures a candidate keeps the best coverages and `strength`; its `score` and
    `parts` are those of the fusion. One phrasing is ranked as it is.
    """
    lists = [shortlist_candidates(index, terms, k) for terms in phrasings]
    if len(lists) == 1:
        return lists[0]
    found: defaultdict[_Place, dict[int, Candidate]] = defaultdict(dict)
    for number, shortlist in enumerate(lists):
        for candidate in shortlist.candidates:
            found[_Place(candidate.path, candidate.span)][number] = candidate
    fused = sorted(
        (_fuse(by_phrasing) for by_phrasing in found.values()),
        key=lambda candidate: (-candidate.score, candidate.path, candidate.span.first),
    )
    return Shortlist(
        candidates=[replace(one, rank=rank) for rank, one in enumerate(fused[:k], 1)],
        snippets=index.snippets,
    )


def _fuse(by_phrasing: Mapping[int, Candidate]) -> Candidate:
    """One candidate of those for the same snippet, by the number of their phrasing."""
    parts = [
        ScorePart(
            f'phrasing {number + 1}',
            (1.0 if number else QUERY_WEIGHT) / (RANK_OFFSET + candidate.rank),
        )
        for number, candidate in by_phrasing.items()
        if candidate.score
    ]
    candidates = by_phrasing.values()
    return replace(
        next(iter(candidates)),
        score=sum(part.score for part in parts),
        coverage=max(candidate.coverage for candidate in candidates),
        search_coverage=max(candidate.search_coverage for candidate in candidates),
        strength=max(candidate.strength for candidate in candidates),
        parts=tuple(parts),
    )
