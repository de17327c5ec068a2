"""The unit of retrieval: one span of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic_ai_smart_search.lines import LineSpan


class Snippet(NamedTuple):
    """A span of a file and the declaration it belongs to. Its text is the file's lines at that
    span.
    """

    span: LineSpan
    symbol: str | None = None
    """Qualified by its containers, such as `Cache.get`; several short neighbours are joined with
    commas."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One file, cut."""

    lines: Sequence[str]
    """All lines of the file, without their ends."""
    snippets: Sequence[Snippet]
    """In line order. Every non-blank line that is short enough to be judged is in at least one."""
    long_lines: int = 0
    """Lines left out because they alone are longer than a snippet may be."""
