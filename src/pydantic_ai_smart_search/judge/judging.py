"""Judging many cases at once, best candidates first, as far as the budget goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

import anyio

from pydantic_ai_smart_search.errors import NoRequestsLeft
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judge, JudgedCase, Judgment


async def judge_cases(
    judge: Judge,
    query: str,
    cases: Sequence[Case],
    *,
    budget: RequestBudget,
    concurrency: int,
    progress: Callable[[str, int, int], None],
) -> list[JudgedCase]:
    """The judged cases in the order of `cases`, which is best candidates first.

    At most `concurrency` are judged at once. Those the budget does not reach are left out; a local
    judge costs none. A judge that is a context manager is open meanwhile.

    Raises:
        JudgeFailed: A case could not be judged. The others are cancelled.
    """
    judging = _Judging(judge, query, cases, budget, progress)
    try:
        async with (
            judge if isinstance(judge, AbstractAsyncContextManager) else nullcontext(),
            anyio.create_task_group() as workers,
        ):
            for _ in range(min(concurrency, len(cases))):
                workers.start_soon(judging.work)
    except ExceptionGroup as group:
        failure = group.exceptions[0]
    else:
        return judging.judged()
    raise failure


class _Judging:
    """One search's cases on their way through the judge, shared by its workers."""

    def __init__(
        self,
        judge: Judge,
        query: str,
        cases: Sequence[Case],
        budget: RequestBudget,
        progress: Callable[[str, int, int], None],
    ) -> None:
        self._judge, self._query, self._cases = judge, query, cases
        self._budget, self._progress = budget, progress
        self._waiting = iter(range(len(cases)))
        self._judgments: dict[int, Judgment] = {}

    def judged(self) -> list[JudgedCase]:
        places = sorted(self._judgments)
        return [JudgedCase(self._cases[place], self._judgments[place]) for place in places]

    async def work(self) -> None:
        """Judge the best waiting case, until none is left or the budget is used up."""
        for place in self._waiting:
            try:
                self._judgments[place] = await self._ask(self._cases[place])
            except NoRequestsLeft:
                return
            self._progress('judge', len(self._judgments), len(self._cases))

    async def _ask(self, case: Case) -> Judgment:
        if self._judge.is_local:
            return await self._judge.judge(self._query, case)
        with self._budget.claim() as claim:
            judgment = await self._judge.judge(self._query, case)
            claim.spend()
            return judgment
