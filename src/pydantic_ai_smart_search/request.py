"""What a search is asked for, and whom it tells how far it has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic_ai_smart_search.errors import ArgumentOutOfRange, InvalidQuery
from pydantic_ai_smart_search.options import (
    DEFAULT_CANDIDATES,
    DEFAULT_LIMIT,
    MAX_ALTERNATIVES,
    MAX_CANDIDATES,
    MAX_LIMIT,
    MAX_QUERY_CHARS,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """What one call asks for."""

    query: str
    """The behaviour to find, in plain English; 1 to 2,000 characters once stripped."""
    directory: str = '.'
    """What to search: a directory or a file inside the working directory."""
    glob: str | None = None
    """Narrows the listing; `None` for every file."""
    limit: int = DEFAULT_LIMIT
    """Matches to return, 1..100."""
    candidates: int = DEFAULT_CANDIDATES
    """Snippets to judge, 1..256."""
    alternatives: Sequence[str] | None = None
    """Other phrasings of the query, at most 5; the shortlist is that of all of them together."""
    explain: bool = False
    """Whether the details of the result list every candidate with the parts of its score."""

    def checked_phrasings(self) -> list[str]:
        """The stripped query and then its alternatives, once every argument is in range.

        Raises:
            InvalidQuery: The query or an alternative is empty or too long.
            ArgumentOutOfRange: `limit`, `candidates` or the number of alternatives is.
        """
        alternatives = self.alternatives or ()
        phrasings = [phrasing.strip() for phrasing in (self.query, *alternatives)]
        for number, phrasing in enumerate(phrasings):
            if not 1 <= len(phrasing) <= MAX_QUERY_CHARS:
                argument = f'alternatives[{number - 1}]' if number else 'query'
                raise InvalidQuery(phrasing, argument=argument)
        if len(alternatives) > MAX_ALTERNATIVES:
            raise ArgumentOutOfRange(
                'alternatives', len(alternatives), minimum=0, maximum=MAX_ALTERNATIVES
            )
        if not 1 <= self.limit <= MAX_LIMIT:
            raise ArgumentOutOfRange('limit', self.limit, minimum=1, maximum=MAX_LIMIT)
        if not 1 <= self.candidates <= MAX_CANDIDATES:
            raise ArgumentOutOfRange(
                'candidates', self.candidates, minimum=1, maximum=MAX_CANDIDATES
            )
        return phrasings


class Progress(Protocol):
    """Told how far a search has come; called from the event loop, so it must return at once."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` units of `stage` (`index`, `screen`: files; `judge`: snippets)."""
        ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Tell nobody."""
