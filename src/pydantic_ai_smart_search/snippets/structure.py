"""Cutting along a file's structure, whatever its language.

A *feeder* (`outline`, `grammar`, `prose`, `notebook`) turns a file into `Node`s, and `cut_nodes`
turns those into snippets:

* A named node, such as a function, is one snippet while it is short. A long one is cut into the
  blocks its children make, all carrying its symbol; its head, the signature and doc comment, stays
  with what follows it.
* A container, such as a class, is a head (declaration, doc comment, attributes), then one snippet
  for each named child, whose symbol it qualifies. A container without a name (`if TYPE_CHECKING:`,
  `extern "C"`) is cut the same way and qualifies nothing.
* Unnamed children (statements, imports, fields) are pooled into runs, and so are very short named
  neighbours of one scope, because each snippet costs a judgment. Nothing is pooled across the
  border of a container.
* Comments directly above a node go with it. Other lines between two nodes go with the next one, or
  are a snippet of their own when there are many.

A feeder promises little: nodes come in line order, but for damaged code, and children lie inside
their parent. Gaps, overlaps, two nodes on one line, disorder and spans beyond the file are put
right here: a piece is made by naming only where it *ends*, so pieces cover every line and share
none, whatever the nodes say.
A feeder is fast by building little: `has_parts` tells whether the children of a node are looked
at; those of any other node may be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.snippet import Snippet
from pydantic_ai_smart_search.snippets.windows import WINDOW_LINES, cut_span

SPLIT_LINES: Final = 22
"""A node of code this long is cut into its children: half a screen, about what one behaviour takes.

