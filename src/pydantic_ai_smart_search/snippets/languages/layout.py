"""On which lines the parts of a syntax tree are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pydantic_ai_smart_search.lines import LineSpan

if TYPE_CHECKING:
    import tree_sitter

MAX_BLANKS: Final = 1_000
"""Bytes looked through for blanks before or after a node; more than any code is indented by."""


class Layout:
    """The lines of one file, and the comments on them."""

    def __init__(self, source: bytes, comments: Sequence[tree_sitter.Node]) -> None:
        """`comments` are all comments of the file, and what else belongs to what is below it."""
        self._source = source
        self._comments = frozenset(comment.id for comment in comments)
        apart = [comment for comment in comments if self._begins_its_line(comment)]
        self._ends = {comment.end_byte: comment.start_byte for comment in apart}
        self._above = {span.last: span.first for span in map(self.span, apart)}

    def is_comment(self, node: tree_sitter.Node) -> bool:
        """Whether a node is one of the comments, or something else that may stand anywhere."""
        return node.id in self._comments or (node.is_extra and not node.is_error)

    def span(self, node: tree_sitter.Node) -> LineSpan:
        """The lines of a node, without the blanks and comments it ends with.

        Where blocks end by indentation, a node may reach up to the one that follows it.
        """
        first, last, end = node.start_point[0], node.end_point[0], node.end_byte
        if self._source[end - 1 : end].isspace() or end in self._ends:
            last -= self._source.count(b'\n', self._end_of_code(node), end)
        return LineSpan.of_rows(first, last)

    def with_comments(self, span: LineSpan) -> LineSpan:
        """With the comments directly above it."""
        first = span.first
        while above := self._above.get(first - 1):
            first = above
        return LineSpan(first, span.last)

    def _end_of_code(self, node: tree_sitter.Node) -> int:
        start, end = node.start_byte, node.end_byte
        while True:
            blanks = self._source[max(start, end - MAX_BLANKS) : end]
            end -= len(blanks) - len(blanks.rstrip())
            comment = self._ends.get(end, start)
            if comment <= start:
                return end
            end = comment

    def _begins_its_line(self, node: tree_sitter.Node) -> bool:
        start, column = node.start_byte, node.start_point[1]
        return column <= MAX_BLANKS and not self._source[start - column : start].strip()
