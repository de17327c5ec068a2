"""Indexes kept between searches, shared by threads and event loops, and on disk by processes.

What an index is made of is imported when the first one is: numpy takes its time.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic_ai_smart_search.errors import InvalidSearch
from pydantic_ai_smart_search.options import MAX_CACHED_INDEXES
from pydantic_ai_smart_search.source.files import Root
from pydantic_ai_smart_search.threads import run_in_thread

if TYPE_CHECKING:
    from pydantic_ai_smart_search.lexical.index import SnippetIndex
    from pydantic_ai_smart_search.lexical.store import DiskIndex

_Key: TypeAlias = tuple[str | None, str, str | None, str | None, bool]


class _Waiter:
    """A search that waits for its turn, in the event loop it runs in."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._turn: asyncio.Future[None] = self._loop.create_future()
        self.was_called = False

    async def wait(self) -> None:
        await self._turn

    def call(self) -> bool:
        """Wake it, from any thread; false if its event loop is gone."""
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            return False
        self.was_called = True
        return True

    def _wake(self) -> None:
        if not self._turn.done():  # else it was cancelled meanwhile, and passes its turn on
            self._turn.set_result(None)


@dataclass(slots=True)
class _Slot:
    """One pair's index, and who uses it."""

    index: SnippetIndex | None = None
    disk: DiskIndex | None = None
    is_busy: bool = False
    waiters: deque[_Waiter] = field(default_factory=deque[_Waiter])


class IndexCache:
    """Keeps the indexes of up to `max_kept` (directory, glob) pairs; with 0, none.

    With a `directory`, each is also kept on disk, where other processes find it.

    The least recently searched is given up first, and never one in use, so there may be more while
    searches run in parallel. Searches of one pair take turns, in the order they came, from whatever
    threads and event loops: the first builds the index, the others find it built. The primitives of
    asyncio and anyio belong to one event loop; here a lock guards the books, held only to change
    them, and whoever waits is woken through their own loop.
    """

    def __init__(self, max_kept: int, directory: Path | None = None) -> None:
        self._max_kept = max_kept
        self._directory = directory
        self._lock = threading.Lock()
        self._slots: OrderedDict[_Key, _Slot] = OrderedDict()

    @property
    def is_keeping(self) -> bool:
        """Whether an index is kept for the next search, so that all of it is worth building."""
        return self._max_kept > 0

    @asynccontextmanager
    async def use(
        self,
        root: Root,
        glob: str | None,
        place: str | None = None,
        *,
        use_embedding: bool = False,
    ) -> AsyncGenerator[SnippetIndex]:
        """The index of what `root` and `glob` cover, for this search alone until it leaves.

        `place` tells the workspace from others; without one, the index is not kept on disk. A disk
        that fails is the `problem` of the index, and of nobody else.

        A search that is called invalid, by a limit it passed, leaves a partial index of something
        that cannot be searched: it is dropped. After any other exception, cancellation included,
        the index is kept, as whole files are added to it.
        """
        if not self._max_kept:
            from pydantic_ai_smart_search.lexical.index import SnippetIndex

            yield SnippetIndex(use_embedding=use_embedding)
            return
        key = (place, root.path, root.only, glob, use_embedding)
        slot = await self._take(key)
        try:
            slot.index = index = await run_in_thread(lambda stop: self._load(slot, key))
            yield index
            await run_in_thread(lambda stop: _save(slot, index))
        except InvalidSearch:
            slot.index = None
            raise
        finally:
            self._leave(key, slot)

    @cached_property
    def _version(self) -> str:
        from pydantic_ai_smart_search.lexical.store import fingerprint

        return fingerprint()

    def _load(self, slot: _Slot, key: _Key) -> SnippetIndex:
        """The index to go on with: that of memory, unless there is a later one on disk."""
        from pydantic_ai_smart_search.lexical.index import SnippetIndex
        from pydantic_ai_smart_search.lexical.store import About, DiskIndex

        place, path, only, glob, use_embedding = key
        index = slot.index or SnippetIndex(use_embedding=use_embedding)
        index.problem = ''
        if self._directory is None or place is None:
            return index
        if slot.disk is None:
            about = About(place=place, path=path, only=only, glob=glob, use_embedding=use_embedding)
            slot.disk = DiskIndex(self._directory, about, self._version)
        try:
            return slot.disk.load(slot.index)
        except (OSError, sqlite3.Error) as error:
            index.problem = str(error)
            return index

    async def _take(self, key: _Key) -> _Slot:
        """The slot of a pair, once it is this search's turn."""
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
            self._give_up(key, slot, waiter)
            raise
        return slot

    def _give_up(self, key: _Key, slot: _Slot, waiter: _Waiter) -> None:
        with self._lock:
            if waiter in slot.waiters:
                slot.waiters.remove(waiter)
        if waiter.was_called:
            self._leave(key, slot)

    def _leave(self, key: _Key, slot: _Slot) -> None:
        """Hand the slot to the next search that waits for it."""
        with self._lock:
            while slot.waiters:
                if slot.waiters.popleft().call():
                    return
            slot.is_busy = False
            if slot.index is None:
                del self._slots[key]
            self._evict()

    def _evict(self) -> None:
        """Drop idle indexes beyond `max_kept`, the least recently searched first."""
        idle = [key for key, slot in self._slots.items() if not slot.is_busy]
        for key in idle[: max(0, len(self._slots) - self._max_kept)]:
            del self._slots[key]


def open_indexes(directory: object, *, in_memory: bool) -> IndexCache:
    """What keeps indexes on disk in `directory`, or in memory, or not at all.

    Raises:
        ValueError: `directory` is no path of a directory.
    """
    if directory is None:
        return IndexCache(MAX_CACHED_INDEXES if in_memory else 0)
    if not isinstance(directory, str | Path) or not str(directory):
        raise ValueError(f'`index_dir` must be the path of a directory, got {directory!r}')
    return IndexCache(MAX_CACHED_INDEXES, Path(directory).expanduser().absolute())


def _save(slot: _Slot, index: SnippetIndex) -> None:
    """Keep an index on disk, unless that has failed already."""
    if slot.disk is None or index.problem:
        return
    try:
        slot.disk.save(index)
    except (OSError, sqlite3.Error) as error:
        index.problem = str(error)
