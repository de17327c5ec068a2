"""Looking through the files of a tree for words, near and far."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic_ai.workspaces import Workspace

from pydantic_ai_smart_search.source.files import Root
from pydantic_ai_smart_search.source.listing import ripgrep_in
from pydantic_ai_smart_search.source.ripgrep import Ripgrep
from pydantic_ai_smart_search.source.scan import Scan, scan_files
from tests.project import write_project
from tests.source.places import CommandBackend, local, tools_without_rg

pytestmark = pytest.mark.anyio


async def scan(
    workspace: Workspace, *stems: str, below: str = '', sizes: dict[str, int] | None = None
) -> Scan | None:
    root = Root(path=os.path.join(await workspace.working_dir(), below).rstrip('/'), shown='.')
    return await scan_files(await ripgrep_in(workspace, root), stems, sizes)


def words_of(scan: Scan | None) -> dict[str, list[str]]:
    """The words found in each file, sorted."""
    assert scan is not None
    numbers = iter(scan.found)
    return {
        path: sorted(scan.words[next(numbers)].decode() for _ in range(count))
        for path, count in zip(scan.paths, scan.counts, strict=True)
    }


async def test_words_are_found_whole_in_any_case_and_as_often_as_they_are_there(
    tmp_path: Path, rg: Path
) -> None:
    write_project(
        tmp_path,
        {
            'a.py': 'expire = is_expired(x); isExpired, EXPIRED\nexpire # and retry\n',
            'b/größe.py': 'größe_expire\n',
            'c.cs': '\ufeffint Expires;'.encode('utf-16-le'),
            'd.py': 'nothing\n',
            '-e\n.py': 'retries retri retry\n',
        },
    )
    found = words_of(await scan(local(tmp_path), 'expir', 'retri'))
    assert found == {
        'a.py': ['EXPIRED', 'expire', 'expire', 'isExpired', 'is_expired', 'retry'],
        'b/größe.py': ['größe_expire'],
        'c.cs': ['Expires'],
        '-e\n.py': ['retri', 'retries', 'retry'],
    }


async def test_words_too_long_for_words_are_data_and_left_where_they_are(
    tmp_path: Path, rg: Path
) -> None:
    data = 40 * 'Zm9v' + 'expire' + 40 * 'YmFy'
    name = f'test_{6 * "long_"}expire_{6 * "name_"}end'
    lines = [data, f'{data} été_expire_é!', f'a+{data}/expire+b', name]
    write_project(tmp_path, {'a.py': '\n'.join(lines)})
    found = words_of(await scan(local(tmp_path), 'expir'))
    assert found == {'a.py': ['expire', name, 'été_expire_é']}


async def test_what_is_not_listed_is_not_looked_through(tmp_path: Path, rg: Path) -> None:
    write_project(tmp_path, {'.gitignore': 'ignored.py\n', '.hidden/a.py': 'expire'})
    write_project(tmp_path, {'ignored.py': 'expire', 'sub/a.py': 'expire', 'sub/b.py': 'expire'})
    write_project(tmp_path, {'sub/ignored.py': 'expire', 'subway.py': 'expire'})
    assert set(words_of(await scan(local(tmp_path), 'expir'))) == {
        'sub/a.py',
        'sub/b.py',
        'subway.py',
    }
    below = await scan(local(tmp_path), 'expir', below='sub')
    assert set(words_of(below)) == {'a.py', 'b.py'}
    assert below is not None
    assert below.sizes == {'a.py': 6, 'b.py': 6}


async def test_an_ignored_directory_that_was_named_is_looked_through(
    tmp_path: Path, rg: Path
) -> None:
    write_project(tmp_path, {'.gitignore': 'build/\n', 'build/a.py': 'expire'})
    root = Root(path=f'{tmp_path}/build', shown='build')
    rg_there = await ripgrep_in(local(tmp_path), root, ignores_above=False)
    assert words_of(await scan_files(rg_there, ['expir'])) == {'a.py': ['expire']}


async def test_sizes_come_along_unless_they_are_known(tmp_path: Path, rg: Path) -> None:
    write_project(tmp_path, {'a.py': 'x' * 1_000, 'b c/d.py': '', 'total': 'xyz'})
    found = await scan(local(tmp_path), 'expir')
    assert found is not None
    assert found.sizes == {'a.py': 1_000, 'b c/d.py': 0, 'total': 3}
    known = await scan(local(tmp_path), 'expir', sizes={'a.py': 7})
    assert known is not None
    assert known.sizes == {'a.py': 7}
    assert words_of(known) == {}


@pytest.mark.parametrize('leave_out', [(), ('gzip',)])
async def test_a_scan_in_slices_is_the_scan(
    tmp_path: Path, rg: Path, leave_out: tuple[str, ...]
) -> None:
    """A workspace that lets 100 KiB through a command."""
    files = {f'{number:03}.py': f'expire_{os.urandom(15).hex()}\n' * 9 for number in range(900)}
    write_project(tmp_path / 'project', dict(files))
    path = f'{rg}:{tools_without_rg(tmp_path / "bin", leave_out=leave_out)}'
    backend = CommandBackend(tmp_path / 'project', path=path, output_limit=100 << 10)
    found = await scan(Workspace(backend), 'expir')
    assert words_of(found) == {path: [text.split('\n')[0]] * 9 for path, text in files.items()}
    assert found is not None
    assert found.sizes == {path: len(text) for path, text in files.items()}


async def test_without_the_tools_to_tell_sizes_there_is_no_scan(tmp_path: Path, rg: Path) -> None:
    write_project(tmp_path / 'project', {'a.py': 'expire'})
    path = f'{rg}:{tools_without_rg(tmp_path / "bin", leave_out=("xargs",))}'
    backend = CommandBackend(tmp_path / 'project', path=path)
    assert await scan(Workspace(backend), 'expir') is None


async def test_a_scan_that_fails_or_arrives_damaged_is_none(tmp_path: Path, rg: Path) -> None:
    project = write_project(tmp_path / 'project', {'a.py': 'expire'})
    rg_there = Ripgrep(workspace=local(project), directory=str(project))
    assert await scan_files(rg_there, ['expir(']) is not None, 'stems are no expressions'
    folder = tmp_path / 'bin'
    backend = CommandBackend(project, path=tools_without_rg(folder))
    for tool, script in (('rg', 'echo broken >&2; exit 2'), ('base64', 'echo damaged')):
        (folder / tool).unlink(missing_ok=True)
        (folder / tool).write_text(f'#!/bin/sh\n{script}\n')
        (folder / tool).chmod(0o755)
        there = Ripgrep(workspace=Workspace(backend), directory=str(project))
        assert await scan_files(there, ['expir'], {'a.py': 6}) is None
