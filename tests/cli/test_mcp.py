"""The installed `smart-search mcp` with the SDK's own client, over a real pipe."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters, types
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace

from pydantic_ai_smart_search import SmartSearch, SmartSearchToolset
from pydantic_ai_smart_search.guidance import GUIDANCE, SENDS_SOURCE, TOOL_NAME
from pydantic_ai_smart_search.testing import searches_once
from tests.cli.conftest import command, environment, stalled_judge
from tests.project import write_project
from tests.servers import SystemOneServer

pytestmark = pytest.mark.anyio

Era = Literal['legacy', 'auto']
ERAS = pytest.mark.parametrize('era', ['legacy', 'auto'])
"""The protocols before 2026-07-28, which begin with a handshake, and those since."""

QUERY = 'reject an expired session'
STALLED = ('--judge', 'system-one:test')


@asynccontextmanager
async def connected(*arguments: str, era: Era = 'auto', **client: Any) -> AsyncGenerator[Client]:
    """A client of a server that runs as its child until the block ends."""
    server = StdioServerParameters(command=command(), args=['mcp', *arguments], env=environment())
    with anyio.fail_after(100):
        async with Client(server, mode=era, **client) as session:
            yield session


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def files_of(result: types.CallToolResult) -> set[str]:
    assert not result.is_error, text_of(result)
    return {match['file_path'] for match in result.structured_content['matches']}


async def test_the_tool_is_the_agents(here: Path) -> None:
    async with connected() as client:
        (tool,) = (await client.list_tools()).tools
        assert client.instructions == GUIDANCE.removesuffix(SENDS_SOURCE)
    agents = SmartSearchToolset[None](model='local').tools[TOOL_NAME]
    assert (tool.name, tool.description) == (agents.name, agents.description)
    assert tool.input_schema == agents.tool_def.parameters_json_schema
    assert tool.annotations == types.ToolAnnotations(read_only_hint=True, open_world_hint=False)


@ERAS
async def test_a_call_gives_what_an_agents_model_reads(
    here: Path, system_one: SystemOneServer, era: Era
) -> None:
    agent = Agent(
        searches_once(QUERY),
        capabilities=[LocalWorkspace(str(here)), SmartSearch('system-one:test')],
    )
    read = json.loads((await agent.run('Find it.')).output)
    async with connected('-j', 'system-one:test', era=era) as client:
        result = await client.call_tool(TOOL_NAME, {'query': QUERY})
    assert result.structured_content == json.loads(text_of(result)) == read
    assert read['matches'][0]['symbol'] == 'SessionStore.load'


async def test_the_result_is_as_its_schema_says(here: Path) -> None:
    async with connected('-t', '0') as client:
        (tool,) = (await client.list_tools()).tools
        result = await client.call_tool(TOOL_NAME, {'query': QUERY})
    assert tool.output_schema is not None
    assert set(tool.output_schema['properties']) == set(result.structured_content)
    assert result.structured_content['matches'] != []
    jsonschema.validate(result.structured_content, tool.output_schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({'matches': ['none']}, tool.output_schema)


@pytest.mark.parametrize(('options', 'stages'), [((), 2), (('--screen-files', '48'), 3)])
async def test_a_search_tells_how_far_it_has_come(
    here: Path, system_one: SystemOneServer, options: tuple[str, ...], stages: int
) -> None:
    notes: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        notes.append((progress, total, message))

    async with connected('-j', 'system-one:test', *options) as client:
        await client.call_tool(TOOL_NAME, {'query': QUERY}, progress_callback=note)
    amounts = [progress for progress, _, _ in notes]
    assert amounts == sorted(set(amounts))
    assert notes[0] == (1, stages, 'indexing files: 4 of 4')
    assert notes[-1] == (stages, stages, 'judging snippets: 6 of 6')


@ERAS
async def test_a_cancelled_call_stops_its_search_at_once(
    here: Path, monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    async with stalled_judge(monkeypatch) as judge, connected(*STALLED, era=era) as client:
        async with anyio.create_task_group() as calls:
            calls.start_soon(client.call_tool, TOOL_NAME, {'query': QUERY})
            await judge.asked.wait()
            calls.cancel_scope.cancel()
        await judge.left.wait()
        assert (await client.list_tools()).tools[0].name == TOOL_NAME


async def test_two_calls_at_once_are_both_answered(here: Path) -> None:
    answers: dict[str, set[str]] = {}

    async def call(query: str, glob: str) -> None:
        arguments = {'query': query, 'glob': glob}
        answers[glob] = files_of(await client.call_tool(TOOL_NAME, arguments))

    async with connected('-t', '0') as client, anyio.create_task_group() as calls:
        calls.start_soon(call, QUERY, 'app/s*')
        calls.start_soon(call, 'try again when the network fails', 'app/n*')
    assert answers == {'app/s*': {'app/sessions.py'}, 'app/n*': {'app/network.py'}}


async def test_a_wrong_call_is_told_what_is_wrong_and_the_next_one_works(here: Path) -> None:
    async with connected() as client:
        wrong = await client.call_tool(TOOL_NAME, {'query': QUERY, 'limit': 'many', 'path': '.'})
        right = await client.call_tool(TOOL_NAME, {'query': QUERY})
    assert wrong.is_error
    assert text_of(wrong).startswith('`limit`: Input should be a valid integer')
    assert text_of(wrong).endswith('`path`: Extra inputs are not permitted.')
    assert not right.is_error


async def test_roots_are_the_boundary(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = write_project(tmp_path_factory.mktemp('a root'))
    (root / 'README.md').unlink()

    async def list_roots(context: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=root.as_uri())])  # pyright: ignore[reportArgumentType]

    async with connected('-t', '0', list_roots_callback=list_roots) as client:
        found = await client.call_tool(TOOL_NAME, {'query': QUERY, 'limit': 100})
        outside = await client.call_tool(TOOL_NAME, {'query': QUERY, 'directory': str(here)})
    assert files_of(found) == {'app/network.py', 'app/sessions.py', 'tests/test_sessions.py'}
    assert outside.is_error
    assert 'is outside the working directory' in text_of(outside)


@pytest.mark.parametrize(('is_searching', 'is_reading'), [(False, True), (True, False)])
async def test_a_server_whose_client_dies_exits_quietly(
    here: Path, monkeypatch: pytest.MonkeyPatch, is_searching: bool, is_reading: bool
) -> None:
    async with stalled_judge(monkeypatch) as judge:
        server = await raw_server(*STALLED)
        assert server.stdin is not None
        assert server.stdout is not None
        await shake_hands(server)
        if is_searching:
            await send(
                server,
                id=2,
                method='tools/call',
                params={'name': TOOL_NAME, 'arguments': {'query': QUERY}},
            )
            await judge.asked.wait()
        if not is_reading:
            await server.stdout.aclose()
        await server.stdin.aclose()
        with anyio.fail_after(60):
            await server.wait()
        assert server.returncode == 0
        assert server.stderr is not None
        assert b''.join([part async for part in server.stderr]) == b''
        if is_searching:
            await judge.left.wait()
        await server.aclose()


async def test_ctrl_c_ends_the_server(here: Path) -> None:
    server = await raw_server()
    await shake_hands(server)
    server.send_signal(signal.SIGINT)
    with anyio.fail_after(60):
        assert await server.wait() == -2
    await server.aclose()


async def raw_server(*arguments: str) -> anyio.abc.Process:
    """A server without a client."""
    return await anyio.open_process([command(), 'mcp', *arguments], env=environment())


async def send(server: anyio.abc.Process, **message: object) -> None:
    assert server.stdin is not None
    await server.stdin.send(json.dumps({'jsonrpc': '2.0', **message}).encode() + b'\n')


async def shake_hands(server: anyio.abc.Process) -> None:
    await send(
        server,
        id=1,
        method='initialize',
        params={
            'protocolVersion': '2025-06-18',
            'capabilities': {},
            'clientInfo': {'name': 'test', 'version': '1'},
        },
    )
    assert server.stdout is not None
    assert b'"protocolVersion":"2025-06-18"' in await server.stdout.receive()
    await send(server, method='notifications/initialized')
