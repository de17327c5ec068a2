"""Parsing source, with bounds on the time that it and what comes after it may take."""

from __future__ import annotations

import threading
import zlib
from time import thread_time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tree_sitter

MIN_PARSE_SECONDS: Final = 0.2
"""Processor time any file may take to parse: enough to start up on a slow machine."""

SECONDS_PER_BYTE: Final = 2e-6
"""Processor time it may take besides, a third of the speed of the slowest grammar measured. What
takes longer is no program of its language, and may fill the memory."""

MAX_REPETITION: Final = 40
"""How many times smaller zlib may make a block of source. In 6,233 files of 52 repositories it is
25 times at most; in the same few characters over and over, 90 times."""

BLOCK_BYTES: Final = 8_192
"""The size of such a block: what a parser gets through in a few seconds, whatever it holds."""

MAX_TANGLE: Final = 10_000
"""Deepest nesting, and most pieces of a stretch that could not be parsed. A query compares all such
pieces with each other, which takes 0.2 s here, and loses its way in nodes nested 65,536 deep. What
people write reaches neither by far."""


def parse_source(language: tree_sitter.Language, source: bytes) -> tree_sitter.Tree | None:
    """The syntax tree of `source`, in UTF-8; `None` when it takes too long to make, or to query.

    The tree can be walked and queried, but not asked for its text.
    """
    import tree_sitter

    if _is_repetitive(source):
        return None
    reader = _Reader(source)
    try:
        tree = tree_sitter.Parser(language).parse(reader.read, progress_callback=reader.is_late)
    except ValueError:  # how a parser says that it was stopped
        return None
    finally:
        _lent.source.clear()
    return None if _is_tangled(tree.root_node) else tree


def _is_repetitive(source: bytes) -> bool:
    """Whether a stretch repeats itself so much that it is data, or a trap.

    At the end of a file that cannot end there, a parser takes a time that grows with the square of
    what it has not made sense of, and cannot be stopped. Only repetition makes that much.
    """
    blocks = (source[first : first + BLOCK_BYTES] for first in range(0, len(source), BLOCK_BYTES))
    return any(len(block) > MAX_REPETITION * len(zlib.compress(block, 1)) for block in blocks)


class _Lent(threading.local):
    """What the parser of a thread is lent to read: py-tree-sitter 0.26 never lets go of it."""

    def __init__(self) -> None:
        self.source = bytearray()


_lent: Final = _Lent()


class _Reader:
    """Hands a parser its source, and stops it: only one that asks for its source can be stopped."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._deadline = thread_time() + MIN_PARSE_SECONDS + SECONDS_PER_BYTE * len(source)

    def read(self, offset: int, _point: object) -> bytearray:
        _lent.source[:] = self._source[offset:]
        return _lent.source

    def is_late(self, _offset: int, _has_error: bool) -> bool:
        return thread_time() > self._deadline


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
