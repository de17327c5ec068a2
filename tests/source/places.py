"""Workspaces to list and read in, near and far, and the `rg` they find."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread
from pydantic_ai.workspaces import (
    CommandResult,
    LocalWorkspaceBackend,
    SupportsCommands,
    Workspace,
    WorkspaceBackend,
    WorkspaceCommand,
    WorkspaceOutputLimitError,
    WorkspaceRef,
    WorkspaceUnavailableError,
)

from pydantic_ai_smart_search.source.files import Listing
from pydantic_ai_smart_search.source.listing import find_root, list_files

TOOLS = (
    'b2sum',
    'base64',
    'cat',
    'dd',
    'find',
    'gzip',
    'head',
    'readlink',
    'sh',
    'tail',
    'wc',
    'xargs',
)
"""What listing and reading may run in a workspace, besides `rg`."""


def rg_binaries() -> list[str]:
    """The `rg` to test with: those named in SMART_SEARCH_TEST_RG, else the one this Python finds."""
    named = os.environ.get('SMART_SEARCH_TEST_RG')
    if named:
        return named.split(os.pathsep)
    path = os.pathsep.join([sysconfig.get_path('scripts'), os.environ['PATH']])
    found = shutil.which('rg', path=path)
    assert found, 'the tests need ripgrep'
    return [found]


def tools_without_rg(folder: Path, *, leave_out: tuple[str, ...] = ()) -> str:
    """A PATH with the tools a workspace has, but no `rg`."""
    folder.mkdir()
    for tool in set(TOOLS) - set(leave_out):
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    return str(folder)


def local(root: Path, **env: str) -> Workspace:
    """A plain local workspace."""
    return Workspace(LocalWorkspaceBackend(root, env=env))


async def list_in(workspace: Workspace, directory: str = '.', glob: str | None = None) -> Listing:
    """What a search of `directory` would read."""
    return await list_files(workspace, await find_root(workspace, directory), glob)


@dataclass
class CommandBackend(WorkspaceBackend, SupportsCommands):
    """A workspace that can only run commands, as one on another machine."""

    root: Path
    path: str = os.environ['PATH']
    output_limit: int = 10 << 20
    commands: list[str] = field(default_factory=list[str])
    """Every command run, joined by spaces."""

    @property
    def ref(self) -> WorkspaceRef | None:
        return None

    async def working_dir(self) -> str:
        if not self.root.is_dir():
            raise WorkspaceUnavailableError('the machine is gone')
        return str(self.root.resolve())

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the host's protocol
    ) -> CommandResult:
        await self.working_dir()
        self.commands.append(command if isinstance(command, str) else ' '.join(command))
        done = await anyio.to_thread.run_sync(self._run, command)
        stdout = done.stdout.decode(errors='replace')
        stderr = done.stderr.decode(errors='replace')
        if len(done.stdout) + len(done.stderr) > self.output_limit:
            raise WorkspaceOutputLimitError('too much output', limit=self.output_limit)
        return CommandResult(exit_code=done.returncode, stdout=stdout, stderr=stderr)

    def _run(self, command: WorkspaceCommand) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            command,
            shell=isinstance(command, str),
            cwd=self.root,
            env={'PATH': self.path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
