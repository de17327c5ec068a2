"""Laws of cutting by grammar, for any text in any language, however broken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.snippets.grammar import grammar_nodes
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.snippets.structure import Node
from tests.snippets.laws import check_cut
from tests.snippets.outlines import SOURCES, cut

_TOKENS = st.sampled_from(
    [
        *('(', ')', '{', '}', '[', ']', '<', '>', '"', "'", '`', '\\', '#', '@', '$', ';', ','),
        *('/*', '*/', '//', '--[[', ']]', '"""', '<<EOF\n', '<<~A\n', '%w(', 'R"x(', '#{', '${'),
        *('\n', '\r', '\r\n', '\t', '    ', '\f', '\0', '\u2028', '\ud800', 'é'),
        *(' do ', ' end ', ' if ', ' fn ', ' def ', ' class ', '#if 0\n', '#endif\n', '<?php '),
    ]
)


@st.composite
def broken_sources(draw: st.DrawFn) -> tuple[Path, str]:
    """The path of a source, and its text after some damage."""
    path = draw(st.sampled_from(SOURCES))
    text = path.read_text()
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(text)))
        last = draw(st.integers(first, min(len(text), first + 300)))
        middle = draw(
            st.one_of(
                st.just(''),
                st.lists(_TOKENS, max_size=5).map(''.join),
                st.integers(2, 5).map(lambda times: text[first:last] * times),  # noqa: B023
            )
        )
        text = text[:first] + middle + text[last:]
    return path, text


@settings(deadline=None)  # the first of each language loads its grammar
@given(broken_sources())
def test_any_text_is_cut_by_its_grammar_into_snippets_that_cover_it(
    source: tuple[Path, str],
) -> None:
    path, text = source
    check_cut(Cut(split_lines(text), cut(path.name, text)), text)


@settings(deadline=None)  # the first of each language loads its grammar
@given(broken_sources())
def test_nodes_lie_inside_their_parent(source: tuple[Path, str]) -> None:
    path, text = source
    nodes = grammar_nodes(path.name, text)
    assert nodes is not None
    _check_nodes(nodes)


def _check_nodes(nodes: Sequence[Node]) -> None:
    for node in nodes:
        assert node.span.first <= node.span.last
        assert all(node.span.contains(child.span) for child in node.children)
        _check_nodes(node.children)
