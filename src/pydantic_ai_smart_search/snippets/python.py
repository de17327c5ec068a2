"""Nodes of Python source, from the running Python's own parser."""

from __future__ import annotations

import ast
import gc
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.structure import BLOCK_LINES, Node, has_parts, is_member

_FILENAME: Final = '<searched source>'
"""What the parser is told the file is called, by which warnings about searched source are known."""

_BODY_FIELDS: Final = ('body', 'handlers', 'cases', 'orelse', 'finalbody')
"""Where compound statements keep their bodies, in line order."""

_DECLARATIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def python_nodes(text: str) -> list[Node] | None:
    """The top level of a Python file; `None` when the running Python cannot parse it.

    Nothing is printed and no warning raised, whatever the filters of the process say.
    """
    _ignore_warnings_about_source()
    with _gc_paused():
        try:
            # `MemoryError` and `RecursionError` are how the parser reports deep nesting; `ValueError`, a surrogate or a NUL.
            body = ast.parse(text, _FILENAME).body
            return _nodes(body, is_scope=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None


def _nodes(statements: Sequence[ast.stmt], *, is_scope: bool) -> list[Node]:
    """Nodes of one body; `is_scope` for that of a module or class, whose statements may declare members."""
    return [_node(statement, is_scope=is_scope) for statement in statements]


def _node(statement: ast.stmt, *, is_scope: bool) -> Node:
    last = statement.end_lineno or statement.lineno
    if isinstance(statement, _DECLARATIONS):
        decorators = statement.decorator_list
        span = LineSpan(decorators[0].lineno if decorators else statement.lineno, last)
        is_class = isinstance(statement, ast.ClassDef)
        children = (
            _nodes(statement.body, is_scope=is_class)
            if has_parts(span, is_container=is_class)
            else ()
        )
        return Node(span, statement.name, children, is_class)
    span = LineSpan(statement.lineno, last)
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return Node(
            span, _assigned_name(statement) if is_scope and span.length >= BLOCK_LINES else None
        )
    if not has_parts(span, is_container=is_scope):
        return Node(span)
    branches = [_nodes(body, is_scope=is_scope) for body in _bodies(statement)]
    children = branches[0] if len(branches) == 1 else [_branch(nodes) for nodes in branches]
    return Node(span, None, children, any(map(is_member, children)))


def _branch(nodes: Sequence[Node]) -> Node:
    return Node(
        LineSpan(nodes[0].span.first, nodes[-1].span.last), None, nodes, any(map(is_member, nodes))
    )


def _assigned_name(statement: ast.Assign | ast.AnnAssign) -> str | None:
    target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _bodies(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The bodies of a compound statement, in line order; an `elif` is a branch of its `if`, not nested in it."""
    if isinstance(statement, ast.If):
        yield statement.body
        orelse = statement.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ast.If):
            yield orelse[0].body
            orelse = orelse[0].orelse
        if orelse:
            yield orelse
        return
    for field in _BODY_FIELDS:
        parts: Sequence[ast.AST] = getattr(statement, field, ())
        if parts and isinstance(parts[0], ast.excepthandler | ast.match_case):
            yield from (part.body for part in parts)
        elif parts:
            yield parts


@contextmanager
def _gc_paused() -> Iterator[None]:
    """A tree of a million small objects has no cycles; looking for them takes a fifth of the parser's time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _ignore_warnings_about_source() -> None:
    """Put a filter that matches nothing but searched source before all others.

    Not `catch_warnings`: it swaps the filters of the whole process, and two threads leaving it in the wrong order leave
    the wrong ones behind. The filter is put back when somebody else's has come before it.
    """
    pattern = warnings.filters[0][3] if warnings.filters else None
    if not isinstance(pattern, re.Pattern) or pattern.pattern != _FILENAME:
        warnings.filterwarnings('ignore', module=_FILENAME)
