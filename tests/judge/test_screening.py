from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import chain
from types import TracebackType

import anyio
import pytest
from anyio.lowlevel import checkpoint
from pydantic_ai.usage import RunUsage

from pydantic_ai_smart_search.errors import (
    JudgeFailed,
    JudgeUnavailable,
    JudgeUnusable,
    MalformedJudgment,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Judge, Outline, Screening
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.judge.screening import (
    OUTLINES_PER_QUESTION,
    Screened,
    ScreeningPlan,
    plan_screening,
    screen_outlines,
)
from pydantic_ai_smart_search.options import SearchOptions
from tests.judge.cases import Naps, ScriptedJudge

pytestmark = pytest.mark.anyio

PARTIAL = SearchOptions(on_judge_error='partial')
BUSY = JudgeUnavailable('scripted', 'busy')
MALFORMED = MalformedJudgment('scripted', '`file_1` is missing')
BROKEN = JudgeFailed('scripted', 'it broke')
UNUSABLE = JudgeUnusable('scripted', 'no key')


def some_outlines(count: int) -> list[Outline]:
    return [Outline(path=f'{number}.py', text='defines: f') for number in range(count)]


def paths_of(outlines: Sequence[Outline]) -> list[str]:
    return [outline.path for outline in outlines]


Likelihood = Callable[[str], float | Exception]


class ScreeningJudge(ScriptedJudge):
    """Answers for each path, or raises what it is to answer for the first of a question."""

    def __init__(self, likelihood: Likelihood = lambda path: 0.9) -> None:
        super().__init__()
        self._likelihood = likelihood
        self.questions: list[list[str]] = []
        self.complaints: list[str | None] = []
        self.opened = 0

    async def __aenter__(self) -> None:
        self.opened += 1

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    async def screen(
        self, query: str, outlines: Sequence[Outline], complaint: str | None = None
    ) -> Screening:
        self.questions.append(paths_of(outlines))
        self.complaints.append(complaint)
        await checkpoint()
        answers: list[float] = []
        for path in paths_of(outlines):
            answer = self._likelihood(path)
            if isinstance(answer, Exception):
                raise answer
            answers.append(answer)
        return Screening(likelihoods=answers, input_tokens=1_000, output_tokens=50)


def once(error: Exception, *, path: str = '0.py') -> Likelihood:
    """Fails the first time that it is asked about a path."""
    errors = iter([error])
    return lambda asked: next(errors, 0.9) if asked == path else 0.9


async def screen(
    judge: Judge,
    outlines: Sequence[Outline],
    *,
    budget: RequestBudget | None = None,
    options: SearchOptions | None = None,
    memory: JudgmentMemory | None = None,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> Screened:
    return await screen_outlines(
        judge,
        'reject an expired session',
        outlines,
        budget=budget or RequestBudget(),
        options=options or SearchOptions(),
        memory=memory,
        progress=progress,
        sleep=Naps(),
    )


def test_a_judge_that_cannot_screen_is_not_planned_for() -> None:
    options = SearchOptions(screen_files=48)
    assert plan_screening(LocalJudge(), RequestBudget(), options) == ScreeningPlan(0, None)
    assert plan_screening(ScriptedJudge(), RequestBudget(), options) == ScreeningPlan(0, None)
    off = SearchOptions()
    assert plan_screening(ScreeningJudge(), RequestBudget(), off) == ScreeningPlan(0, None)


@pytest.mark.parametrize(
    ('request_limit', 'snippets'),
    [(None, None), (50, 22), (49, 22), (18, 7), (17, 7), (2, 0), (1, 0)],
)
def test_the_snippets_that_are_judged_anyway_are_those_the_questions_leave(
    request_limit: int | None, snippets: int | None
) -> None:
    budget = RequestBudget(RunUsage(requests=1), request_limit)
    plan = plan_screening(ScreeningJudge(), budget, SearchOptions(screen_files=48))
    assert plan == ScreeningPlan(48, snippets)


async def test_outlines_are_shown_many_in_a_question_in_their_order() -> None:
    judge = ScreeningJudge()
    outlines = some_outlines(2 * OUTLINES_PER_QUESTION + 1)
    screened = await screen(judge, outlines)
    assert list(chain(*judge.questions)) == paths_of(outlines)
    assert [len(question) for question in judge.questions] == [24, 24, 1]
    assert (screened.files, screened.input_tokens, screened.output_tokens) == (49, 3_000, 150)


async def test_the_likely_files_come_first_and_the_others_not_at_all() -> None:
    likelihoods = {'0.py': 0.6, '1.py': 0.49, '2.py': 0.9, '3.py': 0.6, '4.py': 0.5}
    screened = await screen(ScreeningJudge(likelihoods.__getitem__), some_outlines(5))
    assert screened.likely == [2, 0, 3, 4]
    assert screened.files == 5


async def test_each_question_is_one_request_of_a_share_of_the_budget() -> None:
    usage = RunUsage(requests=1)
    judge = ScreeningJudge()
    screened = await screen(judge, some_outlines(200), budget=RequestBudget(usage, 50))
    assert (usage.requests, len(judge.questions), screened.files) == (4, 3, 72)


async def test_a_small_budget_is_left_to_the_judging() -> None:
    judge = ScreeningJudge()
    screened = await screen(judge, some_outlines(5), budget=RequestBudget(RunUsage(), 9))
    assert (judge.questions, screened.files, screened.likely) == ([], 0, [])


async def test_where_others_use_the_budget_up_what_was_answered_counts() -> None:
    usage = RunUsage(requests=1)

    def likelihood(path: str) -> float:
        usage.requests = 49
        return 0.9

    options = SearchOptions(concurrency=1)
    judge = ScreeningJudge(likelihood)
    screened = await screen(
        judge, some_outlines(72), budget=RequestBudget(usage, 50), options=options
    )
    assert (len(judge.questions), screened.files) == (1, 24)


async def test_the_judge_is_open_meanwhile_and_only_if_there_is_something_to_ask() -> None:
    judge = ScreeningJudge()
    assert await screen(judge, []) == Screened()
    assert judge.opened == 0
    await screen(judge, some_outlines(1))
    assert isinstance(judge, AbstractAsyncContextManager)
    assert judge.opened == 1


async def test_what_is_remembered_is_not_asked_again() -> None:
    memory = JudgmentMemory(100)
    first = await screen(ScreeningJudge(), some_outlines(3), memory=memory)
    judge = ScreeningJudge(lambda path: 0.1)
    again = await screen(judge, some_outlines(4), memory=memory)
    assert judge.questions == [['3.py']]
    assert (again.likely, again.files) == ([0, 1, 2], 4)
    assert (first.input_tokens, again.input_tokens) == (1_000, 1_000)


@pytest.mark.parametrize(('error', 'complaint'), [(BUSY, None), (MALFORMED, '`file_1` is missing')])
async def test_what_may_pass_is_asked_again(error: Exception, complaint: str | None) -> None:
    judge = ScreeningJudge(once(error))
    budget = RequestBudget()
    screened = await screen(judge, some_outlines(2), budget=budget)
    assert judge.complaints == [None, complaint]
    assert (screened.retries, budget.spent, screened.likely) == (1, 2, [0, 1])


async def test_a_failure_fails_the_search_unless_it_is_to_be_partial() -> None:
    with pytest.raises(JudgeFailed, match='it broke'):
        await screen(ScreeningJudge(once(BROKEN)), some_outlines(30))
    screened = await screen(ScreeningJudge(once(BROKEN)), some_outlines(30), options=PARTIAL)
    assert screened.likely == [24, 25, 26, 27, 28, 29]
    assert (screened.files, screened.failed, screened.failure) == (6, 24, 'it broke')


async def test_a_judge_that_cannot_be_used_is_not_asked_further() -> None:
    judge = ScreeningJudge(lambda path: UNUSABLE)
    options = SearchOptions(on_judge_error='partial', concurrency=1)
    screened = await screen(judge, some_outlines(72), options=options)
    assert (len(judge.questions), screened.failed, screened.failure) == (1, 24, 'no key')


async def test_screening_ends_at_half_of_the_time_with_what_was_answered() -> None:
    class AnswersOnce(ScreeningJudge):
        async def screen(
            self, query: str, outlines: Sequence[Outline], complaint: str | None = None
        ) -> Screening:
            if outlines[0].path != '0.py':
                await anyio.sleep_forever()
            return Screening(likelihoods=[0.9] * len(outlines))

    options = SearchOptions(deadline_seconds=0.001, concurrency=1)
    budget = RequestBudget()
    screened = await screen(AnswersOnce(), some_outlines(48), budget=budget, options=options)
    assert (screened.files, len(screened.likely)) == (24, 24)
    assert budget.spent == 1


async def test_progress_counts_up_to_all_outlines() -> None:
    told: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        told.append((stage, done, total))

    options = SearchOptions(concurrency=1, screen_files=30)
    await screen(ScreeningJudge(), some_outlines(30), options=options, progress=progress)
    assert told == [('screen', 0, 30), ('screen', 24, 30), ('screen', 30, 30)]
