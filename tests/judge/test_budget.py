from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pydantic_ai.usage import RunUsage

from pydantic_ai_smart_search.errors import NoRequestsLeft
from pydantic_ai_smart_search.judge.budget import RequestBudget


def spend(budget: RequestBudget) -> int:
    """Claims until none is left, and how many those were."""
    claims = 0
    while True:
        try:
            with budget.claim():
                claims += 1
        except NoRequestsLeft:
            return claims


@pytest.mark.parametrize(
    ('limit', 'used', 'allowed'),
    [(50, 1, 24), (50, 0, 25), (10, 1, 4), (4, 1, 1), (3, 1, 1), (2, 1, 0), (1, 1, 0), (5, 9, 0)],
)
def test_a_search_spends_half_of_what_is_left_after_the_next_turn_rounded_up(
    limit: int, used: int, allowed: int
) -> None:
    usage = RunUsage(requests=used)
    budget = RequestBudget(usage, limit)
    assert spend(budget) == allowed
    assert budget.spent == allowed
    assert usage.requests == used + allowed


def test_an_exhausted_budget_names_the_limit() -> None:
    with pytest.raises(NoRequestsLeft, match='`request_limit` of 2'):
        RequestBudget(RunUsage(requests=1), 2).check()


def test_a_budget_with_room_passes_its_check() -> None:
    RequestBudget(RunUsage(requests=1), 3).check()


def test_without_a_limit_or_a_run_nothing_is_capped() -> None:
    usage = RunUsage()
    for budget in (RequestBudget(usage), RequestBudget(), RequestBudget(None, 1)):
        for _ in range(300):
            with budget.claim():
                pass
        assert budget.spent == 300
    assert usage.requests == 300


def test_what_is_left_is_the_smaller_of_the_searchs_share_and_the_runs() -> None:
    usage = RunUsage(requests=1)
    budget = RequestBudget(usage, 20)
    assert (budget.left, RequestBudget().left) == (9, None)
    with budget.claim():
        assert budget.left == 8
    usage.requests = 17
    assert budget.left == 2
    usage.requests = 30
    assert budget.left == 0


def test_a_failed_request_stays_counted() -> None:
    usage = RunUsage()
    with pytest.raises(RuntimeError), RequestBudget(usage, 10).claim():
        raise RuntimeError('the judge answered, badly')
    assert usage.requests == 1


def test_a_cancelled_request_is_given_back() -> None:
    usage = RunUsage()
    claim = RequestBudget(usage, 10).claim()
    claim.__enter__()
    assert usage.requests == 1
    claim.__exit__(asyncio.CancelledError, asyncio.CancelledError(), None)
    assert usage.requests == 0


def test_the_time_left_of_a_deadline_counts_from_the_start_of_the_search() -> None:
    budget = RequestBudget()
    assert 59 < budget.seconds_left(60) <= 60
    assert budget.seconds_left(0) <= 0


class ParallelSearches(RuleBasedStateMachine):
    """Searches of one run that claim, finish and are cancelled in any order."""

    @initialize(limit=st.integers(1, 40), used=st.integers(0, 20))
    def start(self, limit: int, used: int) -> None:
        self.limit = limit
        self.usage = RunUsage(requests=used)
        self.most = max(used, limit - 1)
        self.finished = used
        self.budgets: list[RequestBudget] = []
        self.claims: list[ExitStack] = []

    @rule()
    def begin_a_search(self) -> None:
        self.budgets.append(RequestBudget(self.usage, self.limit))

    @precondition(lambda self: self.budgets)
    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        claim = ExitStack()
        try:
            claim.enter_context(data.draw(st.sampled_from(self.budgets)).claim())
        except NoRequestsLeft:
            return
        self.claims.append(claim)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        self._take_claim(data).close()
        self.finished += 1

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        with pytest.raises(asyncio.CancelledError), self._take_claim(data):
            raise asyncio.CancelledError

    @rule()
    def take_a_turn_of_the_model(self) -> None:
        if self.usage.requests < self.limit:
            self.usage.requests += 1
            self.finished += 1
            self.most = max(self.most, self.usage.requests)

    @invariant()
    def together_they_keep_one_request_for_the_next_turn(self) -> None:
        assert self.usage.requests <= self.most

    @invariant()
    def every_request_is_either_finished_or_under_way(self) -> None:
        assert self.usage.requests == self.finished + len(self.claims)

    def _take_claim(self, data: st.DataObject) -> ExitStack:
        return self.claims.pop(data.draw(st.integers(0, len(self.claims) - 1)))


ParallelSearches.TestCase.settings = settings(max_examples=50, stateful_step_count=30)
TestParallelSearches = ParallelSearches.TestCase


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 4))
def test_searches_that_follow_each_other_always_leave_a_request(
    limit: int, used: int, searches: int
) -> None:
    usage = RunUsage(requests=used)
    for _ in range(searches):
        spend(RequestBudget(usage, limit))
    assert usage.requests <= max(used, limit - 1)
