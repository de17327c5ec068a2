"""A snippet with a lexical score: what the shortlist hands to the judge stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.source.kinds import FileKind


class ScorePart(NamedTuple):
    """One addend of a lexical score."""

    name: str
    """The term, or the rule, that contributed."""
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One shortlisted snippet. Its text is not kept: it is read again, and checked against
    `digest`.
    """

    path: str
    """Relative to the root."""
    span: LineSpan
    symbol: str | None
    kind: FileKind
    digest: bytes
    """Digest of the file the snippet was cut from."""
    rank: int
    """Place in the shortlist, 1 being the best."""
    score: float
    """Weighted BM25 score, 0 or more."""
    coverage: float
    """Share of the query's idf weight whose terms the snippet, its symbol or its path contain,
    0..1."""
    search_coverage: float
    """The best `coverage` of the first few candidates of the same search, 0..1."""
    strength: float
    """`score` as a share of the best score in the same search, 0..1."""
    parts: Sequence[ScorePart]
    """What `score` is made of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shortlist:
    """The best candidates of an index for one query."""

    candidates: Sequence[Candidate]
    """Best first."""
    snippets: int
    """Snippets they were chosen from."""
    rescued_files: int = 0
    """Files of which candidates are among them, or come sooner, because a judge picked the file."""
