"""How many requests may be under way at once, as a judge's rate limits allow."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from pydantic_ai_smart_search.errors import JudgeUnavailable

DRAIN_SECONDS: Final = 1.0
"""Longest wait for the requests under way before a retry goes ahead alone: most end within it, and
one that hangs does not hold up the search."""


class Throttle:
    """Halves the requests under way when the judge is rate limited, and grows them back.

    Additive increase, multiplicative decrease, as TCP shares a link it cannot see: one request more
    for each round that went well. It belongs to one search, on one event loop.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._under_way = 0
        self._is_reserved = False
        self._slowdowns = 0
        self._changed: anyio.Event | None = None

    @property
    def allowed(self) -> int:
        """Requests that may be under way now, from 1 to the `most` it started with."""
        return int(self._allowed)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for a turn and hold it for one request, which sets the pace by how it ends.

        Requests that were under way together when the judge refused one halve the pace once.
        """
        while self._is_reserved or self._under_way >= self.allowed:
            await self._wait()
        self._under_way += 1
        slowdowns = self._slowdowns
        try:
            yield
            self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
        except JudgeUnavailable as error:
            if error.is_rate_limited and slowdowns == self._slowdowns:
                self._slowdowns += 1
                self._allowed = max(1.0, self._allowed / 2)
            raise
        finally:
            self._under_way -= 1
            self._wake()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """Let nobody begin a turn meanwhile, once those under way end, or hang."""
        while self._is_reserved:
            await self._wait()
        self._is_reserved = True
        try:
            with anyio.move_on_after(DRAIN_SECONDS):
                while self._under_way:
                    await self._wait()
            yield
        finally:
            self._is_reserved = False
            self._wake()

    async def _wait(self) -> None:
        """Until something may have changed."""
        self._changed = self._changed or anyio.Event()
        await self._changed.wait()

    def _wake(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed = None
