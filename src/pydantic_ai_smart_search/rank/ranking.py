"""From judgments to matches: threshold, order, overlaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic_ai_smart_search.judge.judge import JudgedCase
from pydantic_ai_smart_search.rank.excerpt import Excerpt, cut_excerpt


@dataclass(frozen=True, slots=True)
class RankedCase:
    """A relevant case and the part of it to show."""

    judged: JudgedCase
    excerpt: Excerpt


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """The relevant cases of a search."""

    matches: Sequence[RankedCase]
    """Best first, no two of them overlapping, at most the limit."""
    omitted: int
    """How many more there are beyond the limit."""


def rank_cases(
    judged: Sequence[JudgedCase], weights: Mapping[str, float], *, threshold: float, limit: int
) -> Ranking:
    """Keep the cases at or above `threshold`, best first, and of overlapping ones only the best.

    Equal relevance is decided by lexical rank, which is itself unique in one search, so the order
    in which judgments finished never shows. `weights` are the query's terms, for the excerpts.
    """
    relevant = sorted(
        (case for case in judged if case.judgment.relevance >= threshold),
        key=lambda case: (-case.judgment.relevance, case.case.candidate.rank),
    )
    kept = drop_overlaps(relevant)
    return Ranking(
        matches=[RankedCase(case, cut_excerpt(case.case, weights)) for case in kept[:limit]],
        omitted=max(len(kept) - limit, 0),
    )


def drop_overlaps(ranked: Sequence[JudgedCase]) -> list[JudgedCase]:
    """The cases of `ranked`, in its order, that share no line with an earlier one."""
    kept: list[JudgedCase] = []
    for case in ranked:
        if not any(_overlap(case, better) for better in kept):
            kept.append(case)
    return kept


def _overlap(a: JudgedCase, b: JudgedCase) -> bool:
    first, second = a.case.candidate, b.case.candidate
    return first.path == second.path and first.span.overlaps(second.span)
