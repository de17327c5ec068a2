"""Nodes of text that is divided by headings: Markdown, reStructuredText, AsciiDoc, Org, INI.

A section holds the sections below it; its text is made of paragraphs, between which a long one is
cut. A fenced block is one paragraph, and nothing in it is a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.structure import Node

MAX_TITLE_CHARS: Final = 80
"""Longer headings are shortened in a symbol; one that needs more is a sentence."""

MAX_LEVEL: Final = 12
"""Headings below count as of this level: twice what HTML has, and a bound of the recursion."""

JOINER: Final = ' > '
"""Put between a heading and the one below it to form a symbol: dots are common in headings."""

_FENCE: Final = re.compile(r'\s{0,3}(`{3,}|~{3,})')
_HASHES: Final = re.compile(r'\s{0,3}(#{1,6})\s+(\S.*)')
_UNDERLINE: Final = re.compile(r'\s{0,3}(=+|-+)\s*$')
_ADORNMENT: Final = re.compile(r'([-=`:.\'"~^_*+#<>])\1{2,}\s*$')
_EQUALS: Final = re.compile(r'(={1,6})\s+(\S.*)')
_STARS: Final = re.compile(r'(\*+)\s+(\S.*)')
_TABLE: Final = re.compile(r'(\[)\[?([^\[\]]+)\]{1,2}\s*(?:[#;].*)?$')


class Heading(NamedTuple):
    """Where a section begins."""

    line: int
    level: int
    """1 or more; a section ends at the next heading whose level is not greater."""
    title: str


def markdown_nodes(lines: Sequence[str]) -> list[Node]:
    """The sections of a Markdown file."""
    fences = _fences(lines)
    fenced = {number for fence in fences for number in fence.numbers}
    return _sections(lines, list(_markdown_headings(lines, fenced)), fences)


def rest_nodes(lines: Sequence[str]) -> list[Node]:
    """The sections of a reStructuredText file."""
    return _sections(lines, list(_rest_headings(lines)), ())


def asciidoc_nodes(lines: Sequence[str]) -> list[Node]:
    """The sections of an AsciiDoc file."""
    return _sections(lines, list(_marked_headings(lines, _EQUALS)), ())


def org_nodes(lines: Sequence[str]) -> list[Node]:
    """The sections of an Org file."""
    return _sections(lines, list(_marked_headings(lines, _STARS)), ())


def table_nodes(lines: Sequence[str]) -> list[Node]:
    """The tables of a TOML or INI file."""
    return _sections(lines, list(_marked_headings(lines, _TABLE)), ())


def _fences(lines: Sequence[str]) -> list[LineSpan]:
    """The fenced blocks, in order; one that is never closed goes on to the end."""
    fences: list[LineSpan] = []
    mark = ''
    first = 0
    if lines and lines[0].rstrip() == '---':
        closing = (number for number, line in enumerate(lines, 1) if line.rstrip() == '---')
        fences = [LineSpan(1, number) for number in closing if number > 1][:1]  # front matter
    for number, line in enumerate(lines, 1):
        match = _FENCE.match(line)
        if match and not mark:
            mark, first = match.group(1), number
        elif match and match.group(1).startswith(mark) and not line[match.end() :].strip():
            fences.append(LineSpan(first, number))
            mark = ''
    return [*fences, LineSpan(first, len(lines))] if mark else fences


def _markdown_headings(lines: Sequence[str], fenced: set[int]) -> Iterator[Heading]:
    above = ''  # the line above, if it could be the text of a heading
    for number, line in enumerate(lines, 1):
        if number in fenced:
            above = ''
            continue
        match = _HASHES.match(line)
        underline = _UNDERLINE.match(line) if above else None
        if match:
            yield Heading(number, len(match.group(1)), match.group(2).rstrip('# \t'))
        elif underline:
            level = 1 if underline.group(1)[0] == '=' else 2
            yield Heading(number - 1, level, above)
        is_text = line.strip() and line[:1] not in '-*+>|#= \t'
        above = line.strip() if is_text and not match and not underline else ''


def _rest_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """Levels are counted by the order in which the styles of line appear, as reST has it."""
    styles: list[str] = []
    for number, (above, line) in enumerate(pairwise(lines), 1):
        title = above.strip()
        if not title or above[0].isspace() or _ADORNMENT.match(above):
            continue
        match = _ADORNMENT.match(line)
        if match and len(line.rstrip()) >= len(title):
            is_overlined = number > 1 and lines[number - 2].rstrip() == line.rstrip()
            style = match.group(1) * (2 if is_overlined else 1)
            if style not in styles:
                styles.append(style)
            yield Heading(number - is_overlined, styles.index(style) + 1, title)


def _marked_headings(lines: Sequence[str], mark: re.Pattern[str]) -> Iterator[Heading]:
    for number, line in enumerate(lines, 1):
        match = mark.match(line)
        if match:
            yield Heading(number, min(len(match.group(1)), MAX_LEVEL), match.group(2).strip())


def _sections(
    lines: Sequence[str], headings: Sequence[Heading], fences: Sequence[LineSpan]
) -> list[Node]:
    """The text above the first heading, then the sections of the highest level."""
    text = _Text(lines, headings, fences)
    return [*text.paragraphs(0), *text.sections(above_level=0)]


class _Text:
    """A text on the way from its first heading to its last."""

    def __init__(
        self, lines: Sequence[str], headings: Sequence[Heading], fences: Sequence[LineSpan]
    ) -> None:
        self._lines = lines
        self._headings = headings
        self._fences = {fence.first: fence for fence in fences}
        self._next = 0  # the index of the heading that has not been passed yet

    def sections(self, above_level: int) -> list[Node]:
        """The sections from here on that are below a heading of that level."""
        nodes: list[Node] = []
        while self._next < len(self._headings):
            heading = self._headings[self._next]
            if heading.level <= above_level:
                break
            self._next += 1
            children = [*self.paragraphs(heading.line), *self.sections(heading.level)]
            span = LineSpan(heading.line, max(heading.line, self._end - 1))
            nodes.append(Node(span, heading.title[:MAX_TITLE_CHARS], children, is_container=True))
        return nodes

    def paragraphs(self, line: int) -> list[Node]:
        """The paragraphs between line `line` and the next heading."""
        spans: list[LineSpan] = []
        is_open = False  # whether the last span goes on with the next line
        for number in range(line + 1, self._end):
            fence = self._fences.get(number)
            if fence:
                spans.append(fence)
            elif spans and number <= spans[-1].last:
                continue  # inside that fence
            elif not self._lines[number - 1].strip():
                is_open = False
                continue
            elif is_open:
                spans[-1] = spans[-1]._replace(last=number)
            else:
                spans.append(LineSpan(number, number))
            is_open = fence is None
        return [Node(span) for span in spans]

    @property
    def _end(self) -> int:
        """The line of the next heading, or the one after the last."""
        if self._next < len(self._headings):
            return self._headings[self._next].line
        return len(self._lines) + 1
