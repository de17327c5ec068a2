"""Terms: what words of code and of a query are compared by.

A raw word is a run of letters, digits and underscores. It is found by one pass in C, and turned into terms once per
distinct word: the parts of an identifier and the whole, in lower case, stemmed.
"""

from __future__ import annotations

import re
from typing import Final

_SEPARATORS: Final = bytes(
    byte if byte >= 128 or chr(byte).isalnum() or chr(byte) == '_' else ord(' ') for byte in range(256)
)
"""Translates every ASCII byte that cannot be part of a word to a space."""

_RUN: Final = re.compile(r'[^\W_]+')
"""What underscores, and punctuation beyond ASCII, leave of a raw word."""

_PART: Final = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z]+')
"""Parts of an identifier: an acronym stops before the capital that starts the next part."""

MAX_TERM_CHARS: Final = 40
"""Longer terms are data (hashes, encoded blobs), which no query spells out."""


def find_words(text: str) -> list[bytes]:
    """The raw words of `text` in order, as UTF-8."""
    return text.encode(errors='replace').translate(_SEPARATORS).split()


def split_word(word: bytes) -> tuple[str, ...]:
    """The terms of one raw word: the parts of an identifier, then the whole if it has several."""
    terms: list[str] = []
    for run in _RUN.findall(word.decode(errors='replace')):
        lower = run.lower()
        parts = () if run == lower and run.isalpha() else _PART.findall(run)
        if len(parts) > 1:
            terms += (stem(part.lower()) for part in parts if len(part) > 1)
        terms.append(stem(lower))
    if len(terms) > 1 and b'_' in word.strip(b'_'):
        terms.append(word.decode(errors='replace').replace('_', '').lower())
    return tuple(term for term in terms if 1 < len(term) <= MAX_TERM_CHARS)


def terms_of(text: str) -> list[str]:
    """The terms of `text`, in order."""
    return [term for word in find_words(text) for term in split_word(word)]


_VOWEL: Final = re.compile('[aeiouy]')
_DOUBLED: Final = re.compile(r'([bdfgmnprt])\1$')


def stem(term: str) -> str:
    """`term`, lower-cased, without a plural or verb ending: `retries`, `retried` and `retrying` are `retry`."""
    if len(term) < 4:
        return term
    if term.endswith('s') and not term.endswith(('ss', 'us', 'is')):
        if term.endswith('ies') and len(term) > 4:
            term = term[:-3] + 'y'
        elif term.endswith(('sses', 'ches', 'shes', 'xes', 'zes')):
            term = term[:-2]
        else:
            term = term[:-1]
    for ending in ('ing', 'ed'):
        base = term.removesuffix(ending)
        if base != term and len(base) >= 3 and _VOWEL.search(base):
            if ending == 'ed' and base.endswith('i'):
                return base[:-1] + 'y'
            return _DOUBLED.sub(r'\1', base)
    return term[:-1] if len(term) > 3 and term.endswith('e') else term
