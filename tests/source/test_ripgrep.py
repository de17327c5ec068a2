"""What `rg` is asked, and what becomes of its answers.

With `SMART_SEARCH_TEST_RG=/usr/bin/rg:/opt/rg15/rg` everything that lists runs once with each.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_ai.workspaces import Workspace, WorkspaceOutputLimitError

from pydantic_ai_smart_search.errors import ListingFailed, RipgrepMissing
from pydantic_ai_smart_search.source.files import SkipReason
from pydantic_ai_smart_search.source.ripgrep import IgnoreRule, Ripgrep
from tests.project import write_project
from tests.source.places import CommandBackend, local, tools_without_rg

pytestmark = pytest.mark.anyio


@pytest.fixture
def fake_rg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for a program that is run as `rg`."""
    folder = tmp_path / 'scripts'
    folder.mkdir()
    monkeypatch.setattr(sysconfig, 'get_path', {'scripts': str(folder)}.__getitem__)
    return folder / 'rg'


def write_script(path: Path, *lines: str) -> None:
    path.write_text('\n'.join(['#!/bin/sh', *lines]))
    path.chmod(0o755)


def far(root: Path, rg: Path, tools: Path) -> CommandBackend:
    """A command-only workspace with the `rg` under test."""
    return CommandBackend(root, path=f'{rg}:{tools_without_rg(tools)}')


def names_from_bytes(*names: bytes) -> list[str]:
    return sorted(map(os.fsdecode, names))


async def test_a_workspace_without_ripgrep_says_how_to_get_it(
    tmp_path: Path, fake_rg: Path
) -> None:
    rg = Ripgrep(
        workspace=local(tmp_path, PATH=tools_without_rg(tmp_path / 'bin')), directory=str(tmp_path)
    )
    with pytest.raises(RipgrepMissing, match='pip install'):
        await rg.list_names()


@pytest.mark.parametrize('code', [2, 3, 101])
async def test_a_failing_ripgrep_is_an_error_with_its_own_words(
    tmp_path: Path, fake_rg: Path, code: int
) -> None:
    write_script(fake_rg, 'printf "a.py\\0"', 'echo "unknown flag" >&2', f'exit {code}')
    with pytest.raises(ListingFailed, match='unknown flag') as raised:
        await Ripgrep(workspace=local(tmp_path), directory=str(tmp_path)).list_names()
    assert raised.value.exit_code == code


async def test_a_killed_ripgrep_is_an_error(tmp_path: Path, fake_rg: Path) -> None:
    write_script(fake_rg, 'kill -9 $$')
    with pytest.raises(ListingFailed):
        await Ripgrep(workspace=local(tmp_path), directory=str(tmp_path)).list_names()


async def test_a_directory_that_vanishes_before_it_is_listed_is_an_error(
    tmp_path: Path, fake_rg: Path
) -> None:
    with pytest.raises(ListingFailed):
        await Ripgrep(workspace=local(tmp_path), directory=f'{tmp_path}/gone').list_names()


async def test_a_directory_that_cannot_be_entered_is_reported_and_the_rest_listed(
    tmp_path: Path, rg: Path
) -> None:
    """Deeper than the longest path there is, so that not even root can enter it."""
    write_project(tmp_path, {'a.py': '', 'deep/b.py': '', 'other/c.py': ''})
    descriptor = os.open(tmp_path / 'deep', os.O_RDONLY)
    for _ in range(20):
        os.mkdir('x' * 240, dir_fd=descriptor)
        inner = os.open('x' * 240, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)

    names = await Ripgrep(workspace=local(tmp_path), directory=str(tmp_path)).list_names()
    assert sorted(names.files) == ['a.py', 'deep/b.py', 'other/c.py']
    (unreadable,) = names.unreadable
    assert unreadable.path.startswith('deep/x')
    assert unreadable.reason is SkipReason.UNREADABLE
    assert 'os error 36' in unreadable.detail

    async def unreadable_below(below: str) -> list[str]:
        rg = Ripgrep(workspace=local(tmp_path), directory=str(tmp_path), below=below)
        return [file.path for file in (await rg.list_names()).unreadable]

    assert await unreadable_below('deep') == [unreadable.path.removeprefix('deep/')]
    assert await unreadable_below(unreadable.path) == ['.']
    assert await unreadable_below('other') == []


async def test_a_directory_that_cannot_be_read_at_all_is_reported(
    tmp_path: Path, fake_rg: Path
) -> None:
    write_script(fake_rg, 'echo "rg: .: Permission denied (os error 13)" >&2', 'exit 2')
    names = await Ripgrep(workspace=local(tmp_path), directory=str(tmp_path)).list_names()
    assert [(file.path, file.detail) for file in names.unreadable] == [
        ('.', 'Permission denied (os error 13)')
    ]


async def test_a_flaw_of_an_ignore_file_above_is_no_error(tmp_path: Path, rg: Path) -> None:
    write_project(tmp_path, {'.gitignore': '[bad\nb.py\n', 'sub/a.py': '', 'sub/b.py': ''})
    project = tmp_path / 'sub'
    names = await Ripgrep(workspace=local(project), directory=str(project)).list_names()
    assert names.files == ['a.py']


