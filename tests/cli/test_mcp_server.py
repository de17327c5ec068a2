"""What the server answers, asked by the SDK's client in the same process."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from mcp import Client, MCPError, types
from mcp.client.session import ListRootsFnT
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app
from pydantic_ai_smart_search.cli.server import SearchServer, StageNotes
from pydantic_ai_smart_search.guidance import GUIDANCE, TOOL_NAME
from pydantic_ai_smart_search.options import SearchOptions
from tests.cli.conftest import answer
from tests.cli.test_mcp import QUERY, files_of, text_of
from tests.project import write_project
from tests.servers import SystemOneServer

Era = Literal['legacy', 'auto']


@pytest.fixture(params=['legacy', 'auto'])
def era(request: pytest.FixtureRequest) -> Era:
    return request.param


@asynccontextmanager
async def client_of(
    era: Era = 'auto',
    directory: str | None = None,
    list_roots: ListRootsFnT | None = None,
    judge: str = 'local',
) -> AsyncGenerator[Client]:
    server = SearchServer(directory, judge, SearchOptions(threshold=0))
    async with Client(server.protocol, mode=era, list_roots_callback=list_roots) as client:
        yield client


def roots(*uris: str) -> ListRootsFnT:
    async def list_roots(context: object) -> types.ListRootsResult:
        named = [types.Root.model_validate({'uri': uri}) for uri in uris]
        return types.ListRootsResult(roots=named)

    return list_roots


async def call(client: Client, **arguments: object) -> types.CallToolResult:
    return await client.call_tool(TOOL_NAME, {'query': QUERY, **arguments})


@pytest.mark.anyio
@pytest.mark.parametrize(
    ('arguments', 'complaint'),
    [
        ({'query': None}, '`query`: Input should be a valid string.'),
        ({'limit': 'many'}, '`limit`: Input should be a valid integer'),
        ({'candidates': 1_000}, '`candidates`: Input should be less than'),
        ({'path': '.'}, '`path`: Extra inputs are not permitted.'),
        ({'query': ' '}, '`query` must have 1 to 2,000 characters'),
        ({'directory': 'nowhere'}, "There is no 'nowhere' in the workspace"),
        ({'directory': '/etc'}, "'/etc' is outside the working directory"),
        ({'directory': '../..'}, "'../..' is outside the working directory"),
    ],
)
async def test_what_is_wrong_with_a_call_is_told_so_that_it_can_be_corrected(
    here: Path, era: Era, arguments: dict[str, object], complaint: str
) -> None:
    async with client_of(era) as client:
        result = await call(client, **arguments)
    assert result.is_error
    assert complaint in text_of(result)


@pytest.mark.anyio
async def test_there_is_one_tool(here: Path, era: Era) -> None:
    async with client_of(era) as client:
        with pytest.raises(MCPError, match="There is no tool 'rm'"):
            await client.call_tool('rm', {})


@pytest.mark.anyio
async def test_the_directory_of_the_command_line_is_searched_where_there_are_no_roots(
    here: Path, era: Era
) -> None:
    async with client_of(era, 'app') as client:
        assert files_of(await call(client)) == {'network.py', 'sessions.py'}
    async with client_of(era, 'app', roots()) as client:
        assert files_of(await call(client)) == {'network.py', 'sessions.py'}


@pytest.mark.anyio
async def test_one_root_is_the_working_directory(here: Path, era: Era) -> None:
    async with client_of(era, None, roots((here / 'app').as_uri())) as client:
        assert files_of(await call(client)) == {'network.py', 'sessions.py'}
        found = await call(client, directory=str(here / 'app/sessions.py'))
        assert files_of(found) == {str(here / 'app/sessions.py')}
        outside = await call(client, directory=str(here / 'tests'))
        assert 'is outside the working directory' in text_of(outside)


@pytest.mark.anyio
async def test_of_several_roots_the_directory_decides(here: Path, era: Era) -> None:
    write_project(here, {'app/deep/a.py': 'expired = 1\n', 'tests/deep/b.py': 'expired = 1\n'})
    app_root, tests_root, lib = (here / name for name in ('app', 'tests', 'app/deep'))
    listed = roots(app_root.as_uri(), tests_root.as_uri(), lib.as_uri())
    async with client_of(era, None, listed) as client:
        for directory, complaint in {
            '.': f'Give `directory` as an absolute path in one of them: {app_root}, {tests_root}.',
            'deep': "'deep' could be in any of several folders.",
            'nowhere': "There is no 'nowhere'",
            str(here): 'is outside the working directory',
        }.items():
            assert complaint in text_of(await call(client, directory=directory))
        found = await call(client, directory=str(tests_root / 'deep'))
        assert files_of(found) == {str(tests_root / 'deep/b.py')}
        assert files_of(await call(client, directory='sessions.py')) == {'sessions.py'}


@pytest.mark.anyio
async def test_roots_elsewhere_are_no_reason_to_search_here(here: Path, era: Era) -> None:
    listed = roots('file://another.machine/srv', (here / 'gone').as_uri())
    async with client_of(era, '.', listed) as client:
        result = await call(client)
    assert result.is_error
    assert text_of(result).startswith('None of the folders the client names is a directory')


@pytest.mark.anyio
async def test_a_client_that_will_not_name_its_roots_gets_no_search(here: Path) -> None:
    async def refuse(context: object) -> types.ErrorData:
        return types.ErrorData(code=types.INTERNAL_ERROR, message='not today')

    async with client_of('legacy', '.', refuse) as client:
        result = await call(client)
    assert result.is_error
    assert text_of(result).startswith('The client did not name its folders: not today.')


@pytest.mark.anyio
async def test_an_answer_to_another_question_names_no_roots(here: Path) -> None:
    async with client_of('auto', '.', roots()) as client:
        result = await client.session.call_tool(
            TOOL_NAME,
            {'query': QUERY},
            input_responses={'roots': types.ElicitResult(action='decline')},
        )
    assert isinstance(result, types.CallToolResult)
    assert text_of(result).startswith('The client did not name its folders.')


@pytest.mark.anyio
@pytest.mark.parametrize('is_home', [True, False])
async def test_a_home_or_a_whole_disk_is_searched_only_if_it_was_named(
    here: Path, is_home: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_home:
        monkeypatch.setenv('HOME', str(here))
    else:
        monkeypatch.chdir('/')
    async with client_of() as client:
        result = await call(client)
        assert result.is_error
        assert 'as in `smart-search mcp DIRECTORY`' in text_of(result)
    async with client_of(directory=str(here)) as client:
        assert not (await call(client)).is_error


@pytest.mark.anyio
async def test_a_judge_that_source_is_sent_to_is_announced(
    here: Path, system_one: SystemOneServer
) -> None:
    async with client_of(judge='system-one:test') as client:
        (tool,) = (await client.list_tools()).tools
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint
        assert client.instructions == GUIDANCE


@pytest.mark.anyio
async def test_the_same_question_is_judged_once(here: Path, system_one: SystemOneServer) -> None:
    async with client_of(judge='system-one:test') as client:
        first = await client.call_tool(TOOL_NAME, {'query': QUERY})
        asked = len(system_one.requests)
        again = await client.call_tool(TOOL_NAME, {'query': QUERY})
    assert again.structured_content == first.structured_content
    assert len(system_one.requests) == asked > 0


@pytest.mark.anyio
async def test_each_call_sees_the_files_as_they_are(here: Path) -> None:
    async with client_of() as client:
        call = {'query': 'parse a roman numeral', 'limit': 1}
        assert 'numerals.py' not in files_of(await client.call_tool(TOOL_NAME, call))
        write_project(here, {'numerals.py': 'def parse_roman_numeral(text): ...\n'})
        assert files_of(await client.call_tool(TOOL_NAME, call)) == {'numerals.py'}
        (here / 'numerals.py').unlink()
        assert 'numerals.py' not in files_of(await client.call_tool(TOOL_NAME, call))


@pytest.mark.anyio
async def test_a_judge_that_fails_is_told_with_what_to_use_instead(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('SYSTEM_ONE_BASE_URL', 'http://127.0.0.1:9')
    async with client_of(judge='system-one:test') as client:
        result = await client.call_tool(TOOL_NAME, {'query': QUERY})
    assert result.is_error
    assert text_of(result).endswith('Use regular text search and targeted reads instead.')


def test_progress_never_goes_back() -> None:
    notes: list[tuple[float, str]] = []
    progress = StageNotes(notes.append)
    for stage, done, total in [
        ('index', 1, 2), ('index', 1, 2), ('index', 2, 2), ('judge', 0, 0), ('new', 1_000, 2_000),
    ]:  # fmt: skip
        progress(stage, done, total)
    assert notes == [
        (0.5, 'indexing files: 1 of 2'),
        (1.0, 'indexing files: 2 of 2'),
        (2.5, 'new: 1,000 of 2,000'),
    ]


def test_a_client_that_is_gone_when_it_is_answered_is_no_failure(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(serve: object) -> None:
        raise ExceptionGroup('writing', [BrokenPipeError()])

    monkeypatch.setattr('pydantic_ai_smart_search.cli.server.anyio.run', run)
    assert CliRunner().invoke(app, ['mcp']).exit_code == 0


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('pydantic_ai_smart_search.cli.app.find_spec', answer(None))
    failed = CliRunner().invoke(app, ['mcp'])
    assert failed.exit_code == 2
    assert 'pydantic-ai-smart-search[mcp]' in failed.stderr


def test_the_command_speaks_nothing_but_the_protocol_on_stdout(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[dict[str, object]] = [
        {
            'id': 1,
            'method': 'initialize',
            'params': {
                'protocolVersion': '2025-06-18',
                'capabilities': {},
                'clientInfo': {'name': 'test', 'version': '1'},
            },
        },
        {'method': 'notifications/initialized'},
        {'id': 2, 'method': 'tools/list'},
    ]
    lines = [json.dumps({'jsonrpc': '2.0', **request}) for request in requests]
    spoken = CliRunner().invoke(app, ['mcp'], input='\n'.join([*lines, 'nonsense', '']))
    assert spoken.exit_code == 0
    answers = [json.loads(line) for line in spoken.stdout.splitlines()]
    # This client hangs up at once, so its second request may be dropped; all lines are protocol.
    assert [answer['id'] for answer in answers] in ([1], [1, 2])


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['nowhere'], "There is no 'nowhere'"),
        (['-j', 'nosuch:model'], 'nosuch:model'),
        (['-t', '7'], '`threshold` must be'),
    ],
)
def test_a_server_that_could_not_search_does_not_start(
    here: Path, arguments: list[str], message: str
) -> None:
    failed = CliRunner().invoke(app, ['mcp', *arguments])
    assert (failed.exit_code, failed.stdout) == (2, '')
    assert failed.stderr.startswith('smart-search: ')
    assert message in failed.stderr
