"""Every default, bound and weight a user or a reviewer may want to look up: its value, unit and
reason, once.

Weights that belong to one formula stay beside that formula; what is here crosses a public boundary
(a setting, a tool argument, a flag) or limits what one search may consume.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

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

MAX_FILES: Final = 200_000
"""Most files one search may cover, counted after the glob. Twice the Linux kernel's 96,000."""

MAX_TOTAL_LINES: Final = 50_000_000
"""Most lines one search may cover. The Linux kernel has 39 million."""

MAX_TOTAL_BYTES: Final = 2 << 30
"""Most bytes of source one search may cover, 2 GiB. The Linux kernel has 1.1 GiB."""

MAX_FILE_BYTES: Final = 1 << 20
"""Larger files are left out and counted: past 1 MiB source is nearly always generated or data."""

MAX_SNIPPET_CHARS: Final = 12_000
"""Longest snippet, and longest line, the judge is shown: about 3,000 tokens."""

EXCERPT_LINES: Final = 12
"""Most lines of a match's excerpt."""

EXCERPT_CHARS: Final = 1_200
"""Most characters of a match's excerpt."""

MAX_CACHED_INDEXES: Final = 4
"""(Directory, glob) pairs whose index `cache_index` keeps in memory."""

JUDGE_TIMEOUT_SECONDS: Final = 30.0
"""Timeout of one request to a judge given by name; an instance keeps its own settings."""

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

    def __post_init__(self) -> None:
        """Reject values that could never return a match or start a judgment.

        Raises:
            ValueError: A threshold outside 0..1 (or NaN), or a concurrency below 1.
        """
        # An agent spec hands YAML values through unvalidated, so the types are checked too.
        if not _is_number(self.threshold) or not 0 <= self.threshold <= 1:
            raise ValueError(f'`threshold` must be a number from 0 to 1, got {self.threshold!r}')
        if (
            isinstance(self.concurrency, bool)
            or not isinstance(self.concurrency, int)
            or self.concurrency < 1
        ):
            raise ValueError(
                f'`concurrency` must be a whole number of at least 1, got {self.concurrency!r}'
            )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
