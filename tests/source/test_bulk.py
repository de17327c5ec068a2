"""Reading and comparing many files in one command, and what is left to be read one by one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WrapperWorkspace

from pydantic_ai_smart_search.lexical.index import digest_of
from pydantic_ai_smart_search.source import bulk
from pydantic_ai_smart_search.source.bulk import (
    can_only_run_commands,
    find_digests,
    first_batch,
    read_bulk,
)
from pydantic_ai_smart_search.source.files import Root, Skipped, SkipReason, SourceFile
from pydantic_ai_smart_search.source.listing import ripgrep_in
from pydantic_ai_smart_search.source.reading import read_files
from tests.project import write_project
from tests.source.places import CommandBackend, local, tools_without_rg

pytestmark = pytest.mark.anyio

FILES: dict[str, bytes] = {
    'a.py': b'one\r\n\0\xff',
    'b c/[id] *.tsx': b'two',
    'caf\xe9 \u4e16.py': b'',
    'empty.py': b'',
    'noise.bin': os.urandom(100_000),
}


def root_of(backend: CommandBackend) -> Root:
    return Root(path=str(backend.root), shown='.')


async def read(
    backend: CommandBackend, paths: Sequence[str], most: int = 1 << 20
) -> dict[str, bytes]:
    found = await read_bulk(Workspace(backend), root_of(backend), paths, most)
    return {path: file.raw for path, file in found.items()}


async def test_files_arrive_whole_in_one_command(tmp_path: Path) -> None:
    backend = CommandBackend(Path(write_project(tmp_path, dict(FILES))))
    assert await read(backend, list(FILES)) == FILES
    assert len(backend.commands) == 1
    assert await read(backend, []) == {}


async def test_what_cannot_be_had_so_is_left_out(tmp_path: Path) -> None:
    root = write_project(tmp_path / 'root', {'a.py': 'a', 'big.py': 'x' * 101, 'two\nlines': 'b'})
    (root / 'caf\udce9.py').write_text('no text')
    (root / 'link.py').symlink_to(root / 'a.py')
    (root / 'folder').mkdir()
    os.mkfifo(root / 'pipe')
    backend = CommandBackend(root)
    asked = ['a.py', 'big.py', 'two\nlines', 'caf\udce9.py', 'link.py', 'folder', 'pipe', 'gone.py']
    assert await read(backend, asked, most=100) == {'a.py': b'a'}
    assert await read(backend, asked[1:], most=100) == {}
    assert await read(backend, ['two\nlines', 'caf\udce9.py']) == {}


@pytest.mark.parametrize('damage', ['echo damaged', 'head -c 8'])
async def test_what_arrives_damaged_is_not_used(tmp_path: Path, rg: Path, damage: str) -> None:
    root = write_project(tmp_path / 'root', {'a.py': 'a'})
    tools = tmp_path / 'bin'
    backend = CommandBackend(root, path=f'{rg}:{tools_without_rg(tools)}')
    replace_tool(tools / 'base64', damage)
    assert await read(backend, ['a.py']) == {}
    there = await ripgrep_in(Workspace(backend), root_of(backend))
    assert await find_digests(there) == {}


def replace_tool(tool: Path, script: str) -> None:
    tool.unlink()
    tool.write_text(f'#!/bin/sh\n{script}\n')
    tool.chmod(0o755)


async def test_files_that_change_while_they_are_read_are_not_torn(tmp_path: Path) -> None:
    root = write_project(tmp_path / 'root', {'a.py': 'a', 'b.py': 'bb'})
    tools = tmp_path / 'bin'
    backend = CommandBackend(root, path=tools_without_rg(tools))
    cat = shutil.which('cat')
    replace_tool(tools / 'cat', f'echo more >> a.py; exec {cat} "$@"')
    assert await read(backend, ['a.py', 'b.py']) == {}


async def test_big_code_is_read_in_bulk_too_and_the_rest_one_by_one(tmp_path: Path) -> None:
    root = write_project(
        tmp_path, {'a.py': 'a', 'big.py': b'x' * (2 << 20), 'big.json': b'1' * (2 << 20)}
    )
    backend = CommandBackend(root)
    paths = ['a.py', 'big.json', 'big.py', 'gone.py']
    files = [
        file
        async for batch in read_files(Workspace(backend), root_of(backend), paths)
        for file in batch
    ]
    assert files == [
        SourceFile('a.py', b'a'),
        Skipped('big.json', SkipReason.OVERSIZE, '2,097,152 bytes'),
        SourceFile('big.py', b'x' * (2 << 20)),
        Skipped('gone.py', SkipReason.VANISHED),
    ]
    assert len(backend.commands) < 8


def test_a_batch_is_as_much_as_one_command_may_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, '_MAX_ASKED_CHARS', 20)
    assert first_batch(['a' * 100, 'b']) == ['a' * 100]
    assert first_batch(['aaaaaaa', 'bbbbbbb', 'c']) == ['aaaaaaa', 'bbbbbbb']
    assert first_batch(['a', 'b']) == ['a', 'b']
    assert first_batch([]) == []


async def test_digests_tell_which_files_are_the_same(tmp_path: Path, rg: Path) -> None:
    files = {'a.py': b'one', 'sub/b c.py': b'', 'sub/caf\udce9.py': b'two', 'sub/x\ny': b'z'}
    project = write_project(tmp_path / 'project', dict(files))
    path = f'{rg}:{tools_without_rg(tmp_path / "bin")}'
    backend = CommandBackend(project, path=path)
    digests = {name: digest_of(raw) for name, raw in files.items() if '\n' not in name}
    there = await ripgrep_in(Workspace(backend), root_of(backend))
    assert await find_digests(there) == digests
    below = Root(path=f'{project}/sub', shown='sub')
    assert await find_digests(await ripgrep_in(Workspace(backend), below)) == {
        name.removeprefix('sub/'): digest
        for name, digest in digests.items()
        if name.startswith('sub/')
    }


@pytest.mark.parametrize('tool', ['b2sum', 'xargs'])
async def test_there_are_no_digests_without_the_tools(tmp_path: Path, rg: Path, tool: str) -> None:
    project = write_project(tmp_path / 'project', {'a.py': 'a'})
    path = f'{rg}:{tools_without_rg(tmp_path / "bin", leave_out=(tool,))}'
    backend = CommandBackend(project, path=path)
    assert await find_digests(await ripgrep_in(Workspace(backend), root_of(backend))) == {}


def test_only_a_bare_backend_without_files_is_read_in_bulk(tmp_path: Path) -> None:
    far = Workspace(CommandBackend(tmp_path))
    assert can_only_run_commands(far)
    assert not can_only_run_commands(WrapperWorkspace(far))
    assert not can_only_run_commands(local(tmp_path))
    assert not can_only_run_commands(Workspace(LocalWorkspaceBackend(tmp_path)))
