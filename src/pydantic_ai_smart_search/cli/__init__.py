"""The same search from a shell, and over MCP for editors and coding agents."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Final

MISSING_EXTRA: Final = (
    "The `smart-search` command needs the `cli` extra: pip install 'pydantic-ai-smart-search[cli]'"
)

INTERRUPTED: Final = 130
"""What shells report for a program that Ctrl-C ended."""


def main() -> None:
    """Run the `smart-search` command, or say which extra it needs."""
    if find_spec('typer') is None or find_spec('rich') is None:
        sys.exit(MISSING_EXTRA)
    try:
        from pydantic_ai_smart_search.cli.app import app

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
