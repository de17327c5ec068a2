"""The commands of `smart-search`: arguments in, exit codes out."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic_ai.usage import RunUsage

from pydantic_ai_smart_search.cli import doctor as diagnosis
from pydantic_ai_smart_search.cli.calibration import Calibration, ask_all, read_labels
from pydantic_ai_smart_search.cli.calibration import calibrate as run_calibration
from pydantic_ai_smart_search.cli.curve import (
    calibration_as_json,
    draw_calibration,
    show_calibration,
)
from pydantic_ai_smart_search.cli.flags import (
    AlternativeOption,
    CandidatesOption,
    ConcurrencyOption,
    DirectoryArgument,
    DropOption,
    ExplainOption,
    GlobOption,
    IndexDirOption,
    JsonOption,
    JudgeOption,
    KeptDirectoryArgument,
    LabelsArgument,
    LimitOption,
    ListOption,
    PictureOption,
    QueryArgument,
    ScreenFilesOption,
    ServedDirectoryArgument,
    ThresholdOption,
    VerifyOption,
)
from pydantic_ai_smart_search.cli.indexes import (
    drop_indexes,
    indexes_as_json,
    indexes_below,
    show_indexes,
)
from pydantic_ai_smart_search.cli.output import Output
from pydantic_ai_smart_search.cli.running import (
    FAILED,
    FOUND,
    NOTHING_FOUND,
    fail,
    open_workspace,
    run_work,
)
from pydantic_ai_smart_search.cli.show import (
    result_as_json,
    show_result,
    show_survey,
    survey_as_json,
)
from pydantic_ai_smart_search.errors import SmartSearchError
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.local import LOCAL
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical.cache import open_indexes
from pydantic_ai_smart_search.options import (
    DEFAULT_CANDIDATES,
    DEFAULT_CONCURRENCY,
    DEFAULT_LIMIT,
    DEFAULT_THRESHOLD,
    SearchOptions,
)
from pydantic_ai_smart_search.pipeline import Survey, search, survey
from pydantic_ai_smart_search.request import Progress, SearchRequest
from pydantic_ai_smart_search.results import SmartSearchResult

app: Final = typer.Typer(
    name='smart-search',
    no_args_is_help=True,
    rich_markup_mode='markdown',
    pretty_exceptions_enable=False,
    context_settings={'help_option_names': ['--help', '-h']},
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f'smart-search {version("pydantic-ai-smart-search")}')
        raise typer.Exit


@app.callback()
def smart_search(
    _version: Annotated[
        bool,
        typer.Option(
            '--version', callback=_print_version, is_eager=True, help='Print the version and exit.'
        ),
    ] = False,
) -> None:
    """Find code by what it does, described in plain English."""


@app.command()
def find(
    query: QueryArgument,
    directory: DirectoryArgument = '.',
    glob: GlobOption = None,
    limit: LimitOption = DEFAULT_LIMIT,
    candidates: CandidatesOption = DEFAULT_CANDIDATES,
    alternative: AlternativeOption = None,
    judge: JudgeOption = LOCAL,
    threshold: ThresholdOption = DEFAULT_THRESHOLD,
    concurrency: ConcurrencyOption = DEFAULT_CONCURRENCY,
    screen_files: ScreenFilesOption = 0,
    index_dir: IndexDirOption = None,
    explain: ExplainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find code by what it does.

    Exits with 0 when something was found, 1 when nothing was, 2 when the search failed.
    """
    workspace, searched = open_workspace(directory)

    async def work(progress: Progress) -> SmartSearchResult:
        usage = RunUsage()
        return await search(
            workspace,
            SearchRequest(
                query=query,
                directory=searched,
                glob=glob,
                limit=limit,
                candidates=candidates,
                alternatives=alternative,
                explain=explain,
            ),
            make_judge(judge, usage=usage),
            indexes=open_indexes(index_dir, in_memory=False),
            budget=RequestBudget(usage),
            options=SearchOptions(
                threshold=threshold, concurrency=concurrency, screen_files=screen_files
            ),
            progress=progress,
        )

    result = run_work(work)
    output = Output()
    if as_json:
        output.put(result_as_json(result))
    else:
        show_result(output, result, base=str(Path.cwd()))
    raise typer.Exit(FOUND if result.matches else NOTHING_FOUND)


@app.command()
def files(
    directory: DirectoryArgument = '.', glob: GlobOption = None, as_json: JsonOption = False
) -> None:
    """Show what a search would cover, and what it would leave out and why.

    Prints the files that would be searched, one a line; on stderr, how many there are and what is
    left out. Exits with 0 when there is something to search, 1 when there is not, 2 on an error.
    """
    workspace, searched = open_workspace(directory)

    async def work(progress: Progress) -> Survey:
        return await survey(workspace, searched, glob, progress)

    surveyed = run_work(work)
    output = Output()
    if as_json:
        output.put(survey_as_json(surveyed))
    else:
        show_survey(output, Output(stderr=True), surveyed)
    raise typer.Exit(FOUND if surveyed.searched else NOTHING_FOUND)


