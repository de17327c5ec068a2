from __future__ import annotations

import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.lines import LineSpan, split_lines

spans = st.tuples(st.integers(1, 60), st.integers(1, 60)).map(lambda ends: LineSpan(*sorted(ends)))


def test_only_line_feeds_and_carriage_returns_end_a_line() -> None:
    assert split_lines('a\nb\r\nc\rd\x0ce\x85f\u2028g\x1ch') == [
        'a',
        'b',
        'c',
        'd\x0ce\x85f\u2028g\x1ch',
    ]


def test_the_end_of_the_last_line_does_not_start_another() -> None:
    assert split_lines('') == []
    assert split_lines('a') == split_lines('a\n') == ['a']
    assert split_lines('a\n\n') == ['a', '']


def test_lines_are_numbered_as_the_python_parser_numbers_them() -> None:
    text = 'x = 1\x0c\r\ny = """\u2028\r\x85"""\nz = 3'
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / 'm.py'
        path.write_bytes(text.encode())
        code = 'import ast, sys; print(ast.parse(open(sys.argv[1], "rb").read()).body[-1].lineno)'
        parsed = subprocess.run(
            ['python3', '-c', code, str(path)], capture_output=True, text=True, check=True
        )
    assert split_lines(text)[int(parsed.stdout) - 1] == 'z = 3'


@given(spans, spans)
def test_spans_overlap_exactly_when_they_share_a_line(a: LineSpan, b: LineSpan) -> None:
    lines_of_a, lines_of_b = set(range(a.first, a.last + 1)), set(range(b.first, b.last + 1))
    assert a.overlaps(b) == bool(lines_of_a & lines_of_b)
    assert a.contains(b) == (lines_of_a >= lines_of_b)
    assert a.length == len(lines_of_a)
    assert list(a.slice(range(1, 61))) == sorted(lines_of_a)


@given(spans, st.integers(1, 20), st.data())
def test_windows_cover_their_span_and_stay_inside_it(
    span: LineSpan, length: int, data: st.DataObject
) -> None:
    step = data.draw(st.integers(1, length))
    windows = span.windows(length, step)
    assert {line for w in windows for line in range(w.first, w.last + 1)} == set(
        range(span.first, span.last + 1)
    )
    assert all(window.length <= length for window in windows)
    assert all(b.first - a.first == step for a, b in pairwise(windows))


@given(spans, st.data())
def test_a_span_within_another_names_the_same_lines_of_the_file(
    outer: LineSpan, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, outer.length))
    inner = LineSpan(first, data.draw(st.integers(first, outer.length)))
    lines = range(1, 61)
    assert inner.within(outer).slice(lines) == inner.slice(outer.slice(lines))


def test_a_span_without_its_last_line_is_one_shorter() -> None:
    assert LineSpan(3, 5).without_last() == LineSpan(3, 4)
