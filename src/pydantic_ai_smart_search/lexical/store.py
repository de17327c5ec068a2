"""Indexes on disk: one SQLite database for each, in one private directory.

A database is only ever written whole beside the old one and swapped in, or added to in one
transaction. What is read back is checked, and anything amiss makes it a database that is not there:
an index can always be built again.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import time
import zlib
from array import array
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import distributions
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from pydantic_ai_smart_search.embedding.encoder import DIMENSIONS
from pydantic_ai_smart_search.lexical.index import Content, IndexedFile, SnippetIndex
from pydantic_ai_smart_search.lexical.postings import Postings, Segment
from pydantic_ai_smart_search.source.files import FileState, Skipped, SkipReason
from pydantic_ai_smart_search.source.kinds import kind_of

SCHEMA: Final = 1
"""Raised when tables or the meaning of a column change."""

SUFFIX: Final = '.sqlite'

_TABLES: Final = """
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

_MAX_RUNS: Final = 64
"""Runs of snippets after which all is written anew: each changed search adds one."""

_LOCK_SECONDS: Final = 5.0
"""How long another process is waited for: writing a big index takes a second."""

_LOCK_POLL_SECONDS: Final = 0.02
"""How often a lock is tried meanwhile, as `flock` itself would wait without end."""

_REBUILT: Final = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""What SQLite says of a database that is damaged, or none of ours; all else is the disk's trouble.
"""

_RANDOM: Final = re.compile(r'(?=(?:[^0-9]*[0-9]){2})(?=.*[a-z])[a-z0-9_]{20,}')
"""Terms that may be keys, and are useless as words: as long as the shortest key, with digits. They
are not written to disk.
"""


class Damaged(ValueError):
    """A database is not what was written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What an index is of."""

    place: str
    """The workspace."""
    path: str
    """The root."""
    only: str | None
    glob: str | None
    use_embedding: bool = False

    @property
    def file_name(self) -> str:
        """Of its database."""
        identity = json.dumps([self.place, self.path, self.only, self.glob, self.use_embedding])
        return blake2b(identity.encode(), digest_size=16).hexdigest() + SUFFIX


def fingerprint() -> str:
    """Tells versions of what cuts files and splits words: an index of another one is not used."""
    package = Path(__file__).parent.parent
    sources = [
        *sorted(package.glob('snippets/**/*.py')),
        *sorted(package.glob('snippets/**/*.scm')),
        *(package / name for name in ('lexical/terms.py', 'lexical/index.py', 'lines.py')),
        *(package / 'source' / name for name in ('decoding.py', 'noise.py')),
        *(package / 'embedding' / name for name in ('encoder.py', 'model.sha256')),
        package / 'lexical/vectors.py',
    ]
    digest = blake2b(digest_size=16)
    for source in sources:
        digest.update(source.read_bytes())
    grammars = {
        f'{found.name} {found.version}'
        for found in distributions()
        if found.name.replace('-', '_').startswith('tree_sitter')
    }
    digest.update(' '.join(sorted(grammars)).encode())
    return digest.hexdigest()


class _Saved(NamedTuple):
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


class DiskIndex:
    """The copy of one index on disk, as one process sees it. For one thread at a time.

    Several processes may use the same database. Who finds that another one has changed it since
    takes what is there, and leaves it alone where it has something to add.
    """

    def __init__(self, directory: Path, about: About, version: str) -> None:
        """`version` is the `fingerprint` of what makes indexes."""
        self.path: Path = directory / about.file_name
        self._about = about
        self._version = version
        self._saved: _Saved | None = None

    def load(self, index: SnippetIndex | None) -> SnippetIndex:
        """The index on disk, `index` itself if that is it, or an empty one if there is none.

        Raises:
            OSError: The directory cannot be used.
            sqlite3.Error: The database cannot be read, though nothing is wrong with it.
        """
        if not self.path.exists():
            self._saved = None
            return index or self._empty()
        try:
            with self._connect() as connection:
                connection.execute('BEGIN')  # all of it from one moment
                generation = self._generation(connection)
                if index is not None and self._saved and self._saved.generation == generation:
                    return index
                found = self._empty()
                self._saved = _read_index(connection, found, generation)
                return found
        except (ValueError, KeyError, sqlite3.DatabaseError) as error:
            if not _is_damage(error):
                raise
        self._saved = None
        return self._empty()

    def _empty(self) -> SnippetIndex:
        return SnippetIndex(use_embedding=self._about.use_embedding)

    def save(self, index: SnippetIndex) -> None:
        """Bring the disk up to date, in one transaction or one swap.

        Raises:
            OSError: The directory cannot be used.
            sqlite3.Error: The database cannot be written; on disk is what was there before.
        """
        saved = self._saved
        files = index.contents()
        if saved and saved.epoch == index.epoch and saved.files == files:
            return
        index.bm25.settle()
        if saved and saved.epoch == index.epoch and saved.runs < _MAX_RUNS and self.path.exists():
            try:
                self._saved = self._add(index, files, saved)
                return
            except (Damaged, sqlite3.DatabaseError) as error:
                if not _is_damage(error):
                    raise
        self._saved = self._rebuild(index, files)

    def _add(
        self, index: SnippetIndex, files: Mapping[str, tuple[Content, range]], saved: _Saved
    ) -> _Saved | None:
        """Add what is new in one transaction, unless another process has been here meanwhile."""
        with self._connect() as connection:
            connection.execute('BEGIN IMMEDIATE')
            if self._generation(connection) != saved.generation:
                return None
            now = _write_index(connection, index, files, saved)
            connection.execute('COMMIT')
            return now

    def _rebuild(self, index: SnippetIndex, files: Mapping[str, tuple[Content, range]]) -> _Saved:
        """Write all of an index beside the database, and swap."""
        _make_private(self.path.parent)
        beside = self.path.with_suffix(f'.{os.getpid()}-{id(self)}.tmp')
        try:
            _create_private(beside)
            with closing(sqlite3.connect(beside, isolation_level=None)) as connection:
                connection.executescript(f'PRAGMA user_version = {SCHEMA}; {_TABLES}')
                connection.execute('BEGIN')
                about = {**self._about_rows(), 'version': self._version}
                connection.executemany('INSERT INTO about VALUES (?, ?)', about.items())
                saved = _write_index(connection, index, files, None)
                connection.execute('COMMIT')
                connection.execute('PRAGMA journal_mode = WAL')
            with _locked(self.path, fcntl.LOCK_EX):
                # The database first: without it, a log that is left behind is nobody's.
                for name in (self.path, *_logs_of(self.path)):
                    name.unlink(missing_ok=True)
                beside.rename(self.path)
        finally:
            beside.unlink(missing_ok=True)
        return saved

    def _about_rows(self) -> dict[str, str | None]:
        about = self._about
        return {
            'place': about.place,
            'path': about.path.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace'),
            'only': about.only,
            'glob': about.glob,
        }

    @contextmanager
    def _connect(self) -> Generator[sqlite3.Connection]:
        with connect(self.path) as connection:
            version = connection.execute("SELECT value FROM about WHERE name = 'version'")
            if version.fetchone() != (self._version,):
                raise Damaged('made by another version')
            yield connection

    def _generation(self, connection: sqlite3.Connection) -> str:
        (generation,) = connection.execute(
            "SELECT value FROM about WHERE name = 'generation'"
        ).fetchone() or ('',)
        return generation


@contextmanager
def connect(path: Path) -> Generator[sqlite3.Connection]:
    """A connection to a database of this schema, that nobody swaps meanwhile.

    Raises:
        Damaged: It is of another schema.
    """
    uri = f'{path.absolute().as_uri()}?mode=rw'
    with (
        _locked(path, fcntl.LOCK_SH),
        closing(
            sqlite3.connect(uri, uri=True, timeout=_LOCK_SECONDS, isolation_level=None)
        ) as connection,
    ):
        connection.execute('PRAGMA synchronous = NORMAL')
        if connection.execute('PRAGMA user_version').fetchone() != (SCHEMA,):
            raise Damaged('of another schema')
        yield connection


class KeptIndex(NamedTuple):
    """A database of a directory of indexes, as a person wants to know it."""

    database: Path
    path: str
    """The root that is indexed; empty if the database cannot be read."""
    glob: str | None
    snippets: int
    size: int
    """Bytes on disk."""
    saved: float
    """When it was last changed, in seconds since the epoch."""
    problem: str
    """What is wrong with it; empty if nothing is."""


def list_indexes(directory: Path, *, is_checked: bool = False) -> list[KeptIndex]:
    """The indexes in a directory, by root and glob; with all they hold read and checked, if asked.

    Raises:
        OSError: The directory cannot be read.
    """
    found = [_look_at(path, is_checked) for path in directory.iterdir() if path.suffix == SUFFIX]
    return sorted(found, key=lambda kept: (kept.path, kept.glob or '', kept.database))


def drop_index(database: Path) -> None:
    """Delete an index; whoever uses it builds it again.

    Raises:
        OSError: It cannot be deleted, or is in use for long.
    """
    with _locked(database, fcntl.LOCK_EX):
        for name in (database, *_logs_of(database)):
            name.unlink(missing_ok=True)
    database.with_suffix('.lock').unlink(missing_ok=True)


def _look_at(path: Path, is_checked: bool) -> KeptIndex:
    about: dict[str, str | int | float | None] = {}
    problem = ''
    try:
        with connect(path) as connection:
            about = dict(connection.execute('SELECT name, value FROM about').fetchall())
            if is_checked:
                _read_index(connection, SnippetIndex(), '')
    except (OSError, ValueError, KeyError, sqlite3.Error) as error:
        problem = str(error)
    glob = about.get('glob')
    return KeptIndex(
        database=path,
        path=str(about.get('path', '')),
        glob=None if glob is None else str(glob),
        snippets=int(about.get('snippets') or 0),
        size=sum(file.stat().st_size for file in (path, *_logs_of(path)) if file.exists()),
        saved=float(about.get('saved') or 0),
        problem=problem,
    )


def _write_index(
    connection: sqlite3.Connection,
    index: SnippetIndex,
    files: Mapping[str, tuple[Content, range]],
    saved: _Saved | None,
) -> _Saved:
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
    return _Saved(
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


def _read_index(connection: sqlite3.Connection, index: SnippetIndex, generation: str) -> _Saved:
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
    return _Saved(
        generation,
        index.epoch,
        index.contents(),
        {id(segment): number for number, segment in segments.items()},
        tuple(segments.values()),
        len(symbols),
        len(words),
        len(parts.get('symbol', {})),
    )


def _is_damage(error: Exception) -> bool:
    """Whether a database is to be built again, rather than the disk to be blamed."""
    return not isinstance(error, sqlite3.Error) or error.sqlite_errorcode in _REBUILT


def _make_private(directory: Path) -> None:
    """Make sure of a directory that nobody else may enter, and that is listed nowhere."""
    if not directory.is_dir():
        directory.mkdir(parents=True, mode=0o700, exist_ok=True)
    ignore = directory / '.gitignore'
    if not ignore.exists():
        ignore.write_text('*\n')


def _create_private(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def _logs_of(path: Path) -> tuple[Path, Path]:
    return path.with_name(f'{path.name}-wal'), path.with_name(f'{path.name}-shm')


@contextmanager
def _locked(path: Path, how: int) -> Generator[None]:
    """Keep a database from being swapped, or everybody else from it, until this ends.

    Raises:
        BlockingIOError: Somebody else did not let go of it in time.
    """
    descriptor = os.open(path.with_suffix('.lock'), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, how | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LOCK_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)
