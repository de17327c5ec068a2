"""A decision model's server on loopback that answers as a test tells it to."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One `POST /v1/systemone` request."""

    state: str
    questions: Mapping[str, Mapping[str, Any]]
    model: str
    headers: Mapping[str, str]
    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the server sends back."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_stalled: bool = False
    """Whether it is never sent."""


def score(entity: object = 0.9, operation: object = 0.9) -> Reply:
    """A judgment, by default a relevance of 0.81."""
    return say(entity=entity, operation=operation)


def say(**answers: object) -> Reply:
    """Answers to the questions of these names."""
    return Reply(
        body={
            'model': 'test',
            'answers': {name: {'type': 'noul', 'noul': said} for name, said in answers.items()},
            'usage': {'input_tokens': 100, 'output_tokens': 2},
        }
    )


def refuse(status: int, **headers: str) -> Reply:
    """An error, with headers spelled like `retry_after`."""
    spelled = {name.replace('_', '-'): value for name, value in headers.items()}
    return Reply(body={'detail': f'scripted {status}'}, status=status, headers=spelled)


STALL = Reply(body=None, is_stalled=True)
"""No answer, until the client gives up."""


class SystemOneServer:
    """Serves until its `with` block ends, from a thread and an event loop of its own.

    `script` is called for each request, in the order they arrive, and says how it is answered.
    """

    def __init__(self, script: Callable[[Asked], Reply] = lambda _: score()) -> None:
        self.requests: list[Asked] = []
        """Every request so far."""
        self._script = script
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name='system-one-server')
        self._connections: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._listen())
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self._server.sockets[0].getsockname()
        return f'http://{host}:{port}'

    async def until_idle(self) -> None:
        """Return once no client has a connection open."""
        idle = asyncio.run_coroutine_threadsafe(self._wait_for_connections(), self._loop)
        await asyncio.wrap_future(idle)

    async def _wait_for_connections(self) -> None:
        await asyncio.gather(*self._connections)

    def _run(self, coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, '127.0.0.1', 0, backlog=1_000)

    async def _close(self) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = self._loop.create_task(self._serve(reader, writer))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on one connection until the client closes it."""
        try:
            while asked := await _read_request(reader):
                self.requests.append(asked)
                reply = self._script(asked)
                if reply.is_stalled:
                    await reader.read()
                    return
                writer.write(_response(reply))
                await writer.drain()
        except ConnectionError:
            return
        finally:
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Asked | None:
    """The next request, or `None` once the client has closed the connection."""
    try:
        head = (await reader.readuntil(b'\r\n\r\n')).decode()
        request_line, *lines = head.strip().split('\r\n')
        headers = {name.lower(): value for name, value in (line.split(': ', 1) for line in lines)}
        body = json.loads(await reader.readexactly(int(headers['content-length'])))
    except asyncio.IncompleteReadError:
        return None
    return Asked(
        state=body['state'],
        questions=body['questions'],
        model=body['model'],
        headers=headers,
        path=request_line.split()[1],
    )


def _response(reply: Reply) -> bytes:
    body = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
    headers = {
        'content-type': 'application/json',
        'content-length': str(len(body)),
        **reply.headers,
    }
    lines = [f'HTTP/1.1 {reply.status} Scripted', *(f'{name}: {headers[name]}' for name in headers)]
    return '\r\n'.join([*lines, '', '']).encode() + body
