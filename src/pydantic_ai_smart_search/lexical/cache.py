"""Indexes kept between searches, shared by threads and event loops."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic_ai_smart_search.errors import InvalidSearch
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.source.files import Root

_Key = tuple[str, str | None, str | None]


class _Waiter:
    """A search that waits for its turn, in whichever event loop it runs."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._called = self._loop.create_future()

    async def wait(self) -> None:
        await self._called

    def call(self) -> bool:
        """Wake it from any thread; false if its loop is gone."""
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return False
        return True

    def _wake(self) -> None:
        if not self._called.done():
            self._called.set_result(None)


@dataclass(slots=True)
class _Slot:
    index: SnippetIndex = field(default_factory=SnippetIndex)
    is_busy: bool = False
    waiters: deque[_Waiter] = field(default_factory=deque[_Waiter])


class IndexCache:
    """Up to `max_kept` indexes by directory and glob."""

    def __init__(self, max_kept: int) -> None:
        self._max_kept = max_kept
        self._lock = threading.Lock()
        self._slots: OrderedDict[_Key, _Slot] = OrderedDict()

    @asynccontextmanager
    async def use(self, root: Root, glob: str | None) -> AsyncGenerator[SnippetIndex]:
        """The index of a root and glob, for this search alone until it leaves."""
        if not self._max_kept:
            yield SnippetIndex()
            return
        key = (root.path, root.only, glob)
        slot = await self._take(key)
        try:
            yield slot.index
        except InvalidSearch:
            slot.index = SnippetIndex()
            raise
        finally:
            self._release(slot)

    async def _take(self, key: _Key) -> _Slot:
        with self._lock:
            slot = self._slots.setdefault(key, _Slot())
            self._slots.move_to_end(key)
            if not slot.is_busy:
                slot.is_busy = True
                self._evict()
                return slot
            waiter = _Waiter()
            slot.waiters.append(waiter)
        try:
            await waiter.wait()
        except BaseException:
            with self._lock:
                was_called = waiter not in slot.waiters
                if not was_called:
                    slot.waiters.remove(waiter)
            if was_called:
                self._release(slot)
            raise
        return slot

    def _release(self, slot: _Slot) -> None:
        with self._lock:
            while slot.waiters:
                if slot.waiters.popleft().call():
                    return
            slot.is_busy = False
            self._evict()

    def _evict(self) -> None:
        idle = [key for key, slot in self._slots.items() if not slot.is_busy]
        for key in idle[: max(0, len(self._slots) - self._max_kept)]:
            del self._slots[key]
