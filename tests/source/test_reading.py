"""Reading listed files, near and far."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import pytest
from pydantic_ai.workspaces import (
    LocalWorkspaceBackend,
    Workspace,
    WorkspaceError,
    WorkspaceRef,
    WorkspaceUnavailableError,
    WrapperWorkspace,
)

from pydantic_ai_smart_search.source import reading
from pydantic_ai_smart_search.source.files import Root, Skipped, SkipReason, SourceFile
from pydantic_ai_smart_search.source.reading import find_states, identify, read_files
from tests.project import write_project
from tests.source.places import CommandBackend, local

pytestmark = pytest.mark.anyio

MIB = 1 << 20


class Wrapped(WrapperWorkspace):
    """A workspace that has every file read through it, and remembers which."""

    def __init__(self, wrapped: Workspace) -> None:
        super().__init__(wrapped)
        self.read: list[str] = []

    async def read_bytes(self, path: str) -> bytes:
        self.read.append(path)
        return await super().read_bytes(path)


def wrapped(root: Path) -> Workspace:
    return Wrapped(local(root))


def commands_only(root: Path) -> Workspace:
    return Workspace(CommandBackend(root))


EVERYWHERE = pytest.mark.parametrize('place', [local, wrapped, commands_only])
Place = Callable[[Path], Workspace]


async def read(
    workspace: Workspace, root: Path, paths: Sequence[str], only: str | None = None
) -> list[SourceFile | Skipped]:
    where = Root(path=str(root), shown='.', only=only)
    return [file async for batch in read_files(workspace, where, paths) for file in batch]


def reasons(files: Sequence[SourceFile | Skipped]) -> list[SkipReason | None]:
    return [file.reason if isinstance(file, Skipped) else None for file in files]


@EVERYWHERE
async def test_files_arrive_whole_and_in_the_order_asked_for(tmp_path: Path, place: Place) -> None:
    contents = {
        'b/c/x.py': b'x\r\n\0\xff',
        'a.py': b'',
        'b/y.py': os.urandom(200_000),
        'b/c/d/z.py': b'z',
        'caf\udce9.py': b'e',
    }
    write_project(tmp_path, dict(contents))
    files = await read(place(tmp_path), tmp_path, list(contents))
    assert files == [SourceFile(path, raw) for path, raw in contents.items()]
    assert await read(place(tmp_path), tmp_path, []) == []


async def test_batches_are_bounded_by_files_and_by_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, '_BATCH_FILES', 3)
    monkeypatch.setattr(reading, '_BATCH_BYTES', 10)
    write_project(tmp_path, {f'{number}.py': 'x' * number for number in range(10)})
    paths = [f'{number}.py' for number in range(10)]
    for workspace, sizes in (
        (local(tmp_path), [3, 3, 2, 2]),
        (wrapped(tmp_path), [3, 3, 3, 1]),
    ):
        batches = [
            b async for b in read_files(workspace, Root(path=str(tmp_path), shown='.'), paths)
        ]
        assert [len(batch) for batch in batches] == sizes
        assert [file.path for batch in batches for file in batch] == paths


async def test_a_wrapper_is_asked_for_every_file(tmp_path: Path) -> None:
    write_project(tmp_path, {'a.py': '', 'b.py': ''})
    workspace = Wrapped(Workspace(LocalWorkspaceBackend(tmp_path)))
    await read(workspace, tmp_path, ['a.py', 'b.py'])
    assert sorted(workspace.read) == [f'{tmp_path}/a.py', f'{tmp_path}/b.py']


@EVERYWHERE
async def test_a_file_that_is_gone_is_skipped(tmp_path: Path, place: Place) -> None:
    write_project(tmp_path, {'a.py': 'a', 'sub': 'a file where a directory was'})
    files = await read(place(tmp_path), tmp_path, ['a.py', 'gone.py', 'gone/b.py', 'sub/c.py'])
    assert files == [
        SourceFile('a.py', b'a'),
        *(Skipped(path, SkipReason.VANISHED) for path in ('gone.py', 'gone/b.py', 'sub/c.py')),
    ]


async def test_a_link_is_not_followed_wherever_it_is(tmp_path: Path) -> None:
    """Something else may put links in place of what was listed, to have a file read from outside."""
    root = write_project(tmp_path / 'root', {'a.py': 'a'})
    write_project(tmp_path / 'outside', {'b.py': 'b'})
    (root / 'file.py').symlink_to(tmp_path / 'outside' / 'b.py')
    (root / 'folder').symlink_to(tmp_path / 'outside')
    files = await read(local(root), root, ['file.py', 'folder/b.py', 'a.py'])
    assert reasons(files) == [SkipReason.LINK, SkipReason.VANISHED, None]
    link = tmp_path / 'link'
    link.symlink_to(root)
    assert reasons(await read(local(root), link, ['a.py'])) == [SkipReason.VANISHED]


@pytest.mark.parametrize('place', [local, wrapped])
async def test_a_special_file_is_not_opened_and_a_directory_not_read(
    tmp_path: Path, place: Place
) -> None:
    write_project(tmp_path, {'folder/a.py': ''})
    os.mkfifo(tmp_path / 'pipe')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / 'sock'))
        files = await read(place(tmp_path), tmp_path, ['pipe', 'sock', 'folder'])
    assert all(isinstance(file, Skipped) for file in files)
    assert files[1] == Skipped('sock', SkipReason.SPECIAL)


async def test_a_file_that_may_not_be_read_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For root there is no such file, so the open is made to fail as it would for others."""
    write_project(tmp_path, {'a.py': '', 'b.py': 'b'})
    real_open = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == 'a.py':
            raise PermissionError(13, 'Permission denied')
        return real_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, 'open', refuse)
    assert await read(local(tmp_path), tmp_path, ['a.py', 'b.py']) == [
        Skipped('a.py', SkipReason.UNREADABLE, 'Permission denied'),
        SourceFile('b.py', b'b'),
    ]


