"""The shortest agent that searches: it answers one question about the current directory.

python examples/quick_start.py "Where are expired sessions refused?"
"""

import sys

from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace

from pydantic_ai_smart_search import SmartSearch


def main(question: str) -> None:
    agent = Agent(
        'anthropic:claude-opus-5-5', capabilities=[LocalWorkspace('.'), SmartSearch('local')]
    )
    print(agent.run_sync(question).output)


if __name__ == '__main__':
    main(*sys.argv[1:])
