"""The sources the tests of grammars cut, and how they show what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.snippets.grammar import grammar_nodes, symbol_joiner
from pydantic_ai_smart_search.snippets.snippet import Snippet
from pydantic_ai_smart_search.snippets.structure import cut_nodes

SOURCES: Final = sorted(Path(__file__).with_name('sources').iterdir())
"""One small file in each language."""


def cut(path: str, text: str) -> list[Snippet]:
    """The snippets of a file that a grammar can parse."""
    nodes = grammar_nodes(path, text)
    assert nodes is not None
    return cut_nodes(nodes, split_lines(text), symbol_joiner(path, text))


def outline(name: str, text: str | None = None) -> str:
    """The lines and symbol of each snippet of a source; of `text`, if given, under its name."""
    path = next((path for path in SOURCES if path.name == name), Path(name))
    snippets = cut(name, path.read_text() if text is None else text)
    return '\n'.join(
        f'{snippet.span.first}-{snippet.span.last} {snippet.symbol or ""}'.rstrip()
        for snippet in snippets
    )


def symbols(name: str, text: str) -> list[str]:
    """The symbols of all snippets of `text`, one by one."""
    joined = ', '.join(snippet.symbol or '' for snippet in cut(name, text))
    return [symbol for symbol in joined.split(', ') if symbol]
