"""An agent that is written in a file, agent.yaml, and asked about the current directory.

python examples/agent_file.py "Where are expired sessions refused?"
"""

import sys
from pathlib import Path

from pydantic_ai import Agent

from pydantic_ai_smart_search import SmartSearch


def main(question: str) -> None:
    file = Path(__file__).with_name('agent.yaml')
    agent = Agent.from_file(file, custom_capability_types=[SmartSearch])
    print(agent.run_sync(question).output)


if __name__ == '__main__':
    main(*sys.argv[1:])
