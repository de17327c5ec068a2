"""Judging many cases at once, best candidates first, as far as budget and time go."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

import anyio

from pydantic_ai_smart_search.errors import (
    DeadlinePassed,
    JudgeFailed,
    JudgeUnusable,
    NoRequestsLeft,
    SearchUnavailable,
)
from pydantic_ai_smart_search.judge.asking import Asker
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judge, JudgedCase, Judgment
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.judge.throttle import Throttle
from pydantic_ai_smart_search.options import SearchOptions

WAVE_SNIPPETS: Final = 32
"""Snippets judged between two looks at whether enough has been found."""

CONFIDENT_RELEVANCE: Final = 0.8
"""Relevance from which a match counts towards `stop_after`: both answers about 0.9."""

Progress = Callable[[str, int, int], None]


class UnjudgedReason(StrEnum):
    """Why a shortlisted snippet was not judged."""

    NO_REQUESTS = 'no requests left'
    JUDGE_FAILED = 'judge failed'
    DEADLINE = 'deadline passed'
    ENOUGH = 'enough found'


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What came of judging the cases of one search."""

    cases: Sequence[JudgedCase]
    """In the order they were given, which is best candidates first."""
    unjudged: Mapping[UnjudgedReason, int]
    """The others by reason; empty when every case was judged."""
    failure: str = ''
    """How the first of those failed that did."""
    requests: int = 0
    """Requests made, those for retries included."""
    retries: int = 0
    """Times a case was put to the judge again."""
    remembered: int = 0
    """Cases whose judgment was kept from an earlier search, and cost no request."""


