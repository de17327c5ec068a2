"""Nodes of source in many languages, from tree-sitter's grammars (the extra `languages`).

What declares something is found by the query of the language (`snippets/languages`), in one pass
over the syntax tree. The tree itself is walked only where lines have to be told apart: down to each
declaration, and through the statements of a long one. A statement that is mostly one declaration
(`export const f = ...`, `template <...> class`) is that declaration, and a node that is mostly one
child (a call with a function for argument, an include guard) is looked through.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.options import MAX_FILE_BYTES
from pydantic_ai_smart_search.snippets.languages.declarations import (
    Declaration,
    Found,
    find_declarations,
)
from pydantic_ai_smart_search.snippets.languages.grammars import load_grammar
from pydantic_ai_smart_search.snippets.languages.parsing import parse_source
from pydantic_ai_smart_search.snippets.languages.table import language_of
from pydantic_ai_smart_search.snippets.structure import (
    BLOCK_LINES,
    MAX_DEPTH,
    Node,
    has_parts,
    is_member,
)

if TYPE_CHECKING:
    import tree_sitter

_FUNCTIONS: Final = frozenset({'constructor', 'function', 'macro', 'method'})
"""Kinds of declaration that do something, and so are not cut to set their members apart."""

_VALUES: Final = frozenset({'constant', 'field', 'property', 'variable'})
"""Kinds of declaration that are mere statements where they are short, or local to a function."""


def grammar_nodes(path: str, text: str) -> list[Node] | None:
    """The top level of the file at `path`, whose text is `text`.

    `None` when no grammar for it is installed, when it is longer than `MAX_FILE_BYTES`, or when it
    cannot be parsed in reasonable time. What is broken in it is passed over. May be called from
    several threads at once.
    """
    language = language_of(path, text) if len(text) <= MAX_FILE_BYTES else None
    grammar = load_grammar(language) if language else None
    if not language or not grammar:
        return None
    # A line ends only at `\n` for tree-sitter, and the file at a NUL for some grammars.
    lines = '\n'.join(split_lines(text)) if '\r' in text else text
    source = lines.replace('\0', ' ').encode(errors='replace')
    tree = parse_source(grammar.language, source)
    if tree is None:
        return None
    root = tree.root_node
    found = find_declarations(language, grammar, root, source)
    return _Walk(found).nodes(root, found.layout.span(root), _Place())


def symbol_joiner(path: str, text: str) -> str:
    """What is put between a container and its member in the language of the file: `.`, or `::`."""
    language = language_of(path, text)
    return language.joiner if language else '.'


class _Place(NamedTuple):
    """Where in a file a walk is."""

    inside: Declaration | None = None
    """The innermost declaration around."""
    in_function: bool = False
    depth: int = 0
    """How many nodes are around."""


class _Part(NamedTuple):
    """A child of a syntax node."""

    node: tree_sitter.Node
    span: LineSpan
    declared: Declaration | None
    """The first declaration in it, if any; an outer one comes before those inside it."""


class _Walk:
    """Makes nodes out of a syntax tree and the declarations in it."""

    def __init__(self, found: Found) -> None:
        self._declarations = found.declarations
        self._starts = [declaration.start for declaration in found.declarations]
        self._layout = found.layout

    def nodes(self, parent: tree_sitter.Node, span: LineSpan, place: _Place) -> list[Node]:
        """A node for each child of `parent`, or of the child that is most of it, in line order."""
        before: list[_Part] = []
        after: list[Sequence[_Part]] = []
        while True:
            parts = self._parts(parent, place.inside)
            is_declaration = place.inside is not None and parent == place.inside.node
            index = self._wrapper(parts, span, is_declaration=is_declaration)
            if index is None:
                break
            if not is_declaration:  # else it is the signature
                head = span.first
                before += [part for part in parts[:index] if part.declared or part.span.last > head]
            after.append(parts[index + 1 :])
            parent, span = parts[index].node, parts[index].span
        return [
            self._node(part, place) for group in (before, parts, *reversed(after)) for part in group
        ]

    def _parts(self, parent: tree_sitter.Node, inside: Declaration | None) -> list[_Part]:
        """The children of a node, but for comments and statements on the line of the one before."""
        declares = self._first_within(parent, inside) is not None
        parts: list[_Part] = []
        last_row = -1
        for child in parent.named_children:
            if self._layout.is_comment(child):
                continue
            declared = self._first_within(child, inside) if declares else None
            if not declared and child.end_point[0] == last_row:
                continue
            parts.append(_Part(child, self._layout.span(child), declared))
            last_row = child.end_point[0]
        return parts

    def _wrapper(
        self, parts: Sequence[_Part], span: LineSpan, *, is_declaration: bool
    ) -> int | None:
        """Which child, if any, is most of its parent's lines without being a declaration.

        What is most of a declaration is its body, or its value, with a name of its own or not.
        """
        if span.length > 1:
            for index, part in enumerate(parts):
                if _is_most(part.span, span):
                    return index if is_declaration or not self._declared_by(part) else None
        return None

    def _node(self, part: _Part, place: _Place) -> Node:
        span = part.span
        declared = self._declared_by(part)
        if not declared:
            if not part.declared and not has_parts(span):
                return Node(span)
            children = self._children(part.node, span, place)
            return Node(_around(span, children), None, children, any(map(is_member, children)))
        is_function = declared.kind in _FUNCTIONS and not self._is_factory(declared)
        within = _Place(declared, place.in_function or is_function, place.depth)
        is_cut = has_parts(span, is_container=not is_function)
        children = self._children(declared.node, declared.span, within) if is_cut else []
        if declared.kind not in _VALUES:
            whole = _around(self._layout.with_comments(span), children)
            return Node(whole, declared.name, children, not is_function)
        has_members = any(map(is_member, children))
        if place.in_function or (span.length < BLOCK_LINES and not has_members):
            return Node(_around(span, children), None, children, has_members)
        whole = _around(self._layout.with_comments(span), children)
        return Node(whole, declared.name, children, has_members)

    def _children(self, node: tree_sitter.Node, span: LineSpan, place: _Place) -> list[Node]:
        if span.length == 1 or place.depth >= MAX_DEPTH:
            return []
        return self.nodes(node, span, place._replace(depth=place.depth + 1))

    def _declared_by(self, part: _Part) -> Declaration | None:
        """The declaration that a statement is, but for more on its first or last line."""
        span, declared = part.span, part.declared
        if not declared or not _is_most(declared.span, span):
            return None
        if declared.span.first != span.first and declared.span.last != span.last:
            return None
        following = next(self._within(declared.end, part.node.end_byte), None)
        return None if following else declared

    def _is_factory(self, function: Declaration) -> bool:
        """Whether the body of a function is mostly methods: of the nameless type it returns."""
        methods = [
            declared.span
            for declared in self._within(function.start, function.end)
            if declared.kind == 'method' and declared is not function
        ]
        if not methods or function.span.length == 1:
            return False
        body = function.span.without_last().length - 1
        return 2 * LineSpan(methods[0].first, methods[-1].last).length >= body

    def _first_within(
        self, node: tree_sitter.Node, inside: Declaration | None
    ) -> Declaration | None:
        for declared in self._within(node.start_byte, node.end_byte):
            if declared is not inside:
                return declared
        return None

    def _within(self, start: int, end: int) -> Iterator[Declaration]:
        """The declarations between two bytes, in order."""
        for index in range(bisect_left(self._starts, start), len(self._declarations)):
            declared = self._declarations[index]
            if declared.start >= end:
                return
            if declared.end <= end:
                yield declared


def _around(span: LineSpan, children: Sequence[Node]) -> LineSpan:
    """With all of its children, the first of which may have comments above it."""
    spans = [span, *(child.span for child in children)]
    return LineSpan(min(part.first for part in spans), max(part.last for part in spans))


def _is_most(part: LineSpan, whole: LineSpan) -> bool:
    return 2 * part.length > whole.length