@EVERYWHERE
async def test_big_data_is_skipped_and_big_code_is_read_up_to_a_point(
    tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, 'MAX_FILE_BYTES', 1_000)
    monkeypatch.setattr(reading, 'MAX_SOURCE_BYTES', 2_000)
    sizes = {'a.json': 1_000, 'b.json': 1_001, 'c.py': 2_000, 'd.py': 2_001, 'tests/e.json': 1_500}
    write_project(tmp_path, {path: 'x' * size for path, size in sizes.items()})
    files = await read(place(tmp_path), tmp_path, list(sizes))
    assert [file for file in files if isinstance(file, Skipped)] == [
        Skipped('b.json', SkipReason.OVERSIZE, '1,001 bytes'),
        Skipped('d.py', SkipReason.OVERSIZE, '2,001 bytes'),
    ]
    (named,) = await read(place(tmp_path), tmp_path, ['b.json'], only='b.json')
    assert isinstance(named, SourceFile)


class Growing(Wrapped):
    """A workspace whose files grow once their size is known, or have none to tell."""

    async def read_bytes(self, path: str) -> bytes:
        return await super().read_bytes(path) + b'x' * 2 * MIB


async def test_a_file_that_outgrows_the_limit_while_it_is_read_is_skipped(tmp_path: Path) -> None:
    write_project(tmp_path, {'a.json': 'x'})
    (file,) = await read(Growing(local(tmp_path)), tmp_path, ['a.json'])
    assert file == Skipped('a.json', SkipReason.OVERSIZE, '2,097,153 bytes')


