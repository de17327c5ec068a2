"""What a file declares, from its syntax tree and the query of its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.languages.grammars import Grammar, Pattern
from pydantic_ai_smart_search.snippets.languages.layout import Layout
from pydantic_ai_smart_search.snippets.languages.table import Language

if TYPE_CHECKING:
    import tree_sitter

MAX_NAME_BYTES: Final = 200
"""A name is cut there. The longest in the libraries measured has 90."""

_TYPE_ARGUMENTS: Final = re.compile(r"<[\w\s,.:&*?'\[\]]*>")
_REST_OF_SIGNATURE: Final = re.compile(r'(?<!operator)\(.*')
_QUOTES: Final = '\'"`: '


class Declaration(NamedTuple):
    """One declaration of a file."""

    node: tree_sitter.Node
    start: int
    """Its first byte."""
    end: int
    """The byte after its last one."""
    span: LineSpan
    kind: str
    """What the query calls it, such as `method`."""
    name: str


class _Catch(NamedTuple):
    """What a pattern of the query has caught; several may catch the same declaration."""

    pattern: int
    node: tree_sitter.Node
    kind: str
    words: Sequence[tree_sitter.Node]
    scope: Sequence[tree_sitter.Node]

    @property
    def rank(self) -> tuple[int, bool, int, int]:
        """Greater for the view that holds more: of the declaration, then of its name."""
        length = self.words[-1].end_byte - self.words[0].start_byte
        return self.node.end_byte - self.node.start_byte, bool(self.scope), length, -self.pattern


class Found(NamedTuple):
    """What a query finds in a file."""

    declarations: Sequence[Declaration]
    """In the order of the file, an outer one before those inside it; no two of one extent."""
    layout: Layout


def find_declarations(
    language: Language, grammar: Grammar, root: tree_sitter.Node, source: bytes
) -> Found:
    """The declarations below `root`, the root of the tree that `source` was parsed to."""
    import tree_sitter

    comments: list[tree_sitter.Node] = []
    by_name: dict[int, _Catch] = {}
    for index, captures in tree_sitter.QueryCursor(grammar.query).matches(root):
        pattern = grammar.patterns[index]
        if not _has_keywords(pattern, captures, source):
            continue
        if pattern.kind == 'doc':
            comments += captures['doc']
            continue
        node = captures[f'definition.{pattern.kind}'][0]
        catch = _Catch(index, node, pattern.kind, captures['name'], captures.get('scope', ()))
        other = by_name.setdefault(catch.words[-1].end_byte, catch)
        if other is not catch and other.rank < catch.rank:
            by_name[catch.words[-1].end_byte] = catch
    layout = Layout(source, comments)
    return Found(list(_declarations(by_name.values(), language, layout, source)), layout)


def _declarations(
    catches: Iterable[_Catch], language: Language, layout: Layout, source: bytes
) -> Iterator[Declaration]:
    by_extent: dict[tuple[int, int], _Catch] = {}
    for catch in sorted(catches, key=lambda catch: catch.pattern):
        by_extent.setdefault((catch.node.start_byte, -catch.node.end_byte), catch)
    for (start, end), catch in sorted(by_extent.items(), key=lambda item: item[0]):
        name = _name(catch, source, language.joiner)
        if name not in language.reserved:
            yield Declaration(catch.node, start, -end, layout.span(catch.node), catch.kind, name)


def _has_keywords(
    pattern: Pattern, captures: Mapping[str, Sequence[tree_sitter.Node]], source: bytes
) -> bool:
    return all(
        source[node.start_byte : node.end_byte] in words
        for capture, words in pattern.keywords.items()
        for node in captures.get(capture, ())
    )


def _name(catch: _Catch, source: bytes, joiner: str) -> str:
    name = ' '.join(_texts(catch.words, source))
    return joiner.join([*_texts(catch.scope, source), name])


def _texts(nodes: Iterable[tree_sitter.Node], source: bytes) -> list[str]:
    """The text of each node as one writes it elsewhere: without type arguments, in one line."""
    texts: list[str] = []
    for node in nodes:
        raw = source[node.start_byte : min(node.end_byte, node.start_byte + MAX_NAME_BYTES)]
        text = ' '.join(raw.decode(errors='replace').split())
        count = '<' in text
        while count:
            text, count = _TYPE_ARGUMENTS.subn('', text)
        texts.append(_REST_OF_SIGNATURE.sub('', text).strip(_QUOTES))
    return texts
