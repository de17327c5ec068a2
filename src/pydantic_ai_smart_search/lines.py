"""Line numbers: how text is split into lines, and spans of them. The only place that adds or
subtracts one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Self, TypeVar

_LINE_BREAK = re.compile(r'\r\n|\r|\n')

T = TypeVar('T')


def split_lines(text: str) -> list[str]:
    r"""The lines of `text` without their ends, numbered as editors, ripgrep and Python's parser
    number them.

    Only `\n`, `\r\n` and a lone `\r` end a line. Form feed, U+0085 and U+2028, at which
    `str.splitlines` also splits, stay inside theirs. A last line without an end counts; the empty
    string after a last line's end does not.
    """
    lines = _LINE_BREAK.split(text) if '\r' in text else text.split('\n')
    if lines[-1] == '':
        lines.pop()
    return lines


class LineSpan(NamedTuple):
    """A run of lines of one file: 1-based, both ends included, never empty."""

    first: int
    last: int

    @classmethod
    def of_rows(cls, first: int, last: int) -> Self:
        """The lines that a parser which counts from 0 calls `first` to `last`."""
        return cls(first + 1, last + 1)

    @classmethod
    def of_length(cls, first: int, length: int) -> Self:
        """The `length` lines that start with line `first`."""
        return cls(first, first + length - 1)

    @classmethod
    def after(cls, line: int, last: int) -> Self | None:
        """The lines after line `line`, up to line `last`; `None` when there are none."""
        return cls(line + 1, last) if line < last else None

    @classmethod
    def between(cls, before: int, after: int) -> Self | None:
        """The lines after line `before` and before line `after`; `None` when there are none."""
        return cls(before + 1, after - 1) if after - before > 1 else None

    @property
    def length(self) -> int:
        """How many lines it holds, at least 1."""
        return self.last - self.first + 1

    @property
    def numbers(self) -> range:
        """The numbers of its lines."""
        return range(self.first, self.last + 1)

    @property
    def next_line(self) -> int:
        """The number of the line after it."""
        return self.last + 1

    def overlaps(self, other: LineSpan) -> bool:
        """Whether the two share a line."""
        return self.first <= other.last and other.first <= self.last

    def contains(self, other: LineSpan) -> bool:
        """Whether every line of `other` is in this span."""
        return self.first <= other.first and other.last <= self.last

    def within(self, outer: LineSpan) -> Self:
        """This span, counted from the start of `outer`, in the lines of the file."""
        return type(self).of_length(outer.first + self.first - 1, self.length)

    def without_last(self) -> Self:
        """All of its lines but the last, of which there must be two."""
        return type(self)(self.first, self.last - 1)

    def trimmed(self, lines: Sequence[str]) -> Self | None:
        """Without blank lines at either end; `None` when all are blank.

        Item 0 of `lines` is line 1.
        """
        first, last = self
        while first <= last and not lines[first - 1].strip():
            first += 1
        while first < last and not lines[last - 1].strip():
            last -= 1
        return type(self)(first, last) if first <= last else None

    def slice(self, lines: Sequence[T]) -> Sequence[T]:
        """The items of `lines`, item 0 being line 1, that this span covers."""
        return lines[self.first - 1 : self.last]

    def without(self, numbers: Sequence[int]) -> list[LineSpan]:
        """What is left of it without the lines `numbers`, ascending and all inside it."""
        parts = (
            LineSpan.between(*edges)
            for edges in pairwise([self.first - 1, *numbers, self.last + 1])
        )
        return [part for part in parts if part]

    def windows(self, length: int, step: int) -> list[LineSpan]:
        """Spans of at most `length` lines, one every `step` lines, that together cover this one."""
        starts = range(self.first, max(self.last - (length - step), self.first) + 1, step)
        return [LineSpan(start, min(start + length - 1, self.last)) for start in starts]
