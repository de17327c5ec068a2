"""How a search of anything but an ordinary project ends, as the agent and its developer see it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.workspaces import (
    CommandResult,
    LocalWorkspaceBackend,
    WorkspaceBackend,
    WorkspaceCommand,
    WorkspaceError,
    WorkspaceRef,
    WorkspaceUnavailableError,
)

from pydantic_ai_smart_search import SmartSearch, SmartSearchResult, SmartSearchToolset
from pydantic_ai_smart_search.testing import ScriptedJudge, searches_once
from tests.project import run_context, write_project

pytestmark = pytest.mark.anyio


class CommandOnlyBackend(WorkspaceBackend):
    """A workspace that only runs commands, as a remote sandbox may; `path` is its `PATH`."""

    def __init__(self, root: Path, *, path: str | None = None) -> None:
        self._backend = LocalWorkspaceBackend(root, env={'PATH': path} if path else None)

    @property
    def ref(self) -> WorkspaceRef | None:
        return None

    async def working_dir(self) -> str:
        return await self._backend.working_dir()

    async def run(
        self,
        command: WorkspaceCommand,
        *,
        shell: bool = False,
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the host's protocol has it
    ) -> CommandResult:
        return await self._backend.run(command, shell=shell, env=env, timeout=timeout)


class FailingBackend(CommandOnlyBackend):
    """A workspace whose every command ends with `error`."""

    def __init__(self, root: Path, error: Exception) -> None:
        super().__init__(root)
        self._error = error

    async def run(self, command: WorkspaceCommand, **options: Any) -> CommandResult:
        raise self._error


async def search(
    workspace: Path | WorkspaceBackend, query: str = 'reject expired sessions', **arguments: Any
) -> SmartSearchResult:
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}))
    return await toolset.smart_search(run_context(workspace), query, **arguments)


async def test_an_empty_tree_has_nothing_to_find_and_says_so(tmp_path: Path) -> None:
    result = await search(tmp_path)
    assert (result.matches, result.coverage.files) == ([], 0)
    assert not result.coverage.selection_complete
    assert 'no files to search' in result.warnings[0]


async def test_a_glob_that_leaves_nothing_is_named(tmp_path: Path) -> None:
    write_project(tmp_path)
    result = await search(tmp_path, glob='*.rs')
    assert result.coverage.files == 0
    assert "'*.rs'" in result.warnings[0]


async def test_a_tree_of_one_binary_is_counted_and_not_complete(tmp_path: Path) -> None:
    (tmp_path / 'logo.bin').write_bytes(b'\x89PNG\0\0\0')
    result = await search(tmp_path)
    assert (result.coverage.files, result.coverage.skipped_files) == (1, 1)
    assert not result.coverage.selection_complete
    assert result.details.skipped['binary'].paths == ['logo.bin']
    assert any('1 binary (logo.bin)' in warning for warning in result.warnings)


async def test_a_small_tree_is_judged_whole_and_says_so(tmp_path: Path) -> None:
    write_project(tmp_path)
    result = await search(tmp_path)
    assert result.coverage.selection_complete
    assert result.coverage.evaluated == result.coverage.snippets > 1
    assert result.warnings == []


async def test_a_missing_directory_is_the_models_to_correct(tmp_path: Path) -> None:
    with pytest.raises(ModelRetry, match="There is no 'nowhere' in the workspace"):
        await search(tmp_path, directory='nowhere')


async def test_a_query_of_stop_words_says_it_has_no_searchable_words(tmp_path: Path) -> None:
    with pytest.raises(ModelRetry, match='no searchable words'):
        await search(tmp_path, 'where is the')


@pytest.mark.parametrize('query', ['', '   \n', 'x' * 2001])
async def test_a_query_must_have_1_to_2000_characters(tmp_path: Path, query: str) -> None:
    with pytest.raises(ModelRetry, match='1 to 2,000 characters'):
        await search(tmp_path, query)


@pytest.mark.parametrize(
    'arguments', [{'limit': 0}, {'limit': 101}, {'candidates': 0}, {'candidates': 257}]
)
async def test_numbers_out_of_range_are_named_with_their_range(
    tmp_path: Path, arguments: dict[str, Any]
) -> None:
    ((name, value),) = arguments.items()
    with pytest.raises(ModelRetry, match=f'`{name}` must be from 1 to .*, got {value}'):
        await search(tmp_path, **arguments)


@pytest.mark.parametrize(
    ('alternatives', 'complaint'),
    [
        (['other words'] * 6, '`alternatives` must be from 0 to 5, got 6'),
        (['fine', ' '], r'`alternatives\[1\]` must have 1 to 2,000'),
    ],
)
async def test_alternatives_are_few_and_not_empty(
    tmp_path: Path, alternatives: list[str], complaint: str
) -> None:
    with pytest.raises(ModelRetry, match=complaint):
        await search(tmp_path, alternatives=alternatives)


async def test_an_alternative_brings_candidates_and_the_query_is_what_is_judged(
    tmp_path: Path,
) -> None:
    files = {f'm{n:02}.py': f'def reject_session_{n}(): ...\n' for n in range(30)}
    write_project(tmp_path, {**files, 'z.py': 'def refusing_login(): ...\n'})
    asked = 'reject expired sessions'
    alone = await search(tmp_path, asked, candidates=5)
    assert alone.matches == []
    both = await search(tmp_path, asked, candidates=5, alternatives=['refuse the login', 'the'])
    assert [match.file_path for match in both.matches] == ['z.py']


async def test_a_workspace_without_ripgrep_is_a_failed_tool_call(tmp_path: Path) -> None:
    root = write_project(tmp_path / 'project')
    bin_directory = tmp_path / 'bin'
    bin_directory.mkdir()
    for tool in ('base64', 'dd', 'find', 'readlink', 'wc'):
        (bin_directory / tool).symlink_to(str(shutil.which(tool)))
    with pytest.raises(ToolFailed, match=r'no ripgrep .*regular text search'):
        await search(CommandOnlyBackend(root, path=str(bin_directory)))


async def test_a_workspace_that_only_runs_commands_is_searched(tmp_path: Path) -> None:
    write_project(tmp_path)
    result = await search(CommandOnlyBackend(tmp_path))
    assert result.matches[0].symbol == 'SessionStore.load'


async def test_a_workspace_error_is_a_failed_tool_call(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=r'The workspace failed: quota .*regular text search'):
        await search(FailingBackend(tmp_path, WorkspaceError('quota')))


async def test_a_workspace_that_is_gone_ends_the_run(tmp_path: Path) -> None:
    agent = Agent(searches_once('expired session'), capabilities=[SmartSearch('local')])
    backend = FailingBackend(tmp_path, WorkspaceUnavailableError('it expired'))
    with pytest.raises(WorkspaceUnavailableError, match='it expired'):
        await agent.run('find it', workspace=backend)


async def test_a_model_may_correct_its_call_more_than_once(tmp_path: Path) -> None:
    write_project(tmp_path)
    agent = Agent(
        searches_once('expired session', directory='../elsewhere'),
        capabilities=[LocalWorkspace(tmp_path), SmartSearch('local')],
    )
    assert 'outside the working directory' in (await agent.run('find it')).output


async def test_a_result_can_be_serialised_with_its_paths_as_the_caller_spelled_them(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    relative = await search(tmp_path, directory='app')
    absolute = await search(tmp_path, directory=str(tmp_path / 'app'))
    assert relative.matches[0].file_path == 'app/sessions.py'
    assert absolute.matches[0].file_path == str(tmp_path / 'app/sessions.py')
    assert json.dumps(relative.warnings) == json.dumps(absolute.warnings)


async def test_a_symbol_is_shortened_and_a_result_bounded_whatever_is_found(tmp_path: Path) -> None:
    name = 'refuse_expired_session_' * 40
    body = "    'refusing an expired session' * 40\n" * 40
    write_project(tmp_path, {f'{n:03}.py': f'def {name}():\n{body}' for n in range(110)})
    result = await search(tmp_path, 'refuse expired sessions', limit=100)
    assert len(result.matches) == 100
    assert all(len(match.symbol or '') <= 300 for match in result.matches)
    assert result.matches[0].symbol is not None
    assert result.matches[0].symbol.endswith('...')
    assert len(TypeAdapter(SmartSearchResult).dump_json(result)) < 100 * 2_000


async def test_a_test_is_labelled_and_not_demoted(tmp_path: Path) -> None:
    write_project(tmp_path)
    toolset = SmartSearchToolset[None](
        model=ScriptedJudge({'test_an_expired': 1.0, 'refusing': 0.9})
    )
    result = await toolset.smart_search(run_context(tmp_path), 'reject expired sessions')
    assert (result.matches[0].kind, result.matches[0].file_path) == (
        'test',
        'tests/test_sessions.py',
    )
    assert result.matches[1].kind is None


async def test_local_ranking_is_labelled_as_such(tmp_path: Path) -> None:
    write_project(tmp_path)
    toolset = SmartSearchToolset[None](model='local')
    result = await toolset.smart_search(run_context(tmp_path), 'reject expired sessions')
    assert result.details.judge == 'local'
    assert result.details.requests == 0
    assert (
        'Matches were ranked locally by words and meaning, not judged by a model.'
        in result.warnings
    )
