"""A project as the current directory, and judges that a command can be pointed at."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from tests.project import write_project
from tests.servers import Asked, Reply, SystemOneServer, score

T = TypeVar('T')


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, which holds the project about sessions and retries."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('SMART_SEARCH_JUDGE', raising=False)
    for name in ('FORCE_COLOR', 'NO_COLOR', 'COLUMNS', 'TERM'):
        monkeypatch.delenv(name, raising=False)
    return write_project(tmp_path)


@pytest.fixture
def system_one(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOneServer]:
    """A decision model behind `system-one:` names, for which one snippet is relevant."""

    def judge(asked: Asked) -> Reply:
        relevance = 0.95 if 'raise PermissionError' in asked.state else 0.05
        return score(relevance, relevance)

    with SystemOneServer(judge) as server:
        monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
        yield server


class StalledJudge:
    """A server that takes a request and never answers."""

    def __init__(self) -> None:
        self.asked = anyio.Event()
        """Set once it has been asked."""
        self.left = anyio.Event()
        """Set once who asked has gone."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Wait until the client closes the connection."""
        await reader.readuntil(b'\r\n\r\n')
        self.asked.set()
        await reader.read()
        self.left.set()
        writer.close()


@asynccontextmanager
async def stalled_judge(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[StalledJudge]:
    """A judge behind `system-one:` names that stalls."""
    judge = StalledJudge()
    server = await asyncio.start_server(judge.serve, '127.0.0.1', 0)
    host, port = server.sockets[0].getsockname()
    monkeypatch.setenv('SYSTEM_ONE_BASE_URL', f'http://{host}:{port}')
    async with server:
        yield judge


def command() -> str:
    """The installed `smart-search`."""
    return str(Path(sys.executable).with_name('smart-search'))


def environment() -> dict[str, str]:
    """What a command of a test gets: this process's variables."""
    return dict(os.environ)


def answer(value: T) -> Callable[[object], T]:
    """A function of one argument that always answers the same."""
    return lambda _: value
