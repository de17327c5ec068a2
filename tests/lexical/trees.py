"""Small trees, cut by hand: what the lexical stage is given."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex, digest_of
from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.snippets.snippet import Cut, Snippet


def cut(text: str, symbol: str | None = None, long_lines: int = 0) -> Cut:
    """`text` in snippets that end at blank lines, all of one symbol."""
    lines = split_lines(text)
    snippets: list[Snippet] = []
    first = 1
    for number, line in enumerate([*lines, ''], 1):
        if not line:
            if number > first:
                snippets.append(Snippet(LineSpan(first, number - 1), symbol))
            first = number + 1
    return Cut(lines, snippets, long_lines)


def add(index: SnippetIndex, path: str, text: str, symbol: str | None = None) -> None:
    """Cut and index one file."""
    index.add(path, Content(digest_of(text.encode())), cut(text, symbol))


def index_of(files: Mapping[str, str], *, use_embedding: bool = False) -> SnippetIndex:
    """An index of files without symbols."""
    index = SnippetIndex(use_embedding=use_embedding)
    for path, text in files.items():
        add(index, path, text)
    return index
