"""The database of an index as a file: private, of this schema, and locked while it is used.

Whoever uses it holds its lock with others; whoever swaps or deletes it holds it alone.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from pydantic_ai_smart_search.lexical.tables import SCHEMA, Damaged

SUFFIX: Final = '.sqlite'

_LOCK_SECONDS: Final = 5.0
"""How long another process is waited for: writing a big index takes a second."""

_LOCK_POLL_SECONDS: Final = 0.02
"""How often a lock is tried meanwhile, as `flock` itself would wait without end."""

_REBUILT: Final = frozenset({sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""What SQLite says of a database that is damaged, or none of ours; all else is the disk's trouble.
"""


@contextmanager
def connect(path: Path) -> Generator[sqlite3.Connection]:
    """A connection to a database of this schema, that nobody swaps meanwhile.

    Raises:
        Damaged: It is of another schema.
    """
    uri = f'{path.absolute().as_uri()}?mode=rw'
    with (
        locked(path, fcntl.LOCK_SH),
        closing(
            sqlite3.connect(uri, uri=True, timeout=_LOCK_SECONDS, isolation_level=None)
        ) as connection,
    ):
        connection.execute('PRAGMA synchronous = NORMAL')
        if connection.execute('PRAGMA user_version').fetchone() != (SCHEMA,):
            raise Damaged('of another schema')
        yield connection


def is_damage(error: Exception) -> bool:
    """Whether a database is to be built again, rather than the disk to be blamed."""
    return not isinstance(error, sqlite3.Error) or error.sqlite_errorcode in _REBUILT


def make_private(directory: Path) -> None:
    """Make sure of a directory that nobody else may enter, and that is listed nowhere."""
    if not directory.is_dir():
        directory.mkdir(parents=True, mode=0o700, exist_ok=True)
    ignore = directory / '.gitignore'
    if not ignore.exists():
        ignore.write_text('*\n')


def create_private(path: Path) -> None:
    """Create a file that nobody else may read."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def logs_of(path: Path) -> tuple[Path, Path]:
    """Where SQLite keeps the write-ahead log of a database, and what it shares of it."""
    return path.with_name(f'{path.name}-wal'), path.with_name(f'{path.name}-shm')


@contextmanager
def locked(path: Path, how: int) -> Generator[None]:
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
