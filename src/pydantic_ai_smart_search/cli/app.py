"""The commands of `smart-search`: arguments in, exit codes out."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Final, TypeVar

import anyio
import typer
from pydantic_ai.exceptions import UserError
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError
from rich.console import Console

from pydantic_ai_smart_search.cli.show import (
    ProgressLine,
    result_as_json,
    show_result,
    show_survey,
    survey_as_json,
)
from pydantic_ai_smart_search.errors import USE_REGULAR_SEARCH, SmartSearchError
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import (
    DEFAULT_CANDIDATES,
    DEFAULT_CONCURRENCY,
    DEFAULT_LIMIT,
    DEFAULT_THRESHOLD,
    SearchOptions,
)
from pydantic_ai_smart_search.pipeline import Progress, SearchRequest, search, survey

FOUND: Final = 0
NOTHING_FOUND: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130
"""What shells report for a program that Ctrl-C ended."""

T = TypeVar('T')

app = typer.Typer(
    name='smart-search',
    help='Find code by what it does, described in plain English.',
    no_args_is_help=True,
    rich_markup_mode='markdown',
    pretty_exceptions_enable=False,
)

DirectoryArgument = Annotated[str, typer.Argument(help='Directory or file to search.')]
GlobOption = Annotated[
    str | None,
    typer.Option(
        '--glob', '-g', help='Search only matching files: "*.py", "src/**", "*.ts,*.tsx".'
    ),
]
JsonOption = Annotated[bool, typer.Option('--json', help='Print JSON instead of text.')]


@app.command()
def find(
    query: Annotated[str, typer.Argument(help='The behaviour to find, in plain English.')],
    directory: DirectoryArgument = '.',
    glob: GlobOption = None,
    limit: Annotated[
        int, typer.Option('--limit', '-n', help='Most matches to show.')
    ] = DEFAULT_LIMIT,
    candidates: Annotated[int, typer.Option(help='Most snippets to judge.')] = DEFAULT_CANDIDATES,
    judge: Annotated[
        str,
        typer.Option(
            '--judge',
            '-j',
            envvar='SMART_SEARCH_JUDGE',
            help='The judge: `local` (nothing leaves this machine) or a model name.',
        ),
    ] = 'local',
    threshold: Annotated[
        float, typer.Option(help='Relevance a match needs, 0 to 1.')
    ] = DEFAULT_THRESHOLD,
    concurrency: Annotated[
        int, typer.Option(help='Snippets judged at once.')
    ] = DEFAULT_CONCURRENCY,
    as_json: JsonOption = False,
) -> None:
    """Find code by what it does.

    Exits with 0 when something was found, 1 when nothing was, 2 when the search failed.
    """
    console = Console(soft_wrap=False)

    async def run(progress: Progress) -> int:
        workspace, searched = _workspace_for(directory)
        usage = RunUsage()
        result = await search(
            workspace,
            SearchRequest(
                query=query, directory=searched, glob=glob, limit=limit, candidates=candidates
            ),
            make_judge(judge, usage=usage),
            indexes=IndexCache(0),
            budget=RequestBudget(usage),
            options=SearchOptions(threshold=threshold, concurrency=concurrency),
            progress=progress,
        )
        if as_json:
            typer.echo(result_as_json(result))
        else:
            show_result(console, result, base=await workspace.working_dir())
        return FOUND if result.matches else NOTHING_FOUND

    _exit_with(run)


@app.command()
def files(
    directory: DirectoryArgument = '.', glob: GlobOption = None, as_json: JsonOption = False
) -> None:
    """Show what a search would cover, and what it would leave out and why.

    Exits with 0 when there is something to search, 1 when there is not, 2 on an error.
    """
    console = Console(soft_wrap=True)

    async def run(progress: Progress) -> int:
        workspace, searched = _workspace_for(directory)
        surveyed = await survey(workspace, searched, glob, progress)
        if as_json:
            typer.echo(survey_as_json(surveyed))
        else:
            show_survey(console, surveyed)
        return FOUND if surveyed.searched else NOTHING_FOUND

    _exit_with(run)


def _workspace_for(directory: str) -> tuple[Workspace, str]:
    """The workspace to search and the directory as a search of it should spell it.

    That is the current directory, so that matches read as paths from here; a directory elsewhere is
    a workspace of its own, named by its absolute path.
    """
    here, there = Path.cwd().resolve(), Path(directory).expanduser().resolve()
    if there.is_relative_to(here):
        return Workspace(LocalWorkspaceBackend(here)), os.path.relpath(there, here)
    root = there.parent if there.is_file() else there
    return Workspace(LocalWorkspaceBackend(root)), str(there)


def _exit_with(run: Callable[[Progress], Awaitable[int]]) -> None:
    """Run a command with progress on a terminal, and exit with its code or its failure's."""
    errors = Console(stderr=True, soft_wrap=True)
    line = ProgressLine(errors)
    try:
        with line:
            code = anyio.run(run, line)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except (SmartSearchError, UserError, ValueError, WorkspaceError) as error:
        message = str(error).removesuffix(f' {USE_REGULAR_SEARCH}')
        errors.print(f'smart-search: {message}', markup=False, highlight=False)
        raise typer.Exit(FAILED) from None
    raise typer.Exit(code)
