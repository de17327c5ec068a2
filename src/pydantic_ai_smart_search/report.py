"""Writing up a search: its coverage, its warnings and the facts for programs, from what the stages
returned.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pydantic_ai_smart_search.judge.judge import Case, Judge
from pydantic_ai_smart_search.judge.judging import Judged, UnjudgedReason
from pydantic_ai_smart_search.judge.screening import Screened
from pydantic_ai_smart_search.lexical.candidate import Shortlist
from pydantic_ai_smart_search.options import MAX_SYMBOL_CHARS, SAMPLE_PATHS, SearchOptions
from pydantic_ai_smart_search.rank.ranking import Ranking
from pydantic_ai_smart_search.results import (
    CandidateDetails,
    MatchDetails,
    SkippedFiles,
    SmartSearchCoverage,
    SmartSearchDetails,
    SmartSearchMatch,
    SmartSearchResult,
)
from pydantic_ai_smart_search.source.files import Listing, Root, Skipped, printable
from pydantic_ai_smart_search.source.kinds import FileKind


@dataclass(slots=True)
class StageClock:
    """Wall-clock seconds of each stage."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def time(self, stage: str) -> Generator[None]:
        """Time the body as `stage`."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = time.perf_counter() - started


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFacts:
    """What the stages of one search handed on."""

    judge: Judge
    options: SearchOptions
    is_explained: bool
    """Whether the result lists the candidates."""
    root: Root
    listing: Listing
    skipped: Sequence[Skipped]
    """From listing, reading, decoding and cutting together."""
    indexed_files: int
    uncut_files: int
    """Files that were scanned for the words of the query, and not read."""
    cut_files: int
    """Files that the snippets are of, where others were scanned; else 0."""
    storage_problem: str
    """Why the index is not kept on disk though it should be; empty if nothing is wrong."""
    shortlist: Shortlist
    screened: Screened
    cases: Sequence[Case]
    """The shortlist with its text, without what is withheld or in a file that changed meanwhile."""
    withheld: int
    """Candidates that hold a credential."""
    judged: Judged
    seconds: dict[str, float]

    @property
    def files(self) -> int:
        """Files listed, those that were then skipped included."""
        return len({*self.listing.paths, *(file.path for file in self.listing.skipped)})

    @property
    def is_complete(self) -> bool:
        """Derived from the counters: something was listed, nothing was skipped or left uncut,
        everything was judged.
        """
        judged = len(self.judged.cases)
        is_whole = self.files > 0 and not self.skipped and not self.uncut_files
        return is_whole and judged == self.shortlist.snippets


def write_result(ranking: Ranking, facts: SearchFacts) -> SmartSearchResult:
    """The result of a search whose stages ended in `ranking`."""
    return SmartSearchResult(
        matches=[
            SmartSearchMatch(
                file_path=ranked.judged.case.path,
                start_line=ranked.excerpt.span.first,
                end_line=ranked.excerpt.span.last,
                symbol=_shortened(ranked.judged.case.candidate.symbol),
                kind='test' if ranked.judged.case.candidate.kind is FileKind.TEST else None,
                score=round(ranked.judged.judgment.relevance, 3),
                text=ranked.excerpt.text,
                snippet_start_line=ranked.judged.case.candidate.span.first,
                snippet_end_line=ranked.judged.case.candidate.span.last,
            )
            for ranked in ranking.matches
        ],
        coverage=SmartSearchCoverage(
            files=facts.files,
            snippets=facts.shortlist.snippets,
            evaluated=len(facts.judged.cases),
            skipped_files=len({file.path for file in facts.skipped}),
            selection_complete=facts.is_complete,
        ),
        omitted_matches=ranking.omitted,
        warnings=list(_warnings(ranking, facts)),
        details=SmartSearchDetails(
            judge=facts.judge.name,
            requests=facts.judged.requests,
            retries=facts.judged.retries + facts.screened.retries,
            remembered=facts.judged.remembered,
            unjudged={reason.value: count for reason, count in facts.judged.unjudged.items()},
            input_tokens=facts.screened.input_tokens
            + sum(case.judgment.input_tokens for case in facts.judged.cases),
            output_tokens=facts.screened.output_tokens
            + sum(case.judgment.output_tokens for case in facts.judged.cases),
            indexed_files=facts.indexed_files,
            scanned_files=facts.files if facts.uncut_files else 0,
            screened_files=facts.screened.files,
            rescued_files=facts.shortlist.rescued_files,
            skipped=_skipped_by_reason(facts.skipped),
            seconds=facts.seconds,
            matches=[
                MatchDetails(
                    entity=ranked.judged.judgment.entity,
                    operation=ranked.judged.judgment.operation,
                    lexical_rank=ranked.judged.case.candidate.rank,
                    lexical_score=ranked.judged.case.candidate.score,
                )
                for ranked in ranking.matches
            ],
            candidates=list(_explain_candidates(facts)) if facts.is_explained else [],
        ),
    )


def _shortened(symbol: str | None) -> str | None:
    if symbol is None or len(symbol) <= MAX_SYMBOL_CHARS:
        return symbol
    return f'{symbol[: MAX_SYMBOL_CHARS - 3]}...'


def _explain_candidates(facts: SearchFacts) -> Iterator[CandidateDetails]:
    """The shortlist, best first, those included that could not be put before the judge."""
    judgments = {one.case.candidate.rank: one.judgment for one in facts.judged.cases}
    for candidate in facts.shortlist.candidates:
        judgment = judgments.get(candidate.rank)
        yield CandidateDetails(
            path=facts.root.display(candidate.path),
            start_line=candidate.span.first,
            end_line=candidate.span.last,
            symbol=candidate.symbol,
            rank=candidate.rank,
            score=candidate.score,
            parts={part.name: part.score for part in candidate.parts},
            entity=judgment and judgment.entity,
            operation=judgment and judgment.operation,
        )


def _warnings(ranking: Ranking, facts: SearchFacts) -> Iterator[str]:
    """Each names one cause and its own remedy."""
    if not facts.files:
        yield f'There are no files to search. {facts.listing.why_empty}'
        return
    if facts.judge.is_local:
        yield 'Matches were ranked locally by words and meaning, not judged by a model.'
    if facts.judged.cases and not ranking.matches:
        yield (
            f'No snippet reached the threshold of {facts.options.threshold:g}; this does not prove '
            'absence. Rephrase, narrow the directory, or use regular search.'
        )
    changed = len(facts.shortlist.candidates) - len(facts.cases) - facts.withheld
    if changed:
        yield (
            f'{changed} shortlisted snippets were left out because their files changed '
            'during the search; search again to include them.'
        )
    yield from _unjudged_warnings(facts)
    if facts.screened.failed:
        yield (
            f'{facts.screened.failed} files were not screened and may be relevant: '
            f'{facts.screened.failure}.'
        )
    if facts.uncut_files:
        yield (
            f'All {len(facts.listing.paths):,} files were scanned for the words of the query, and '
            f'the {facts.cut_files:,} that fit best were cut into snippets.'
        )
    if not facts.judged.unjudged and len(facts.shortlist.candidates) < facts.shortlist.snippets:
        yield (
            f'{len(facts.judged.cases)} of {facts.shortlist.snippets:,} snippets were looked at '
            'closely, chosen by their words and meaning; other code may be missed. '
            'Raise `candidates`, or narrow `directory` or `glob`.'
        )
    if facts.storage_problem:
        yield f'The index could not be kept in `index_dir`: {facts.storage_problem}.'
    if facts.skipped:
        reasons = ', '.join(
            f'{files.count:,} {reason} ({_sample(files)})'
            for reason, files in _skipped_by_reason(facts.skipped).items()
        )
        yield f'Files not searched, or not in full: {reasons}.'


def _unjudged_warnings(facts: SearchFacts) -> Iterator[str]:
    """One for each reason why shortlisted snippets were not judged."""
    judged = facts.judged
    for reason, count in judged.unjudged.items():
        match reason:
            case UnjudgedReason.NO_REQUESTS:
                yield (
                    f'Only {len(judged.cases)} of {len(facts.cases)} shortlisted snippets were '
                    'judged: each counts as a request, and a search spends at most half of what '
                    "the run's `request_limit` has left. "
                    'Narrow `directory` or `glob` so that fewer need judging.'
                )
            case UnjudgedReason.JUDGE_FAILED:
                yield (
                    f'{count} shortlisted snippets could not be judged and may be relevant: '
                    f'{judged.failure}.'
                )
            case UnjudgedReason.DEADLINE:
                yield (
                    f'{count} shortlisted snippets were not judged within the '
                    f'{facts.options.deadline_seconds:g} seconds allowed and may be relevant. '
                    'Narrow `directory` or `glob`.'
                )
            case _:
                yield (
                    f'{count} shortlisted snippets were not judged, because '
                    f'{facts.options.stop_after} or more confident matches had been found.'
                )


def _sample(files: SkippedFiles) -> str:
    more = ', ...' if files.count > len(files.paths) else ''
    return ', '.join(files.paths) + more


def _skipped_by_reason(skipped: Sequence[Skipped]) -> dict[str, SkippedFiles]:
    """Files by reason, reasons and paths sorted so that the same search words the same warning."""
    by_reason: dict[str, set[str]] = {}
    for file in skipped:
        by_reason.setdefault(file.reason.value, set()).add(printable(file.path))
    return {
        reason: SkippedFiles(count=len(paths), paths=sorted(paths)[:SAMPLE_PATHS])
        for reason, paths in sorted(by_reason.items())
    }
