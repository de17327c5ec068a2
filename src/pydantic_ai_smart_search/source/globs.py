"""Globs that narrow a listing, read the way their writer meant them.

They are matched here and never handed to `rg`, for which a glob outranks the ignore files: here it
can only leave files out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic_ai_smart_search.errors import InvalidGlob
from pydantic_ai_smart_search.source.files import is_hidden
from pydantic_ai_smart_search.source.patterns import (
    GLOBSTAR,
    SEPARATOR,
    STAR,
    Kind,
    Pattern,
    Token,
    compile_patterns,
    literal,
)

_MAX_PATTERNS: Final = 128
"""Plain patterns one glob may stand for once its braces are expanded; people write a handful."""

_MAX_CHARS: Final = 1_000
"""Longest glob in characters: long enough to list some 50 files."""

_MAX_BRACES: Final = 50
"""Most braces in a glob: nested, each is a step deeper for the reader."""


@dataclass(frozen=True, slots=True)
class Glob:
    """Which files of a root a search covers.

    Alternatives are separated by commas or in braces, `!` excludes. One without a slash matches a
    name at any depth; one with a slash starts at the root, or at the working directory. One that
    matches a directory covers what is below it, unless its last part is a bare `*`. Brackets are
    read both as a set of characters and as themselves.
    """

    text: str
    """As the caller wrote it."""
    above: Sequence[str]
    """What may stand before a path below the root: nothing, or its path in the workspace."""
    includes: re.Pattern[str] | None
    """`None` when everything that is not excluded is included."""
    excludes: re.Pattern[str] | None
    components: frozenset[str]
    """The names and wildcards between the slashes of what is included."""
    is_hidden: bool
    """Whether it includes nothing but hidden files."""

    def matches(self, path: str) -> bool:
        """Whether a path relative to the root is covered."""
        return (self.includes is None or self._is_in(self.includes, path)) and not (
            self.excludes is not None and self._is_in(self.excludes, path)
        )

    def _is_in(self, pattern: re.Pattern[str], path: str) -> bool:
        return any(pattern.match(prefix + path) for prefix in self.above)


def parse_glob(glob: str | None, *, below: str, root: str) -> Glob:
    """Read a glob for the root at the absolute path `root`, which is `below` the working directory.

    `None` and blank text cover everything.

    Raises:
        InvalidGlob: It has an unclosed brace, leads upwards, is too long, or stands for too many
            patterns.
    """
    text = glob or ''
    if len(text) > _MAX_CHARS:
        raise InvalidGlob(f'{text[:50]}...', f'it is longer than {_MAX_CHARS:,} characters')
    if text.count('{') > _MAX_BRACES:
        raise InvalidGlob(text, f'it has more than {_MAX_BRACES} braces')
    tops = (root, root.removesuffix(f'/{below}'))
    includes: list[Pattern] = []
    excludes: list[Pattern] = []
    for part in _split(text, text):
        part = part.strip()
        if part.startswith('!'):
            excludes += _patterns(part[1:], text, tops)
        elif part:
            includes += _patterns(part, text, tops)
    written = [''.join(token.text for token in pattern) for pattern in includes]
    return Glob(
        text=text,
        above=[''] if below == '.' else ['', f'{below}/'],
        includes=compile_patterns(includes),
        excludes=compile_patterns(excludes),
        components=frozenset(name for path in written for name in path.split('/')),
        is_hidden=bool(written) and all(map(is_hidden, written)),
    )


def _patterns(text: str, glob: str, tops: Sequence[str]) -> list[Pattern]:
    """Every plain pattern that one alternative of a glob, perhaps an absolute one, stands for."""
    text = next((text[len(top) :] for top in tops if text.startswith(f'{top}/')), text)
    while text.startswith('./'):
        text = text[2:]
    if '..' in text.split('/'):
        raise InvalidGlob(glob, 'it leads upwards, and only files below `directory` are searched')
    patterns = [
        pattern
        for expanded in _expand(text, glob)
        for pattern in _without_inner_globstars(expanded, glob)
    ]
    _check_number(len(patterns), glob)
    return [pattern for pattern in patterns if pattern]


def _expand(text: str, glob: str) -> list[Pattern]:
    """`text` without braces, and with every bracket read both ways."""
    readings: list[list[Pattern]] = []
    position = 0
    while position < len(text):
        end, variants = _read(text, position, glob)
        readings.append(variants)
        position = end
        count = 1
        for variant in readings:
            count *= len(variant)
        _check_number(count, glob)
    return [tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*readings)]


def _read(text: str, start: int, glob: str) -> tuple[int, list[Pattern]]:
    """What starts at `start`: where it ends, and what it may stand for."""
    character = text[start]
    if character == '*':
        end = start + len(text[start:]) - len(text[start:].lstrip('*'))
        return end, [(STAR if end == start + 1 else GLOBSTAR,)]
    if character == '?':
        return start + 1, [(Token(Kind.CHARACTER, '?', '[^/]'),)]
    if character == '/':
        return start + 1, [(SEPARATOR,)]
    if character == '\\' and start + 1 < len(text):
        return start + 2, [literal(text[start + 1])]
    if character == '{':
        return _read_braces(text, start, glob)
    if character == '[':
        return _read_brackets(text, start)
    return start + 1, [literal(character)]


def _read_braces(text: str, start: int, glob: str) -> tuple[int, list[Pattern]]:
    end = _closing_brace(text, start, glob)
    inside = text[start + 1 : end]
    alternatives = list(_split(inside, glob))
    variants = [pattern for alternative in alternatives for pattern in _expand(alternative, glob)]
    if len(alternatives) == 1:
        # As in a shell, braces around one thing are themselves, which template folders use.
        variants += [(*literal('{'), *pattern, *literal('}')) for pattern in _expand(inside, glob)]
    return end + 1, variants


def _closing_brace(text: str, start: int, glob: str) -> int:
    depth = 0
    for match in re.finditer(r'\\.|[{}]', text[start:]):
        depth += {'{': 1, '}': -1}.get(match[0], 0)
        if depth == 0:
            return start + match.start()
    raise InvalidGlob(glob, 'a brace `{` in it is never closed')


def _read_brackets(text: str, start: int) -> tuple[int, list[Pattern]]:
    match = re.compile(r'\[([!^]?)(\]?[^]/]*)\]').match(text, start)
    if match is None or not match[2]:
        return start + 1, [literal('[')]
    variants = [literal(match[0])]
    if characters := _character_set(match[2]):
        regex = f'(?!/)[{"^" if match[1] else ""}{characters}]'
        variants.append((Token(Kind.CHARACTER, match[0], regex),))
    return match.end(), variants


def _character_set(text: str) -> str:
    """The inside of brackets for a regex; nothing for `z-a`, which is no set of characters."""
    characters = ''
    for first, last in re.findall(r'(.)(?:-(.))?', text, re.DOTALL):
        if last and last < first:
            return ''
        characters += re.escape(first) + (f'-{re.escape(last)}' if last else '')
    return characters


def _split(text: str, glob: str) -> Iterator[str]:
    """`text` at its commas outside braces and brackets."""
    start = position = 0
    while position < len(text):
        if text[position] == '\\':
            position += 1
        elif text[position] == '{':
            position = _closing_brace(text, position, glob)
        elif text[position] == '[':
            position = _read_brackets(text, position)[0] - 1
        elif text[position] == ',':
            yield text[start:position]
            start = position + 1
        position += 1
    yield text[start:]


def _without_inner_globstars(pattern: Pattern, glob: str) -> list[Pattern]:
    """`a**b` as `a*b` and `a*/**/*b`, so that `**` is always a whole component."""
    variants: list[list[Token]] = [[]]
    for index, token in enumerate(pattern):
        if token.kind is not Kind.GLOBSTAR:
            added = [[token]]
        else:
            opens = index == 0 or pattern[index - 1].kind is Kind.SEPARATOR
            closes = index + 1 == len(pattern) or pattern[index + 1].kind is Kind.SEPARATOR
            left = [] if opens else [STAR, SEPARATOR]
            right = [] if closes else [SEPARATOR, STAR]
            added = [[*left, GLOBSTAR, *right]]
            if not opens:
                added.append([STAR])
        _check_number(len(variants) * len(added), glob)
        variants = [[*variant, *choice] for variant in variants for choice in added]
    return [tuple(variant) for variant in variants]


def _check_number(patterns: int, glob: str) -> None:
    if patterns > _MAX_PATTERNS:
        raise InvalidGlob(glob, f'it stands for more than {_MAX_PATTERNS} patterns')
