"""One test for each reported input that broke the cutting of files (cases R2, R3, R5 to R11)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.snippets.snippet import Cut
from tests.snippets.laws import check_cut
from tests.strategies import nested


def cut(path: str, text: str) -> Cut:
    """A cut that obeys the laws."""
    found = cut_file(path, text)
    check_cut(found, text, is_whole=not path.endswith('.ipynb'))
    return found


def symbols(path: str, text: str) -> list[str | None]:
    return [snippet.symbol for snippet in cut(path, text).snippets]


@pytest.mark.parametrize('path', ['a.py', 'a.js', 'a.txt'])
def test_a_function_after_a_line_of_13_000_characters_is_found(path: str) -> None:
    """R2: one long line made the rest of its file invisible."""
    text = f'data = "{"x" * 13_000}"\n\ndef find_me():\n    return 1\n'
    found = cut(path, text)
    assert found.long_lines == 1
    last = found.snippets[-1]
    assert list(last.span.slice(found.lines)) == ['def find_me():', '    return 1']


def test_a_long_line_inside_a_function_leaves_the_lines_around_it() -> None:
    """R2."""
    text = f'def f():\n    a = 1\n    b = "{"x" * MAX_SNIPPET_CHARS}"\n    c = 3\n'
    found = cut('a.py', text)
    assert [(tuple(snippet.span), snippet.symbol) for snippet in found.snippets] == [
        ((1, 2), 'f'),
        ((4, 4), 'f'),
    ]


def test_only_the_cells_of_a_notebook_are_cut() -> None:
    """R3: the base64 of a picture was a snippet, and the code beside it was not."""
    picture = {'output_type': 'display_data', 'data': {'image/png': 'iVBORw0KGgo' * 500}}
    notebook: dict[str, object] = {
        'cells': [
            {'cell_type': 'markdown', 'metadata': {}, 'source': ['# Training\n']},
            {
                'cell_type': 'code',
                'outputs': [picture],
                'source': ['def train(model):\n', '    model.fit()\n'],
            },
        ],
        'metadata': {},
        'nbformat': 4,
    }
    found = cut('a.ipynb', json.dumps(notebook, indent=1))
    assert [
        (snippet.symbol, [json.loads(line.strip(' ,')) for line in snippet.span.slice(found.lines)])
        for snippet in found.snippets
    ] == [
        ('cell 1', ['# Training\n']),
        ('cell 2', ['def train(model):\n', '    model.fit()\n']),
    ]


@pytest.mark.parametrize(
    'expression',
    [
        '-' * 100_000 + '1',
        nested('(', ')', 300),
        nested('[', ']', 100_000),
        nested('f(', ')', 5_000),
        nested('{1: ', '}', 5_000),
        nested('lambda: ', '', 5_000),
        '"' * 99_999,
        "f'{" * 10_000,
        'a.' * 50_000 + 'b',
        '+'.join('a' * 50_000),
    ],
)
def test_deep_nesting_neither_hangs_nor_hides_what_follows(expression: str) -> None:
    """R5: such lines exhausted the parser."""
    lines = '\n'.join(expression[n : n + 10_000] for n in range(0, len(expression), 10_000))
    text = f'x = {lines}\n\nclass Cache:\n    def get(self):\n        return 1\n'
    assert 'Cache.get' in (symbols('a.py', text)[-1] or '')


@pytest.mark.parametrize('path', ['a.py', 'a.js', 'a.md', 'a.yaml', 'a.html'])
def test_a_file_nested_a_thousand_deep_is_cut(path: str) -> None:
    """R5: recursion."""
    cut(path, '\n'.join(f'{" " * depth}if x{depth} {{:' for depth in range(1_000)))


@pytest.mark.parametrize('path', ['a.py', 'a.js', 'a.c', 'a.rs', 'a.sql', 'Makefile', 'a.md', 'a'])
@pytest.mark.parametrize(
    'line',
    [
        *('impl<' * 3_000, '<' * 9_000, 'a ' * 6_000, 'a' * 12_000, '(' * 6_000 + ')' * 6_000),
        *('"' * 9_999, "\\'" * 6_000, ':(' * 6_000, 'func (' * 2_000, 'a::' * 4_000, '[' * 9_000),
        *('@a(' * 3_000, 'struct A ' * 1_000 + ';', 'const a: ' * 1_000, '/*' * 6_000, '$' * 9_000),
    ],
)
def test_no_line_makes_a_pattern_backtrack(path: str, line: str) -> None:
    """R5: the kind of line that takes a careless pattern minutes."""
    cut(path, '\n'.join([f'class A {{ {line}', f'    {line}', line] * 5))


LINE = 1_000_000
"""Characters of a line, or of a file of tiny ones: about what a file may have."""


@pytest.mark.parametrize(
    ('path', 'text'),
    [
        # A bracket that is never closed was followed to the end of the file from every body.
        pytest.param('a.py', ' print "x"\n#\n        --[[ //\n' * 30_000, id='brackets'),
        pytest.param('a.py', 'def f():\n  x = ("""\n' * 50_000, id='brackets and strings'),
        pytest.param('a.dart', f'static a{" " * LINE}(', id='type'),
        pytest.param('a.zig', f'impl{" " * LINE}(', id='impl'),
        pytest.param('a.zig', f'func (c{" " * LINE}(', id='receiver'),
        pytest.param('a.toml', '[' + '\t' * LINE, id='table'),
        pytest.param('a.h', '\n' * LINE, id='blank lines'),
        pytest.param('script', f'#!{"/" * LINE} ', id='slashes'),
        pytest.param('script', f'#!node{"1" * LINE}_', id='digits'),
    ],
)
def test_no_text_takes_a_time_that_grows_with_its_square(path: str, text: str) -> None:
    """R5: what would take from minutes to weeks is cut at once."""
    cut(path, text)


