"""Cutting HTML and the components written in it (Vue, Svelte, Astro): each part by its language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.outline import outline_nodes
from pydantic_ai_smart_search.snippets.snippet import Snippet
from pydantic_ai_smart_search.snippets.structure import BROAD_SIZES, CODE_SIZES, Sizes, cut_nodes
from pydantic_ai_smart_search.snippets.syntax import Syntax
from pydantic_ai_smart_search.snippets.syntaxes import JAVASCRIPT, MARKUP, STYLES

_OPENING: Final = re.compile(r'\s*<(script|style)\b[^>]*>\s*$', re.IGNORECASE)
_CLOSING: Final = re.compile(r'\s*</(script|style)\s*>', re.IGNORECASE)


class _Part(NamedTuple):
    """Lines of one language."""

    span: LineSpan
    syntax: Syntax
    sizes: Sizes
    is_tagged: bool = False
    """Whether the first and the last line are tags around it."""


def cut_markup(lines: Sequence[str]) -> list[Snippet]:
    """Snippets in line order: scripts and styles as code, what is around them as markup."""
    return [
        Snippet(snippet.span.within(part.span), snippet.symbol)
        for part in _parts(lines)
        for snippet in _cut_part(part.span.slice(lines), part)
    ]


def _cut_part(lines: Sequence[str], part: _Part) -> list[Snippet]:
    source = ['', *lines[1:-1], ''] if part.is_tagged else lines
    return cut_nodes(outline_nodes(source, part.syntax), lines, sizes=part.sizes)


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    """All lines, divided where scripts and styles begin and end."""
    covered = 0
    for part in _embedded(lines):
        before = LineSpan.between(covered, part.span.first)
        if before:
            yield _Part(before, MARKUP, BROAD_SIZES)
        yield part
        covered = part.span.last
    rest = LineSpan.after(covered, len(lines))
    if rest:
        yield _Part(rest, MARKUP, BROAD_SIZES)


def _embedded(lines: Sequence[str]) -> Iterator[_Part]:
    """Scripts and styles with their tags, where these have lines of their own."""
    opening: re.Match[str] | None = None
    first = 0
    for number, line in enumerate(lines, 1):
        if opening is None:
            opening = _OPENING.match(line)
            first = number
        elif _CLOSING.match(line):
            is_script = opening[1].lower() == 'script'
            syntax = JAVASCRIPT if is_script else STYLES
            yield _Part(LineSpan(first, number), syntax, CODE_SIZES, is_tagged=True)
            opening = None
