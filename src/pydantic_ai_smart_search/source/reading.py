"""Reading listed files, a batch at a time."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

import anyio
import anyio.to_thread
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError
from pydantic_ai.workspaces.workspace import workspace_layers

from pydantic_ai_smart_search.options import MAX_FILE_BYTES, MAX_SOURCE_BYTES
from pydantic_ai_smart_search.source.bulk import can_only_run_commands, first_batch, read_bulk
from pydantic_ai_smart_search.source.files import (
    FileState,
    Root,
    Skipped,
    SkipReason,
    SourceFile,
)
from pydantic_ai_smart_search.source.kinds import FileKind, kind_of

_BATCH_FILES: Final = 256
"""Files read in one go: the hop to a thread and back is then a hundredth of the reading."""

_BULK_FILES: Final = 1_024
"""Files read by one command: of ordinary size they fit into one answer, packed."""

_BATCH_BYTES: Final = 8 << 20
"""Bytes after which a batch ends early, so that what is read and not yet indexed stays small."""

_CONCURRENT_READS: Final = 16
"""Files under way at once where each is a request to somewhere else."""

_SETTLED_NS: Final = 2_000_000_000
"""How long ago a file must have been touched for its state to tell its content: within one tick of
a file system's clock it can change again unseen, and that of FAT, the slowest, ticks every 2 s.
"""

_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OPEN_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


async def read_files(
    workspace: Workspace, root: Root, paths: Sequence[str]
) -> AsyncIterator[list[SourceFile | Skipped]]:
    """Read the files at `paths`, relative to the root: in that order, in batches, each file once.

    A batch of a plain local workspace is read in one hop to a thread, and one of a workspace that
    can only run commands by a single one; any wrapper is asked for every file, as it may have its
    own idea of what to give out. What cannot be read is skipped, with the reason.

    Raises:
        WorkspaceError: The workspace itself failed, or is gone.
    """
    start = 0
    while start < len(paths):
        if _is_plain_local(workspace):
            batch = await anyio.to_thread.run_sync(_read_local, root, paths, start)
        elif can_only_run_commands(workspace):
            asked = first_batch(paths[start : start + _BULK_FILES])
            batch = await _Reading(workspace, root).read_bulk(asked)
        else:
            batch = await _Reading(workspace, root).read(paths[start : start + _BATCH_FILES])
        if all(isinstance(file, Skipped) for file in batch):
            await workspace.working_dir()  # raises if the workspace is gone
        start += len(batch)
        yield batch


async def find_states(
    workspace: Workspace, root: Root, paths: Sequence[str]
) -> Mapping[str, FileState]:
    """The state of each file at `paths`, as far as it can be told cheaper than by reading it.

    That is so of a plain local workspace alone. A file whose state `read_files` gave has the same
    content as long as it has the same state.
    """
    if not _is_plain_local(workspace):
        return {}
    return await anyio.to_thread.run_sync(_find_local_states, root, paths)


def identify(workspace: Workspace) -> str | None:
    """What tells a workspace from others for good, or `None` if it has no such thing.

    Whatever process opens it, from whatever working directory, this machine is one and the same;
    a wrapper makes a workspace another one, as it may give out other text.
    """
    if _is_plain_local(workspace):
        return 'this machine'
    if workspace.ref is None:
        return None
    layers = [f'{layer.__module__}.{layer.__qualname__}' for layer in workspace_layers(workspace)]
    return ' '.join([workspace.ref.provider, workspace.ref.id, *layers])


def _is_plain_local(workspace: Workspace) -> bool:
    return workspace_layers(workspace) == [LocalWorkspaceBackend]


def _find_local_states(root: Root, paths: Sequence[str]) -> dict[str, FileState]:
    """The states of regular files; what else there is shows when it is read.

    Unlike for reading, folders need not be opened one by one: a file that a link leads to instead
    has another state.
    """
    states: dict[str, FileState] = {}
    for path in paths:
        try:
            status = os.stat(f'{root.path}/{path}', follow_symlinks=False)
        except OSError:  # `read_files` says what is the matter
            continue
        if stat.S_ISREG(status.st_mode):
            states[path] = _state(status)
    return states


def _state(status: os.stat_result) -> FileState:
    return FileState(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _settled(state: FileState) -> FileState | None:
    """The state, if the file cannot change within the same tick any more."""
    touched = max(state.modified_ns, state.changed_ns)
    return state if time.time_ns() - touched > _SETTLED_NS else None


def _read_local(root: Root, paths: Sequence[str], start: int) -> list[SourceFile | Skipped]:
    """One batch of `paths` from `start`."""
    batch: list[SourceFile | Skipped] = []
    size = 0
    with _Folders(root.path) as folders:
        for path in paths[start : start + _BATCH_FILES]:
            try:
                file = _read_one(folders, path, is_named=root.only is not None)
            except OSError as error:
                file = _skipped(path, error)
            batch.append(file)
            if isinstance(file, SourceFile):
                size += len(file.raw)
                if size >= _BATCH_BYTES:
                    break
    return batch


def _read_one(folders: _Folders, path: str, *, is_named: bool) -> SourceFile | Skipped:
    folder, _, name = path.rpartition('/')
    descriptor = os.open(name, _OPEN, dir_fd=folders.open(folder))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, SkipReason.SPECIAL)
        if is_oversize(path, status.st_size, is_named=is_named):
            return _oversize(path, status.st_size)
        raw = os.read(descriptor, status.st_size)
        while len(raw) < status.st_size and (
            more := os.read(descriptor, status.st_size - len(raw))
        ):
            raw += more
        return SourceFile(path, raw, _settled(_state(status)))
    finally:
        os.close(descriptor)


class _Folders:
    """Open folders on the way to a file, each opened from the one above without following a link.

    Whatever is moved or linked meanwhile, no path leads out of the root.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._names: list[str] = []
        self._descriptors: list[int] = []

    def open(self, path: str) -> int:
        """A descriptor of a folder below the root, valid until the next call."""
        names = path.split('/') if path else []
        shared = 0
        while shared < min(len(names), len(self._names)) and names[shared] == self._names[shared]:
            shared += 1
        self._close(1 + shared)
        if not self._descriptors:
            self._descriptors.append(os.open(self._root, _OPEN_FOLDER))
        for name in names[shared:]:
            self._descriptors.append(os.open(name, _OPEN_FOLDER, dir_fd=self._descriptors[-1]))
            self._names.append(name)
        return self._descriptors[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close(0)

    def _close(self, kept: int) -> None:
        for descriptor in self._descriptors[kept:]:
            os.close(descriptor)
        del self._descriptors[kept:]
        del self._names[max(kept - 1, 0) :]


@dataclass(slots=True)
class _Reading:
    """A batch read through the workspace, several files at once."""

    workspace: Workspace
    root: Root
    files: dict[str, SourceFile | Skipped] = field(default_factory=dict[str, SourceFile | Skipped])
    failure: Exception | None = None

    async def read_bulk(self, paths: Sequence[str]) -> list[SourceFile | Skipped]:
        """By one command, or a second one for big code, and one by one what is left."""
        left = paths
        for most_bytes in (MAX_FILE_BYTES, MAX_SOURCE_BYTES):
            may_be = [path for path in left if not self._is_oversize(path, most_bytes)]
            found = await read_bulk(self.workspace, self.root, may_be, most_bytes)
            self.files.update(found)
            left = [path for path in left if path not in found]
        await self.read(left)
        return [self.files[path] for path in paths]

    async def read(self, paths: Sequence[str]) -> list[SourceFile | Skipped]:
        limiter = anyio.CapacityLimiter(_CONCURRENT_READS)
        async with anyio.create_task_group() as tasks:
            for path in paths:
                tasks.start_soon(self._read_one, path, limiter, tasks.cancel_scope)
        if self.failure is not None:
            raise self.failure
        return [self.files[path] for path in paths]

    async def _read_one(
        self, path: str, limiter: anyio.CapacityLimiter, scope: anyio.CancelScope
    ) -> None:
        """Read one file; a failure of the workspace ends the batch, as itself, not as a group."""
        async with limiter:
            try:
                self.files[path] = await self._read(path)
            except Exception as error:  # noqa: BLE001 - `read` raises it
                self.failure = error
                scope.cancel()

    async def _read(self, path: str) -> SourceFile | Skipped:
        absolute = self.root.absolute(path)
        try:
            entry = await self.workspace.stat(absolute)
            # Asked first: a file of any size would be in memory before it could be refused.
            if entry.size is not None and self._is_oversize(path, entry.size):
                return _oversize(path, entry.size)
            raw = await self.workspace.read_bytes(absolute)
        except WorkspaceError:
            raise
        except OSError as error:
            return _skipped(path, error)
        if self._is_oversize(path, len(raw)):
            return _oversize(path, len(raw))
        return SourceFile(path, raw)

    def _is_oversize(self, path: str, size: int) -> bool:
        return is_oversize(path, size, is_named=self.root.only is not None)


def is_oversize(path: str, size: int, *, is_named: bool = False) -> bool:
    """Whether a file is too big to be read; code, and a file named itself, may be bigger."""
    if size <= MAX_FILE_BYTES:
        return False
    is_source = is_named or kind_of(path) in (FileKind.CODE, FileKind.TEST)
    return not is_source or size > MAX_SOURCE_BYTES


def _oversize(path: str, size: int) -> Skipped:
    return Skipped(path, SkipReason.OVERSIZE, f'{size:,} bytes')


def _skipped(path: str, error: OSError) -> Skipped:
    if error.errno == errno.ELOOP:
        return Skipped(path, SkipReason.LINK)
    if error.errno == errno.ENXIO:  # a socket, or a pipe nobody writes to
        return Skipped(path, SkipReason.SPECIAL)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Skipped(path, SkipReason.VANISHED)
    return Skipped(path, SkipReason.UNREADABLE, error.strerror or type(error).__name__)