async def judge_cases(
    judge: Judge,
    query: str,
    cases: Sequence[Case],
    *,
    budget: RequestBudget,
    options: SearchOptions,
    memory: JudgmentMemory | None = None,
    progress: Progress,
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> Judged:
    """Judge `cases`, best candidates first, as far as the budget and the options let it.

    A local judge ranks every case and costs nothing. For another, at most `options.concurrency`
    cases are judged at once, cases with the same evidence once, and those in `memory` not at all. A
    judge that is a context manager is open meanwhile. `sleep` is how a retry waits.

    Raises:
        SearchUnavailable: No case could be judged, or, unless the options say `'partial'`, one
            failed. Whatever was under way is cancelled.
    """
    if judge.is_local or not cases:
        ranked = [JudgedCase(case, await judge.judge(query, case)) for case in cases]
        progress('judge', len(ranked), len(cases))
        return Judged(cases=ranked, unjudged={})
    asker = Asker(budget, Throttle(options.concurrency), sleep)

    def ask(case: Case) -> Awaitable[Judgment]:
        return asker.ask(partial(judge.judge, query, case))

    judging = _Judging(query, cases, ask, options, memory or JudgmentMemory(0), progress)
    deadline = options.deadline_seconds or math.inf
    try:
        async with open_judge(judge):
            with anyio.move_on_after(budget.seconds_left(deadline)) as allowed:
                await judging.run()
    except ExceptionGroup as group:
        # The first failure as itself: it is what stopped the search.
        failure = group.exceptions[0]
    else:
        if allowed.cancelled_caught:
            judging.stop(UnjudgedReason.DEADLINE, DeadlinePassed(deadline))
        return judging.outcome(requests=budget.spent, retries=asker.retries)
    raise failure


def open_judge(judge: Judge) -> AbstractAsyncContextManager[object]:
    """The judge, ready to be asked, while the body runs; it may be opened again later."""
    return judge if isinstance(judge, AbstractAsyncContextManager) else nullcontext()


class _Judging:
    """The cases of one search on their way through the judge, shared by its workers."""

    def __init__(
        self,
        query: str,
        cases: Sequence[Case],
        ask: Callable[[Case], Awaitable[Judgment]],
        options: SearchOptions,
        memory: JudgmentMemory,
        progress: Progress,
    ) -> None:
        self._query, self._cases, self._ask = query, cases, ask
        self._options, self._memory, self._progress = options, memory, progress
        self._judgments: dict[int, Judgment] = {}
        self._unjudged: Counter[UnjudgedReason] = Counter()
        self._errors: list[SearchUnavailable] = []
        self._stopped: UnjudgedReason | None = None
        self._remembered = 0

    async def run(self) -> None:
        """Judge wave after wave, until all are judged or there is a reason to stop.

        What is remembered comes first: it costs nothing, and may be enough.
        """
        waiting = [places for places in self._twins() if not self._recall(places)]
        if self._remembered:
            self._report()
        for wave in self._waves(waiting):
            if self._stopped is not None:
                return
            if self._has_enough():
                self.stop(UnjudgedReason.ENOUGH)
                return
            queue = iter(wave)
            async with anyio.create_task_group() as workers:
                for _ in range(min(self._options.concurrency, len(wave))):
                    workers.start_soon(self._work, queue)

    def stop(self, reason: UnjudgedReason, error: SearchUnavailable | None = None) -> None:
        """Have no further cases judged; only the first reason counts."""
        self._stopped = self._stopped or reason
        if error is not None:
            self._errors.append(error)

    def outcome(self, *, requests: int, retries: int) -> Judged:
        """What was judged, and why the rest was not.

        Raises:
            SearchUnavailable: Nothing was judged.
        """
        if not self._judgments:
            raise next(iter(self._errors), SearchUnavailable('The judge gave no answer.'))
        left = len(self._cases) - len(self._judgments) - self._unjudged.total()
        if left:
            # Without a reason to stop, the judge's own code cancelled the worker.
            self._unjudged[self._stopped or UnjudgedReason.JUDGE_FAILED] += left
        failures = [error.detail for error in self._errors if isinstance(error, JudgeFailed)]
        return Judged(
            cases=[
                JudgedCase(self._cases[at], self._judgments[at]) for at in sorted(self._judgments)
            ],
            unjudged=self._unjudged,
            failure=failures[0] if failures else '',
            requests=requests,
            retries=retries,
            remembered=self._remembered,
        )

    def _twins(self) -> Iterable[list[int]]:
        """Places of the cases, those of equal evidence together, which are judged as one."""
        by_evidence: dict[str, list[int]] = {}
        for place, case in enumerate(self._cases):
            by_evidence.setdefault(case.evidence, []).append(place)
        return by_evidence.values()

    def _waves(self, waiting: Sequence[list[int]]) -> Iterator[Sequence[list[int]]]:
        """What is judged before the next look at whether to go on: everything, unless that may be
        soon.

        Waves, not judgments, decide when to stop early: which cases a wave holds does not depend on
        the order in which judgments finish.
        """
        if self._options.stop_after is None:
            return iter([waiting])
        starts = range(0, len(waiting), WAVE_SNIPPETS)
        return (waiting[start : start + WAVE_SNIPPETS] for start in starts)

    def _has_enough(self) -> bool:
        if self._options.stop_after is None:
            return False
        bar = max(CONFIDENT_RELEVANCE, self._options.threshold)
        confident = sum(judgment.relevance >= bar for judgment in self._judgments.values())
        return confident >= self._options.stop_after

    def _recall(self, places: Sequence[int]) -> bool:
        """Take the judgment of equal cases from memory, if it holds one."""
        judgment = self._memory.recall(self._query, self._cases[places[0]].evidence)
        if judgment is None:
            return False
        self._remembered += len(places)
        self._record(places, judgment)
        return True

    async def _work(self, queue: Iterator[Sequence[int]]) -> None:
        """Judge the best waiting cases until none is left or judging has stopped."""
        for places in queue:
            if self._stopped is not None:
                return
            case = self._cases[places[0]]
            try:
                judgment = await self._ask(case)
            except NoRequestsLeft as error:
                self.stop(UnjudgedReason.NO_REQUESTS, error)
            except JudgeFailed as error:
                self._record_failure(places, error)
            else:
                self._memory.keep(self._query, case.evidence, judgment)
                self._record(places, judgment)
            self._report()

    def _report(self) -> None:
        self._progress('judge', len(self._judgments), len(self._cases))

    def _record(self, places: Sequence[int], judgment: Judgment) -> None:
        """The judgment of the first place, which the others share at no cost."""
        self._judgments[places[0]] = judgment
        for place in places[1:]:
            self._judgments[place] = replace(judgment, input_tokens=0, output_tokens=0)

    def _record_failure(self, places: Sequence[int], error: JudgeFailed) -> None:
        """Count a failure, or raise it; one that bodes ill for all others stops the judging."""
        if self._options.on_judge_error == 'fail':
            raise error
        self._errors.append(error)
        self._unjudged[UnjudgedReason.JUDGE_FAILED] += len(places)
        is_dead = not self._judgments and len(self._errors) >= self._options.concurrency
        if is_dead or isinstance(error, JudgeUnusable):
            self.stop(UnjudgedReason.JUDGE_FAILED)
