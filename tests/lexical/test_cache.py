"""The index cache: one index for a pair, whoever asks for it and from wherever."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path

import pytest

from pydantic_ai_smart_search.errors import LimitExceeded
from pydantic_ai_smart_search.lexical.cache import IndexCache, open_indexes
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.source.files import Root
from tests.lexical.trees import add

pytestmark = pytest.mark.anyio


def root(path: str = '/a', only: str | None = None) -> Root:
    return Root(path=path, shown='.', only=only)


async def peek(cache: IndexCache, path: str, glob: str | None = None) -> SnippetIndex:
    """The index of a pair, used for a moment."""
    async with cache.use(root(path), glob) as index:
        return index


async def fail(cache: IndexCache, error: Exception, used: list[SnippetIndex]) -> None:
    """A search of `/a` that fails, and notes the index it used."""
    async with cache.use(root(), None) as index:
        used.append(index)
        raise error


async def test_a_pair_keeps_its_index() -> None:
    cache = IndexCache(4)
    first = await peek(cache, '/a')
    assert await peek(cache, '/a') is first


async def test_directory_file_and_glob_each_have_their_own() -> None:
    cache = IndexCache(4)
    indexes = [await peek(cache, '/a'), await peek(cache, '/b'), await peek(cache, '/a', '*.py')]
    async with cache.use(root('/a', only='x.py'), None) as index:
        indexes.append(index)
    assert len({id(index) for index in indexes}) == 4


async def test_without_room_every_search_has_an_index_of_its_own() -> None:
    cache = IndexCache(0)
    async with cache.use(root(), None) as first, cache.use(root(), None) as second:
        assert first is not second


async def test_the_least_recently_searched_is_evicted() -> None:
    cache = IndexCache(2)
    a, b = await peek(cache, '/a'), await peek(cache, '/b')
    assert await peek(cache, '/a') is a
    await peek(cache, '/c')
    assert await peek(cache, '/a') is a
    assert await peek(cache, '/b') is not b


async def test_an_index_in_use_is_not_evicted() -> None:
    cache = IndexCache(1)
    async with cache.use(root('/a'), None) as a:
        b = await peek(cache, '/b')
        assert await peek(cache, '/b') is not b, 'there is room for one, and /a has it'
    assert await peek(cache, '/a') is a


async def test_searches_of_a_pair_take_turns_in_the_order_they_came() -> None:
    cache = IndexCache(4)
    log: list[str] = []

    async def search(name: str) -> None:
        async with cache.use(root(), None):
            log.append(f'{name} in')
            await asyncio.sleep(0)
            log.append(f'{name} out')

    async with cache.use(root(), None):
        tasks = [asyncio.create_task(search(name)) for name in 'abc']
        await asyncio.sleep(0)  # each of them runs until it has to wait
        assert not log
    await asyncio.gather(*tasks)
    assert log == ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']


async def test_other_pairs_are_not_waited_for() -> None:
    cache = IndexCache(4)
    async with cache.use(root('/a'), None), cache.use(root('/b'), None):
        pass


async def test_a_search_over_a_limit_leaves_no_index() -> None:
    cache = IndexCache(1)
    used: list[SnippetIndex] = []
    with pytest.raises(LimitExceeded):
        await fail(cache, LimitExceeded('files', 1), used)
    assert await peek(cache, '/a') is not used[0]


async def test_those_waiting_for_a_search_over_a_limit_start_afresh() -> None:
    cache = IndexCache(1)
    using = cache.use(root(), None)
    partial = await using.__aenter__()
    waiting = asyncio.create_task(peek(cache, '/a'))
    await asyncio.sleep(0)
    error = LimitExceeded('files', 1)
    assert not await using.__aexit__(LimitExceeded, error, None)
    assert await waiting is not partial


async def test_a_cancelled_or_failed_search_leaves_its_index_usable() -> None:
    cache = IndexCache(1)
    entered = asyncio.Event()
    used: list[SnippetIndex] = []

    async def search() -> None:
        async with cache.use(root(), None) as index:
            used.append(index)
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(search())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(OSError, match='gone'):
        await fail(cache, OSError('gone'), used)
    assert await peek(cache, '/a') is used[1] is used[0]


async def test_a_cancelled_wait_does_not_hold_up_the_others() -> None:
    cache = IndexCache(1)
    async with cache.use(root(), None):
        waiting = [asyncio.create_task(peek(cache, '/a')) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.wait(waiting[:1])
    assert await waiting[1]
    assert waiting[0].cancelled()


async def test_a_search_cancelled_just_as_its_turn_comes_passes_it_on() -> None:
    cache = IndexCache(1)
    using = cache.use(root(), None)
    await using.__aenter__()
    waiting = [asyncio.create_task(peek(cache, '/a')) for _ in range(2)]
    await asyncio.sleep(0)
    await using.__aexit__(None, None, None)
    waiting[0].cancel()
    assert await waiting[1]
    assert waiting[0].cancelled()


async def test_a_wait_in_a_closed_event_loop_is_passed_over() -> None:
    cache = IndexCache(1)
    async with cache.use(root(), None) as index:

        def leave_a_wait_behind() -> None:
            loop = asyncio.new_event_loop()
            loop.set_exception_handler(lambda loop, context: None)  # a task destroyed: as intended
            waiting = loop.create_task(peek(cache, '/a'))
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()
            assert not waiting.done()

        await asyncio.to_thread(leave_a_wait_behind)
        behind = asyncio.create_task(peek(cache, '/a'))
        await asyncio.sleep(0)
    gc.collect()
    assert await behind is index


def test_four_threads_with_their_own_event_loops_build_an_index_once() -> None:
    cache = IndexCache(4)
    together = threading.Barrier(4)
    inside: list[int] = []
    most_inside: list[int] = []
    built: set[int] = set()

    async def search() -> None:
        async with cache.use(root(), None) as index:
            inside.append(1)
            most_inside.append(len(inside))
            built.add(id(index))
            await asyncio.to_thread(index.keep_only, set())
            inside.pop()

    async def searches() -> None:
        await asyncio.to_thread(together.wait)
        await asyncio.gather(*(search() for _ in range(25)))

    threads = [threading.Thread(target=asyncio.run, args=(searches(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert most_inside == [1] * 100
    assert len(built) == 1


def databases(directory: Path) -> list[Path]:
    return list(directory.glob('*.sqlite'))


async def index_a_word(cache: IndexCache, place: str | None, path: str, word: str) -> SnippetIndex:
    """Add a file to the index of `/a`."""
    async with cache.use(root(), None, place) as index:
        add(index, path, word)
        return index


async def test_an_index_on_disk_is_there_in_the_next_process(tmp_path: Path) -> None:
    await index_a_word(open_indexes(tmp_path, in_memory=False), 'here', 'a.py', 'ant')
    async with open_indexes(str(tmp_path), in_memory=False).use(root(), None, 'here') as index:
        assert [file.path for file in index.indexed_files()] == ['a.py']
        assert index.problem == ''


async def test_indexes_of_other_places_and_of_no_place_are_apart(tmp_path: Path) -> None:
    cache = open_indexes(tmp_path, in_memory=False)
    await index_a_word(cache, 'here', 'a.py', 'ant')
    await index_a_word(cache, 'there', 'b.py', 'bee')
    await index_a_word(cache, None, 'c.py', 'cat')
    assert len(databases(tmp_path)) == 2
    async with cache.use(root(), None) as index:
        assert [file.path for file in index.indexed_files()] == ['c.py']


async def test_a_disk_that_fails_is_said_to_and_the_index_stays_in_memory(tmp_path: Path) -> None:
    directory = tmp_path / 'indexes'
    directory.write_text('a file where a directory should be')
    cache = open_indexes(directory, in_memory=False)
    index = await index_a_word(cache, 'here', 'a.py', 'ant')
    assert 'exists' in index.problem or 'directory' in index.problem
    again = await index_a_word(cache, 'here', 'b.py', 'bee')
    assert again is index
    directory.unlink()
    await index_a_word(cache, 'here', 'c.py', 'cat')
    assert index.problem == ''
    async with open_indexes(directory, in_memory=False).use(root(), None, 'here') as back:
        assert len(back.indexed_files()) == 3


async def test_a_database_that_cannot_be_opened_is_a_problem_and_no_error(tmp_path: Path) -> None:
    await index_a_word(open_indexes(tmp_path, in_memory=False), 'here', 'a.py', 'ant')
    (database,) = databases(tmp_path)
    database.unlink()
    database.mkdir()
    index = await index_a_word(open_indexes(tmp_path, in_memory=False), 'here', 'b.py', 'bee')
    assert 'open' in index.problem


@pytest.mark.parametrize('directory', ['', 7, True])
def test_a_directory_that_is_no_path_is_refused(directory: object) -> None:
    with pytest.raises(ValueError, match='`index_dir` must be the path of a directory, got'):
        open_indexes(directory, in_memory=True)
