"""Parsing source, with bounds on the time that it and what comes after it may take."""

from __future__ import annotations

import threading
from time import thread_time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tree_sitter

MIN_PARSE_SECONDS: Final = 0.2
"""Processor time any file may take to parse: enough to start up on a slow machine."""

SECONDS_PER_BYTE: Final = 2e-6
"""Processor time it may take besides, a third of the speed of the slowest grammar measured. What
takes longer is no program of its language, and may fill the memory."""

MAX_TANGLE: Final = 10_000
"""Deepest nesting, and most pieces of a stretch that could not be parsed. A query compares all such
pieces with each other, which takes 0.2 s here, and loses its way in nodes nested 65,536 deep. What
people write reaches neither by far."""


FILLER: Final = b'\n' + b'x ' * 1_000
"""More tokens than a parser reads before it asks whether to stop, which it does every 100 steps."""


def parse_source(language: tree_sitter.Language, source: bytes) -> tree_sitter.Tree | None:
    """The syntax tree of `source`, in UTF-8; `None` when it takes too long to make, or to query.

    The tree can be walked and queried, but not asked for its text.
    """
    import tree_sitter

    reader = _Reader(source)
    try:
        tree = tree_sitter.Parser(language).parse(reader.read, progress_callback=reader.is_to_stop)
    except ValueError:  # how a parser says that it was stopped
        return None
    finally:
        _lent.source.clear()
    return None if reader.is_lost or _is_tangled(tree.root_node) else tree


class _Lent(threading.local):
    """What the parser of a thread is lent to read: py-tree-sitter 0.26 never lets go of it."""

    def __init__(self) -> None:
        self.source = bytearray()


_lent: Final = _Lent()


class _Reader:
    """Hands a parser its source, and stops it: only one that asks for its source can be stopped."""

    def __init__(self, source: bytes) -> None:
        self.is_lost = False
        """Whether the parser has met the end of the file while it was looking for a way on."""
        self._source = source
        self._deadline = thread_time() + MIN_PARSE_SECONDS + SECONDS_PER_BYTE * len(source)
        self._has_error = False

    def read(self, offset: int, _point: object) -> bytearray:
        rest = self._source[offset:]
        if not rest and self._has_error and not self.is_lost:
            # To wrap up what it is lost in takes a time that grows with the square of its length,
            # and cannot be stopped; to read some more words can.
            self.is_lost = True
            rest = FILLER
        _lent.source[:] = rest
        return _lent.source

    def is_to_stop(self, _offset: int, has_error: bool) -> bool:
        self._has_error = has_error
        return self.is_lost or thread_time() > self._deadline


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
