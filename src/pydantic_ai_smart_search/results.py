"""What a search returns: ranked matches, how much was looked at, and what a program may want to
know besides.

Everything a model reads is a field of `SmartSearchResult` itself. `details` travels in the same
object, for programs, and is left out when the result is serialised for the model.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass


@dataclass(kw_only=True)
class SmartSearchMatch:
    """One relevant snippet, with a short excerpt around the evidence."""

    file_path: str
    """The file, relative to the working directory, or absolute if the search directory was."""
    start_line: int
    """First line of `text`, 1-based."""
    end_line: int
    """Last line of `text`, 1-based and inclusive."""
    symbol: str | None = None
    """The declaration the snippet belongs to, such as `Cache.get`, where the file's structure is
    understood."""
    kind: Literal['test'] | None = None
    """`'test'` when the file looks like a test. Tests are labelled, never demoted."""
    score: float
    """Relevance, 0..1: the product of the judge's two answers, rounded to three decimals."""
    text: str
    """At most 12 lines and 1,200 characters of the snippet, around the lines that carry the
    evidence."""
    snippet_start_line: int
    """First line of the whole snippet that was judged."""
    snippet_end_line: int
    """Last line of the whole snippet that was judged."""


@dataclass(kw_only=True)
class SmartSearchCoverage:
    """How much of the directory the search looked at."""

    files: int = 0
    """Files listed under the directory, after the glob."""
    snippets: int = 0
    """Snippets those files were cut into."""
    evaluated: int = 0
    """Snippets that were judged."""
    skipped_files: int = 0
    """Listed files that were not searched, or not in full; `details.skipped` says why."""
    selection_complete: bool = False
    """Whether at least one file was listed, none was skipped or cut, and every snippet was judged.
    """


@dataclass(kw_only=True)
class SkippedFiles:
    """Files left out of a search, or cut short, for one reason."""

    count: int
    """How many there are."""
    paths: list[str]
    """The first few of them in path order, relative to the searched directory."""


@dataclass(kw_only=True)
class MatchDetails:
    """How one match came to its place."""

    entity: float
    """The judge's answer to whether the snippet acts on what the query names, 0..1."""
    operation: float
    """The judge's answer to whether the snippet performs what the query describes, 0..1."""
    lexical_rank: int
    """The snippet's place in the shortlist, 1 being the best."""
    lexical_score: float
    """The snippet's weighted BM25 score, 0 or more; comparable only within one search."""


@dataclass(kw_only=True)
class CandidateDetails:
    """How one shortlisted snippet came to its place, and what the judge made of it."""

    path: str
    """The file, spelled as in a match."""
    start_line: int
    """First line of the snippet, 1-based."""
    end_line: int
    """Last line of the snippet, 1-based and inclusive."""
    symbol: str | None = None
    """The declaration the snippet belongs to, where the file's structure is understood."""
    rank: int
    """The snippet's place in the shortlist, 1 being the best."""
    score: float
    """Its score there, 0 or more; comparable only within one search."""
    parts: dict[str, float] = field(default_factory=dict)
    """What was added up to `score`, by the name of the term or rule; a rule may take away."""
    entity: float | None = None
    """The judge's answer to whether it acts on what the query names, 0..1; `None` if not judged."""
    operation: float | None = None
    """The judge's answer to whether it performs what the query describes, 0..1, or `None`."""


@dataclass(kw_only=True)
class SmartSearchDetails:
    """Facts about a search for programs; a model never reads them."""

    judge: str = ''
    """The judge, as `provider:model`, or `local`."""
    requests: int = 0
    """Requests this search made to the judge."""
    input_tokens: int = 0
    """Input tokens the judge reported for them."""
    output_tokens: int = 0
    """Output tokens the judge reported for them."""
    retries: int = 0
    """Requests among them that put a snippet to the judge again."""
    remembered: int = 0
    """Snippets whose judgment was kept from an earlier search, and cost no request."""
    unjudged: dict[str, int] = field(default_factory=dict)
    """Shortlisted snippets that were not judged, by reason, such as `no requests left`."""
    indexed_files: int = 0
    """Files this search cut and indexed: all of them unless a kept index was reused, or the
    directory is so big that it was scanned."""
    scanned_files: int = 0
    """Files scanned for the words of the query, to choose those to cut; 0 if all were cut."""
    screened_files: int = 0
    """Files whose outlines the judge was asked about, now or before, to have more of them judged.
    """
    rescued_files: int = 0
    """Files among them of which more snippets were judged."""
    skipped: dict[str, SkippedFiles] = field(default_factory=dict)
    """Skipped and shortened files by reason, such as `binary` or `secret`."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall-clock seconds by stage: `list`, `index`, `shortlist`, `screen`, `judge`, `rank`."""
    matches: list[MatchDetails] = field(default_factory=list)
    """One entry for each of the result's matches, in the same order."""
    candidates: list[CandidateDetails] = field(default_factory=list)
    """The whole shortlist, best first, if the search was asked to explain itself."""


@dataclass(kw_only=True)
class SmartSearchResult:
    """What one `smart_search` call found, and how thoroughly it looked."""

    matches: list[SmartSearchMatch] = field(default_factory=list)
    """Relevant snippets, best first; of overlapping ones only the best."""
    coverage: SmartSearchCoverage = field(default_factory=SmartSearchCoverage)
    """How much of the directory was looked at."""
    omitted_matches: int = 0
    """Relevant snippets beyond `limit`."""
    warnings: list[str] = field(default_factory=list)
    """Why the result may be incomplete, and what to do: no match does not prove absence."""
    details: Annotated[SmartSearchDetails, Field(exclude=True)] = field(
        default_factory=SmartSearchDetails
    )
    """Facts for programs, left out of what a model reads."""