def test_source_that_would_warn_is_silent_and_keeps_its_structure(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """R6: where warnings are errors, as here, an invalid escape cost a file its structure."""
    text = "PATTERN = '\\d+'\n\ndef match(text):\n    return 1 if 1 is 1 else ()()\n"
    assert symbols('a.py', text) == ['match']
    assert capfd.readouterr() == ('', '')


@pytest.mark.parametrize(
    'statement',
    [
        'print "x"',
        'exec code in scope',
        'raise ValueError, "no"',
        'try:\n        pass\n    except A, B:\n        pass',
        'name = t"{value}"',
        'name = f"{d["key"]}"',
        'type Pair[T] = tuple[T, T]',
        'match value:\n        case {"a": 1}: pass',
        'lazy import os',
        'x = 0777L',
        'return (yield',
    ],
)
def test_syntax_of_another_python_keeps_its_symbols(statement: str) -> None:
    """R7: one statement the running Python cannot parse cost a file all its symbols."""
    text = f'class Old:\n    def use(self):\n        pass\n\ndef other():\n    {statement}\n\n'
    text += 'def last():\n    return 1\n'
    names = ', '.join(symbol or '' for symbol in symbols('a.py', text))
    assert names == 'Old, Old.use, other, last'


@pytest.mark.parametrize(
    ('path', 'first'),
    [
        *(('stubs.pyi', ''), ('app.pyw', ''), ('A.PY', ''), ('SConstruct', ''), ('x.bzl', '')),
        *(('run', '#!/usr/bin/env python3'), ('run', '#! /usr/bin/python2.7 -u')),
        *(('bin/run', '#!/usr/bin/env -S python -X dev'), ('run', '#!/opt/pypy3/bin/pypy3')),
    ],
)
def test_python_is_known_by_extension_name_or_first_line(path: str, first: str) -> None:
    """R8."""
    text = f'{first}\nclass Cache:\n    limit = 1\n    size = 2\n\n    def get(self): ...\n'
    assert symbols(path, text)[-1] == 'Cache.get'


@pytest.mark.parametrize('separator', ['\f', '\x0b', '\x1c', '\x85', '\u2028', '\u2029'])
def test_separators_inside_a_line_do_not_count_as_lines(separator: str) -> None:
    """R9: line numbers were off by one after every form feed."""
    text = f'def a():\n    s = "{separator}"\n    return s\n{separator}\ndef b():\n    return 2\n'
    found = cut('a.py', text)
    assert [snippet.span.first for snippet in found.snippets if snippet.symbol == 'b'] == [5]


@pytest.mark.parametrize('end', ['\n', '\r\n', '\r'])
def test_line_ends_change_nothing(end: str) -> None:
    """R10: excerpts of files with other line ends were shifted."""
    text = 'import os\n\n\ndef a():\n    """Say.\n\n    More."""\n    return 1\n\n\ndef b():\n    pass\n'
    found = cut('a.py', text.replace('\n', end))
    assert found == cut('a.py', text)
    spans = {snippet.symbol: snippet.span for snippet in found.snippets}
    assert [*spans['b'].slice(found.lines)] == ['def b():', '    pass']


def test_a_class_on_one_line_is_one_snippet() -> None:
    """R11: each of its statements was a snippet of the same line."""
    found = cut('a.py', 'class B: x = 1; y = 2; z = 3\n')
    assert [(tuple(snippet.span), snippet.symbol) for snippet in found.snippets] == [((1, 1), 'B')]


def test_forty_short_methods_are_merged_and_all_named() -> None:
    """R11: forty judgments, each of two lines."""
    methods = ''.join(f'    def m{n}(self):\n        return {n}\n\n' for n in range(40))
    found = cut('a.py', f'class Short:\n{methods}')
    assert len(found.snippets) <= 12
    names = ', '.join(snippet.symbol or '' for snippet in found.snippets).split(', ')
    assert names == ['Short', *(f'Short.m{n}' for n in range(40))]


def test_a_long_class_is_its_head_and_its_methods_each_whole() -> None:
    """R11: the class was cut anywhere, and its head was not to be seen."""
    methods = ''.join(
        f'    def method_{n}(self):\n        """Do {n}."""\n' + f'        self.x{n}()\n' * 16
        for n in range(20)
    )
    head = 'class Long(Base):\n    """Say."""\n\n    limit = 1\n    size: int = 2\n\n'
    found = cut('a.py', head + methods)
    assert [snippet.symbol for snippet in found.snippets] == [
        'Long',
        *(f'Long.method_{n}' for n in range(20)),
    ]
    assert [*found.snippets[0].span.slice(found.lines)] == head.rstrip('\n').split('\n')
    assert {snippet.span.length for snippet in found.snippets[1:]} == {18}
    assert all(not one.span.overlaps(other.span) for one, other in pairwise(found.snippets))
