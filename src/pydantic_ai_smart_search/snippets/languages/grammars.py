"""Loading the grammar and the query of a language."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic_ai_smart_search.snippets import languages
from pydantic_ai_smart_search.snippets.languages.table import Language

if TYPE_CHECKING:
    import tree_sitter


class Pattern(NamedTuple):
    """One pattern of a grammar's query, and what it means that it matched."""

    kind: str
    """The kind of declaration it finds, or `doc`; empty when it is not used."""
    keywords: Mapping[str, frozenset[bytes]]
    """What the text of a capture has to be one of, by the name of the capture."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grammar:
    """A language's grammar, ready to parse with, and its query, ready to run."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    """Without predicates, which would read the text of a tree: once parsed, it has none."""
    patterns: Sequence[Pattern]
    """By their index in the query. Those without a kind are disabled."""


_LEFT_OUT: Final = re.compile(
    r"""\(comment\)\*\s*@doc\s*\. | \(\#[\w-]+[?!] (?: [^()"] | "(?:[^"\\]|\\.)*" )* \)""",
    re.VERBOSE,
)
"""What is taken out of a query: predicates, and runs of comments, which take a time that grows with
the square of their length."""

_KIND: Final = re.compile(r'@definition\.(\w+)')

_KEYWORDS: Final = re.compile(r'\(#any-of\? @(\w+)((?:\s+"[^"]*")+)')

_loading: Final = threading.Lock()


def load_grammar(language: Language) -> Grammar | None:
    """The grammar of `language`, loaded once per process; `None` when none that fits is installed.

    A release of a grammar that has renamed its node types is as good as none: its files are cut as
    without the extra. The bounds in the extra keep that from happening unasked.
    """
    with _loading:
        return _load(language)


@cache
def _load(language: Language) -> Grammar | None:
    try:
        import tree_sitter

        package = importlib.import_module(f'tree_sitter_{language.grammar}')
        factory: Callable[[], object] = getattr(package, language.factory)
        grammar = tree_sitter.Language(factory())
        tags = ''.join(
            files(f'tree_sitter_{name}').joinpath('queries', 'tags.scm').read_text() + '\n'
            for name in language.tags
        )
        source = tags + ''.join(
            files(languages).joinpath(f'{name}.scm').read_text() for name in language.additions
        )
        query = tree_sitter.Query(grammar, _LEFT_OUT.sub(lambda part: ' ' * len(part[0]), source))
    except (ImportError, OSError, ValueError):  # not there, without tags, or changed
        return None
    patterns: list[Pattern] = []
    for index in range(query.pattern_count):
        first, end = query.start_byte_for_pattern(index), query.end_byte_for_pattern(index)
        pattern = _read_pattern(source[first:end], language.ignored if first < len(tags) else ())
        if not pattern.kind:
            query.disable_pattern(index)
        patterns.append(pattern)
    return Grammar(language=grammar, query=query, patterns=patterns)


def _read_pattern(text: str, ignored: Collection[str]) -> Pattern:
    found = _KIND.search(text)
    kind = found[1] if found else 'doc' if '@doc' in text else ''
    keywords = {
        capture: frozenset(word.strip('"').encode() for word in words.split())
        for capture, words in _KEYWORDS.findall(text)
    }
    return Pattern('' if kind in ignored else kind, keywords)
