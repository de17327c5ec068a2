"""Cutting lines that have no structure."""

from __future__ import annotations

from inline_snapshot import snapshot

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.windows import cut_span, cut_windows


def spans(lines: list[str]) -> list[tuple[int, ...]]:
    return [tuple(snippet.span) for snippet in cut_windows(lines)]


def test_windows_overlap() -> None:
    assert spans(['x'] * 60) == [(1, 60)]
    assert spans(['x'] * 61) == [(1, 60), (51, 61)]
    assert spans(['x'] * 160) == [(1, 60), (51, 110), (101, 160)]


def test_blank_lines_at_the_ends_of_a_window_are_left_out() -> None:
    assert spans([]) == []
    assert spans(['', ' ', '\t']) == []
    assert spans(['', 'x', '', 'x', '']) == [(2, 4)]
    assert spans(['x'] * 40 + [''] * 200 + ['x']) == [(1, 40), (241, 241)]


def test_a_window_with_too_many_characters_is_halved_not_clipped() -> None:
    assert spans(['x' * 1_000] * 16) == [(1, 8), (9, 16)]


def test_parts_of_a_window_that_the_next_one_holds_are_left_out() -> None:
    lines = ['x'] * 54 + ['x' * 2_000] * 12 + ['x'] * 49
    assert spans(lines) == snapshot(
        [
            (1, 30),
            (31, 45),
            (46, 53),
            (51, 58),  # which holds 54 to 57, a part of the window before
            (58, 60),
            (59, 62),
            (63, 65),
            (66, 80),
            (81, 110),
            (101, 115),
        ]
    )


def test_lines_that_are_too_long_are_left_out() -> None:
    longest = 'x' * MAX_SNIPPET_CHARS
    assert spans(['a', longest + 'x', 'b', longest, 'c']) == [(1, 1), (3, 3), (4, 4), (5, 5)]


def test_a_span_inside_a_file_keeps_its_symbol() -> None:
    (snippet,) = cut_span(['a', '', 'b', 'c', ''], LineSpan(2, 5), 'f')
    assert (snippet.span, snippet.symbol) == (LineSpan(3, 4), 'f')
