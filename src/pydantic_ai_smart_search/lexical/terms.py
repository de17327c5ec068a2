"""Terms: what the words of code and of a query are compared by.

A raw word is a run of letters, digits and underscores. Raw words are found by one pass in C, and
turned into terms once per distinct word: the parts of an identifier and the whole of it, in lower
case and stemmed, so that `expired sessions` finds `session.expire()`. Single letters tell nothing
and are no terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_SEPARATORS: Final = bytes(
    byte if byte >= 128 or chr(byte).isalnum() or chr(byte) == '_' else ord(' ')
    for byte in range(256)
)
"""Translates ASCII bytes that no word holds to spaces, and leaves UTF-8 sequences alone."""

_NAME: Final = re.compile(r'\w+')
_PART: Final = re.compile(r'[A-Z]{2,}(?=s(?![a-z]))|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+')
"""Parts of an ASCII identifier; an acronym ends before a plural's `s`, as in `URLs`, and before the
capital that starts the next part.
"""

_MAX_TERM_CHARS: Final = 40
"""Longer words are hashes and encoded data: of the standard library's terms fewer than 2%."""

_MAX_DIGITS: Final = 6
"""Longer numbers are data; status codes, ports, RFCs and seconds a day stay findable."""

_VOWELS: Final = re.compile('[aeiouy]')


def find_words(text: str) -> list[bytes]:
    """The raw words of `text` in order, as UTF-8."""
    return text.encode(errors='replace').translate(_SEPARATORS).split()


def split_word(word: bytes) -> Sequence[str]:
    """The terms of one raw word: the parts of an identifier, then the whole if it has several.

    `parseHTMLResponse` gives `pars`, `html`, `respons` and `parsehtmlrespons`; `user_id`, `userId`
    and `userid` share their whole, `userid`.
    """
    if word.isalpha() and word.islower():  # ASCII, and in one part
        return (stem(word.decode()),) if 1 < len(word) <= _MAX_TERM_CHARS else ()
    text = word.decode(errors='replace')
    if text.isascii():
        return _split_name(text, _PART.findall(text))
    return [term for name in _NAME.findall(text) for term in _split_name(name, name.split('_'))]


def _split_name(name: str, parts: list[str]) -> list[str]:
    terms: list[str] = []
    if len(parts) > 1:
        terms = [_stem_part(part.lower()) for part in parts if len(part) > 1 and not part.isdigit()]
    whole = ''.join(parts)
    longest = _MAX_DIGITS if whole.isdigit() else _MAX_TERM_CHARS
    if 1 < len(whole) <= longest:
        terms.append(stem(whole.lower()))
    return terms


def terms_of(text: str) -> list[str]:
    """The terms of `text`, in order."""
    return [term for word in find_words(text) for term in split_word(word)]


def stem(word: str) -> str:
    """A lower-case word without plural and verb endings; not always a word, always the same.

    `retry`, `retries`, `retried` and `retrying` give `retri`. The plural is Harman's S-stemmer
    ("How effective is suffixing?", 1991); `-ed` and `-ing`, `y` to `i`, the final `e` and `ll` are
    steps 1b, 1c, 5a and 5b of Porter ("An algorithm for suffix stripping", 1980), by length instead
    of by syllables.
    """
    if len(word) > 3 and word.endswith('s') and not word.endswith(('ss', 'us', 'ias')):
        word = word[:-2] if word.endswith('ies') else word[:-1]
    if word.endswith('ing'):
        word = _stem_verb(word, word[:-3])
    elif word.endswith('ed') and not word.endswith('eed'):
        word = _stem_verb(word, word[:-2])
    if len(word) > 3 and (word.endswith('e') or (word.endswith('ll') and len(word) > 4)):
        word = word[:-1]
    if len(word) > 2 and word.endswith('y') and word[-2] not in 'aeiou':
        word = word[:-1] + 'i'
    return word


def _stem_verb(word: str, base: str) -> str:
    """`base`, its last consonant undoubled, if it can be a word on its own, else `word`."""
    if len(base) < 3 or not _VOWELS.search(base):
        return word
    is_doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] in 'bdfgmnprt'
    return base[:-1] if is_doubled else base


_stem_part = lru_cache(maxsize=4_096)(stem)
"""Parts repeat far more often than wholes: `get`, `test`, `name`."""
