"""Reading listed files, in batches."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import AsyncIterator, Sequence
from typing import Final

import anyio
import anyio.to_thread
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError
from pydantic_ai.workspaces.workspace import workspace_layers

from pydantic_ai_smart_search.options import MAX_FILE_BYTES
from pydantic_ai_smart_search.source.files import Root, Skipped, SkipReason, SourceFile

_BATCH_FILES: Final = 256
_BATCH_BYTES: Final = 8 << 20
_CONCURRENT_READS: Final = 16


async def read_files(
    workspace: Workspace, root: Root, paths: Sequence[str]
) -> AsyncIterator[list[SourceFile | Skipped]]:
    """The files at `paths`, relative to the root, in that order and in batches."""
    is_local = workspace_layers(workspace) == [LocalWorkspaceBackend]
    start = 0
    while start < len(paths):
        if is_local:
            batch = await anyio.to_thread.run_sync(_read_local, root.path, paths, start)
        else:
            batch = await _read_through(workspace, root, paths[start : start + _BATCH_FILES])
        start += len(batch)
        yield batch


def _read_local(root: str, paths: Sequence[str], start: int) -> list[SourceFile | Skipped]:
    batch: list[SourceFile | Skipped] = []
    size = 0
    for path in paths[start : start + _BATCH_FILES]:
        file = _read_one(root, path)
        batch.append(file)
        if isinstance(file, SourceFile):
            size += len(file.raw)
            if size >= _BATCH_BYTES:
                break
    return batch


def _read_one(root: str, path: str) -> SourceFile | Skipped:
    try:
        descriptor = os.open(f'{root}/{path}', os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return _skipped(path, error)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, SkipReason.SPECIAL)
        if status.st_size > MAX_FILE_BYTES:
            return Skipped(path, SkipReason.OVERSIZE, f'{status.st_size:,} bytes')
        return SourceFile(path, os.read(descriptor, MAX_FILE_BYTES))
    except OSError as error:
        return _skipped(path, error)
    finally:
        os.close(descriptor)


def _skipped(path: str, error: OSError) -> Skipped:
    if error.errno == errno.ELOOP:
        return Skipped(path, SkipReason.LINK)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Skipped(path, SkipReason.VANISHED)
    return Skipped(path, SkipReason.UNREADABLE, error.strerror or type(error).__name__)


async def _read_through(workspace: Workspace, root: Root, paths: Sequence[str]) -> list[SourceFile | Skipped]:
    files: dict[str, SourceFile | Skipped] = {}
    limiter = anyio.CapacityLimiter(_CONCURRENT_READS)

    async def read(path: str) -> None:
        async with limiter:
            try:
                raw = await workspace.read_bytes(root.absolute(path))
            except WorkspaceError:
                raise
            except OSError as error:
                files[path] = _skipped(path, error)
                return
        if len(raw) > MAX_FILE_BYTES:
            files[path] = Skipped(path, SkipReason.OVERSIZE, f'{len(raw):,} bytes')
        else:
            files[path] = SourceFile(path, raw)

    async with anyio.create_task_group() as tasks:
        for path in paths:
            tasks.start_soon(read, path)
    return [files[path] for path in paths]
