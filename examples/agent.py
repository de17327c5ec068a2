"""An agent that finds code by what it does, then reads the lines.

    python examples/agent.py "Which error refuses an expired session?" path/to/project

The agent's model is MODEL; JUDGE decides what is relevant, `local` sends it nothing.
"""

import os
import sys

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.usage import UsageLimits

from pydantic_ai_smart_search import SmartSearch


async def read_lines(ctx: RunContext, path: str, first: int, last: int) -> str:
    """Read lines `first` to `last` of a file, both included."""
    text = await ctx.workspace.read_text(path)
    return '\n'.join(text.split('\n')[first - 1 : last])


def main(question: str, directory: str) -> None:
    agent = Agent(
        os.environ.get('MODEL', 'anthropic:claude-opus-5-5'),
        instructions='Answer from the code, and name the file and lines your answer is in.',
        tools=[read_lines],
        capabilities=[
            LocalWorkspace(directory),
            SmartSearch(os.environ.get('JUDGE', 'local'), cache_index=True),
        ],
    )
    # With a model as the judge, every judged snippet is a request: leave room for 128 of them.
    result = agent.run_sync(question, usage_limits=UsageLimits(request_limit=300))
    print(result.output)


if __name__ == '__main__':
    main(*sys.argv[1:])
