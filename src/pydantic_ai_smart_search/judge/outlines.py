"""What a judge reads of a file that it is to look into or not: how it begins, what it defines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic_ai_smart_search.judge.judge import Outline
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.source.credentials import find_secret

MAX_OUTLINE_CHARS: Final = 500
"""Longest outline: 24 of them are as long as the longest snippet."""

MAX_OPENING_CHARS: Final = 200
"""Longest beginning of a file in its outline: two or three lines, which leaves the names more."""

_MAX_LINES_READ: Final = 60
"""Lines in which to look for how a file begins: a licence takes up to 30."""

_TELLS_NOTHING: Final = re.compile(
    r'copyright|licen[cs]e|all rights reserved|spdx|\A#!.*\Z', re.IGNORECASE
)
"""Licences, and what runs a script."""
_WORD: Final = re.compile('[a-z]{3}', re.IGNORECASE)


def find_opening(lines: Sequence[str]) -> LineSpan | None:
    """The first lines of a file without a blank one among them that say something, and are not its
    licence; `None` where there are none.
    """
    first = 1
    for number, line in enumerate([*lines[:_MAX_LINES_READ], ''], 1):
        if line.strip():
            continue
        block = LineSpan(first, number - 1) if number > first else None
        if block and _says_something('\n'.join(block.slice(lines))):
            return block
        first = number + 1
    return None


def _says_something(text: str) -> bool:
    return bool(_WORD.search(text)) and not _TELLS_NOTHING.search(text)


def write_outline(path: str, lines: Sequence[str], symbols: Sequence[str]) -> Outline:
    """The outline of a file, at most `MAX_OUTLINE_CHARS` besides its path.

    Args:
        path: The file as the caller would spell it.
        lines: All of its lines.
        symbols: Names it defines, the most telling first: as many are shown as there is room for.
    """
    opening = find_opening(lines)
    words = ' '.join(' '.join(opening.slice(lines)).split()) if opening else ''
    begins = f'begins: {words[:MAX_OPENING_CHARS]}' if words else ''
    left = MAX_OUTLINE_CHARS - len(begins) - len('\ndefines: ')
    names: list[str] = []
    for symbol in symbols:
        left -= len(symbol) + len(', ')
        if left < 0:
            break
        names.append(symbol)
    defines = f'defines: {", ".join(names)}' if names else ''
    return Outline(path=path, text='\n'.join(part for part in (begins, defines) if part))


def find_outlined_secret(lines: Sequence[str], outline: Outline) -> str | None:
    """What credential the outline of a file with these lines holds."""
    opening = find_opening(lines)
    in_opening = find_secret(lines, opening) if opening else None
    shown = outline.text.split('\n')
    return in_opening or find_secret(shown, LineSpan.of_length(1, len(shown)))
