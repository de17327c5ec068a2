"""How the tests of cutting show what came of a file."""

from __future__ import annotations

from textwrap import dedent

from pydantic_ai_smart_search.snippets.cutting import cut_file
from tests.snippets.laws import check_cut


def cut(path: str, text: str) -> str:
    """The first and last line, and the symbol, of each snippet of the dedented `text`."""
    text = dedent(text).removeprefix('\n')
    found = cut_file(path, text)
    check_cut(found, text, is_whole=not path.endswith('.ipynb'))
    return '\n'.join(
        f'{snippet.span.first}-{snippet.span.last} {snippet.symbol or ""}'.rstrip()
        for snippet in found.snippets
    )


def symbols(path: str, text: str) -> list[str]:
    """The symbols of all snippets, one by one and once."""
    found = cut_file(path, dedent(text))
    check_cut(found, dedent(text))
    joined = ', '.join(snippet.symbol or '' for snippet in found.snippets)
    return [*dict.fromkeys(symbol for symbol in joined.split(', ') if symbol)]
