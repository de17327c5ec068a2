"""Plain patterns of characters, stars and slashes, and the regex that matches what they cover."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final, NamedTuple


class Kind(Enum):
    """What one piece of a pattern stands for."""

    CHARACTER = auto()
    STAR = auto()
    """Any part of a name."""
    GLOBSTAR = auto()
    """Any number of whole names; only as a component of its own."""
    SEPARATOR = auto()


class Token(NamedTuple):
    """One piece of a pattern."""

    kind: Kind
    text: str
    """As written, without escapes."""
    regex: str = ''
    """What matches a `CHARACTER`: exactly one character, never a slash."""


Pattern = tuple[Token, ...]

SEPARATOR: Final = Token(Kind.SEPARATOR, '/')
STAR: Final = Token(Kind.STAR, '*')
GLOBSTAR: Final = Token(Kind.GLOBSTAR, '**')


def literal(text: str) -> Pattern:
    """The pattern of `text` itself, whatever it holds."""
    return tuple(Token(Kind.CHARACTER, character, re.escape(character)) for character in text)


def compile_patterns(patterns: Sequence[Pattern]) -> re.Pattern[str] | None:
    """A regex that matches the paths any of the patterns covers; `None` without patterns."""
    return re.compile('|'.join(map(_regex, patterns)), re.DOTALL) if patterns else None


def _regex(pattern: Pattern) -> str:
    """One plain pattern as a regex.

    A run of components between two `**`, and a literal between two `*`, takes the first place where
    it fits, atomically: as their lengths are fixed no later place could do better, and no glob
    takes more than quadratic time.
    """
    components = [component for component in _split_at(pattern, SEPARATOR) if component] or [
        (GLOBSTAR,)
    ]
    if SEPARATOR not in pattern[:-1]:
        components.insert(0, (GLOBSTAR,))
    runs: list[list[str]] = [[]]
    for component in components:
        if component == (GLOBSTAR,):
            runs.append([])
        else:
            runs[-1].append(_component_regex(component))
    first, *others = ['/'.join(run) for run in runs]
    if not others:
        return first + _end(pattern, components[-1])
    *middle, last = others
    return ''.join(
        (
            first and f'{first}/',
            *(f'(?>(?:[^/]+/)*?{run}/)' for run in middle if run),
            f'(?:[^/]+/)*?{last}{_end(pattern, components[-1])}' if last else r'.+\Z',
        )
    )


def _component_regex(component: Pattern) -> str:
    """One component, up to but without the slash or the end behind it."""
    pieces = [''.join(token.regex for token in tokens) for tokens in _split_at(component, STAR)]
    first, *others = pieces
    if not others:
        return first
    *middle, last = others
    return f'{first}{"".join(f"(?>[^/]*?{piece})" for piece in middle)}[^/]*{last}'


def _end(pattern: Pattern, component: Pattern) -> str:
    """What follows a pattern: the end, or what a directory it matches holds."""
    if pattern[-1] is SEPARATOR:
        return r'/.*\Z'
    names_something = any(token.kind is Kind.CHARACTER for token in component)
    return r'(?:/.*)?\Z' if names_something else r'\Z'


def _split_at(tokens: Sequence[Token], separator: Token) -> list[Pattern]:
    """`tokens` between the separators, one more than there are of them."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token is separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts]
