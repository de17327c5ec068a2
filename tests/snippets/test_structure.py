"""Turning any nodes into snippets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.snippet import Cut, Snippet
from pydantic_ai_smart_search.snippets.structure import (
    BLOCK_LINES,
    BROAD_SIZES,
    MAX_SYMBOLS,
    SPLIT_LINES,
    Node,
    cut_nodes,
    has_parts,
)
from tests.snippets.laws import check_cut


def node(
    first: int, last: int, name: str | None = None, *children: Node, is_container: bool = False
) -> Node:
    return Node(LineSpan(first, last), name, children, is_container)


def a_class(first: int, last: int, name: str, *children: Node) -> Node:
    return node(first, last, name, *children, is_container=True)


def show(snippets: list[Snippet]) -> list[str]:
    return [
        f'{snippet.span.first}-{snippet.span.last} {snippet.symbol or ""}'.rstrip()
        for snippet in snippets
    ]


def lines(length: int, **texts: str) -> list[str]:
    """`length` lines of code, but for those given as `_3='...'`."""
    return [texts.get(f'_{number}', 'code') for number in range(1, length + 1)]


spans = st.tuples(st.integers(1, 90), st.integers(0, 60)).map(
    lambda span: LineSpan(span[0], sum(span))
)
names = st.none() | st.sampled_from(['a', 'b', 'c'])
nodes = st.recursive(
    st.builds(Node, spans, names),
    lambda inner: st.builds(Node, spans, names, st.lists(inner, max_size=4), st.booleans()),
    max_leaves=12,
)


@given(
    st.lists(nodes, max_size=6),
    st.lists(st.sampled_from(['code', '', '# note', ' ', 'x' * 900]), max_size=80),
)
def test_whatever_the_nodes_say_the_laws_hold(top: list[Node], text: list[str]) -> None:
    check_cut(Cut(text, cut_nodes(top, text)), '\n'.join([*text, '']))


def test_a_feeder_need_not_give_the_children_of_a_short_node() -> None:
    long, short = LineSpan(1, SPLIT_LINES), LineSpan(2, SPLIT_LINES)
    assert has_parts(long)
    assert not has_parts(short)
    assert has_parts(short, is_container=True)


def test_no_nodes_is_one_snippet() -> None:
    assert show(cut_nodes([], lines(5))) == ['1-5']
    assert cut_nodes([], ['', ' ']) == []


def test_comments_above_a_node_go_with_it_and_long_text_further_up_is_its_own() -> None:
    text = lines(40, _5='', _20='# about b', _21='// about b', _30='')
    top = [node(1, 4, 'a'), node(22, 29, 'b'), node(32, 36, 'c')]
    assert show(cut_nodes(top, text)) == snapshot(['1-4 a', '6-19', '20-29 b', '31-40 c'])


def test_a_run_of_statements_is_closed_before_it_gets_long() -> None:
    top = [node(number, number) for number in range(1, 31)]
    assert show(cut_nodes(top, lines(30))) == ['1-12', '13-24', '25-30']
    assert show(cut_nodes(top, lines(30), sizes=BROAD_SIZES)) == ['1-30']


def test_a_long_statement_is_alone_but_for_a_line_or_two_beside_it() -> None:
    top = [node(1, 3), node(4, 3 + BLOCK_LINES), node(9, 9), node(10, 20), node(21, 24)]
    assert show(cut_nodes(top, lines(24))) == ['1-3', '4-9', '10-20', '21-24']


def test_short_neighbours_are_merged_within_their_container_only() -> None:
    methods = [node(2 * n, 2 * n + 1, f'm{n}') for n in range(1, 4)]
    top = [node(1, 1, 'before'), a_class(2, 7, 'C', *methods), node(8, 8, 'after')]
    assert show(cut_nodes(top, lines(8))) == snapshot(
        ['1-1 before', '2-7 C, C.m1, C.m2, C.m3', '8-8 after']
    )


def test_the_head_of_a_container_keeps_its_attributes() -> None:
    top = [a_class(1, 30, 'C', node(2, 7), node(8, 8), node(10, 20, 'get'), node(21, 30, 'set'))]
    assert show(cut_nodes(top, lines(30, _9='# about get'), '::')) == snapshot(
        ['1-8 C', '9-20 C::get', '21-30 C::set']
    )


def test_a_head_that_is_too_long_is_cut_like_a_body() -> None:
    fields = [node(number, number) for number in range(2, 40)]
    top = [a_class(1, 50, 'C', *fields, node(41, 50, 'get'))]
    assert show(cut_nodes(top, lines(50))) == snapshot(
        ['1-12 C', '13-24 C', '25-36 C', '37-39 C', '40-50 C.get']
    )


def test_a_long_node_is_cut_into_blocks_and_keeps_what_is_left_at_its_end() -> None:
    body = [node(2, 9), node(10, 10), node(11, 35, None, node(12, 20), node(21, 34))]
    assert show(cut_nodes([node(1, 40, 'f', *body)], lines(40))) == snapshot(
        ['1-10 f', '11-20 f', '21-35 f', '36-40 f']
    )
    assert show(cut_nodes([node(1, 36, 'f', *body)], lines(36))) == snapshot(
        ['1-10 f', '11-20 f', '21-36 f']
    )


def test_a_container_without_a_name_qualifies_nothing() -> None:
    members = [node(2, 5, 'a'), node(6, 10, 'b')]
    top = [node(1, 10, None, *members, is_container=True)]
    assert show(cut_nodes(top, lines(10))) == ['1-5 a', '6-10 b']


def test_nodes_on_one_line_share_a_snippet_and_name_it() -> None:
    top = [a_class(1, 1, 'C', node(1, 1, 'get'), node(1, 1, 'set')), node(1, 1, 'f')]
    assert show(cut_nodes(top, lines(1))) == ['1-1 C, C.get, C.set, f']
    many = [node(1, 1, f'f{number}') for number in range(10_000)]
    (snippet,) = cut_nodes(many, lines(1))
    assert (snippet.symbol or '').count(', ') == MAX_SYMBOLS - 1


def test_an_atom_too_long_to_judge_is_cut_into_windows_with_its_symbol() -> None:
    assert show(cut_nodes([node(1, 100, 'f')], lines(100))) == ['1-60 f', '51-100 f']
    wide = ['x' * (MAX_SNIPPET_CHARS // 3)] * 4
    assert show(cut_nodes([node(1, 4, 'f')], wide)) == ['1-2 f', '3-4 f']
