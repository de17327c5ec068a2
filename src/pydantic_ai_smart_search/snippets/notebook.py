"""Cutting Jupyter notebooks: what their cells say, and nothing else.

A notebook is JSON, and most of it is outputs. The sources of its cells are found where they stand
in the file, so that a snippet is lines of the file like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, cast

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.outline import outline_nodes
from pydantic_ai_smart_search.snippets.python import PYTHON
from pydantic_ai_smart_search.snippets.snippet import Snippet
from pydantic_ai_smart_search.snippets.structure import Node, cut_nodes

_SPACE: Final = re.compile(r'\s*')
_DECODER: Final = json.JSONDecoder()


def cut_notebook(lines: Sequence[str]) -> list[Snippet] | None:
    """Snippets of the cells of a notebook, in line order; `None` when it is not one.

    Nor is it one if cells share a line, as they do when all of it is on one. A symbol is the number
    of the cell, counted from 1, and what a part of a long cell declares: `cell 3`, `cell 4.train`.
    Lines that are not the source of a cell are in no snippet.
    """
    try:
        cells = list(_cells('\n'.join(lines)))
    except (ValueError, IndexError, RecursionError):
        return None
    spans = [cell.span for cell in cells if cell]
    if any(span.overlaps(following) for span, following in pairwise(spans)):
        return None
    return [
        Snippet(snippet.span.within(cell.span), snippet.symbol)
        for number, cell in enumerate(cells, 1)
        if cell
        for snippet in _cut_cell(f'cell {number}', cell, lines)
    ]


class _Value(NamedTuple):
    """A JSON value, and where in the text it is."""

    value: object
    start: int
    end: int


class _Cell(NamedTuple):
    """The source of a cell."""

    span: LineSpan
    """The lines it is on."""
    code: Sequence[str]
    """What each of those lines says; nothing where it is not one line of source to a line."""


def _cut_cell(name: str, cell: _Cell, lines: Sequence[str]) -> list[Snippet]:
    nodes = outline_nodes(cell.code, PYTHON)
    whole = Node(LineSpan.of_length(1, cell.span.length), name, nodes)
    return cut_nodes([whole], cell.span.slice(lines))


def _cells(text: str) -> Iterator[_Cell | None]:
    """The cells in order, `None` for one without a source.

    Raises:
        ValueError: The text is not JSON, or not that of a notebook.
        IndexError: It ends too early.
        RecursionError: It is nested too deep.
    """
    notebook = _members(text, 0)
    if 'cells' not in notebook:
        raise ValueError('no cells')
    line = 1
    position = 0
    for cell in _values(text, notebook['cells'].start, '[]'):
        source = _members(text, cell.start).get('source')
        if source and source.value:
            line += text.count('\n', position, source.start)
            position = source.start
            yield _cell(source, LineSpan(line, line + text.count('\n', position, source.end)))
        else:
            yield None


def _cell(source: _Value, span: LineSpan) -> _Cell:
    """The cell whose `source`, brackets included, is on the lines of `span`."""
    texts = cast(list[object], source.value) if isinstance(source.value, list) else []
    inner = LineSpan.between(span.first, span.last)
    if inner and inner.length == len(texts):
        return _Cell(inner, [str(text).rstrip('\r\n').replace('\n', ' ') for text in texts])
    return _Cell(span, [])


def _members(text: str, start: int) -> dict[object, _Value]:
    """The members of the object at `start`."""
    values = list(_values(text, start, '{}'))
    return {key.value: value for key, value in zip(values[::2], values[1::2], strict=True)}


def _values(text: str, start: int, brackets: str) -> Iterator[_Value]:
    """The values of the array at `start`; of an object, its keys and values in turn."""
    position = _after_space(text, start)
    if text[position] != brackets[0]:
        raise ValueError(f'no {brackets} at {position}')
    position = _after_space(text, position + 1)
    while text[position] != brackets[1]:
        value, end = _DECODER.raw_decode(text, position)
        yield _Value(value, position, end)
        position = _after_space(text, end)
        if text[position] in ',:':
            position = _after_space(text, position + 1)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
