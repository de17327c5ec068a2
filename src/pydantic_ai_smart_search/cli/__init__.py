"""The same search from a shell."""

from __future__ import annotations

import sys
from importlib.util import find_spec

MISSING_EXTRA = (
    "The `smart-search` command needs the `cli` extra: pip install 'pydantic-ai-smart-search[cli]'"
)


def main() -> None:
    """Run the `smart-search` command, or say which extra it needs."""
    if find_spec('typer') is None or find_spec('rich') is None:
        sys.exit(MISSING_EXTRA)
    from pydantic_ai_smart_search.cli.app import app

    app()
