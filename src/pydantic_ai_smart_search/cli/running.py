"""What every command does around its work: the workspace, progress, output, exit codes."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NoReturn, TypeVar

import anyio
import typer
from pydantic_ai.exceptions import UserError
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError
from rich.text import Text

from pydantic_ai_smart_search.cli import INTERRUPTED
from pydantic_ai_smart_search.cli.output import Output, visible
from pydantic_ai_smart_search.cli.progress import ProgressLine
from pydantic_ai_smart_search.errors import USE_REGULAR_SEARCH, SmartSearchError
from pydantic_ai_smart_search.request import Progress

FOUND: Final = 0
NOTHING_FOUND: Final = 1
FAILED: Final = 2

T = TypeVar('T')


def open_workspace(directory: str) -> tuple[Workspace, str]:
    """The workspace to search and the directory as a search of it should spell it.

    That is the current directory, so that matches read as paths from here; a directory elsewhere is
    a workspace of its own, named by its absolute path.
    """
    here, there = Path.cwd().resolve(), Path(directory).expanduser().resolve()
    if there.is_relative_to(here):
        return Workspace(LocalWorkspaceBackend(here)), os.path.relpath(there, here)
    root = there.parent if there.is_file() else there
    return Workspace(LocalWorkspaceBackend(root)), str(there)


def run_work(work: Callable[[Progress], Awaitable[T]], *, doing: str = 'listing files') -> T:
    """What `work` returns, with progress on a terminal meanwhile.

    Raises:
        Exit: The work failed, which stderr says, or Ctrl-C stopped it.
    """
    try:
        with ProgressLine(doing) as line:
            return anyio.run(work, line)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except (SmartSearchError, UserError, ValueError, WorkspaceError) as error:
        fail(error)


def fail(error: Exception) -> NoReturn:
    """Say on stderr what went wrong, and exit.

    Raises:
        Exit: Always.
    """
    message = visible(str(error).removesuffix(f' {USE_REGULAR_SEARCH}'))
    Output(stderr=True).put_item(Text('smart-search: '), Text(message))
    raise typer.Exit(FAILED) from None
