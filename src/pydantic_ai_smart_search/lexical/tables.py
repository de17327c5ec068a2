"""A database of one index: its tables, what is written to them and what is read back."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from pydantic_ai_smart_search.embedding.encoder import DIMENSIONS
from pydantic_ai_smart_search.lexical.index import Content, IndexedFile, SnippetIndex
from pydantic_ai_smart_search.lexical.postings import Postings, Segment
from pydantic_ai_smart_search.source.files import FileState, Skipped, SkipReason
from pydantic_ai_smart_search.source.kinds import kind_of

SCHEMA: Final = 1
"""Raised when tables or the meaning of a column change."""

TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file (path BLOB PRIMARY KEY, facts TEXT, checksum INTEGER) WITHOUT ROWID;
CREATE TABLE part (
    kind TEXT, number INTEGER, data BLOB, checksum INTEGER, PRIMARY KEY (kind, number)
);
"""
"""`part` holds arrays: those of snippets in runs by the number of their first, terms likewise, and
those of segments by the number of the segment.
"""

_SNIPPET_PARTS: Final = ('first_line', 'last_line', 'length', 'symbol')
_SEGMENT_PARTS: Final = ('terms', 'offsets', 'snippets', 'frequencies')

_RANDOM: Final = re.compile(r'(?=(?:[^0-9]*[0-9]){2})(?=.*[a-z])[a-z0-9_]{20,}')
"""Terms that may be keys, and are useless as words: as long as the shortest key, with digits. They
are not written to disk.
"""


class Damaged(ValueError):
    """A database is not what was written."""


class Saved(NamedTuple):
    """What of an index is on disk."""

    generation: str
    """Changes with every transaction, whoever made it."""
    epoch: int
    files: Mapping[str, tuple[Content, range]]
    segments: Mapping[int, int]
    """`id` of a segment -> its number on disk."""
    kept: Sequence[Segment]
    """The segments, so that no `id` is used again."""
    snippets: int
    terms: int
    runs: int


def write_index(
    connection: sqlite3.Connection,
    index: SnippetIndex,
    files: Mapping[str, tuple[Content, range]],
    saved: Saved | None,
) -> Saved:
    """Write what of an index is not `saved` yet, within a transaction."""
    known: Mapping[str, tuple[Content, range]] = saved.files if saved else {}
    gone = [(os.fsencode(path),) for path in known if path not in files]
    connection.executemany('DELETE FROM file WHERE path = ?', gone)
    connection.executemany(
        'INSERT OR REPLACE INTO file VALUES (?, ?, ?)',
        (_file_row(index.file(path)) for path, now in files.items() if known.get(path) != now),
    )
    first, terms = (saved.snippets, saved.terms) if saved else (0, 0)
    if first < len(index.symbols):
        parts = (
            index.first_lines[first:].tobytes(),
            index.last_lines[first:].tobytes(),
            index.bm25.lengths[first:].tobytes(),
            json.dumps(index.symbols[first:]).encode(),
        )
        _write_parts(connection, first, zip(_SNIPPET_PARTS, parts, strict=True))
        if index.vectors is not None:
            _write_parts(connection, first, [('vector', index.vectors.rows(first).tobytes())])
    words = index.bm25.terms(terms)
    if words:
        kept = ['' if _RANDOM.fullmatch(word) else word for word in words]
        _write_parts(connection, terms, [('term', '\n'.join(kept).encode())])
    segments = _write_segments(connection, index.bm25.segments, saved.segments if saved else {})
    generation = os.urandom(16).hex()
    facts = {'generation': generation, 'saved': time.time(), 'snippets': index.snippets}
    connection.executemany('INSERT OR REPLACE INTO about VALUES (?, ?)', facts.items())
    return Saved(
        generation,
        index.epoch,
        files,
        segments,
        tuple(index.bm25.segments),
        len(index.symbols),
        terms + len(words),
        saved.runs + 1 if saved else 1,
    )


