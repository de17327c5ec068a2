"""How many requests one search may spend: the one place where they are claimed and counted."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from pydantic_ai_smart_search.errors import NoRequestsLeft

_COUNTING = threading.Lock()
"""Held while a counter is read and written: parallel searches share it, perhaps across threads."""


class RequestCounter(Protocol):
    """Counts the requests of a run; the host's `RunUsage` is one."""

    requests: int


class Claim:
    """One request that may be sent."""

    __slots__ = ('is_spent',)

    def __init__(self) -> None:
        self.is_spent = False

    def spend(self) -> None:
        """Say that the request reached the judge, so that it stays counted."""
        self.is_spent = True


class RequestBudget:
    """The requests one search may spend.

    That is half of what the run's limit leaves after one for its next turn, rounded up. Parallel
    searches share the run's counter, and a claim counts there at once, so together they leave that
    one too. Without a counter (no agent) or a limit there is no cap.
    """

    def __init__(
        self, usage: RequestCounter | None = None, request_limit: int | None = None
    ) -> None:
        self._usage = usage
        self._limit = request_limit
        self._claimed = 0
        has_cap = usage is not None and request_limit is not None
        self._allowance = (max(0, self._left()) + 1) // 2 if has_cap else None

    @property
    def spent(self) -> int:
        """Requests claimed and not released."""
        return self._claimed

    def check(self) -> None:
        """Fail unless a request could be claimed now.

        Raises:
            NoRequestsLeft: None is left.
        """
        if not self._has_room():
            assert self._limit is not None
            raise NoRequestsLeft(self._limit)

    @contextmanager
    def claim(self) -> Generator[Claim]:
        """Claim one request, and give it back however the body ends, unless the body spent it.

        Raises:
            NoRequestsLeft: None is left.
        """
        with _COUNTING:
            self.check()
            self._count(1)
        claim = Claim()
        try:
            yield claim
        finally:
            if not claim.is_spent:
                with _COUNTING:
                    self._count(-1)

    def _has_room(self) -> bool:
        return self._allowance is None or (self._claimed < self._allowance and self._left() > 0)

    def _left(self) -> int:
        """Requests the run has left, one kept for its next turn."""
        assert self._usage is not None
        assert self._limit is not None
        return self._limit - self._usage.requests - 1

    def _count(self, requests: int) -> None:
        self._claimed += requests
        if self._usage is not None:
            self._usage.requests += requests
