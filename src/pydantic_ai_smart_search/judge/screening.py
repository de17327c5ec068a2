"""Asking a judge which files to look further into than a shortlist does, many at once."""

from __future__ import annotations

import math
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import anyio

from pydantic_ai_smart_search.errors import JudgeFailed, JudgeUnusable, NoRequestsLeft
from pydantic_ai_smart_search.judge.asking import Asker
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Judge, Judgment, Outline, Screener
from pydantic_ai_smart_search.judge.judging import open_judge
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.judge.outlines import MAX_OUTLINE_CHARS
from pydantic_ai_smart_search.judge.throttle import Throttle
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS, SearchOptions

OUTLINES_PER_QUESTION: Final = MAX_SNIPPET_CHARS // MAX_OUTLINE_CHARS
"""Outlines in one question: together no longer than the longest snippet."""

BUDGET_SHARE: Final = 0.125
"""Share of what a search may spend that goes to screening: 3 of 24 requests, for 72 files. More
costs as many places in the shortlist as it rescues.
"""

LIKELY: Final = 0.5
"""Likelihood from which a file is looked into: rather than not."""

TIME_SHARE: Final = 0.5
"""Share of a search's deadline after which screening ends, so that the rest is for judging."""


class ScreeningPlan(NamedTuple):
    """What may be screened."""

    files: int
    """Most files whose outlines may be shown to the judge; 0 for none."""
    snippets: int | None
    """Snippets at the head of a shortlist that are judged anyway; `None` for all of them."""


def plan_screening(judge: Judge, budget: RequestBudget, options: SearchOptions) -> ScreeningPlan:
    """How many files may be screened, and which snippets are judged whatever comes of it.

    A judge that is no `Screener`, such as the local one, has nothing to be asked.
    """
    if not options.screen_files or not isinstance(judge, Screener):
        return ScreeningPlan(0, None)
    if budget.left is None:
        return ScreeningPlan(options.screen_files, None)
    wanted = math.ceil(options.screen_files / OUTLINES_PER_QUESTION)
    return ScreeningPlan(
        options.screen_files, budget.left - min(wanted, _affordable_questions(budget))
    )


def _affordable_questions(budget: RequestBudget) -> int:
    return sys.maxsize if budget.left is None else int(budget.left * BUDGET_SHARE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Screened:
    """What came of screening outlines."""

    likely: Sequence[int] = ()
    """Places of the outlines of files to look into, the most likely first."""
    files: int = 0
    """Outlines that the judge gave an answer for, now or in an earlier search."""
    failed: int = 0
    """Outlines that it failed on."""
    failure: str = ''
    """How the first question failed that did."""
    retries: int = 0
    """Times a question was put to the judge again."""
    input_tokens: int = 0
    output_tokens: int = 0


async def screen_outlines(
    judge: Judge,
    query: str,
    outlines: Sequence[Outline],
    *,
    budget: RequestBudget,
    options: SearchOptions,
    memory: JudgmentMemory | None = None,
    progress: Callable[[str, int, int], None],
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> Screened:
    """Ask the judge about `outlines`, as many in one question as it can hold.

    Each question claims a request, of a share of the budget, and is retried and throttled as
    judgments are; outlines that are remembered are not shown again. Where requests or time run out,
    what was answered counts.

    Raises:
        SearchUnavailable: A question failed, unless the options say `'partial'`. Whatever was
            under way is cancelled.
    """
    if options.screen_files:
        progress('screen', 0, len(outlines))
    if not outlines or not isinstance(judge, Screener):
        return Screened()
    asker = Asker(budget, Throttle(options.concurrency), sleep)

    def ask(batch: Sequence[Outline]) -> Awaitable[Sequence[Judgment]]:
        return asker.ask(partial(_screen, judge, query, batch))

    screening = _Screening(query, outlines, ask, options, memory or JudgmentMemory(0))
    seconds = budget.seconds_left(options.deadline_seconds or math.inf) * TIME_SHARE
    try:
        async with open_judge(judge):
            with anyio.move_on_after(seconds):
                await screening.run(_affordable_questions(budget), progress)
    except ExceptionGroup as group:
        # The first failure as itself: it is what stopped the search.
        failure = group.exceptions[0]
    else:
        return screening.outcome(retries=asker.retries)
    raise failure


async def _screen(
    judge: Screener, query: str, outlines: Sequence[Outline], complaint: str | None
) -> Sequence[Judgment]:
    """A judgment of each outline: how likely the file is; the first has the cost of all."""
    screening = await judge.screen(query, outlines, complaint)
    first, *others = screening.likelihoods
    return [
        Judgment(
            entity=first,
            operation=1.0,
            input_tokens=screening.input_tokens,
            output_tokens=screening.output_tokens,
        ),
        *(Judgment(entity=likelihood, operation=1.0) for likelihood in others),
    ]


class _Screening:
    """The outlines of one search on their way through the judge, shared by its workers."""

    def __init__(
        self,
        query: str,
        outlines: Sequence[Outline],
        ask: Callable[[Sequence[Outline]], Awaitable[Sequence[Judgment]]],
        options: SearchOptions,
        memory: JudgmentMemory,
    ) -> None:
        self._query, self._outlines, self._ask = query, outlines, ask
        self._options, self._memory = options, memory
        self._answers: dict[int, Judgment] = {}
        self._errors: list[JudgeFailed] = []
        self._failed = 0
        self._is_stopped = False

    async def run(self, most: int, progress: Callable[[str, int, int], None]) -> None:
        """Ask about the outlines that are not remembered, in at most so many questions."""
        for place, outline in enumerate(self._outlines):
            known = self._memory.recall(self._query, outline.evidence)
            if known is not None:
                self._answers[place] = known
        waiting = [place for place in range(len(self._outlines)) if place not in self._answers]
        starts = range(0, len(waiting), OUTLINES_PER_QUESTION)[:most]
        queue = iter([waiting[start : start + OUTLINES_PER_QUESTION] for start in starts])
        async with anyio.create_task_group() as workers:
            for _ in range(min(self._options.concurrency, len(starts))):
                workers.start_soon(self._work, queue, progress)

    async def _work(
        self, queue: Iterator[Sequence[int]], progress: Callable[[str, int, int], None]
    ) -> None:
        for places in queue:
            if self._is_stopped:
                return
            try:
                answers = await self._ask([self._outlines[place] for place in places])
            except NoRequestsLeft:
                self._is_stopped = True
                return
            except JudgeFailed as error:
                self._record_failure(places, error)
            else:
                for place, answer in zip(places, answers, strict=True):
                    self._memory.keep(self._query, self._outlines[place].evidence, answer)
                    self._answers[place] = answer
            progress('screen', len(self._answers), len(self._outlines))

    def _record_failure(self, places: Sequence[int], error: JudgeFailed) -> None:
        """Count a failure, or raise it; one that bodes ill for all others stops the screening."""
        if self._options.on_judge_error == 'fail':
            raise error
        self._errors.append(error)
        self._failed += len(places)
        self._is_stopped = self._is_stopped or isinstance(error, JudgeUnusable)

    def outcome(self, *, retries: int) -> Screened:
        """What was answered, and what was not."""
        likely = [at for at, answer in self._answers.items() if answer.relevance >= LIKELY]
        return Screened(
            likely=sorted(likely, key=lambda at: (-self._answers[at].relevance, at)),
            files=len(self._answers),
            failed=self._failed,
            failure=self._errors[0].detail if self._errors else '',
            retries=retries,
            input_tokens=sum(answer.input_tokens for answer in self._answers.values()),
            output_tokens=sum(answer.output_tokens for answer in self._answers.values()),
        )
