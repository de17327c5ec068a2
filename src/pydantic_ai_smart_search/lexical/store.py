"""Indexes on disk: one SQLite database for each, in one private directory.

A database is only ever written whole beside the old one and swapped in, or added to in one
transaction. What is read back is checked, and anything amiss makes it a database that is not there:
an index can always be built again.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

from pydantic_ai_smart_search.lexical.database import (
    SUFFIX,
    connect,
    create_private,
    is_damage,
    locked,
    logs_of,
    make_private,
)
from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex
from pydantic_ai_smart_search.lexical.tables import (
    SCHEMA,
    TABLES,
    Damaged,
    Saved,
    read_index,
    write_index,
)

_MAX_RUNS: Final = 64
"""Runs of snippets after which all is written anew: each changed search adds one."""


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
        self._saved: Saved | None = None

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
                self._saved = read_index(connection, found, generation)
                return found
        except (ValueError, KeyError, sqlite3.DatabaseError) as error:
            if not is_damage(error):
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
                if not is_damage(error):
                    raise
        self._saved = self._rebuild(index, files)

    def _add(
        self, index: SnippetIndex, files: Mapping[str, tuple[Content, range]], saved: Saved
    ) -> Saved | None:
        """Add what is new in one transaction, unless another process has been here meanwhile."""
        with self._connect() as connection:
            connection.execute('BEGIN IMMEDIATE')
            if self._generation(connection) != saved.generation:
                return None
            now = write_index(connection, index, files, saved)
            connection.execute('COMMIT')
            return now

    def _rebuild(self, index: SnippetIndex, files: Mapping[str, tuple[Content, range]]) -> Saved:
        """Write all of an index beside the database, and swap."""
        make_private(self.path.parent)
        beside = self.path.with_suffix(f'.{os.getpid()}-{id(self)}.tmp')
        try:
            create_private(beside)
            with closing(sqlite3.connect(beside, isolation_level=None)) as connection:
                connection.executescript(f'PRAGMA user_version = {SCHEMA}; {TABLES}')
                connection.execute('BEGIN')
                about = {**self._about_rows(), 'version': self._version}
                connection.executemany('INSERT INTO about VALUES (?, ?)', about.items())
                saved = write_index(connection, index, files, None)
                connection.execute('COMMIT')
                connection.execute('PRAGMA journal_mode = WAL')
            with locked(self.path, fcntl.LOCK_EX):
                # The database first: without it, a log that is left behind is nobody's.
                for name in (self.path, *logs_of(self.path)):
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
