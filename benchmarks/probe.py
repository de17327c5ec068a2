"""Measures one step of one package's `smart_search`, in the interpreter that runs this file.

`peer.py` starts it under each of the two environments in turn; it prints one JSON object. CPU
seconds are those of the process and its children, so `rg` counts too. The judge answers at once
and always the same, so what is measured is everything but a judge.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import resource
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import (
    CommandResult,
    LocalWorkspaceBackend,
    SupportsCommands,
    Workspace,
    WorkspaceBackend,
    WorkspaceCommand,
    WorkspaceRef,
)

WARM_SEARCHES = 5
"""Warm searches averaged in one run: each takes too little time to be read off alone."""

CHANGED_FILES = 10

QUERY = 'remove expired cookies from the jar'


def cpu_seconds() -> float:
    """User and system seconds of this process and the children it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def peak_mib() -> float:
    """The most memory this process has had; Linux counts in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fixed_judge() -> FunctionModel:
    """Answers from the snippet's text alone: the same text, the same answer, in either package."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (prompt,) = [part for part in messages[-1].parts if isinstance(part, UserPromptPart)]
        text = str(prompt.content)
        answer = {'entity': 0.9 if 'def ' in text else 0.4, 'operation': 0.8}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])

    return FunctionModel(respond, model_name='fixed')


def context(place: str | WorkspaceBackend) -> RunContext[None]:
    """A run over a tree or a workspace without a request limit, so that all are judged."""
    return RunContext(
        deps=None,
        model=TestModel(),
        usage=RunUsage(),
        usage_limits=None,
        workspace=Workspace(LocalWorkspaceBackend(place) if isinstance(place, str) else place),
    )


@dataclass
class Far(WorkspaceBackend, SupportsCommands):
    """A workspace that can only run commands, and counts them and what passes over the wire."""

    root: str
    commands: int = 0
    wire_bytes: int = 0

    @property
    def ref(self) -> WorkspaceRef | None:
        """Nothing that lasts."""
        return None

    async def working_dir(self) -> str:
        """The root."""
        return self.root

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the host's protocol
    ) -> CommandResult:
        """Run a command here, as if it were there."""
        process = await asyncio.create_subprocess_exec(
            *(['/bin/sh', '-c', command] if isinstance(command, str) else command),
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await process.communicate()
        self.commands += 1
        asked = command if isinstance(command, str) else ' '.join(command)
        self.wire_bytes += len(asked) + len(out) + len(err)
        return CommandResult(
            exit_code=process.returncode or 0,
            stdout=out.decode(errors='replace'),
            stderr=err.decode(errors='replace'),
        )


@dataclass
class Probe:
    """One toolset over one place, and what its searches cost."""

    toolset: Any
    place: str | WorkspaceBackend
    figures: dict[str, Any]

    async def search(self, name: str, times: int = 1) -> Any:
        """Search, and note what it costs as `name`."""
        cpu, wall = cpu_seconds(), time.perf_counter()
        results = [
            await self.toolset.smart_search(context(self.place), QUERY) for _ in range(times)
        ]
        self.figures[f'{name}_cpu_seconds'] = (cpu_seconds() - cpu) / times
        self.figures[f'{name}_wall_seconds'] = (time.perf_counter() - wall) / times
        return results[-1]


def change_files(tree: Path) -> None:
    """Add a line to some files, evenly spread."""
    files = sorted(tree.rglob('*.py'))
    for path in files[:: len(files) // CHANGED_FILES][:CHANGED_FILES]:
        path.write_bytes(path.read_bytes() + b'\n# changed\n')


async def measure(package: str, step: str, tree: str, index_dir: str | None) -> dict[str, Any]:
    """What one step costs: see `peer.py`."""
    smart_search = importlib.import_module(package)
    options: dict[str, Any] = {'index_dir': index_dir} if index_dir else {}
    toolset = smart_search.SmartSearchToolset(
        model=fixed_judge(), cache_index=step in ('kept', 'far_kept'), **options
    )
    place = Far(tree) if step.startswith('far') else tree  # `peer.py` gives a real path
    probe = Probe(toolset, place, {})
    result = await probe.search('first')
    probe.figures['first_peak_mib'] = peak_mib()
    probe.figures['files'] = result.coverage.files
    probe.figures['snippets'] = result.coverage.snippets
    probe.figures['evaluated'] = result.coverage.evaluated
    if isinstance(place, Far):
        counts = place.commands, place.wire_bytes
        probe.figures['first_commands'], probe.figures['first_wire_bytes'] = counts
        if step == 'far_kept':
            await probe.search('warm')
            probe.figures['warm_commands'] = place.commands - counts[0]
            probe.figures['warm_wire_bytes'] = place.wire_bytes - counts[1]
    elif step == 'kept':
        await probe.search('warm', WARM_SEARCHES)
        change_files(Path(tree))
        await probe.search('changed')
    return probe.figures


def main() -> None:
    """Measure the step named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('package', help='module with SmartSearchToolset')
    parser.add_argument('step', choices=('once', 'kept', 'far', 'far_kept'))
    parser.add_argument('tree')
    parser.add_argument('--index-dir')
    parser.add_argument('--one-processor', action='store_true', help='use no more than one')
    arguments = parser.parse_args()
    if arguments.one_processor:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    figures = asyncio.run(
        measure(arguments.package, arguments.step, arguments.tree, arguments.index_dir)
    )
    print(json.dumps(figures))


if __name__ == '__main__':
    main()