@app.command()
def calibrate(
    labels: LabelsArgument,
    directory: DirectoryArgument = '.',
    judge: JudgeOption = LOCAL,
    candidates: CandidatesOption = DEFAULT_CANDIDATES,
    concurrency: ConcurrencyOption = DEFAULT_CONCURRENCY,
    picture: PictureOption = None,
    as_json: JsonOption = False,
) -> None:
    """Choose a threshold for a judge, from queries whose answers are known.

    Each line of the file is like `{"query": "reject an expired session", "answers":
    ["app/sessions.py:12-17"]}`. Every candidate of every query is judged: with a model that is a
    request each. Exits with 0, with 2 on an error.
    """
    workspace, searched = open_workspace(directory)

    async def work(progress: Progress) -> Calibration:
        usage = RunUsage()
        indexes = open_indexes(None, in_memory=True)

        async def ask(query: str) -> SmartSearchResult:
            return await search(
                workspace,
                SearchRequest(query=query, directory=searched, candidates=candidates, explain=True),
                make_judge(judge, usage=usage),
                indexes=indexes,
                budget=RequestBudget(usage),
                options=SearchOptions(threshold=0.0, concurrency=concurrency),
            )

        return run_calibration(await ask_all(read_labels(labels), ask, progress))

    calibration = run_work(work)
    if picture is not None:
        try:
            picture.write_text(draw_calibration(calibration), encoding='utf-8')
        except OSError as error:
            fail(error)
    output = Output()
    if as_json:
        output.put(calibration_as_json(calibration))
    else:
        show_calibration(output, calibration)


@app.command()
def doctor(
    directory: DirectoryArgument = '.', judge: JudgeOption = LOCAL, as_json: JsonOption = False
) -> None:
    """Check what a search needs, and say what would leave this machine.

    A judge other than `local` is asked once about a made-up snippet; nothing of yours is sent.
    Exits with 0 when a search would work, 2 when it would not.
    """
    workspace, searched = open_workspace(directory)

    async def work(progress: Progress) -> diagnosis.Diagnosis:
        return await diagnosis.diagnose(workspace, searched, judge)

    found = run_work(work, doing='asking the judge')
    output = Output()
    if as_json:
        output.put(diagnosis.diagnosis_as_json(found))
    else:
        diagnosis.show_diagnosis(output, found)
    raise typer.Exit(FOUND if found.is_healthy else FAILED)


@app.command()
def index(
    directory: KeptDirectoryArgument = None,
    index_dir: IndexDirOption = None,
    _list: ListOption = False,
    is_dropped: DropOption = False,
    is_checked: VerifyOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show, check or delete the indexes that are kept in a directory.

    Exits with 0, with 1 when an index is damaged, with 2 on an error. An index that is damaged or
    deleted is built again by the next search.
    """
    if index_dir is None:
        fail(ValueError('`--index-dir` or SMART_SEARCH_INDEX_DIR has to say where they are kept'))
    try:
        kept = indexes_below(directory, index_dir, is_checked=is_checked)
        if is_dropped:
            drop_indexes(kept)
    except OSError as error:
        fail(error)
    output = Output()
    if as_json:
        output.put(indexes_as_json(kept))
    else:
        show_indexes(output, kept)
    raise typer.Exit(NOTHING_FOUND if any(one.problem for one in kept) else FOUND)


@app.command()
def mcp(
    directory: ServedDirectoryArgument = None,
    judge: JudgeOption = LOCAL,
    threshold: ThresholdOption = DEFAULT_THRESHOLD,
    concurrency: ConcurrencyOption = DEFAULT_CONCURRENCY,
    screen_files: ScreenFilesOption = 0,
    index_dir: IndexDirOption = None,
) -> None:
    """Serve the `smart_search` tool over stdio, for editors and coding agents.

    Runs until the client goes away. Needs the `mcp` extra.
    """
    if find_spec('mcp') is None:
        fail(ValueError("`mcp` needs an extra: pip install 'pydantic-ai-smart-search[mcp]'"))
    from pydantic_ai_smart_search.cli.server import serve

    try:
        options = SearchOptions(
            threshold=threshold, concurrency=concurrency, screen_files=screen_files
        )
        serve(directory, judge, options, index_dir)
    except (SmartSearchError, ValueError) as error:
        fail(error)
