"""What listing and reading hand on: the root that is searched, the files below it, and why a file
was left out.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class SkipReason(StrEnum):
    """Why a listed file was not searched, or not in full."""

    BINARY = 'binary'
    BUILD = 'build output'
    CACHE = 'cache'
    DEPENDENCY = 'dependency'
    ENCODING = 'encoding'
    GENERATED = 'generated'
    HIDDEN = 'hidden'
    LINK = 'link'
    LOCK = 'lock file'
    LONG_LINE = 'long line'
    MINIFIED = 'minified'
    OVERSIZE = 'oversize'
    SECRET = 'secret'
    SPECIAL = 'special file'
    UNREADABLE = 'unreadable'
    VANISHED = 'vanished'


def printable(path: str) -> str:
    """A path as text that can be encoded: bytes of a name that are no UTF-8 become U+FFFD.

    Inside the package they are surrogate escapes, which name the file but fit into no JSON.
    """
    return path.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')


def is_hidden(path: str) -> bool:
    """Whether a component of a relative path starts with a dot; the path `.` has none."""
    return path != '.' and (path.startswith('.') or '/.' in path)


@dataclass(frozen=True, slots=True)
class Skipped:
    """One file that was not searched, or not in full."""

    path: str
    """Relative to the root."""
    reason: SkipReason
    detail: str = ''
    """What the reason leaves open, such as a size or the operating system's message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Root:
    """What a search covers: a directory of the workspace, or one file of it."""

    path: str
    """Real absolute path of the directory searched (of a single file's parent)."""
    shown: str
    """The same directory as the caller spelled it; matches are shown below it."""
    only: str | None = None
    """The one file searched, relative to `path`; `None` for the whole directory."""

    def absolute(self, path: str) -> str:
        """The absolute path of a file below the root."""
        return posixpath.join(self.path, path)

    def display(self, path: str) -> str:
        """A file below the root as a match shows it."""
        return printable(posixpath.normpath(posixpath.join(self.shown, path)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The files a search may read."""

    paths: Sequence[str]
    """Relative to the root, sorted."""
    skipped: Sequence[Skipped] = field(default_factory=tuple[Skipped, ...])
    """Listed files that are not to be read, sorted."""
    named: frozenset[str] = frozenset()
    """Those of `paths` that the caller spelled out, rather than found in a directory."""
    ignores_above: bool = True
    """Whether the ignore files above the root count; not if they exclude it as a whole."""
    why_empty: str = ''
    """What left nothing at all to search, as a sentence; empty when there is something."""


class FileState(NamedTuple):
    """What the file system says of a file: while it is the same, so is the content."""

    size: int
    modified_ns: int
    changed_ns: int
    """When anything about it changed, which no program can set back as it can `modified_ns`."""
    inode: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as read."""

    path: str
    """Relative to the root."""
    raw: bytes
    state: FileState | None = field(default=None, compare=False)
    """Its state before it was read, if the content can be told by it from now on."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file as text."""

    text: str
    note: Skipped | None = None
    """Why it is counted among the files not searched in full, though it is searched: characters may
    be wrong, or it is bigger than files usually are.
    """
