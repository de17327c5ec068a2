"""Measures one package's `smart_search` on one tree, in the interpreter that runs this file.

`peer.py` starts it under each of the two environments in turn; it prints one JSON object. CPU
seconds are those of the process and its children, so `rg` counts too. The judge answers at once
and always the same, so what is measured is everything but a judge.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import resource
import time
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

WARM_SEARCHES = 5
"""Warm searches averaged in one run: each takes too little time to be read off alone."""


def cpu_seconds() -> float:
    """User and system seconds of this process and the children it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def fixed_judge() -> FunctionModel:
    """Answers from the snippet's text alone: the same text, the same answer, in either package."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (prompt,) = [part for part in messages[-1].parts if isinstance(part, UserPromptPart)]
        text = str(prompt.content)
        answer = {'entity': 0.9 if 'def ' in text else 0.4, 'operation': 0.8}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])

    return FunctionModel(respond, model_name='fixed')


def context(tree: str) -> RunContext[None]:
    """A run over the tree without a request limit, so that all candidates are judged."""
    return RunContext(
        deps=None,
        model=TestModel(),
        usage=RunUsage(),
        usage_limits=None,
        workspace=Workspace(LocalWorkspaceBackend(tree)),
    )


async def measure(package: str, tree: str, query: str, glob: str | None) -> dict[str, Any]:
    """Cold search, then warm ones with a kept index, then repeated judging."""
    smart_search = importlib.import_module(package)
    toolset = smart_search.SmartSearchToolset(model=fixed_judge(), cache_index=True)

    async def time_searches(name: str, times: int) -> Any:
        cpu, wall = cpu_seconds(), time.perf_counter()
        results = [
            await toolset.smart_search(context(tree), query, glob=glob) for _ in range(times)
        ]
        figures[f'{name}_cpu_seconds'] = (cpu_seconds() - cpu) / times
        figures[f'{name}_wall_seconds'] = (time.perf_counter() - wall) / times
        return results[-1]

    figures: dict[str, Any] = {}
    result = await time_searches('cold', 1)
    # KiB on Linux; before the warm searches, which allocate nothing that lasts.
    figures['peak_mib'] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures['files'] = result.coverage.files
    figures['snippets'] = result.coverage.snippets
    figures['evaluated'] = result.coverage.evaluated
    figures['matches'] = [
        f'{match.file_path}:{match.snippet_start_line}-{match.snippet_end_line}'
        for match in result.matches
    ]
    await time_searches('warm', WARM_SEARCHES)
    return figures


def main() -> None:
    """Measure the package named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('package', help='module with SmartSearchToolset')
    parser.add_argument('tree')
    parser.add_argument('--query', default='remove expired cookies from the jar')
    parser.add_argument('--glob')
    arguments = parser.parse_args()
    figures = asyncio.run(
        measure(arguments.package, arguments.tree, arguments.query, arguments.glob)
    )
    print(json.dumps(figures))


if __name__ == '__main__':
    main()
