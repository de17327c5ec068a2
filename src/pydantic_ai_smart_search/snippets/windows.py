"""Cutting lines whose structure nobody knows: overlapping windows, and what fits the judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.snippet import Snippet

WINDOW_LINES: Final = 60
"""Longest snippet in lines, as in the capability of this name in pydantic-ai-harness."""

OVERLAP_LINES: Final = 10
"""Lines two windows share, so that most short passages are whole in one of them."""


def cut_windows(lines: Sequence[str]) -> list[Snippet]:
    """Overlapping windows over a whole file, in line order."""
    return cut_span(lines, LineSpan.of_length(1, len(lines))) if lines else []


def cut_span(lines: Sequence[str], span: LineSpan, symbol: str | None = None) -> list[Snippet]:
    """One snippet of `span`, or as many as it takes for each to be short enough to be judged.

    They come in line order and none lies inside another. None has more than `WINDOW_LINES` lines or
    `MAX_SNIPPET_CHARS` characters, or begins or ends with a blank line. Together they cover every
    line that is neither blank nor alone longer than that.
    """
    if span.length <= WINDOW_LINES:
        return [Snippet(part, symbol) for part in _fitting(lines, span)]
    windows = span.windows(WINDOW_LINES, WINDOW_LINES - OVERLAP_LINES)
    snippets: list[Snippet] = []
    # Where one window had to be cut further, its parts may lie inside the next, or start after it.
    for part in sorted((part for span in windows for part in _fitting(lines, span)), key=_by_start):
        if not snippets or not snippets[-1].span.contains(part):
            snippets.append(Snippet(part, symbol))
    return snippets


def _fitting(lines: Sequence[str], span: LineSpan) -> Iterator[LineSpan]:
    """All of `span`; or if it is too long what is between lines too long, or else its halves."""
    texts = span.slice(lines)
    if len('\n'.join(texts)) <= MAX_SNIPPET_CHARS:
        trimmed = span.trimmed(lines)
        if trimmed:
            yield trimmed
        return
    too_long = [n for n, text in enumerate(texts, span.first) if len(text) > MAX_SNIPPET_CHARS]
    half = ceil(span.length / 2)
    for part in span.without(too_long) if too_long else span.windows(half, half):
        yield from _fitting(lines, part)


def _by_start(span: LineSpan) -> tuple[int, int]:
    return span.first, -span.last
