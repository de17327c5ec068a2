"""What stops a search. Each error carries the values it is about and words its own message.

`InvalidSearch` is what the caller can put right by changing the call; `SearchUnavailable` is what
it cannot. The edges translate the two: for an agent the first becomes a retry, the second a failed
tool call. What a search survives (a file that cannot be read, a snippet left unjudged) is never
raised: it is counted in the result.
"""

from __future__ import annotations

from pydantic_ai_smart_search.options import MAX_QUERY_CHARS

USE_REGULAR_SEARCH = 'Use regular text search and targeted reads instead.'
"""What a caller whom no other call can help is told to do."""


class SmartSearchError(Exception):
    """Base of everything this package raises on purpose."""


class InvalidSearch(SmartSearchError):
    """The call cannot be served as it is, and its message says how to change it."""


class InvalidQuery(InvalidSearch):
    """The query, or another phrasing of it, is empty or too long."""

    def __init__(self, query: str, *, argument: str = 'query') -> None:
        self.argument: str = argument
        self.length: int = len(query)
        super().__init__(
            f'`{argument}` must have 1 to {MAX_QUERY_CHARS:,} characters, got {self.length:,}.'
        )


class NoSearchableWords(InvalidSearch):
    """The query has only words that every program is full of."""

    def __init__(self, query: str) -> None:
        self.query = query
        super().__init__(
            f'`query` has no searchable words: {query[:80]!r}. '
            'Describe the behaviour with words the code would use.'
        )


class ArgumentOutOfRange(InvalidSearch):
    """A numeric argument is outside its range."""

    def __init__(self, name: str, value: int, *, minimum: int, maximum: int) -> None:
        self.name = name
        self.value = value
        self.minimum = minimum
        self.maximum = maximum
        super().__init__(f'`{name}` must be from {minimum} to {maximum}, got {value}.')


class DirectoryNotFound(InvalidSearch):
    """The directory to search does not exist."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        super().__init__(
            f'There is no {directory!r} in the workspace. '
            'Give a directory or file relative to the working directory.'
        )


class DirectoryOutsideWorkspace(InvalidSearch):
    """The directory leads out of the working directory, by `..` or by a link."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        super().__init__(
            f'{directory!r} is outside the working directory. '
            'Only directories and files inside it are searched.'
        )


class InvalidGlob(InvalidSearch):
    """The glob cannot be understood."""

    def __init__(self, glob: str, reason: str) -> None:
        self.glob = glob
        self.reason = reason
        super().__init__(f'The glob {glob!r} cannot be used: {reason}.')


class LimitExceeded(InvalidSearch):
    """The search would cover more than one search may; it names the limit that tripped."""

    def __init__(self, what: str, limit: int) -> None:
        self.what = what
        self.limit = limit
        super().__init__(
            f'This search covers more than {limit:,} {what}, the most one search may. '
            'Narrow `directory` or `glob` and search again.'
        )


class SearchUnavailable(SmartSearchError):
    """No change to the call would help: the caller has to find the code another way."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f'{reason} {USE_REGULAR_SEARCH}')


class RipgrepMissing(SearchUnavailable):
    """The workspace has no `rg`."""

    def __init__(self) -> None:
        super().__init__(
            'The workspace has no ripgrep (`rg`). For a local workspace, '
            "`pip install 'pydantic-ai-smart-search[rg]'` provides it; "
            'elsewhere install it in the workspace.'
        )


class ListingFailed(SearchUnavailable):
    """`rg` could not list the files."""

    def __init__(self, exit_code: int, detail: str) -> None:
        self.exit_code = exit_code
        self.detail = detail
        super().__init__(
            f'Listing the files failed: `rg` exited with {exit_code}: {detail or "no message"}.'
        )


class NoRequestsLeft(SearchUnavailable):
    """The run's `request_limit` leaves no request for a judgment."""

    def __init__(self, request_limit: int) -> None:
        self.request_limit = request_limit
        super().__init__(
            'There are no requests left to judge with: each judged snippet counts as one request '
            f"against the run's `request_limit` of {request_limit}, "
            'and one is kept for the next turn.'
        )


class RequestsNotCounted(SearchUnavailable):
    """The run limits what it spends, and what this search spends would not be counted in it."""

    def __init__(self) -> None:
        super().__init__(
            'This tool call runs apart from its run, as a Temporal activity does, so what the '
            "judge costs cannot be added to the run's usage, which `usage_limits` bounds. Use the "
            "`'local'` judge, or run with `UsageLimits(request_limit=None)` and no limit on tokens "
            'or cost.'
        )


class JudgeFailed(SearchUnavailable):
    """The judge raised, or answered with something that is not a judgment."""

    def __init__(self, judge: str, detail: str) -> None:
        self.judge = judge
        self.detail = detail
        super().__init__(f'The judge {judge!r} failed: {detail}.')


class JudgeUnusable(JudgeFailed):
    """No request to the judge can succeed until its user puts something right, such as a key."""


class JudgeUnavailable(JudgeFailed):
    """The judge could not answer now, and may when asked again."""

    def __init__(
        self,
        judge: str,
        detail: str,
        *,
        is_rate_limited: bool = False,
        retry_after: float | None = None,
    ) -> None:
        self.is_rate_limited = is_rate_limited
        """Whether it asks for fewer requests at once."""
        self.retry_after = retry_after
        """Seconds it asks to be left alone, if it said."""
        super().__init__(judge, detail)


class MalformedJudgment(JudgeFailed):
    """The judge answered with something other than numbers from 0 to 1."""

    def __init__(self, judge: str, complaint: str) -> None:
        self.complaint = complaint
        """What is wrong with the answer, in our words: nothing of the answer is in it."""
        super().__init__(judge, f'its answer cannot be used: {complaint}')


class DeadlinePassed(SearchUnavailable):
    """The search's time was up before anything was judged."""

    def __init__(self, deadline_seconds: float) -> None:
        self.deadline_seconds = deadline_seconds
        super().__init__(f'Nothing was judged within the {deadline_seconds:g} seconds allowed.')
