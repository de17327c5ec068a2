"""Saying what a search is doing while it does it."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

STAGE_WORDS: Final = {
    'index': 'indexing files',
    'screen': 'screening files',
    'judge': 'judging snippets',
}
"""What each stage of a search is called, in the order they come; files are screened only if that
is asked for."""

BAR_WIDTH: Final = 16
"""Columns of the bar: with the longest words and counts the line fits a terminal of 60."""


def stage_words(stage: str) -> str:
    """What a stage is called, its own name if nothing better is known."""
    return STAGE_WORDS.get(stage, stage)


class ProgressLine:
    """A line on stderr that says what is being done and then goes; only on a terminal."""

    def __init__(self, doing: str) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn('{task.description}'),
            BarColumn(bar_width=BAR_WIDTH),
            MofNCompleteColumn(),
            console=console,
            transient=True,
        )
        # Some releases of rich print an empty line for a display that is disabled.
        self._is_shown = console.is_interactive and console.file.isatty()
        self._task = self._progress.add_task(doing, total=None)

    def __enter__(self) -> Self:
        """Show the line."""
        if self._is_shown:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the line away."""
        if self._is_shown:
            self._progress.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show `done` of `total` units of `stage`."""
        self._progress.update(
            self._task, description=stage_words(stage), completed=done, total=total
        )