async def test_links_and_special_files_are_told_apart(tmp_path: Path, rg: Path) -> None:
    write_project(tmp_path, {'sub/a.py': '', '.hidden/b.py': '', 'node_modules/c.js': ''})
    for folder in ('sub', '.hidden', 'node_modules'):
        os.mkfifo(tmp_path / folder / 'pipe')
        (tmp_path / folder / 'link').symlink_to('nowhere')
    names = await Ripgrep(workspace=local(tmp_path), directory=str(tmp_path)).list_names()
    assert (names.links, names.special) == (['sub/link'], ['sub/pipe'])
    below = Ripgrep(workspace=local(tmp_path), directory=str(tmp_path), below='sub')
    assert ((await below.list_names()).links) == ['link']


@pytest.mark.parametrize('leave_out', [(), ('gzip',), ('find',)])
async def test_a_listing_in_slices_is_the_listing(
    tmp_path: Path, rg: Path, leave_out: tuple[str, ...]
) -> None:
    """A workspace that lets 100 KiB through a command, with and without the tools to pack."""
    files = [f'{number:05}-{os.urandom(40).hex()}.py' for number in range(2_000)]
    write_project(tmp_path / 'project', dict.fromkeys(files, ''))
    (tmp_path / 'project' / 'link').symlink_to('nowhere')
    path = f'{rg}:{tools_without_rg(tmp_path / "bin", leave_out=leave_out)}'
    backend = CommandBackend(tmp_path / 'project', path=path, output_limit=100 << 10)
    names = await Ripgrep(
        workspace=Workspace(backend), directory=await backend.working_dir()
    ).list_names()
    assert sorted(names.files) == files
    assert list(names.links) == ([] if 'find' in leave_out else ['link'])
    assert len(backend.commands) > 3


async def test_a_workspace_that_lets_next_to_nothing_through_is_an_error(
    tmp_path: Path, rg: Path
) -> None:
    write_project(tmp_path / 'project', {f'{os.urandom(40).hex()}.py': '' for _ in range(2_000)})
    backend = far(tmp_path / 'project', rg, tmp_path / 'bin')
    backend.output_limit = 10 << 10
    with pytest.raises(WorkspaceOutputLimitError):
        await Ripgrep(
            workspace=Workspace(backend), directory=await backend.working_dir()
        ).list_names()


@pytest.mark.parametrize('damage', ['head -c 20', 'tr A-Z a-z', 'tr A-Z _'])
async def test_a_listing_that_arrives_damaged_is_an_error(
    tmp_path: Path, rg: Path, damage: str
) -> None:
    project = tmp_path / 'project'
    write_project(project, {'caf\udce9.py': '', f'{os.urandom(20).hex()}.py': ''})
    backend = far(project, rg, tmp_path / 'bin')
    base64 = tmp_path / 'bin' / 'base64'
    real = base64.readlink()
    base64.unlink()
    write_script(base64, f'{real} | {damage}')
    (tmp_path / 'bin' / 'tr').symlink_to('/usr/bin/tr')
    with pytest.raises(ListingFailed, match='damaged'):
        await Ripgrep(
            workspace=Workspace(backend), directory=await backend.working_dir()
        ).list_names()


NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: b'/' not in name and b'\0' not in name and not name.startswith(b'.')
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names=st.sets(NAMES, max_size=6))
async def test_every_name_a_file_system_allows_is_listed(
    tmp_path_factory: pytest.TempPathFactory, rg: Path, names: set[bytes]
) -> None:
    root = tmp_path_factory.mktemp('names')
    for name in names:
        (root / os.fsdecode(name)).touch()
    listed = await Ripgrep(workspace=local(root), directory=str(root)).list_names()
    assert sorted(listed.files) == names_from_bytes(*names)


async def test_the_rules_that_leave_nothing_are_counted_by_what_they_exclude(
    tmp_path: Path, rg: Path
) -> None:
    write_project(tmp_path, {'.gitignore': '*.log\n', 'sub/.ignore': '*.py\n', 'sub/x.log': ''})
    write_project(tmp_path, {'sub/a.py': '', 'sub/b.py': '', 'other/y.log': ''})
    rg_below = Ripgrep(workspace=local(tmp_path), directory=str(tmp_path), below='sub')
    assert await rg_below.find_rules() == {
        IgnoreRule('sub/.ignore', '*.py'): 2,
        IgnoreRule('.gitignore', '*.log'): 1,
    }


async def test_only_what_is_ignored_by_itself_is_found_ignored(tmp_path: Path, rg: Path) -> None:
    write_project(tmp_path, {'.gitignore': 'l*\n', 'sub/a.py': ''})
    for name in ('link', 'other'):
        (tmp_path / 'sub' / name).symlink_to('nowhere')
    ripgrep = Ripgrep(workspace=local(tmp_path), directory=str(tmp_path), below='sub')
    assert await ripgrep.find_ignored(['link', 'other']) == {'link'}
    assert await ripgrep.find_ignored([]) == set()
    assert await ripgrep.find_ignored([*(f'{number}' * 100 for number in range(2_000))]) == set()
