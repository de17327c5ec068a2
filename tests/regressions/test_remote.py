"""Rows W1 and W2 of the inputs that break code search in the field: machines that only run commands."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic_ai.workspaces import CommandResult, Workspace, WorkspaceCommand

from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical import choice
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.results import SmartSearchResult
from pydantic_ai_smart_search.testing import ScriptedJudge
from tests.project import write_project
from tests.source.places import CommandBackend, tools_without_rg

pytestmark = pytest.mark.anyio


@dataclass
class Far(CommandBackend):
    """A machine that only runs commands, and counts what it is asked and what it answers."""

    shell: Sequence[str] = ('/bin/sh',)
    wire_bytes: int = 0

    async def run(self, command: WorkspaceCommand, **options: object) -> CommandResult:
        if not isinstance(command, str) and command[0] == '/bin/sh':
            command = [*self.shell, *command[1:]]
        result = await super().run(command)
        asked = command if isinstance(command, str) else ' '.join(command)
        self.wire_bytes += len(asked) + len(result.stdout) + len(result.stderr)
        return result


def project(root: Path) -> Path:
    """2,000 files, one of which is the answer."""
    files = {f'p{n // 50}/m{n}.py': f'def work_{n}(value):\n    return {n}\n' for n in range(2_000)}
    files['p7/sessions.py'] = 'def refuse(session):\n    raise Expired(session)\n'
    return write_project(root, dict(files))


async def find(far: Far, indexes: IndexCache) -> tuple[SmartSearchResult, int]:
    """A search, and how many commands it took."""
    before = len(far.commands)
    result = await search(
        Workspace(far),
        SearchRequest(query='refuse expired sessions'),
        make_judge(ScriptedJudge({'Expired': 0.9})),
        indexes=indexes,
        budget=RequestBudget(),
        options=SearchOptions(),
    )
    assert [match.file_path for match in result.matches] == ['p7/sessions.py']
    return result, len(far.commands) - before


async def test_a_search_takes_a_few_commands_however_many_files_there_are(
    tmp_path: Path, rg: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mastra#21877: one command for every file took minutes."""
    monkeypatch.setattr(choice, 'CUT_ALL_BYTES', 1_000)
    monkeypatch.setattr(choice, 'CHOSEN_BYTES', 10_000)
    monkeypatch.setattr(choice, 'FILLING_BYTES', 0)
    root = project(tmp_path / 'project')
    far = Far(root, path=f'{rg}:{tools_without_rg(tmp_path / "bin")}')
    first, commands = await find(far, IndexCache(0))
    assert first.details.scanned_files == 2_001
    assert commands <= 8
    assert far.wire_bytes < 8_000_000
    indexes = IndexCache(1)
    whole, commands = await find(far, indexes)
    assert whole.details.indexed_files == 2_001
    assert commands <= 20
    (root / 'p0/m0.py').write_text('def changed():\n    return 0\n')
    changed, commands = await find(far, indexes)
    assert changed.details.indexed_files == 1
    assert commands <= 5
    assert (await find(far, indexes))[1] <= 4


@pytest.mark.parametrize(
    'leave_out', [('gzip',), ('xargs',), ('b2sum',), ('gzip', 'xargs', 'b2sum')]
)
async def test_a_machine_with_fewer_tools_is_searched_all_the_same(
    tmp_path: Path, rg: Path, leave_out: tuple[str, ...]
) -> None:
    path = f'{rg}:{tools_without_rg(tmp_path / "bin", leave_out=leave_out)}'
    far = Far(project(tmp_path / 'project'), path=path)
    indexes = IndexCache(1)
    _, commands = await find(far, indexes)
    assert commands <= 20
    again, commands = await find(far, indexes)
    assert again.details.indexed_files == 0
    assert commands <= 20


BUSYBOX = shutil.which('busybox')


def applets_of(busybox: str) -> list[str]:
    listed = subprocess.run([busybox, '--list'], capture_output=True, text=True, check=True)
    return listed.stdout.split()


@pytest.mark.skipif(BUSYBOX is None, reason='busybox is not installed')
async def test_a_machine_with_nothing_but_busybox_is_searched_all_the_same(
    tmp_path: Path, rg: Path
) -> None:
    assert BUSYBOX is not None
    tools = tmp_path / 'bin'
    tools.mkdir()
    for applet in applets_of(BUSYBOX):
        os.symlink(BUSYBOX, tools / applet)
    far = Far(project(tmp_path / 'project'), path=f'{rg}:{tools}', shell=(str(tools / 'sh'),))
    _, commands = await find(far, IndexCache(0))
    assert commands <= 8
    indexes = IndexCache(1)
    for expected in (2_001, 0):
        result, commands = await find(far, indexes)
        assert result.details.indexed_files == expected
        assert commands <= 20
