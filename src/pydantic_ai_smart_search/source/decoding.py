"""From the bytes of a file to its text."""

from __future__ import annotations

import codecs
import re
from typing import Final

from pydantic_ai_smart_search.options import MAX_FILE_BYTES
from pydantic_ai_smart_search.source.files import Skipped, SkipReason, SourceFile, SourceText
from pydantic_ai_smart_search.source.noise import is_generated

_MARKS: Final = (
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF32_LE, 'utf-32'),  # before UTF-16, with whose mark it starts
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)

_NUL_BYTES: Final = 8_000
"""A NUL among the first 8,000 bytes makes a file binary: the rule git goes by."""

_MAX_CONTROLS: Final = 0.01
"""Share of control characters up to which bytes are text. In the 99,000 files of 52 repositories
texts had none to speak of, and binary files without a NUL had 10% and more.
"""

_MAX_FOREIGN: Final = 0.1
"""Share of bytes beyond ASCII up to which a Western encoding is no guess: French prose has 5%, and
Russian or Japanese prose 60% and more.
"""

_CONTROLS: Final = bytes({*range(0x20), 0x7F} - set(b'\b\t\n\v\f\r\x1b'))

# PEP 263 in the first two lines, and how XML, HTML and CSS say it there.
_DECLARED: Final = re.compile(rb'(?:coding|charset)[ \t]*[:= ][ \t]*["\']?([-\w.]+)')
_SURROGATE: Final = re.compile('[\ud800-\udfff]')


def decode_file(file: SourceFile, *, is_named: bool = False) -> SourceText | Skipped:
    """The text of a file, or why it is not searched.

    In this order: what a byte order mark says; binary; UTF-8; the encoding the file declares; UTF-8
    with damage; Windows-1252 or Latin-1. Where characters may be wrong, the text says so. Generated
    code is left out unless the caller named the very file.
    """
    source = _decode_file(file)
    if isinstance(source, Skipped):
        return source
    if not is_named and is_generated(source.text):
        return Skipped(file.path, SkipReason.GENERATED)
    if source.note is None and len(file.raw) > MAX_FILE_BYTES:
        detail = f'{len(file.raw):,} bytes, searched all the same'
        return SourceText(source.text, Skipped(file.path, SkipReason.OVERSIZE, detail))
    return source


def _decode_file(file: SourceFile) -> SourceText | Skipped:
    raw = file.raw
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            text = _decode(raw, encoding)
            return SourceText(text) if text is not None else _damaged(file, encoding)
    if b'\0' in raw[:_NUL_BYTES]:
        return Skipped(file.path, SkipReason.BINARY)
    text = _decode(raw, 'utf-8')
    if text is None:
        text = _decode_as_declared(raw)
    return SourceText(text) if text is not None else _guess(file)


def _decode_as_declared(raw: bytes) -> str | None:
    """The text, if the file declares an encoding and keeps to it."""
    declared = _DECLARED.search(b'\n'.join(raw.split(b'\n', 2)[:2]))
    if declared is None:
        return None
    text = _decode(raw, declared[1].decode('ascii', 'replace'))
    # An encoding such as `unicode_escape` can give half a surrogate pair, which no text may hold.
    return text if text is not None and not _SURROGATE.search(text) else None


def _guess(file: SourceFile) -> SourceText | Skipped:
    """The text of a file that is no UTF-8 and does not say what it is."""
    raw = file.raw
    if len(raw) - len(raw.translate(None, _CONTROLS)) > _MAX_CONTROLS * len(raw):
        return Skipped(file.path, SkipReason.BINARY)
    foreign = sum(byte > 0x7F for byte in raw)
    mended = raw.decode('utf-8', 'replace')
    damaged = mended.count('\ufffd')
    if len(mended) - (len(raw) - foreign) > 2 * damaged:  # more characters arrived than are lost
        return _damaged(file, 'utf-8')
    text = _decode(raw, 'cp1252')
    if text is None:
        text = raw.decode('latin-1')
    doubt = 'read as Windows-1252, which is a guess' if foreign > _MAX_FOREIGN * len(raw) else None
    return SourceText(text, doubt and Skipped(file.path, SkipReason.ENCODING, doubt))


def _damaged(file: SourceFile, encoding: str) -> SourceText:
    """A text with the characters that are lost replaced."""
    text = file.raw.decode(encoding, 'replace')
    return SourceText(text, Skipped(file.path, SkipReason.ENCODING, f'damaged {encoding}'))


def _decode(raw: bytes, encoding: str) -> str | None:
    """The text, if the encoding is known and every byte of it is valid."""
    try:
        return raw.decode(encoding)
    except (LookupError, ValueError):
        return None
