"""Nodes of source told from its lines alone: what is indented deeper belongs to what is above it.

Nearly all code is indented by its nesting, whatever marks its blocks, so one reading of indentation
serves every language; a `Syntax` adds the few things a language does differently. It needs no
parser, takes a fraction of the time of one, and always has an answer: code that is newer than any
parser, half written or wrong is cut like the rest.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.structure import MAX_DEPTH, Node, has_parts, is_member
from pydantic_ai_smart_search.snippets.syntax import Place, Syntax

TAB_WIDTH: Final = 8
"""Columns from one tab stop to the next, as Python and terminals count them."""

_COMMENT: Final = sys.maxsize - 2
"""In place of the indentation of a line that begins inside a comment."""

_BLANK: Final = sys.maxsize - 1
"""In place of the indentation of a blank line: it ends no block."""

_HIDDEN: Final = sys.maxsize
"""In place of the indentation of a line that begins inside a string."""


_OPEN: Final = re.compile(r'[(\[{\\]')
"""What keeps the line after it from beginning a statement."""


def outline_nodes(lines: Sequence[str], syntax: Syntax) -> list[Node]:
    """The top level of a file of these lines."""
    return _Outline(lines, syntax).file_nodes() if lines else []


@dataclass(slots=True)
class _Statement:
    """A statement of which only the lines where its parts begin are known."""

    first: int
    head: int
    """Where its keyword is, below its decorators."""
    clauses: list[int]
    """Where its further bodies begin."""


class _Declared(NamedTuple):
    """What a statement turned out to declare."""

    name: str
    is_container: bool


class _Outline:
    """The lines of a file, numbered from 1, and how deep each is indented."""

    def __init__(self, lines: Sequence[str], syntax: Syntax) -> None:
        self._syntax = syntax
        self._whole = LineSpan.of_length(1, len(lines))
        self._text = '\n'.join(('', *lines))
        self._lines: Sequence[str] = ('', *lines)
        if '\t' in self._text or '\f' in self._text:
            self._text = self._text.replace('\f', '').expandtabs(TAB_WIDTH)
            self._lines = self._text.split('\n')
        self._indents = [len(line) - len(line.lstrip()) if line else _BLANK for line in self._lines]
        self._lengths = [*accumulate(map(len, self._lines), initial=0)]
        self._indents[0] = 0  # nothing is above the first line, not even a blank one
        self._hide()

    def _hide(self) -> None:
        """Mark the lines that begin inside a string or comment."""
        number = offset = 0
        for match in self._syntax.hidden.finditer(self._text):
            hidden = match.group()
            if '\n' in hidden:
                number += self._text.count('\n', offset, match.start())
                offset = match.end()
                indent = _COMMENT if self._is_comment(hidden) else _HIDDEN
                for _ in range(hidden.count('\n')):
                    number += 1
                    self._indents[number] = indent

    def file_nodes(self) -> list[Node]:
        """Nodes of the whole file."""
        return self._statements(self._whole, Place.FILE, outer=-1, depth=0)

    def _statements(self, body: LineSpan, place: Place, outer: int, depth: int) -> list[Node]:
        """Nodes of the body of something that is indented by `outer`."""
        found: list[_Statement] = []
        open_until = 0
        is_lead = False
        for number, mark in self._level(body, outer).items():
            if number <= open_until:
                continue
            if found and mark == 'continuation':
                is_lead = is_lead and self._lines[number][self._indents[number]] != '{'
                continue
            if is_lead:
                found[-1].head = number
            elif found and mark == 'clause':
                found[-1].clauses.append(number)
            else:
                found.append(_Statement(number, number, []))
            is_lead = mark == 'lead'
            open_until = self._logical_end(number, body.last)
        firsts = [statement.first for statement in found]
        return [
            self._node(statement, self._last_code(statement.first, end), place, depth)
            for statement, (_, end) in zip(found, pairwise([*firsts, body.next_line]), strict=True)
        ]

    def _level(self, body: LineSpan, outer: int) -> dict[int, str | None]:
        """The lines of `body` that may begin its statements, those indented least, with marks."""
        indents = self._indents
        numbers = body.numbers
        if self._syntax.token is not None:
            level = next((indents[number] for number in numbers if self._is_code(number)), -1)
            return self._code_up_to(level, numbers)
        deeper = [indents[number] for number in numbers if indents[number] > outer]
        found = self._code_up_to(min(deeper, default=-1), numbers)
        if all(mark == 'continuation' for mark in found.values()):
            # Nothing is indented that little but comments and braces.
            code = self._code_up_to(_BLANK, numbers)
            starts = (number for number, mark in code.items() if mark != 'continuation')
            deeper = [indents[number] for number in starts if indents[number] > outer]
            found = self._code_up_to(min(deeper, default=-1), numbers)
        return found

    def _code_up_to(self, level: int, numbers: range) -> dict[int, str | None]:
        """The lines with code that are indented by `level` at most, in order, with their marks."""
        found: dict[int, str | None] = {}
        for number in numbers:
            indent = self._indents[number]
            if indent <= level:
                line = self._lines[number]
                match = self._syntax.marks.match(line, indent)
                mark = match.lastgroup if match else None
                if mark != 'comment' and indent < len(line):
                    found[number] = mark
        return found

    def _is_code(self, number: int) -> bool:
        line = self._lines[number]
        indent = self._indents[number]
        return indent < len(line) and not self._is_comment(line, indent)

    def _is_comment(self, text: str, start: int = 0) -> bool:
        match = self._syntax.marks.match(text, start)
        return match is not None and match.lastgroup == 'comment'

    def _last_code(self, first: int, end: int) -> int:
        """The last line before line `end` that is neither blank nor a comment; at least `first`."""
        for number in range(end - 1, first, -1):
            indent = self._indents[number]
            if indent == _HIDDEN or (indent < _COMMENT and self._is_code(number)):
                return number
        return first

    def _node(self, statement: _Statement, last: int, place: Place, depth: int) -> Node:
        span = LineSpan(statement.first, last)
        declared = self._declared(statement.head, place, span.length)
        first = self._with_comment(statement.first, is_declaration=declared is not None)
        span = LineSpan(first, last)
        if declared:
            place = Place.CONTAINER if declared.is_container else Place.FUNCTION
        is_scope = place is not Place.FUNCTION
        children: Sequence[Node] = ()
        if last > statement.head and depth < MAX_DEPTH and has_parts(span, is_container=is_scope):
            children = self._children(statement, span, place, depth + 1)
        if declared:
            return Node(span, declared.name, children, declared.is_container)
        return Node(span, None, children, is_scope and any(map(is_member, children)))

    def _with_comment(self, first: int, *, is_declaration: bool) -> int:
        """Where the comment of several lines begins that is above line `first`, if there is one.

        Some people leave a blank line between a declaration and its doc comment.
        """
        above = first - 1
        if is_declaration and self._indents[above] == _BLANK:
            above -= 1
        if self._indents[above] != _COMMENT:
            return first
        while self._indents[above] == _COMMENT:
            above -= 1
        return above

    def _declared(self, number: int, place: Place, length: int) -> _Declared | None:
        """What the line declares, being the head of a statement of that many lines."""
        line = self._lines[number]
        indent = self._indents[number]
        for declaration in self._syntax.declarations:
            if length >= declaration.min_lines and place in declaration.places:
                match = declaration.pattern.match(line, indent)
                if match:
                    name = '.'.join(filter(None, match.groups()))
                    return _Declared(name, declaration.is_container)
        return None

    def _children(
        self, statement: _Statement, span: LineSpan, place: Place, depth: int
    ) -> Sequence[Node]:
        """The statements of its body, or its branches when clauses give it several bodies."""
        outer = self._indents[statement.head]
        branches: list[Node] = []
        for begin, end in pairwise([statement.head, *statement.clauses, span.next_line]):
            body = LineSpan.between(self._logical_end(begin, span.last), end)
            nodes = self._statements(body, place, outer, depth) if body else []
            if nodes:
                branch = LineSpan(begin, nodes[-1].span.last)
                is_container = place is not Place.FUNCTION and any(map(is_member, nodes))
                branches.append(Node(branch, None, nodes, is_container))
        return branches[0].children if len(branches) == 1 else branches

    def _logical_end(self, number: int, last: int) -> int:
        """The last line, up to `last`, of what begins on line `number` and has a bracket open."""
        line = self._lines[number]
        if self._syntax.token is None or not _OPEN.search(line) or _is_balanced(line):
            return number
        depth = 0
        start, end = self._offset(number), self._offset(last) + len(self._lines[last])
        for match in self._syntax.token.finditer(self._text, start, end):
            token = match.group()
            if token in '([{':
                depth += 1
            elif token in ')]}':
                depth -= 1
            elif token != '\n':
                number += token.count('\n')
            elif depth <= 0 or self._is_outer_declaration(number + 1):
                return number
            else:
                number += 1
        return number

    def _offset(self, number: int) -> int:
        """Where line `number` begins in the text."""
        return self._lengths[number] + number

    def _is_outer_declaration(self, number: int) -> bool:
        """Whether a line can only be a declaration again, so that the bracket was never closed."""
        return self._indents[number] == 0 and self._declared(number, Place.FILE, 1) is not None


def _is_balanced(line: str) -> bool:
    opening = line.count('(') + line.count('[') + line.count('{')
    closing = line.count(')') + line.count(']') + line.count('}')
    return opening == closing and not line.endswith('\\')
