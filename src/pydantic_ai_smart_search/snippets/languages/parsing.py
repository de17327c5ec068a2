"""Parsing source, with bounds on the time that it and what comes after it may take.

A parser can be stopped between its steps, but not while it mends an error: for that it tries every
way to end what is open, which takes a time that grows with the square of how much is. So a long
file is handed to it a stretch at a time, each parse going on from the tree of the one before, and
is given up as soon as one stretch takes too long: no later one can then be much worse. The tree is
the same as that of the whole file, as incremental parsing promises.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator
from time import thread_time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tree_sitter

MAX_STRETCH_TOKENS: Final = 4_096
"""Words and signs of one stretch: mending an error among as many of the worst kind takes 2 s."""

MAX_STRETCH_SECONDS: Final = 1.0
"""Processor time for one stretch: seven times the most in 16,000 files of 20 repositories."""

MIN_PARSE_SECONDS: Final = 1.0
"""Processor time for all stretches of a file: enough to start up on a slow machine."""

SECONDS_PER_BYTE: Final = 4e-6
"""Processor time for them besides, three times that of the slowest of those files."""

MAX_STRETCH_CHECKS: Final = 2_000
"""How often a parser may ask within a stretch whether to go on, which it does every 100 steps: in
those files it asks 1,131 times at most. A grammar with a fault goes on for ever where it stands,
and fills the memory."""

CHECKS_PER_LOOK: Final = 20
"""How many of these pass for one look at the clock, which may cost as much as some of them."""

READ_BYTES: Final = 16_384
"""How much a parser is handed at once: small enough to be copied whenever it goes back."""

MAX_TANGLE: Final = 10_000
"""Deepest nesting, and most pieces of a stretch that could not be parsed. A query compares all such
pieces with each other, which takes 0.2 s here, and loses its way in nodes nested 65,536 deep. What
people write reaches neither by far."""

_TOKEN: Final = re.compile(rb'\w+|[^\w\s]')


def parse_source(language: tree_sitter.Language, source: bytes) -> tree_sitter.Tree | None:
    """The syntax tree of `source`, in UTF-8; `None` when it takes too long to make, or to query.

    The tree can be walked and queried, but not asked for its text.
    """
    try:
        tree = _Parse(language, source).tree()
    except ValueError:  # how a parser says that it was stopped
        return None
    finally:
        _lent.source.clear()
    return None if tree is None or _is_tangled(tree.root_node) else tree


class _Lent(threading.local):
    """What the parser of a thread is lent to read: py-tree-sitter 0.26 never lets go of it."""

    def __init__(self) -> None:
        self.source = bytearray()


_lent: Final = _Lent()


class _Parse:
    """One file on its way through a parser: only one that asks for its source can be stopped."""

    def __init__(self, language: tree_sitter.Language, source: bytes) -> None:
        import tree_sitter

        self._parser = tree_sitter.Parser(language)
        self._source = source
        self._checks = 0  # in this stretch
        self._deadline = math.inf  # of this stretch
        self._end = 0  # of what the parser has been shown
        self._point = (0, 0)  # the row and the column of that end

    def tree(self) -> tree_sitter.Tree | None:
        """The tree, or `None` when a stretch, or all of it, takes too long."""
        if len(self._source) <= MAX_STRETCH_TOKENS:
            return self._go_on(None, len(self._source))  # a clock may cost more than the parse
        tree: tree_sitter.Tree | None = None
        last = thread_time() + MIN_PARSE_SECONDS + SECONDS_PER_BYTE * len(self._source)
        for end in _stretches(self._source):
            self._checks = 0
            self._deadline = min(last, thread_time() + MAX_STRETCH_SECONDS)
            tree = self._go_on(tree, end)
            if thread_time() > self._deadline:
                return None
        return tree

    def _go_on(self, tree: tree_sitter.Tree | None, end: int) -> tree_sitter.Tree:
        """The tree of the source up to `end`, given that of what the parser has been shown."""
        start, start_point = self._end, self._point
        added = self._source[start:end]
        rows = added.count(b'\n')
        column = len(added) - added.rfind(b'\n') - 1 if rows else start_point[1] + len(added)
        self._end, self._point = end, (start_point[0] + rows, column)
        if not tree:
            return self._parser.parse(self._read, progress_callback=self._is_stuck)
        tree.edit(start, start, end, start_point, start_point, self._point)
        return self._parser.parse(self._read, tree, progress_callback=self._is_stuck)

    def _read(self, offset: int, _point: object) -> bytearray:
        _lent.source[:] = self._source[offset : min(offset + READ_BYTES, self._end)]
        return _lent.source

    def _is_stuck(self, _offset: int, _has_error: bool) -> bool:
        self._checks += 1
        if self._checks % CHECKS_PER_LOOK:
            return False
        return self._checks > MAX_STRETCH_CHECKS or thread_time() > self._deadline


def _stretches(source: bytes) -> Iterator[int]:
    """Where each stretch of a file ends, the last at its end."""
    start = count = 0
    for token in _TOKEN.finditer(source):
        count += 1
        if count > MAX_STRETCH_TOKENS:
            start = _good_end(source, start, token.start())
            count = 0
            yield start
    yield len(source)


def _good_end(source: bytes, start: int, last: int) -> int:
    """Where to end a stretch that may go on to `last`: best where nothing is open, as that is read
    again with the next.
    """
    middle = (start + last) // 2
    for boundary in (b'\n}', b'\n\n', b'\n'):
        end = source.rfind(boundary, middle, last)
        if end > 0:
            return end + len(boundary)
    return last


def _is_tangled(root: tree_sitter.Node) -> bool:
    """Looks only at nodes that are long enough to hold a tangle."""
    nodes = [(root, 0)]
    while nodes:
        node, depth = nodes.pop()
        if depth > MAX_TANGLE or (node.is_error and node.child_count > MAX_TANGLE):
            return True
        nodes += [
            (child, depth + 1)
            for child in node.children
            if child.end_byte - child.start_byte > MAX_TANGLE
        ]
    return False
