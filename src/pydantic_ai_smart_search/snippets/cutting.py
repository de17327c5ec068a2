"""Cutting one file: which cutter its text gets."""

from __future__ import annotations

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.python import python_nodes
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.snippets.structure import cut_nodes
from pydantic_ai_smart_search.snippets.windows import cut_windows


def cut_file(path: str, text: str) -> Cut:
    """Cut the text of the file at `path`."""
    lines = split_lines(text)
    nodes = python_nodes(text) if path.lower().endswith(('.py', '.pyi', '.pyw')) else None
    snippets = cut_windows(lines) if nodes is None else cut_nodes(nodes, lines)
    return Cut(lines, snippets, sum(len(line) > MAX_SNIPPET_CHARS for line in lines))
