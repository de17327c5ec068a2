"""How many requests one search may spend: the one place where they are claimed and counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from pydantic_ai_smart_search.errors import NoRequestsLeft

_COUNTING = threading.Lock()
"""Held while a counter is read and written: parallel searches share it, perhaps across threads."""


class RequestCounter(Protocol):
    """Counts the requests of a run; the host's `RunUsage` is one."""

    requests: int


class RequestBudget:
    """The requests one search may spend, from the moment the search starts.

    That is half of what the run's limit leaves after one for its next turn, rounded up. Parallel
    searches share the run's counter, and a claim counts there at once, so together they leave that
    one too. Without a counter (no agent) or a limit there is no cap.
    """

    def __init__(
        self, usage: RequestCounter | None = None, request_limit: int | None = None
    ) -> None:
        self._usage = usage
        self._limit = request_limit
        self._started = time.monotonic()
        self._spent = 0
        has_cap = usage is not None and request_limit is not None
        self._allowance = (max(0, self._left()) + 1) // 2 if has_cap else None

    @property
    def spent(self) -> int:
        """Requests claimed and not given back."""
        return self._spent

    @property
    def left(self) -> int | None:
        """Requests that could be claimed now, 0 or more; `None` without a cap."""
        if self._allowance is None:
            return None
        return max(0, min(self._allowance - self._spent, self._left()))

    def seconds_left(self, deadline_seconds: float) -> float:
        """What is left of a search's `deadline_seconds`; negative once they have passed."""
        return self._started + deadline_seconds - time.monotonic()

    def check(self) -> None:
        """Fail unless a request could be claimed now.

        Raises:
            NoRequestsLeft: None is left.
        """
        if self.left != 0:
            return
        assert self._limit is not None
        raise NoRequestsLeft(self._limit)

    @contextmanager
    def claim(self) -> Generator[None]:
        """Claim one request, which the body makes.

        It stays counted whatever the judge answers, an error included, and is given back when the
        body is cancelled first.

        Raises:
            NoRequestsLeft: None is left.
        """
        with _COUNTING:
            self.check()
            self._count(1)
        try:
            yield
        except Exception:
            raise
        except BaseException:
            with _COUNTING:
                self._count(-1)
            raise

    def _left(self) -> int:
        """Requests the run has left, one kept for its next turn."""
        assert self._usage is not None
        assert self._limit is not None
        return self._limit - self._usage.requests - 1

    def _count(self, requests: int) -> None:
        self._spent += requests
        if self._usage is not None:
            self._usage.requests += requests
