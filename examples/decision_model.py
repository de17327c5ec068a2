"""A judge of your own: a decision model that you serve over the System One API.

SYSTEM_ONE_BASE_URL=http://localhost:11434 python examples/decision_model.py "expired session"

Prints what it thought of each snippet: whether it acts on what the query names, and whether it does
what the query describes. Source goes to that server and nowhere else.
"""

import asyncio
import os
import sys

from pydantic_ai import RunContext
from pydantic_ai.models.system_one import SystemOneModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.system_one import SystemOneProvider
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search import SmartSearchToolset


async def main(query: str, directory: str = '.') -> None:
    judge = SystemOneModel(
        os.environ.get('JUDGE', 'clm-latest'),
        provider=SystemOneProvider(
            base_url=os.environ['SYSTEM_ONE_BASE_URL'],
            api_key=os.environ.get('SYSTEM_ONE_API_KEY', 'none'),
        ),
        # An instance keeps its own settings; a judge given by name has 30 seconds.
        settings={'timeout': 10},
    )
    toolset = SmartSearchToolset(model=judge, concurrency=4)
    context = RunContext(
        deps=None,
        model=TestModel(),
        usage=RunUsage(),
        workspace=Workspace(LocalWorkspaceBackend(directory)),
    )
    async with judge:  # an instance is its owner's to open and close
        result = await toolset.smart_search(context, query)
    for match, why in zip(result.matches, result.details.matches, strict=True):
        print(f'{why.entity:.2f} {why.operation:.2f} {match.file_path}:{match.start_line}')
    print(f'{result.details.requests} requests, {result.details.input_tokens} tokens')


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
