"""What a snippet is inside of, from the lines above it: told by indentation, whatever the language.

The file is not parsed again. A line encloses the snippet if it is less deep than everything between
the two, and it is worth showing if it holds a name of the snippet's symbol: the line of a class or
of a function, then, and not that of a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.source.screen import find_secret

MAX_LINES_ABOVE: Final = 5_000
"""Lines looked at above a snippet: few classes are longer, and 128 snippets at the end of a file of
any length then take about a tenth of a second."""

MAX_HEADER_LINES: Final = 12
"""Lines a declaration may span: a dozen parameters, one a line."""

MAX_CONTEXT_CHARS: Final = 600
"""Longest context: a twentieth of the longest snippet, which it only explains."""

GAP: Final = ' ... '
"""Stands between two headers, for the lines left out."""

_NAME: Final = re.compile(r'\w+')
_COMMENT: Final = re.compile(r'#|//|/?\*|--|;;')
"""Starts of lines that may be less deep than the code around them: comments, and `#ifdef`."""
_CLOSERS: Final = tuple(')]}')


def write_context(lines: Sequence[str], candidate: Candidate, *, is_screened: bool) -> str:
    """The headers of what encloses a candidate's snippet, outermost first, each in one line; empty
    where there is none, or no room for it beside the snippet.

    Args:
        lines: All lines of the candidate's file.
        candidate: Whose symbol says what is worth showing.
        is_screened: Whether a header that holds a credential is left out.
    """
    headers = [
        ' '.join(' '.join(header.slice(lines)).split())
        for header in _find_headers(lines, candidate.span, candidate.symbol or '')
        if not (is_screened and find_secret(lines, header))
    ]
    context = GAP.join(headers)
    used = sum(map(len, candidate.span.slice(lines))) + candidate.span.length
    has_room = len(context) <= min(MAX_CONTEXT_CHARS, MAX_SNIPPET_CHARS - used)
    return context if has_room else ''


def _find_headers(lines: Sequence[str], span: LineSpan, symbol: str) -> Iterator[LineSpan]:
    """The declarations above a span that name a part of its symbol, in line order."""
    wanted = set(_NAME.findall(symbol))
    numbers: list[int] = []
    for number in reversed(list(_enclosing(lines, span)) if wanted else []):
        named = wanted.intersection(_NAME.findall(lines[number - 1]))
        if named:
            # Only the outermost line with a name declares it; those inside use it.
            wanted -= named
            numbers.append(number)
    return (_header(lines, number, before=span.first) for number in numbers)


def _enclosing(lines: Sequence[str], span: LineSpan) -> Iterator[int]:
    """The numbers of the lines that enclose a span, innermost first."""
    code = (line for line in span.slice(lines) if line.strip() and not _is_comment(line))
    depth = _depth(next(code, ''))
    for number in range(span.first - 1, max(span.first - MAX_LINES_ABOVE, 1) - 1, -1):
        if not depth:
            return
        line = lines[number - 1]
        if line[:depth].strip() and not _is_comment(line):
            yield number
            depth = _depth(line)


def _is_comment(line: str) -> bool:
    return bool(_COMMENT.match(line.lstrip()))


def _depth(line: str) -> int:
    """Characters before the code of a line; one more where a line as deep as it may enclose it:
    that which opens what this one closes, or declares what this brace begins.
    """
    code = line.lstrip()
    return len(line) - len(code) + (code.startswith(_CLOSERS) or code.rstrip() == '{')


def _header(lines: Sequence[str], number: int, *, before: int) -> LineSpan:
    """The lines of the declaration that starts at a line, to where its parentheses are closed."""
    is_open = 0
    last = number
    for last in range(number, min(number + MAX_HEADER_LINES, before)):
        is_open += lines[last - 1].count('(') - lines[last - 1].count(')')
        if is_open <= 0:
            break
    return LineSpan(number, last)
