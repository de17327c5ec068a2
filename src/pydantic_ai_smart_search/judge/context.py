"""What a snippet is inside of, from the lines above it: told by indentation, whatever the language.

The file is not parsed again. A line encloses the snippet if it is less deep than everything between
the two, and it is worth showing if it holds a name of the snippet's symbol: the line of a class or
of a function, then, and not that of a loop. The innermost comes with what is said of it: the
comment above it, or the string that its body begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.source.credentials import find_secret

MAX_LINES_ABOVE: Final = 5_000
"""Lines looked at above a snippet: few classes are longer, and 128 snippets at the end of a file of
any length then take about a tenth of a second."""

MAX_HEADER_LINES: Final = 12
"""Lines a declaration may span: a dozen parameters, one a line."""

MAX_CONTEXT_CHARS: Final = 600
"""Longest context: a twentieth of the longest snippet, which it only explains."""

MAX_DOC_CHARS: Final = 200
"""Longest comment on a declaration: a third of the longest context, a sentence or two."""

_MAX_DOC_LINES: Final = 40
"""Lines looked at above a declaration for where its comment starts."""

GAP: Final = ' ... '
"""Stands between two headers, for the lines left out."""

_NAME: Final = re.compile(r'\w+')
_COMMENT: Final = re.compile(r'#|//|/?\*|--|;;')
"""Starts of lines that may be less deep than the code around them: comments, and `#ifdef`."""
_CLOSERS: Final = tuple(')]}')
_ANNOTATION: Final = re.compile(r'@\w|#\[')
"""Starts of lines between a comment and what it is on: decorators, annotations, attributes."""
_DOC_STRING: Final = re.compile(r'(?:@\w*doc\s+)?[a-zA-Z]?("""|\'\'\')')
"""How a string begins that says what its function or class is for."""


def write_context(lines: Sequence[str], candidate: Candidate, *, screen_secrets: bool) -> str:
    """The headers of what encloses a candidate's snippet, outermost first, each in one line, the
    last with what is said of it; empty where there is none, or no room for it beside the snippet.

    Args:
        lines: All lines of the candidate's file.
        candidate: Whose symbol says what is worth showing.
        screen_secrets: Whether a header that holds a credential is left out.
    """
    spans = [
        span
        for span in _find_headers(lines, candidate.span, candidate.symbol or '')
        if not (screen_secrets and find_secret(lines, span))
    ]
    shown = [_in_one_line(lines, span) for span in spans]
    doc = _find_doc(lines, spans[-1], before=candidate.span.first) if spans else None
    if doc and not (screen_secrets and find_secret(lines, doc)):
        shown[-1] += f' {_in_one_line(lines, doc)[:MAX_DOC_CHARS]}'
    context = GAP.join(shown)
    used = sum(map(len, candidate.span.slice(lines))) + candidate.span.length
    has_room = len(context) <= min(MAX_CONTEXT_CHARS, MAX_SNIPPET_CHARS - used)
    return context if has_room else ''


def _in_one_line(lines: Sequence[str], span: LineSpan) -> str:
    return ' '.join(' '.join(span.slice(lines)).split())


def _find_doc(lines: Sequence[str], header: LineSpan, *, before: int) -> LineSpan | None:
    """The comment right above a declaration, or else the string right below its header, if that is
    above line `before`.
    """
    above = header.first
    while above > 1 and _ANNOTATION.match(lines[above - 2].lstrip()):
        above -= 1
    first = above
    while first > max(1, above - _MAX_DOC_LINES) and _is_doc(lines[first - 2]):
        first -= 1
    if first < above:
        return LineSpan(first, above - 1)
    below = header.next_line
    opening = _DOC_STRING.match(lines[below - 1].lstrip()) if below < before else None
    if opening is None:
        return None
    last = below
    while last < before - 1 and not _ends_string(lines, below, last, opening[1]):
        last += 1
    return LineSpan(below, last)


def _is_doc(line: str) -> bool:
    return _is_comment(line) and not _ANNOTATION.match(line.lstrip())


def _ends_string(lines: Sequence[str], first: int, last: int, quotes: str) -> bool:
    """Whether a string that starts in line `first` ends in line `last`."""
    return lines[last - 1].count(quotes) > (first == last)


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
