"""What a person, or a program, sees of a search."""

from __future__ import annotations

import json
import os
from types import TracebackType
from typing import Final, Self

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.syntax import Syntax
from rich.text import Text

from pydantic_ai_smart_search.pipeline import Survey
from pydantic_ai_smart_search.results import (
    SmartSearchCoverage,
    SmartSearchDetails,
    SmartSearchMatch,
    SmartSearchResult,
)

JSON_VERSION: Final = 1
"""Raised when a field of the JSON output changes its meaning or goes away."""

THEME: Final = 'ansi_dark'
"""Only the terminal's own colours, so that it is readable on light and dark ones."""

STAGE_WORDS: Final = {'index': 'reading and indexing files', 'judge': 'judging snippets'}
"""What each stage of a search is called on the progress line."""

_RESULT = TypeAdapter(SmartSearchResult)
_DETAILS = TypeAdapter(SmartSearchDetails)


def result_as_json(result: SmartSearchResult) -> str:
    """The whole result, details included, as one JSON object with a `version`."""
    whole = _RESULT.dump_python(result, mode='json')
    details = _DETAILS.dump_python(result.details, mode='json')
    return json.dumps({'version': JSON_VERSION, **whole, 'details': details}, indent=2)


def survey_as_json(survey: Survey) -> str:
    """The files that would be searched and those that would not, as one JSON object."""
    return json.dumps(
        {
            'version': JSON_VERSION,
            'files': list(survey.searched),
            'snippets': survey.snippets,
            'skipped': [
                {'path': file.path, 'reason': file.reason.value, 'detail': file.detail}
                for file in survey.skipped
            ],
        },
        indent=2,
    )


def show_result(console: Console, result: SmartSearchResult, *, base: str) -> None:
    """Print each match with its excerpt, then what was covered, then the warnings.

    `base` is the directory that relative paths start in, for links a terminal can open.
    """
    for match in result.matches:
        _show_match(console, match, base)
    console.print(Text(_summary(result), style='bold'))
    for warning in result.warnings:
        console.print(Text(warning, style='dim'))


def _show_match(console: Console, match: SmartSearchMatch, base: str) -> None:
    place = f'{match.file_path}:{match.start_line}'
    heading = Text(place, style=f'bold cyan link file://{os.path.join(base, match.file_path)}')
    heading.append(f'-{match.end_line}', style='cyan')
    if match.symbol:
        heading.append(f'  {match.symbol}', style='bold')
    heading.append(f'  {match.score:.2f}', style='green')
    if match.kind:
        heading.append(f'  [{match.kind}]', style='yellow')
    console.print(heading)
    if console.is_terminal:
        console.print(
            Syntax(
                match.text,
                Syntax.guess_lexer(match.file_path, match.text),
                theme=THEME,
                background_color='default',
                line_numbers=True,
                start_line=match.start_line,
                word_wrap=False,
            )
        )
    else:
        for number, line in enumerate(match.text.split('\n'), match.start_line):
            console.print(f'{number:6} {line}', markup=False, highlight=False, soft_wrap=True)
    console.print()


def _summary(result: SmartSearchResult) -> str:
    coverage: SmartSearchCoverage = result.coverage
    found = len(result.matches)
    more = f' ({result.omitted_matches} more beyond the limit)' if result.omitted_matches else ''
    return (
        f'{found or "No"} match{"" if found == 1 else "es"}{more} · '
        f'{coverage.evaluated:,} of {coverage.snippets:,} snippets in {coverage.files:,} files '
        f'looked at closely · {sum(result.details.seconds.values()):.1f} s'
    )


def show_survey(console: Console, survey: Survey) -> None:
    """Print the searchable files, one a line, then a count, then each file left out and why."""
    for path in survey.searched:
        console.print(path, markup=False, highlight=False)
    console.print(
        Text(f'{len(survey.searched):,} files, {survey.snippets:,} snippets', style='bold')
    )
    for file in sorted(survey.skipped, key=lambda file: (file.reason, file.path)):
        detail = f' ({file.detail})' if file.detail else ''
        console.print(Text(f'left out, {file.reason.value}{detail}: {file.path}', style='dim'))


class ProgressLine:
    """One line on a terminal's stderr that says what a search is doing; silent anywhere else."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn('{task.description}'),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        """Show the line."""
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self._progress.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show `done` of `total` units of `stage`."""
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(STAGE_WORDS[stage])
        self._progress.update(self._tasks[stage], completed=done, total=total)
