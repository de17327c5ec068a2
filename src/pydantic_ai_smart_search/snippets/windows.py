"""Cutting lines that have no structure anyone knows: overlapping windows, and fitting any span into the judge's limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.snippet import Snippet

WINDOW_LINES: Final = 60
"""Longest snippet in lines. Two screens: what the capability of this name in pydantic-ai-harness uses."""

OVERLAP_LINES: Final = 10
"""Lines two windows share, so that most short passages are whole in one of them."""


def cut_windows(lines: Sequence[str]) -> list[Snippet]:
    """Overlapping windows over a whole file, in line order."""
    return cut_span(lines, LineSpan.of_length(1, len(lines))) if lines else []


def cut_span(lines: Sequence[str], span: LineSpan, symbol: str | None = None) -> list[Snippet]:
    """One snippet of `span`, or as many as it takes for each to be short enough to be judged.

    They come in line order, none lies inside another, none has more than `WINDOW_LINES` lines or `MAX_SNIPPET_CHARS`
    characters, none begins or ends with a blank line, and together they cover every line that is neither blank nor, alone,
    longer than that.
    """
    if span.length <= WINDOW_LINES:
        return [Snippet(fitting, symbol) for fitting in _fit(lines, span)]
    snippets: list[Snippet] = []
    windows = span.windows(WINDOW_LINES, WINDOW_LINES - OVERLAP_LINES)
    # A window that had to be cut further may have parts inside the next one; sorted, whatever holds a part comes before it.
    for fitting in sorted(
        (part for window in windows for part in _fit(lines, window)), key=_by_start
    ):
        if not snippets or not snippets[-1].span.contains(fitting):
            snippets.append(Snippet(fitting, symbol))
    return snippets


def _fit(lines: Sequence[str], span: LineSpan) -> Iterator[LineSpan]:
    """Parts of `span` that fit the limit: all of it, what is between lines that are too long, or its halves."""
    if len('\n'.join(span.slice(lines))) <= MAX_SNIPPET_CHARS:
        trimmed = span.trimmed(lines)
        if trimmed:
            yield trimmed
        return
    too_long = [
        number
        for number, line in enumerate(span.slice(lines), span.first)
        if len(line) > MAX_SNIPPET_CHARS
    ]
    half = ceil(span.length / 2)
    for part in span.without(too_long) if too_long else span.windows(half, half):
        yield from _fit(lines, part)


def _by_start(span: LineSpan) -> tuple[int, int]:
    return span.first, -span.last