async def test_a_file_that_is_cut_short_while_it_is_read_is_what_is_left_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a file system that hands out a file in pieces gives all of it."""
    write_project(tmp_path, {'a.py': 'abcdefg'})
    real_read = os.read

    def read_in_pieces(descriptor: int, size: int) -> bytes:
        return real_read(descriptor, min(size, 3))

    def read_one_piece(descriptor: int, size: int) -> bytes:
        return real_read(descriptor, 3) if size == 7 else b''

    monkeypatch.setattr(os, 'read', read_in_pieces)
    assert await read(local(tmp_path), tmp_path, ['a.py']) == [SourceFile('a.py', b'abcdefg')]
    monkeypatch.setattr(os, 'read', read_one_piece)
    assert await read(local(tmp_path), tmp_path, ['a.py']) == [SourceFile('a.py', b'abc')]


class Failing(Wrapped):
    """A workspace that fails at the second file."""

    def __init__(self, wrapped: Workspace, error: Exception) -> None:
        super().__init__(wrapped)
        self.error = error

    async def read_bytes(self, path: str) -> bytes:
        if path.endswith('b.py'):
            raise self.error
        await anyio.sleep_forever()
        raise AssertionError


@pytest.mark.parametrize('error', [WorkspaceError('gone'), ValueError('a bug of the provider')])
async def test_a_failing_workspace_ends_the_reading_with_its_own_error(
    tmp_path: Path, error: Exception
) -> None:
    write_project(tmp_path, {'a.py': '', 'b.py': '', 'c.py': ''})
    with pytest.raises(type(error)) as raised:
        await read(Failing(local(tmp_path), error), tmp_path, ['a.py', 'b.py', 'c.py'])
    assert raised.value is error


@EVERYWHERE
async def test_a_workspace_that_is_gone_is_an_error(tmp_path: Path, place: Place) -> None:
    root = write_project(tmp_path / 'root', {'a.py': ''})
    workspace = place(root)
    await workspace.working_dir()
    shutil.rmtree(root)
    with pytest.raises(WorkspaceUnavailableError):
        await read(workspace, root, ['a.py'])


async def test_no_file_stays_open(tmp_path: Path) -> None:
    write_project(tmp_path, {'a/b/c.py': '', 'd.py': ''})
    before = len(os.listdir('/proc/self/fd'))
    await read(local(tmp_path), tmp_path, ['a/b/c.py', 'd.py', 'gone/e.py', 'a/b/c.py'])
    assert len(os.listdir('/proc/self/fd')) == before


async def test_a_file_that_was_just_touched_has_no_state_to_be_known_by(tmp_path: Path) -> None:
    """It can change again without its times changing."""
    write_project(tmp_path, {'a.py': 'a'})
    (file,) = await read(local(tmp_path), tmp_path, ['a.py'])
    assert isinstance(file, SourceFile)
    assert file.state is None


async def test_an_unchanged_file_has_the_state_it_was_read_in_and_a_changed_one_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, '_SETTLED_NS', -1)  # as if the file had been left alone for long
    write_project(tmp_path, {'a.py': 'a', 'b/c.py': 'c', 'b/d.py': 'd'})
    root = Root(path=str(tmp_path), shown='.')
    paths = ['a.py', 'b/c.py', 'b/d.py']
    files = await read(local(tmp_path), tmp_path, paths)
    states = {file.path: file.state for file in files if isinstance(file, SourceFile)}
    assert await find_states(local(tmp_path), root, paths) == states
    (tmp_path / 'b/c.py').write_text('see')
    os.utime(tmp_path / 'a.py', ns=(0, 0))
    os.replace(tmp_path / 'a.py', tmp_path / 'b/d.py')  # another file of the same size
    found = await find_states(local(tmp_path), root, ['b/c.py', 'b/d.py'])
    assert found.keys() == {'b/c.py', 'b/d.py'}
    assert all(found[path] != states[path] for path in found)


@pytest.mark.parametrize('place', [wrapped, commands_only])
async def test_only_a_plain_local_workspace_tells_states(tmp_path: Path, place: Place) -> None:
    write_project(tmp_path, {'a.py': 'a'})
    root = Root(path=str(tmp_path), shown='.')
    assert await find_states(place(tmp_path), root, ['a.py']) == {}


async def test_what_is_no_regular_file_has_no_state(tmp_path: Path) -> None:
    write_project(tmp_path, {'a.py': 'a', 'folder/b.py': 'b'})
    (tmp_path / 'link.py').symlink_to(tmp_path / 'a.py')
    paths = ['link.py', 'folder', 'gone.py', 'a.py/b.py', 'a.py']
    found = await find_states(local(tmp_path), Root(path=str(tmp_path), shown='.'), paths)
    assert list(found) == ['a.py']


class Placed(CommandBackend):
    """A machine elsewhere that can be found again."""

    @property
    def ref(self) -> WorkspaceRef | None:
        return WorkspaceRef(provider='ssh', id='build-7')


def test_a_workspace_is_told_from_others_by_what_lasts(tmp_path: Path) -> None:
    assert identify(local(tmp_path)) == identify(local(tmp_path / 'sub'))
    assert identify(commands_only(tmp_path)) is None
    placed = Workspace(Placed(tmp_path))
    assert identify(placed) == identify(Workspace(Placed(tmp_path)))
    assert len({identify(local(tmp_path)), identify(wrapped(tmp_path)), identify(placed)}) == 3