def _write_segments(
    connection: sqlite3.Connection, segments: Sequence[Segment], known: Mapping[int, int]
) -> dict[int, int]:
    """Write new segments, and delete those that were merged into them."""
    now = {id(segment) for segment in segments}
    for merged in known.keys() - now:
        for kind in _SEGMENT_PARTS:
            connection.execute(
                'DELETE FROM part WHERE kind = ? AND number = ?', (kind, known[merged])
            )
    numbers: dict[int, int] = {}
    following = max(known.values(), default=-1) + 1
    for segment in segments:
        number = known.get(id(segment))
        if number is None:
            number = following
            following += 1
            arrays = (segment.terms, segment.offsets, *segment.postings)
            parts = [part.tobytes() for part in arrays]
            _write_parts(connection, number, zip(_SEGMENT_PARTS, parts, strict=True))
        numbers[id(segment)] = number
    return numbers


def _write_parts(
    connection: sqlite3.Connection, number: int, parts: Iterable[tuple[str, bytes]]
) -> None:
    connection.executemany(
        'INSERT INTO part VALUES (?, ?, ?, ?)',
        ((kind, number, data, zlib.crc32(data)) for kind, data in parts),
    )


def _file_row(file: IndexedFile) -> tuple[bytes, str, int]:
    digest, size, state = file.content
    facts = json.dumps(
        {
            'digest': digest.hex(),
            'size': size,
            'state': state,
            'lines': file.lines,
            'snippets': [file.snippets.start, file.snippets.stop],
            'notes': [[note.reason, note.detail] for note in file.notes],
        }
    )
    path = os.fsencode(file.path)
    return path, facts, zlib.crc32(path + facts.encode())


def _read_file(path: bytes, facts: str, checksum: int) -> IndexedFile:
    if zlib.crc32(path + facts.encode()) != checksum:
        raise Damaged('a file is damaged')
    name = os.fsdecode(path)
    fields = json.loads(facts)
    state = fields['state']
    return IndexedFile(
        name,
        kind_of(name),
        Content(
            bytes.fromhex(fields['digest']), fields['size'], FileState(*state) if state else None
        ),
        fields['lines'],
        range(*fields['snippets']),
        [Skipped(name, SkipReason(reason), detail) for reason, detail in fields['notes']],
    )


def read_index(connection: sqlite3.Connection, index: SnippetIndex, generation: str) -> Saved:
    """Fill an empty index with all there is, checked."""
    files = [_read_file(*row) for row in connection.execute('SELECT * FROM file')]
    parts: dict[str, dict[int, bytes]] = {}
    for kind, number, data, checksum in connection.execute('SELECT * FROM part ORDER BY number'):
        if zlib.crc32(data) != checksum:
            raise Damaged(f'{kind} {number} is damaged')
        parts.setdefault(kind, {})[number] = data

    def joined(kind: str) -> bytes:
        return b''.join(parts.get(kind, {}).values())

    segments = {
        number: Segment(
            np.frombuffer(terms, np.uint32),
            np.frombuffer(parts['offsets'][number], np.int64),
            Postings(
                np.frombuffer(parts['snippets'][number], np.uint32),
                np.frombuffer(parts['frequencies'][number], np.uint16),
            ),
        )
        for number, terms in parts.get('terms', {}).items()
    }
    symbols = [symbol for run in parts.get('symbol', {}).values() for symbol in json.loads(run)]
    words = [word for run in parts.get('term', {}).values() for word in run.decode().split('\n')]
    first_lines, last_lines = array('I', joined('first_line')), array('I', joined('last_line'))
    lengths = np.frombuffer(joined('length'), np.uint32)
    ends = max((file.snippets.stop for file in files), default=0)
    if not ends <= len(first_lines) == len(last_lines) == len(symbols) == len(lengths):
        raise Damaged('arrays are of different lengths')
    if index.vectors is not None:
        vectors = joined('vector')
        if len(vectors) != len(symbols) * DIMENSIONS:
            raise Damaged('vectors are missing')
        index.vectors.restore(vectors)
    index.bm25.restore(list(segments.values()), lengths, words)
    index.restore(files, first_lines, last_lines, symbols)
    return Saved(
        generation,
        index.epoch,
        index.contents(),
        {id(segment): number for number, segment in segments.items()},
        tuple(segments.values()),
        len(symbols),
        len(words),
        len(parts.get('symbol', {})),
    )
