"""How the tests of cutting show what came of a file."""

from __future__ import annotations

from textwrap import dedent

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets import syntaxes
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.snippets.outline import outline_nodes
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.snippets.structure import cut_nodes
from pydantic_ai_smart_search.snippets.syntax import Syntax
from tests.snippets.laws import check_cut

SYNTAXES = {
    name: value for name, value in sorted(vars(syntaxes).items()) if isinstance(value, Syntax)
}
"""By name, all of them."""


def outline(text: str, syntax: Syntax) -> Cut:
    """A cut that makes no use of a grammar."""
    lines = split_lines(text)
    snippets = cut_nodes(outline_nodes(lines, syntax), lines)
    return Cut(lines, snippets, sum(len(line) > MAX_SNIPPET_CHARS for line in lines))


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
