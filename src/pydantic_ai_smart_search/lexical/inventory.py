"""The indexes of a directory, as a person wants to know them."""

from __future__ import annotations

import fcntl
import sqlite3
from pathlib import Path
from typing import NamedTuple

from pydantic_ai_smart_search.lexical.database import SUFFIX, connect, locked, logs_of
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.tables import read_index


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
    with locked(database, fcntl.LOCK_EX):
        for name in (database, *logs_of(database)):
            name.unlink(missing_ok=True)
    database.with_suffix('.lock').unlink(missing_ok=True)


def _look_at(path: Path, is_checked: bool) -> KeptIndex:
    about: dict[str, str | int | float | None] = {}
    problem = ''
    try:
        with connect(path) as connection:
            about = dict(connection.execute('SELECT name, value FROM about').fetchall())
            if is_checked:
                read_index(connection, SnippetIndex(), '')
    except (OSError, ValueError, KeyError, sqlite3.Error) as error:
        problem = str(error)
    glob = about.get('glob')
    return KeptIndex(
        database=path,
        path=str(about.get('path', '')),
        glob=None if glob is None else str(glob),
        snippets=int(about.get('snippets') or 0),
        size=sum(file.stat().st_size for file in (path, *logs_of(path)) if file.exists()),
        saved=float(about.get('saved') or 0),
        problem=problem,
    )
