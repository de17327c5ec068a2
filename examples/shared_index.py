"""Several agents that work at once share one index: each file is read and cut once for all of them.

python examples/shared_index.py path/to/project "Where are sessions refused?" "Who retries?"

One SmartSearch is given to all agents. With `index_dir` instead of `cache_index`, or besides it,
other processes share the index too, and so does the next run.
"""

import asyncio
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.messages import ToolReturnPart

from pydantic_ai_smart_search import SmartSearch, SmartSearchResult


async def main(directory: str, *questions: str) -> None:
    search = SmartSearch(os.environ.get('JUDGE', 'local'), cache_index=True)
    agents = [
        Agent(
            os.environ.get('MODEL', 'anthropic:claude-opus-5-5'),
            capabilities=[LocalWorkspace(directory), search],
        )
        for _ in questions
    ]
    runs = await asyncio.gather(
        *(agent.run(question) for agent, question in zip(agents, questions, strict=True))
    )
    results = [
        part.content
        for run in runs
        for message in run.all_messages()
        for part in message.parts
        if isinstance(part, ToolReturnPart) and isinstance(part.content, SmartSearchResult)
    ]
    for question, run in zip(questions, runs, strict=True):
        print(f'{question} {run.output}')
    indexed = sum(result.details.indexed_files for result in results)
    print(f'{len(results)} searches, {indexed} files indexed')


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