With the next two it keeps the mean snippet of the standard library below 9 lines, as long as that
of the capability of this name in pydantic-ai-harness.
"""

BLOCK_LINES: Final = 5
"""A statement this long is a snippet of its own; shorter ones are pooled."""

RUN_LINES: Final = 12
"""A pool of statements, or of short neighbours, is closed before it is longer than this."""

SHORT_LINES: Final = 2
"""Declarations up to this long are pooled with their neighbours: they say little but their name."""

MAX_DEPTH: Final = 24
"""Nodes nested deeper are taken whole, which bounds the recursion; people seldom exceed 10."""

MAX_SYMBOLS: Final = 12
"""Most names in one symbol: those of a run of one-liners. Minified code has thousands on a line."""

_COMMENT_STARTS: Final = ('#', '//', '/*', '*', '--', ';;', '%', '@')
"""What a line of a comment, or of an annotation, begins with in the languages people use."""


class Sizes(NamedTuple):
    """How long the pieces of one kind of text get, in lines."""

    split: int = SPLIT_LINES
    """A node this long is cut into its children."""
    block: int = BLOCK_LINES
    """An unnamed node this long is a piece of its own."""
    run: int = RUN_LINES
    """Longest pool of shorter ones."""


CODE_SIZES: Final = Sizes()
"""Those of code."""

BROAD_SIZES: Final = Sizes(split=40, block=20, run=30)
"""Those of prose, markup and data, which say less in a line: half a window at most."""


class Node(NamedTuple):
    """One declaration or statement of a file, as a feeder sees it."""

    span: LineSpan
    """Its lines, with its decorators and, where the feeder knows it, its doc comment."""
    name: str | None = None
    """What it declares, unqualified (`get`, or `impl Cache`); `None` for a statement."""
    children: Sequence[Node] = ()
    """Its members or statements, in line order; may be left out where `has_parts` is false."""
    is_container: bool = False
    """Whether its named children are cut apart however short it is, and qualified by its name."""


def has_parts(span: LineSpan, *, is_container: bool = False) -> bool:
    """Whether the children of such a node are looked at, so that a feeder has to give them."""
    return is_container or span.length >= SPLIT_LINES


def is_member(node: Node) -> bool:
    """Whether a container is cut apart for its sake: it is a declaration, or holds one."""
    return node.name is not None or node.is_container


def cut_nodes(
    nodes: Sequence[Node], lines: Sequence[str], joiner: str = '.', *, sizes: Sizes = CODE_SIZES
) -> list[Snippet]:
    """The snippets of a whole file along `nodes`, its top level.

    They come in line order, share no line unless a single piece had to be cut into windows, and
    cover every line that is neither blank nor too long.

    Args:
        nodes: The top level of the file, in line order.
        lines: All lines of the file.
        joiner: Put between the names of a container and of its member to form a symbol.
        sizes: How long the pieces may get; none exceeds `WINDOW_LINES` whatever they say.
    """
    pieces = _Pieces(lines, joiner, sizes)
    pieces.add_children(nodes, None)
    pieces.add_rest(len(lines), None)
    # Most lines are so short that no piece has to be measured.
    surely_fit = min(WINDOW_LINES, MAX_SNIPPET_CHARS // (max(map(len, lines), default=0) + 1))
    snippets: list[Snippet] = []
    for piece in _merge_neighbours(pieces.pieces, sizes):
        symbol = ', '.join(piece.symbols) or None
        if piece.span.length <= surely_fit:
            snippets.append(Snippet(piece.span, symbol))
        else:
            snippets += cut_span(lines, piece.span, symbol)
    return snippets


class _Piece(NamedTuple):
    """A snippet to be: it still has to be merged with its neighbours, or cut to size."""

    span: LineSpan
    """Without blank lines at its ends."""
    symbols: tuple[str, ...]
    scope: str | None
    """Symbol of the container it lies in; only pieces of one scope are merged."""
    is_short: bool
    """Whether it may be merged: it has at most `SHORT_LINES` lines, or is made of such pieces."""
    is_head: bool
    """Whether it is the head of a container, which explains what follows it."""


class _Pieces:
    """Collects pieces from the ends they are given; each begins where the one before ended."""

    def __init__(self, lines: Sequence[str], joiner: str, sizes: Sizes) -> None:
        self.pieces: list[_Piece] = []
        self._lines = lines
        self._joiner = joiner
        self._sizes = sizes
        self._covered = 0  # the last line that is in a piece
        self._pooled = 0  # the last line of the pool; 0 when no statement waits in it
        self._head_first = 0  # where the innermost node that is being cut begins
        self._owed: tuple[str, ...] = ()  # the symbol of a head that has no line of its own

    def add_children(self, nodes: Sequence[Node], scope: str | None, depth: int = 0) -> None:
        """Pieces for the nodes of one scope, up to the end of the last one."""
        for node in nodes:
            is_cut = depth < MAX_DEPTH and self._is_cut(node)
            if node.name is None and not is_cut and node.span.length < self._sizes.block:
                self._pool(node.span, scope)
                continue
            self._close_pool(scope)
            self._set_gap_apart(node.span.first, scope)
            symbol = scope if node.name is None else self._qualified(scope, node.name)
            if is_cut:
                self._add_parts(node, symbol, depth)
            else:
                self._end_piece(node.span.last, symbol, scope)
        self._close_pool(scope)

    def add_rest(self, last: int, scope: str | None) -> None:
        """What is left up to line `last`: a brace joins the piece before, more is one."""
        rest = self._left(last)
        if rest is None:
            return
        if rest.length >= BLOCK_LINES or not self.pieces:
            self._end_piece(last, scope, scope)
        else:
            piece = self.pieces[-1]
            self.pieces[-1] = piece._replace(span=LineSpan(piece.span.first, rest.last))
            self._covered = last

    def _is_cut(self, node: Node) -> bool:
        """Whether a node is cut into its children: it is long, or a container of something."""
        if node.span.length >= self._sizes.split:
            return bool(node.children)
        return node.is_container and any(map(is_member, node.children))

    def _qualified(self, scope: str | None, name: str) -> str:
        return name if scope is None else f'{scope}{self._joiner}{name}'

    def _add_parts(self, node: Node, symbol: str | None, depth: int) -> None:
        """The head of a node that is cut, then its children, then what is left of it."""
        self._head_first = node.span.first
        children = node.children
        member = next((index for index, child in enumerate(children) if is_member(child)), None)
        if member is not None and node.name is not None:
            head_last = self._without_comments(children[member].span.first)
            if head_last - node.span.first < self._sizes.split:
                self._end_piece(head_last, symbol, symbol, is_head=True)
                children = children[member:]
        self.add_children(children, symbol, depth + 1)
        self.add_rest(node.span.last, symbol)

    def _pool(self, span: LineSpan, scope: str | None) -> None:
        if self._pooled and span.last - self._covered > self._sizes.run:
            self._close_pool(scope)
        if not self._pooled:
            self._set_gap_apart(span.first, scope)
        self._pooled = max(self._pooled, span.last)

    def _close_pool(self, scope: str | None) -> None:
        if self._pooled:
            self._end_piece(self._pooled, scope, scope)
            self._pooled = 0

    def _set_gap_apart(self, first: int, scope: str | None) -> None:
        """Make a piece of what is left above line `first` and its comments, if that is long."""
        is_head = self._covered < self._head_first
        if first - self._covered > RUN_LINES and not is_head:
            gap = self._left(self._without_comments(first))
            if gap and gap.length >= RUN_LINES:
                self._end_piece(gap.last, scope, scope)

    def _without_comments(self, first: int) -> int:
        """The last line before the comments directly above line `first`."""
        gap = LineSpan.between(self._covered, first)
        above = reversed(gap.slice(self._lines)) if gap else ()
        comments = sum(1 for _ in takewhile(_is_comment, above))
        return first - 1 - comments

    def _left(self, last: int) -> LineSpan | None:
        """What is in no piece yet up to line `last`, without blank lines at its ends."""
        span = LineSpan.after(self._covered, min(last, len(self._lines)))
        return span.trimmed(self._lines) if span else None

    def _end_piece(
        self, last: int, symbol: str | None, scope: str | None, *, is_head: bool = False
    ) -> None:
        """A piece of all that is left up to line `last`: nothing, if two nodes share a line."""
        symbols = (*self._owed, symbol) if symbol else self._owed
        span = self._left(last)
        if span:
            self.pieces.append(_Piece(span, symbols, scope, span.length <= SHORT_LINES, is_head))
            self._covered = last
            self._owed = ()
        elif is_head or not self.pieces:
            self._owed = _union(symbols)
        else:
            piece = self.pieces[-1]
            self.pieces[-1] = piece._replace(symbols=_union(piece.symbols, symbols))
            self._owed = ()


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENT_STARTS)


def _union(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """The names in order of first mention, as many as one symbol may have."""
    return tuple(dict.fromkeys(name for group in groups for name in group))[:MAX_SYMBOLS]


def _merge_neighbours(pieces: Sequence[_Piece], sizes: Sizes) -> list[_Piece]:
    """Very short neighbours of one scope made one, and a short head made one with what it heads."""
    merged: list[_Piece] = []
    for piece in pieces:
        if merged and _belong_together(merged[-1], piece, sizes):
            last = merged[-1]
            span = LineSpan(last.span.first, piece.span.last)
            symbols = _union(last.symbols, piece.symbols)
            is_short = last.is_short and piece.is_short
            merged[-1] = _Piece(span, symbols, piece.scope, is_short, is_head=False)
        else:
            merged.append(piece)
    return merged


def _belong_together(piece: _Piece, following: _Piece, sizes: Sizes) -> bool:
    if piece.scope != following.scope:
        return False
    longest = sizes.split if piece.is_head else sizes.run
    if following.span.last - piece.span.first >= longest:
        return False
    if piece.is_short and (following.is_short or piece.is_head):
        return True
    # A statement left over beside a block of the same function.
    is_leftover = piece.is_short or following.is_short
    return is_leftover and piece.symbols == following.symbols
