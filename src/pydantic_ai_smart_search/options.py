"""Every default, bound and weight a user or a reviewer may want to look up: its value, unit and
reason, once.

Weights that belong to one formula stay beside that formula; what is here crosses a public boundary
(a setting, a tool argument, a flag) or limits what one search may consume.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, get_args

DEFAULT_THRESHOLD: Final = 0.5
"""Relevance a snippet needs to be a match, 0..1. The value the capability of this name in
pydantic-ai-harness uses."""

DEFAULT_CONCURRENCY: Final = 8
"""Judgments under way at once. Low enough for the rate limits of a new provider account."""

DEFAULT_LIMIT: Final = 5
"""Matches returned: what an agent reads before it opens a file."""

MAX_LIMIT: Final = 100
"""Most matches one call may ask for; at 1,200 characters each they fill about 30,000 tokens."""

DEFAULT_CANDIDATES: Final = 128
"""Snippets shortlisted for the judge."""

MAX_CANDIDATES: Final = 256
"""Most snippets one call may shortlist: each costs a request."""

MAX_QUERY_CHARS: Final = 2_000
"""Longest query in characters, after stripping. It travels with every judgment."""

MAX_ALTERNATIVES: Final = 5
"""Most other phrasings of a query: each is a ranking of its own."""

MAX_FILES: Final = 200_000
"""Most files one search may cover, counted after the glob. Twice the Linux kernel's 96,000."""

MAX_TOTAL_LINES: Final = 50_000_000
"""Most lines one search may cover. The Linux kernel has 39 million."""

MAX_TOTAL_BYTES: Final = 2 << 30
"""Most bytes of source one search may cover, 2 GiB. The Linux kernel has 1.1 GiB."""

MAX_FILE_BYTES: Final = 1 << 20
"""Larger files are counted, and left out unless they are code or named themselves: past 1 MiB files
are nearly always data."""

MAX_SOURCE_BYTES: Final = 16 << 20
"""Code larger than this is left out too. SQLite in one file, the longest that people do read, has
9 MiB."""

MAX_SNIPPET_CHARS: Final = 12_000
"""Longest snippet, and longest line, the judge is shown: about 3,000 tokens."""

EXCERPT_LINES: Final = 12
"""Most lines of a match's excerpt."""

EXCERPT_CHARS: Final = 1_200
"""Most characters of a match's excerpt."""

MAX_SYMBOL_CHARS: Final = 300
"""Longest symbol of a match, which says more than that by its first names: of the standard library
fewer than 1 in 1,000 is longer. With a long path, a match is then under 2,000 characters."""

MAX_CACHED_INDEXES: Final = 4
"""(Directory, glob) pairs whose index `cache_index` keeps in memory."""

JUDGE_TIMEOUT_SECONDS: Final = 30.0
"""Timeout of one request to a judge given by name; an instance keeps its own settings."""

MAX_JUDGE_RETRIES: Final = 2
"""Times a snippet is put to the judge again after a failure; each costs a request."""

MAX_RETRY_AFTER_SECONDS: Final = 30.0
"""Longest wait a judge may ask for before a retry, as long as one request to it may take. Asked
for more, a snippet is given up: an agent is waiting."""

MAX_SCREEN_FILES: Final = 1_000
"""Most outlines one search may show a judge: 42 requests, about as many as an agent's run has."""

MAX_REMEMBERED_JUDGMENTS: Final = 4_096
"""Judgments kept for repeated queries, about 1 MB: 32 searches with the default candidates."""

OnJudgeError = Literal['fail', 'partial']
"""What a judgment that still fails after its retries does to the search."""

Refresh = Literal['state', 'content']
"""What tells whether a file of a kept index has changed: its size and times, or all of its content.
"""

SAMPLE_PATHS: Final = 3
"""Paths named per reason in the details and warnings of a search: enough to recognise what was
skipped."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchOptions:
    """How one search chooses and judges, whatever it searches for."""

    threshold: float = DEFAULT_THRESHOLD
    """Relevance a snippet needs to be a match, 0..1."""
    concurrency: int = DEFAULT_CONCURRENCY
    """Judgments under way at once, 1 or more."""
    on_judge_error: OnJudgeError = 'fail'
    """Whether a failed judgment fails the search, or the rest is returned and counted."""
    stop_after: int | None = None
    """Confident matches after which no more snippets are judged; `None` judges them all."""
    deadline_seconds: float | None = None
    """Seconds after which a search returns what it has judged; `None` for as long as it takes."""
    use_embedding: bool = True
    """Whether snippets are shortlisted by their meaning too, or by their words alone."""
    screen_secrets: bool = True
    """Whether snippets that hold a credential are withheld from the judge and the result."""
    refresh: Refresh = 'state'
    """What tells whether a file of a kept index has changed."""
    screen_files: int = 0
    """Most outlines of files that the judge is shown to bring more of them in; 0 for none."""

    def __post_init__(self) -> None:
        """Reject values that could never return a match or start a judgment.

        Raises:
            ValueError: A threshold outside 0..1 (or NaN), a concurrency or `stop_after` below 1,
                a deadline that is not positive, `screen_files` outside 0..1,000, an unknown
                `on_judge_error` or `refresh`, or a switch that is neither true nor false.
        """
        # An agent spec hands YAML values through unvalidated, so the types are checked too.
        if not _is_number(self.threshold) or not 0 <= self.threshold <= 1:
            raise ValueError(f'`threshold` must be a number from 0 to 1, got {self.threshold!r}')
        if not _is_count(self.concurrency):
            raise ValueError(
                f'`concurrency` must be a whole number of at least 1, got {self.concurrency!r}'
            )
        outlines = self.screen_files
        if not _is_count(outlines, minimum=0) or outlines > MAX_SCREEN_FILES:
            raise ValueError(
                f'`screen_files` must be a whole number from 0 to {MAX_SCREEN_FILES:,}, '
                f'got {outlines!r}'
            )
        if self.stop_after is not None and not _is_count(self.stop_after):
            raise ValueError(
                f'`stop_after` must be a whole number of at least 1, got {self.stop_after!r}'
            )
        if self.on_judge_error not in get_args(OnJudgeError):
            raise ValueError(
                f"`on_judge_error` must be 'fail' or 'partial', got {self.on_judge_error!r}"
            )
        deadline = self.deadline_seconds
        if deadline is not None and not (_is_number(deadline) and deadline > 0):
            raise ValueError(f'`deadline_seconds` must be a positive number, got {deadline!r}')
        switches = {'use_embedding': self.use_embedding, 'screen_secrets': self.screen_secrets}
        for name, value in switches.items():
            if not _is_switch(value):
                raise ValueError(f'`{name}` must be true or false, got {value!r}')
        if self.refresh not in get_args(Refresh):
            raise ValueError(f"`refresh` must be 'state' or 'content', got {self.refresh!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _is_count(value: object, *, minimum: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= minimum


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)
