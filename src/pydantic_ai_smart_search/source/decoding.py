"""From bytes to text."""

from __future__ import annotations

import codecs
import re
from typing import Final

from pydantic_ai_smart_search.source.files import Skipped, SkipReason, SourceFile

_BOMS: Final = (
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF32_LE, 'utf-32'),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)
_DECLARED: Final = re.compile(rb'coding[:=]\s*([-\w.]+)')


def decode_file(file: SourceFile) -> str | Skipped:
    """The text of a file, or why it has none."""
    raw = file.raw
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return raw.decode(encoding, 'replace')
    if b'\0' in raw:
        return Skipped(file.path, SkipReason.BINARY)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        pass
    declared = _DECLARED.search(b'\n'.join(raw.split(b'\n', 2)[:2]))
    if declared:
        try:
            return raw.decode(declared[1].decode())
        except (LookupError, UnicodeDecodeError):
            pass
    return raw.decode('latin-1')
