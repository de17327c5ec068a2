"""A judge inside a durable workflow. Runs where `dbos` is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace

from pydantic_ai_smart_search.capability import SmartSearch
from tests.project import calls_tool_once, scores_by_word, write_project
from tests.servers import SystemOneServer

dbos = pytest.importorskip('dbos', reason='dbos is not installed')
durable = pytest.importorskip('pydantic_ai.durable_exec.dbos', reason='dbos is not installed')

pytestmark = [
    pytest.mark.anyio,
    # What `dbos` and its database driver warn about is theirs.
    pytest.mark.filterwarnings('default'),
]


@pytest.mark.parametrize('by_name', [True, False])
async def test_a_search_inside_a_dbos_workflow_is_judged_and_counted(
    by_name: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent(
        calls_tool_once(query='reject an expired session'),
        name=f'searcher-{by_name}',
        capabilities=[
            LocalWorkspace(write_project(tmp_path / 'project')),
            SmartSearch('system-one:test' if by_name else scores_by_word(session=1.0)),
            durable.DBOSDurability(),
        ],
    )

    @dbos.DBOS.workflow(name=f'search-{by_name}')
    async def workflow() -> tuple[str, int]:
        result = await agent.run('where do we reject expired sessions?')
        return result.output, result.usage.requests

    database = f'sqlite:///{tmp_path}/dbos.sqlite'
    dbos.DBOS(config={'name': 'smart-search', 'system_database_url': database})
    dbos.DBOS.launch()
    try:
        with SystemOneServer() as server:
            monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
            handle = await dbos.DBOS.start_workflow_async(workflow)
            output, requests = await handle.get_result()
    finally:
        dbos.DBOS.destroy()
    assert 'app/sessions.py' in output
    assert requests > 2
