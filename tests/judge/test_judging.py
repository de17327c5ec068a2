from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.usage import RunUsage

from pydantic_ai_smart_search.errors import (
    DeadlinePassed,
    JudgeFailed,
    JudgeUnavailable,
    JudgeUnusable,
    MalformedJudgment,
    NoRequestsLeft,
    SearchUnavailable,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judgment
from pydantic_ai_smart_search.judge.judging import CONFIDENT_RELEVANCE, UnjudgedReason
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.options import MAX_RETRY_AFTER_SECONDS, OnJudgeError, SearchOptions
from tests.judge.cases import (
    IRRELEVANT,
    RELEVANT,
    Naps,
    ScriptedJudge,
    a_case,
    always,
    judge_all,
    some_cases,
)

pytestmark = pytest.mark.anyio

BUSY = JudgeUnavailable('scripted', 'busy')
RATE_LIMITED = JudgeUnavailable('scripted', 'slow down', is_rate_limited=True)
MALFORMED = MalformedJudgment('scripted', '`entity` is missing')
BROKEN = JudgeFailed('scripted', 'it broke')
UNUSABLE = JudgeUnusable('scripted', 'no key')
PARTIAL = SearchOptions(on_judge_error='partial')


def texts_of(cases: list[Case]) -> list[str]:
    return [case.text for case in cases]


async def test_judged_cases_keep_the_order_of_the_candidates() -> None:
    judge = ScriptedJudge(lambda case, _: Judgment(entity=int(case.text) / 100, operation=1))
    judged = await judge_all(judge, some_cases(100))
    assert [each.case.text for each in judged.cases] == texts_of(some_cases(100))
    assert [each.judgment.entity for each in judged.cases] == [n / 100 for n in range(100)]
    assert judged.unjudged == {}
    assert judged.requests == 100


async def test_the_best_candidates_are_judged_first_and_so_many_at_once() -> None:
    judge = ScriptedJudge()
    await judge_all(judge, some_cases(50), options=SearchOptions(concurrency=5))
    assert judge.asked == texts_of(some_cases(50))
    assert judge.most_under_way == 5


async def test_without_cases_the_judge_is_not_even_opened() -> None:
    class Unopenable(ScriptedJudge):
        async def __aenter__(self) -> None:
            raise AssertionError('opened')

        async def __aexit__(self, *_: object) -> None: ...

    judged = await judge_all(Unopenable(), [])
    assert (judged.cases, judged.unjudged) == ([], {})


async def test_what_the_budget_does_not_reach_is_left_out_and_counted() -> None:
    usage = RunUsage(requests=1)
    judged = await judge_all(ScriptedJudge(), some_cases(30), budget=RequestBudget(usage, 50))
    assert [each.case.text for each in judged.cases] == texts_of(some_cases(24))
    assert judged.unjudged == {UnjudgedReason.NO_REQUESTS: 6}
    assert usage.requests == 25


async def test_a_budget_that_reaches_no_case_is_an_error() -> None:
    with pytest.raises(NoRequestsLeft):
        await judge_all(ScriptedJudge(), some_cases(3), budget=RequestBudget(RunUsage(), 1))


async def test_a_local_judge_ranks_every_case_and_spends_nothing() -> None:
    budget = RequestBudget(RunUsage(), 1)
    judged = await judge_all(LocalJudge(), some_cases(9), budget=budget)
    assert len(judged.cases) == 9
    assert budget.spent == 0


async def test_progress_counts_up_to_all_cases() -> None:
    told: list[tuple[str, int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        told.append((stage, done, total))

    await judge_all(ScriptedJudge(), some_cases(3), progress=progress)
    await judge_all(LocalJudge(), some_cases(2), progress=progress)
    assert told == [('judge', 1, 3), ('judge', 2, 3), ('judge', 3, 3), ('judge', 2, 2)]


async def test_a_failure_surfaces_as_itself_and_cancels_the_rest() -> None:
    cancelled: list[str] = []

    class Waits(ScriptedJudge):
        async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
            if case.text == '3':
                raise BROKEN
            try:
                await anyio.sleep_forever()
            finally:
                cancelled.append(case.text)
            return RELEVANT

    usage = RunUsage()
    with pytest.raises(JudgeFailed) as raised:
        await judge_all(Waits(), some_cases(20), budget=RequestBudget(usage, 100))
    assert raised.value is BROKEN
    assert sorted(cancelled) == ['0', '1', '2', '4', '5', '6', '7']
    assert usage.requests == 1


async def test_an_error_that_is_not_a_judge_failure_surfaces_as_itself() -> None:
    error = RuntimeError('a bug')
    with pytest.raises(RuntimeError) as raised:
        await judge_all(ScriptedJudge(always(error)), some_cases(3), options=PARTIAL)
    assert raised.value is error


async def test_a_judge_that_cancels_itself_is_a_failed_judge() -> None:
    class Cancels(ScriptedJudge):
        async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
            if case.text != '0':
                raise asyncio.CancelledError
            return RELEVANT

    judged = await judge_all(Cancels(), some_cases(3))
    assert [each.case.text for each in judged.cases] == ['0']
    assert judged.unjudged == {UnjudgedReason.JUDGE_FAILED: 2}
    with pytest.raises(SearchUnavailable, match='gave no answer'):
        await judge_all(Cancels(), some_cases(3)[1:])


# Retries


def fails_at_first(*failures: JudgeFailed, then: Judgment = RELEVANT) -> ScriptedJudge:
    """Each case fails in these ways, one after the other, before it is judged."""
    seen: Counter[str] = Counter()

    def script(case: Case, _: str | None) -> Judgment | Exception:
        seen[case.text] += 1
        return failures[seen[case.text] - 1] if seen[case.text] <= len(failures) else then

    return ScriptedJudge(script)


async def test_what_may_pass_is_retried_twice_with_growing_waits_and_each_costs_a_request() -> None:
    usage, naps = RunUsage(), Naps()
    judge = fails_at_first(BUSY, BUSY)
    judged = await judge_all(judge, some_cases(1), budget=RequestBudget(usage, 50), sleep=naps)
    assert len(judged.cases) == 1
    assert (judged.requests, judged.retries, usage.requests) == (3, 2, 3)
    first, second = naps.seconds
    assert 0.25 <= first <= 0.75
    assert 0.5 <= second <= 1.5


async def test_a_third_failure_is_final() -> None:
    judge = fails_at_first(BUSY, BUSY, BUSY)
    with pytest.raises(JudgeUnavailable):
        await judge_all(judge, some_cases(1))
    assert len(judge.asked) == 3


async def test_a_wait_the_judge_asks_for_is_kept_and_jittered() -> None:
    naps = Naps()
    wait = JudgeUnavailable('scripted', 'slow down', is_rate_limited=True, retry_after=2)
    await judge_all(fails_at_first(wait), some_cases(20), sleep=naps)
    assert all(2.25 <= seconds <= 2.75 for seconds in naps.seconds)
    assert len(set(naps.seconds)) == 20


async def test_a_judge_that_asks_for_too_long_a_wait_is_given_up_at_once() -> None:
    naps = Naps()
    wait = JudgeUnavailable('scripted', 'later', retry_after=MAX_RETRY_AFTER_SECONDS + 1)
    with pytest.raises(JudgeUnavailable):
        await judge_all(fails_at_first(wait), some_cases(1), sleep=naps)
    assert naps.seconds == []


async def test_what_cannot_pass_is_not_retried() -> None:
    for failure in (BROKEN, UNUSABLE):
        judge = fails_at_first(failure)
        with pytest.raises(JudgeFailed):
            await judge_all(judge, some_cases(1))
        assert judge.asked == ['0']


async def test_a_malformed_answer_is_asked_for_once_more_with_the_reason() -> None:
    complaints: list[str | None] = []

    def script(_: Case, complaint: str | None) -> Judgment | Exception:
        complaints.append(complaint)
        return RELEVANT if complaint else MALFORMED

    naps = Naps()
    judged = await judge_all(ScriptedJudge(script), some_cases(1), sleep=naps)
    assert complaints == [None, '`entity` is missing']
    assert (len(judged.cases), judged.requests, judged.retries) == (1, 2, 1)
    assert naps.seconds == [0.0]


async def test_a_second_malformed_answer_is_final() -> None:
    judge = fails_at_first(MALFORMED, MALFORMED)
    with pytest.raises(MalformedJudgment):
        await judge_all(judge, some_cases(1))
    assert len(judge.asked) == 2


async def test_failures_of_both_kinds_share_the_two_retries() -> None:
    judge = fails_at_first(BUSY, BUSY, MALFORMED)
    with pytest.raises(MalformedJudgment):
        await judge_all(judge, some_cases(1))
    assert len(judge.asked) == 3


async def test_a_retry_the_budget_does_not_allow_leaves_the_case_unjudged() -> None:
    judged = await judge_all(
        fails_at_first(BUSY, then=RELEVANT),
        some_cases(4),
        budget=RequestBudget(RunUsage(), 12),
        options=SearchOptions(concurrency=1),
    )
    assert [each.case.text for each in judged.cases] == ['0', '1', '2']
    assert judged.unjudged == {UnjudgedReason.NO_REQUESTS: 1}


async def test_rate_limits_halve_the_concurrency() -> None:
    most_since_refused: list[int] = []

    def script(case: Case, _: str | None) -> Judgment | Exception:
        if len(judge.asked) <= 16:
            return RATE_LIMITED
        most_since_refused.append(judge.under_way)
        return RELEVANT

    judge = ScriptedJudge(script)
    judged = await judge_all(judge, some_cases(64), options=SearchOptions(concurrency=16))
    assert len(judged.cases) == 64
    assert judge.most_under_way == 16
    assert most_since_refused[0] < 8


# Partial results


async def test_partial_results_count_what_failed_and_say_how() -> None:
    judge = ScriptedJudge(lambda case, _: BROKEN if case.text in '35' else RELEVANT)
    judged = await judge_all(judge, some_cases(8), options=PARTIAL)
    assert [each.case.text for each in judged.cases] == ['0', '1', '2', '4', '6', '7']
    assert judged.unjudged == {UnjudgedReason.JUDGE_FAILED: 2}
    assert judged.failure == 'it broke'


async def test_partial_results_of_nothing_are_the_first_failure() -> None:
    with pytest.raises(JudgeFailed) as raised:
        await judge_all(ScriptedJudge(always(BROKEN)), some_cases(3), options=PARTIAL)
    assert raised.value is BROKEN


async def test_a_judge_that_fails_from_the_start_is_not_asked_about_everything() -> None:
    judge = ScriptedJudge(always(BROKEN))
    with pytest.raises(JudgeFailed):
        await judge_all(judge, some_cases(100), options=PARTIAL)
    assert len(judge.asked) < 20


async def test_a_judge_that_becomes_unusable_is_not_asked_again_but_its_judgments_count() -> None:
    judge = ScriptedJudge(lambda case, _: RELEVANT if int(case.text) < 10 else UNUSABLE)
    judged = await judge_all(judge, some_cases(100), options=PARTIAL)
    assert len(judged.cases) == 10
    assert judged.unjudged == {UnjudgedReason.JUDGE_FAILED: 90}
    assert len(judge.asked) < 30


# Frugality


async def test_equal_texts_are_judged_once_and_share_the_judgment_at_no_cost() -> None:
    cases = [a_case('x', path='a.py'), a_case('y'), a_case('x', path='vendor/a.py')]
    judge = ScriptedJudge()
    judged = await judge_all(judge, cases)
    assert judge.asked == ['x', 'y']
    assert [each.case for each in judged.cases] == cases
    assert [each.judgment.relevance for each in judged.cases] == [RELEVANT.relevance] * 3
    assert [each.judgment.input_tokens for each in judged.cases] == [100, 100, 0]
    assert judged.requests == 2


async def test_remembered_judgments_are_reported_and_use_no_budget() -> None:
    memory = JudgmentMemory(100)
    usage = RunUsage()
    for seen in (0, 5, 10):
        budget = RequestBudget(usage, 1_000)
        judge = ScriptedJudge()
        judged = await judge_all(judge, some_cases(seen + 5), budget=budget, memory=memory)
        assert judge.asked == [str(number) for number in range(seen, seen + 5)]
        assert (judged.remembered, judged.requests) == (seen, 5)
        assert sum(each.judgment.input_tokens for each in judged.cases) == 500
    assert usage.requests == 15


async def test_what_is_remembered_is_taken_before_the_budget_runs_out() -> None:
    memory = JudgmentMemory(100)
    await judge_all(ScriptedJudge(), some_cases(20)[10:], memory=memory)
    for budget, judged_now in (
        (RequestBudget(RunUsage(), 1), 0),
        (RequestBudget(RunUsage(), 5), 2),
    ):
        judged = await judge_all(ScriptedJudge(), some_cases(20), budget=budget, memory=memory)
        assert (judged.remembered, judged.requests) == (10, judged_now)
        assert judged.unjudged == {UnjudgedReason.NO_REQUESTS: 10 - judged_now}


async def test_equal_texts_inside_of_different_things_are_judged_and_remembered_apart() -> None:
    memory = JudgmentMemory(100)
    cases = [a_case('x', context='class A:'), a_case('x', context='class B:')]
    judged = await judge_all(ScriptedJudge(), cases[:1], memory=memory)
    assert judged.requests == 1
    judged = await judge_all(ScriptedJudge(), cases, memory=memory)
    assert (judged.remembered, judged.requests) == (1, 1)


async def test_equal_texts_are_remembered_together() -> None:
    memory = JudgmentMemory(100)
    cases = [a_case('x', path='a.py'), a_case('x', path='b.py')]
    await judge_all(ScriptedJudge(), cases[:1], memory=memory)
    judged = await judge_all(ScriptedJudge(), cases, memory=memory)
    assert (judged.remembered, judged.requests, len(judged.cases)) == (2, 0, 2)


async def test_remembered_matches_may_be_enough() -> None:
    memory = JudgmentMemory(100)
    await judge_all(ScriptedJudge(), some_cases(128)[100:], memory=memory)
    judge = ScriptedJudge()
    options = SearchOptions(stop_after=3)
    judged = await judge_all(judge, some_cases(128), memory=memory, options=options)
    assert (judge.asked, judged.remembered) == ([], 28)
    assert judged.unjudged == {UnjudgedReason.ENOUGH: 100}


async def test_progress_starts_with_what_is_remembered() -> None:
    memory = JudgmentMemory(100)
    await judge_all(ScriptedJudge(), some_cases(3), memory=memory)
    told: list[int] = []
    await judge_all(
        ScriptedJudge(),
        some_cases(5),
        memory=memory,
        progress=lambda stage, done, total: told.append(done),
    )
    assert told == [3, 4, 5]


async def test_a_failed_judgment_is_not_remembered() -> None:
    memory = JudgmentMemory(100)
    with pytest.raises(JudgeFailed):
        await judge_all(ScriptedJudge(always(BROKEN)), some_cases(1), memory=memory)
    judged = await judge_all(ScriptedJudge(), some_cases(1), memory=memory)
    assert judged.remembered == 0


# Early answers


async def test_judging_stops_after_the_wave_that_finds_enough() -> None:
    judge = ScriptedJudge(lambda case, _: RELEVANT if int(case.text) in (1, 40) else IRRELEVANT)
    judged = await judge_all(judge, some_cases(128), options=SearchOptions(stop_after=2))
    assert len(judged.cases) == 64
    assert judged.unjudged == {UnjudgedReason.ENOUGH: 64}


async def test_no_wave_follows_one_in_which_the_budget_ran_out() -> None:
    judged = await judge_all(
        ScriptedJudge(always(IRRELEVANT)),
        some_cases(128),
        budget=RequestBudget(RunUsage(), 21),
        options=SearchOptions(stop_after=1),
    )
    assert judged.unjudged == {UnjudgedReason.NO_REQUESTS: 118}


async def test_what_a_wave_holds_does_not_depend_on_who_answers_first() -> None:
    class Backwards(ScriptedJudge):
        async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
            for _ in range(40 - int(case.text) % 40):
                await checkpoint()
            return await super().judge(query, case, complaint)

    judged = await judge_all(Backwards(), some_cases(128), options=SearchOptions(stop_after=1))
    assert [each.case.text for each in judged.cases] == texts_of(some_cases(32))


async def test_unsure_matches_do_not_count_as_enough() -> None:
    unsure = Judgment(entity=1, operation=CONFIDENT_RELEVANCE - 0.01)
    options = SearchOptions(stop_after=1)
    judged = await judge_all(ScriptedJudge(always(unsure)), some_cases(64), options=options)
    assert judged.unjudged == {}


async def test_a_threshold_above_confidence_is_what_counts() -> None:
    options = SearchOptions(stop_after=1, threshold=0.95)
    judged = await judge_all(ScriptedJudge(), some_cases(64), options=options)
    assert judged.unjudged == {}


class NeverAnswersLate(ScriptedJudge):
    """Answers the first five cases at once, and no others."""

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        if int(case.text) >= 5:
            await anyio.sleep_forever()
        return RELEVANT


async def test_a_deadline_returns_what_was_judged_and_gives_the_rest_back() -> None:
    usage = RunUsage()
    judged = await judge_all(
        NeverAnswersLate(),
        some_cases(20),
        budget=RequestBudget(usage, 100),
        options=SearchOptions(deadline_seconds=0.001),
    )
    assert [each.case.text for each in judged.cases] == ['0', '1', '2', '3', '4']
    assert judged.unjudged == {UnjudgedReason.DEADLINE: 15}
    assert (judged.requests, usage.requests) == (5, 5)


async def test_a_deadline_before_the_first_judgment_is_an_error() -> None:
    with pytest.raises(DeadlinePassed, match=r'within the 0\.001 seconds allowed'):
        await judge_all(
            NeverAnswersLate(), some_cases(20)[5:], options=SearchOptions(deadline_seconds=0.001)
        )


# Cancellation


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one of several parallel searches goes through."""

    replies: list[tuple[int, JudgeFailed | None]]
    """For each request: how often others get their turn meanwhile, and how it fails."""
    concurrency: int
    on_judge_error: OnJudgeError
    cancel_after: int | None
    """Turns of the event loop after which it is cancelled, if it is."""
    cancels_scope: bool
    """Whether by a scope, as anyio does, or by its task, as asyncio does."""


FAILURES = st.sampled_from([None, None, None, BUSY, RATE_LIMITED, MALFORMED, BROKEN, UNUSABLE])

PLANS = st.builds(
    Plan,
    replies=st.lists(st.tuples(st.integers(0, 4), FAILURES), max_size=40),
    concurrency=st.integers(1, 12),
    on_judge_error=st.sampled_from(['fail', 'partial']),
    cancel_after=st.none() | st.integers(0, 80),
    cancels_scope=st.booleans(),
)


class PlannedJudge(ScriptedJudge):
    """Takes its time and fails as planned."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.finished = 0
        self._replies = iter(plan.replies)

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        pauses, failure = next(self._replies, (0, None))
        await super().judge(query, case, complaint)
        self.under_way += 1
        try:
            for _ in range(pauses):
                await checkpoint()
        finally:
            self.under_way -= 1
        self.finished += 1
        if failure:
            raise failure
        return RELEVANT


@settings(max_examples=100, deadline=None)
@given(plans=st.lists(PLANS, min_size=1, max_size=4), limit=st.integers(1, 60))
def test_no_interleaving_failure_or_cancellation_overspends_or_keeps_a_claim(
    plans: list[Plan], limit: int
) -> None:
    usage = RunUsage(requests=1)
    judges = [PlannedJudge(plan) for plan in plans]
    most_spent = 0

    async def search(plan: Plan, judge: PlannedJudge, scope: anyio.CancelScope) -> None:
        options = SearchOptions(concurrency=plan.concurrency, on_judge_error=plan.on_judge_error)
        budget = RequestBudget(usage, limit)
        with scope:
            try:
                judged = await judge_all(judge, some_cases(20), budget=budget, options=options)
            except (JudgeFailed, NoRequestsLeft):
                return
            assert len(judged.cases) + sum(judged.unjudged.values()) == 20
            assert judged.requests == budget.spent == judge.finished

    async def run() -> None:
        nonlocal most_spent
        scopes = [anyio.CancelScope() for _ in plans]
        tasks = [
            asyncio.create_task(search(*each)) for each in zip(plans, judges, scopes, strict=True)
        ]
        turn = 0
        while not all(task.done() for task in tasks):
            for plan, task, scope in zip(plans, tasks, scopes, strict=True):
                if plan.cancel_after == turn:
                    scope.cancel() if plan.cancels_scope else task.cancel()
            await checkpoint()
            most_spent = max(most_spent, usage.requests)
            turn += 1
        for task in tasks:
            assert task.cancelled() or task.exception() is None

    asyncio.run(run())
    assert most_spent <= max(1, limit - 1)
    assert all(judge.under_way == 0 for judge in judges)
    assert usage.requests == 1 + sum(judge.finished for judge in judges)
