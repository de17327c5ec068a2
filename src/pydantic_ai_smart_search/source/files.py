"""What listing and reading hand on: the root that is searched, the files below it, and why a file
was left out.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class SkipReason(StrEnum):
    """Why a listed file was not searched, or not in full."""

    BINARY = 'binary'
    ENCODING = 'encoding'
    HIDDEN = 'hidden'
    LINK = 'link'
    LONG_LINE = 'long line'
    OVERSIZE = 'oversize'
    SECRET = 'secret'
    SPECIAL = 'special file'
    UNREADABLE = 'unreadable'
    VANISHED = 'vanished'


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
        return posixpath.normpath(posixpath.join(self.shown, path))


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The files a search may read."""

    paths: Sequence[str]
    """Relative to the root, sorted."""
    skipped: Sequence[Skipped] = field(default_factory=tuple[Skipped, ...])
    """Listed files that are not to be read."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file as read."""

    path: str
    """Relative to the root."""
    raw: bytes
