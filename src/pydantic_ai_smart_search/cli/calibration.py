"""Choosing a threshold for a judge from queries whose answers are known."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from pydantic_ai_smart_search.errors import InvalidSearch
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.request import Progress
from pydantic_ai_smart_search.results import SmartSearchResult

THRESHOLDS: Final = tuple(step / 20 for step in range(1, 20))
"""Those that are tried: judges hardly tell relevances apart that are closer than 0.05."""

RESAMPLES: Final = 1_000
"""Times the queries are drawn again, with replacement, to see how much hangs on which they are."""

FEW_QUERIES: Final = 20
"""Fewer queries than this say little: one of them moves a share by 5 points or more."""

_ANSWER: Final = re.compile(r'(?P<path>.+?)(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?')


class LabelledQuery(BaseModel, extra='forbid'):
    """A query and the places that answer it."""

    query: str
    answers: Annotated[list[str], Field(min_length=1)]
    """Each `path`, `path:line` or `path:first-last`, as a match would show it."""


class InvalidLabels(InvalidSearch):
    """A file of labelled queries cannot be read, or has a row that is none."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(
            f'{path}: {problem}. Each line has to be like '
            '{"query": "reject an expired session", "answers": ["app/sessions.py:12-17"]}.'
        )


class Place(NamedTuple):
    """Where a judged snippet or an answer is."""

    path: str
    span: LineSpan | None
    """`None` for a whole file."""

    def overlaps(self, other: Place) -> bool:
        """Whether the two have a line in common."""
        if self.path != other.path:
            return False
        return self.span is None or other.span is None or self.span.overlaps(other.span)


class Judged(NamedTuple):
    """One query's answers, and what the judge said of the candidates."""

    answers: Sequence[Place]
    relevances: Sequence[tuple[Place, float]]


class Score(NamedTuple):
    """How good the matches at one threshold are, over all queries together, each 0..1."""

    threshold: float
    precision: float
    """Share of the matches that overlap an answer; 1 where there are no matches."""
    recall: float
    """Share of the answers that a match overlaps."""

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / ((self.precision + self.recall) or 1.0)


class Calibration(NamedTuple):
    """What thresholds would do, and which to choose."""

    scores: Sequence[Score]
    """One for each of `THRESHOLDS`."""
    best: Score
    """That of the best F1; of equals the highest threshold."""
    low: float
    """The best threshold of a resample lies from here ..."""
    high: float
    """... to here in 95 of 100."""
    queries: int
    reachable: float
    """Share of the answers that a candidate overlaps: no threshold has a higher recall."""


def read_labels(path: Path) -> list[LabelledQuery]:
    """The labelled queries of a file of JSON lines.

    Raises:
        InvalidLabels: There are none, or a line is something else.
    """
    try:
        lines = path.read_text(encoding='utf-8').splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidLabels(path, str(error)) from error
    labels: list[LabelledQuery] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                labels.append(LabelledQuery.model_validate_json(line))
            except ValidationError as error:
                problem = error.errors(include_url=False)[0]['msg']
                raise InvalidLabels(path, f'line {number}: {problem}') from error
    if not labels:
        raise InvalidLabels(path, 'it has no queries')
    return labels


def place_of(answer: str) -> Place:
    """The place that an answer names."""
    found = _ANSWER.fullmatch(answer)
    if found is None or found['first'] is None:
        return Place(answer, None)
    first = max(int(found['first']), 1)
    return Place(found['path'], LineSpan(first, max(int(found['last'] or first), first)))


async def ask_all(
    labels: Sequence[LabelledQuery],
    ask: Callable[[str], Awaitable[SmartSearchResult]],
    progress: Progress,
) -> list[Judged]:
    """What `ask`, a search that explains itself, says of each query's answers, in their order."""
    found: list[Judged] = []
    for label in labels:
        found.append(_judged(label, await ask(label.query)))
        progress('asking queries', len(found), len(labels))
    return found


def _judged(label: LabelledQuery, result: SmartSearchResult) -> Judged:
    return Judged(
        [place_of(answer) for answer in label.answers],
        [
            (
                Place(one.path, LineSpan(one.start_line, one.end_line)),
                one.entity * one.operation,
            )
            for one in result.details.candidates
            if one.entity is not None and one.operation is not None
        ],
    )


def calibrate(rows: Sequence[Judged], *, resamples: int = RESAMPLES) -> Calibration:
    """The scores of every threshold over `rows`, at least one, and the best of them.

    How sure that is comes from the percentile bootstrap (Efron, "Bootstrap methods: another look
    at the jackknife", 1979) over the queries, with a fixed seed.
    """
    counts = [[_count(row, threshold) for threshold in THRESHOLDS] for row in rows]
    drawn = random.Random(0)
    bests = sorted(
        _best(_add_up(drawn.choices(counts, k=len(counts)))).threshold for _ in range(resamples)
    )
    scores = _add_up(counts)
    reached = [_count(row, 0.0) for row in rows]
    return Calibration(
        scores=scores,
        best=_best(scores),
        low=bests[int(0.025 * len(bests))],
        high=bests[int(0.975 * len(bests))],
        queries=len(rows),
        reachable=sum(one.answered for one in reached) / sum(one.answers for one in reached),
    )


class _Counts(NamedTuple):
    """Of one query at one threshold."""

    matches: int
    right: int
    answers: int
    answered: int


def _count(row: Judged, threshold: float) -> _Counts:
    matches = [place for place, relevance in row.relevances if relevance >= threshold]
    return _Counts(
        matches=len(matches),
        right=sum(any(match.overlaps(answer) for answer in row.answers) for match in matches),
        answers=len(row.answers),
        answered=sum(any(match.overlaps(answer) for match in matches) for answer in row.answers),
    )


def _add_up(counts: Sequence[Sequence[_Counts]]) -> list[Score]:
    scores: list[Score] = []
    for threshold, of_queries in zip(THRESHOLDS, zip(*counts, strict=True), strict=True):
        matches, right, answers, answered = map(sum, zip(*of_queries, strict=True))
        scores.append(Score(threshold, right / matches if matches else 1.0, answered / answers))
    return scores


def _best(scores: Sequence[Score]) -> Score:
    return max(scores, key=lambda score: (score.f1, score.threshold))
