"""Asking a judge one question until it answers: within the budget, at the pace it takes."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final, Generic, TypeVar

from pydantic_ai_smart_search.errors import JudgeUnavailable, MalformedJudgment
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.throttle import Throttle
from pydantic_ai_smart_search.options import MAX_JUDGE_RETRIES, MAX_RETRY_AFTER_SECONDS

FIRST_BACKOFF_SECONDS: Final = 0.5
"""Mean wait before the first retry, doubled for the second: what SDKs of providers use."""

JITTER: Final = 0.5
"""Share of a wait by which it varies either way, so that requests refused together spread out."""


AnswerT = TypeVar('AnswerT')

Put = Callable[[str | None], Awaitable[AnswerT]]
"""Puts a question to the judge, with what was wrong with its previous answer, if there was one."""


class Asker:
    """Puts one search's questions to its judge, retrying what may pass."""

    def __init__(
        self,
        budget: RequestBudget,
        throttle: Throttle,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._budget, self._throttle, self._sleep = budget, throttle, sleep
        self.retries: int = 0
        """Times a question was put to the judge again."""

    async def ask(self, put: Put[AnswerT]) -> AnswerT:
        """The answer to one question.

        What may pass is retried after a wait, on top of the one the judge asks for; a malformed
        answer is asked for once more, at once, with the reason. Together that is at most twice,
        and each time claims a request. After a rate limit the retries are made alone: a judge that
        refuses again is left in peace by all until the last.

        Raises:
            JudgeFailed: It could not be answered.
            NoRequestsLeft: The budget is used up.
        """
        question = _Question(put)
        answer = None
        while answer is None and not question.is_rate_limited:
            answer = await self._attempt(question, self._throttle.turn())
        if answer is None:
            async with self._throttle.alone():
                while answer is None:
                    answer = await self._attempt(question, nullcontext())
        return answer

    async def _attempt(
        self, question: _Question[AnswerT], turn: AbstractAsyncContextManager[None]
    ) -> AnswerT | None:
        """Ask once; `None` if there is to be another attempt, then the wait before it is over."""
        try:
            async with turn:
                with self._budget.claim():
                    return await question.put(question.complaint)
        except (JudgeUnavailable, MalformedJudgment) as error:
            wait = question.retry_seconds(error)
        self.retries += 1
        await self._sleep(wait)
        return None


class _Question(Generic[AnswerT]):
    """A question on its way to an answer, and what stood in the way so far."""

    def __init__(self, put: Put[AnswerT]) -> None:
        self.put = put
        self.complaint: str | None = None
        self.is_rate_limited = False
        self._retries = 0

    def retry_seconds(self, error: JudgeUnavailable | MalformedJudgment) -> float:
        """How long to wait before asking again.

        Raises:
            JudgeFailed: The error itself, if asking again is no use.
        """
        if self._retries == MAX_JUDGE_RETRIES:
            raise error
        self._retries += 1
        if isinstance(error, MalformedJudgment):
            if self.complaint is not None:
                raise error
            self.complaint = error.complaint
            return 0.0
        asked_for = error.retry_after or 0.0
        if asked_for > MAX_RETRY_AFTER_SECONDS:
            raise error
        self.is_rate_limited = self.is_rate_limited or error.is_rate_limited
        backoff = FIRST_BACKOFF_SECONDS * 2 ** (self._retries - 1)
        return asked_for + backoff * random.uniform(1 - JITTER, 1 + JITTER)
