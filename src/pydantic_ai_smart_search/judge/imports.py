"""The imports a snippet uses, from the lines above it, told by their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.source.credentials import find_secret

MAX_IMPORTS_CHARS: Final = 300
"""Longest list of imports: half of the longest context, as they explain less."""

GAP: Final = '; '
"""Stands between two imports."""

_MAX_LINES_READ: Final = 300
"""Lines at the head of a file in which imports are looked for: few have more of them."""

_MAX_STATEMENT_LINES: Final = 60
"""Lines of one import: a long list of names, one a line."""

_START: Final = re.compile(
    r'(?:pub\s+)?(?:import|use)\s+[^=\s]|from\s+\S+\s+import\b|(?:const|let|var)\s.*=\s*require\('
)
"""How an import begins that gives a name to something; `#include` and `using` give none."""

_PYTHON: Final = re.compile(r'from\s+\S+\s+import\b')
_QUOTED: Final = re.compile(r"""['"]([^'"]*)['"]""")
_NAME: Final = re.compile(r'\b[^\W\d]\w+\b(?!\s*(?:::|\\))')
"""A name, unless it is the path to one, as in Rust and PHP."""

_KEYWORDS: Final = frozenset(
    (
        'as',
        'const',
        'default',
        'from',
        'import',
        'let',
        'pub',
        'require',
        'static',
        'type',
        'use',
        'var',
    )
)


def find_imports(lines: Sequence[str], span: LineSpan, *, room: int, screen_secrets: bool) -> str:
    """The imports above a span of a file whose names the span uses, each in one line, in their
    order: as many as there is room for, and empty if there are none.

    Args:
        lines: All lines of the file.
        span: What uses them.
        room: Characters there are for them, if fewer than `MAX_IMPORTS_CHARS`.
        screen_secrets: Whether an import that holds a credential is left out.
    """
    used = set(_NAME.findall('\n'.join(span.slice(lines))))
    shown: list[str] = []
    left = min(room, MAX_IMPORTS_CHARS)
    for statement in _find_statements(lines, before=span.first):
        text = ' '.join(' '.join(statement.slice(lines)).split()).rstrip(';')
        names = dict.fromkeys(name for name in _names_of(text) if name in used)
        if not names or (screen_secrets and find_secret(lines, statement)):
            continue
        # Of a long list only the names that are used.
        head, bracket, _ = text.partition('(' if '(' in text else '{')
        short = f'{head}{bracket} {", ".join(names)}' if statement.length > 1 else text
        left -= len(short) + len(GAP)
        if left < 0:
            break
        shown.append(short)
    return GAP.join(shown)


def _find_statements(lines: Sequence[str], *, before: int) -> Iterator[LineSpan]:
    """The imports above a line, each with all of its lines."""
    last = 0
    for number in range(1, min(before, _MAX_LINES_READ + 1)):
        if number > last and _START.match(lines[number - 1]):
            last = _last_line(lines, number, before=before)
            yield from _split_block(lines, LineSpan(number, last))


def _last_line(lines: Sequence[str], number: int, *, before: int) -> int:
    """The last line of the import that starts at a line: where its brackets are closed."""
    is_open = 0
    last = number
    for last in range(number, min(number + _MAX_STATEMENT_LINES, before)):
        line = lines[last - 1]
        is_open += sum(map(line.count, '({')) - sum(map(line.count, ')}'))
        if is_open <= 0:
            break
    return last


def _split_block(lines: Sequence[str], span: LineSpan) -> Iterator[LineSpan]:
    """The import, or each line of a block of quoted paths, as Go has them."""
    if span.length > 1 and all(_QUOTED.search(line) for line in span.slice(lines)[1:-1]):
        yield from (LineSpan(number, number) for number in span.numbers[1:-1])
    else:
        yield span


def _names_of(statement: str) -> list[str]:
    """The names that an import gives to something, and a few more of its words."""
    found = _NAME.findall(_QUOTED.sub('', _PYTHON.sub('', statement)))
    names = [name for name in found if name not in _KEYWORDS]
    # What has a path alone goes by the end of it.
    return names or [re.split(r'\W', path)[-1] for path in _QUOTED.findall(statement)]
