"""Search a directory from a program, with no agent, no key and no network.

python examples/search.py "refuse an expired session" path/to/project
"""

import asyncio
import sys

from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search import SmartSearchToolset


async def main(query: str, directory: str) -> None:
    toolset = SmartSearchToolset(model='local')
    # The toolset takes what it needs from a run: here, a workspace and a place to count usage.
    context = RunContext(
        deps=None,
        model=TestModel(),
        usage=RunUsage(),
        workspace=Workspace(LocalWorkspaceBackend(directory)),
    )
    result = await toolset.smart_search(context, query)
    for match in result.matches:
        print(f'{match.score:.2f} {match.file_path}:{match.start_line} {match.symbol or ""}')
    for warning in result.warnings:
        print(warning)


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
