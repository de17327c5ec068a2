"""Laws of cutting by grammar, for any text in any language, however broken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.snippets.grammar import grammar_nodes
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.snippets.structure import Node
from tests.snippets.damage import broken_sources
from tests.snippets.laws import check_cut
from tests.snippets.outlines import cut


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
