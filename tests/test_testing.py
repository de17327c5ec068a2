"""What users test their agents with does what it says, in a whole search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.exceptions import ModelHTTPError, ToolFailed
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from pydantic_ai_smart_search import SmartSearch, SmartSearchToolset
from pydantic_ai_smart_search.judge.prompt import frame_case, write_instructions
from pydantic_ai_smart_search.results import SmartSearchResult
from pydantic_ai_smart_search.testing import AskedCase, ScriptedJudge, searches_once, write_project
from tests.judge.cases import a_case
from tests.project import PROJECT, run_context

pytestmark = pytest.mark.anyio

QUERY = 'refuse an expired session'


async def search_with(
    judge: ScriptedJudge, root: Path, query: str = QUERY, **settings: Any
) -> SmartSearchResult:
    toolset = SmartSearchToolset[None](model=judge, **settings)
    return await toolset.smart_search(run_context(write_project(root, PROJECT)), query, limit=10)


@pytest.mark.parametrize('key', ['raise PermissionError', 'app/sessions', 'SessionStore.load'])
async def test_a_key_is_looked_for_in_text_path_and_symbol(tmp_path: Path, key: str) -> None:
    result = await search_with(ScriptedJudge({key: 0.7}), tmp_path)
    scores = {(match.file_path, match.symbol): match.score for match in result.matches}
    assert scores['app/sessions.py', 'SessionStore.load'] == 0.7


async def test_the_highest_of_several_keys_counts_and_otherwise_where_there_is_none(
    tmp_path: Path,
) -> None:
    judge = ScriptedJudge({'PermissionError': 0.6, 'refusing': 0.9}, otherwise=0.55)
    result = await search_with(judge, tmp_path)
    scores = {match.symbol: match.score for match in result.matches}
    assert scores['SessionStore.load'] == 0.9
    assert scores['test_an_expired_session_is_refused'] == 0.6
    assert scores['call_with_retries'] == 0.55


async def test_a_function_is_asked_about_each_case(tmp_path: Path) -> None:
    def relevance(case: AskedCase) -> float:
        return 1.0 if case.path.startswith('app/') and case.symbol == 'call_with_retries' else 0.0

    result = await search_with(ScriptedJudge(relevance), tmp_path)
    assert [match.symbol for match in result.matches] == ['call_with_retries']


async def test_it_keeps_what_it_was_asked_in_the_order_of_the_shortlist(tmp_path: Path) -> None:
    judge = ScriptedJudge({})
    result = await search_with(judge, tmp_path, 'refuse  an\nexpired session', concurrency=1)
    assert len(judge.asked) == result.coverage.evaluated
    assert {case.query for case in judge.asked} == {QUERY}
    assert 'expired' in judge.asked[0].text
    assert (tmp_path / judge.asked[0].path).is_file()


async def test_outlines_are_answered_by_the_same_rules(tmp_path: Path) -> None:
    judge = ScriptedJudge({'app/network.py': 0.8})
    toolset = SmartSearchToolset[None](model=judge, screen_files=48)
    context = run_context(write_project(tmp_path, PROJECT))
    result = await toolset.smart_search(context, QUERY, candidates=1)
    outlines = [case for case in judge.asked if case.is_outline]
    assert [case.path for case in outlines] == snapshot(
        ['app/sessions.py', 'tests/test_sessions.py', 'README.md', 'app/network.py']
    )
    assert outlines[1].text == snapshot("""\
begins: def test_an_expired_session_is_refused(store): store.sessions['t'].expires_at = 0 with raises(PermissionError): store.load('t')
defines: test_an_expired_session_is_refused\
""")
    assert {case.query for case in judge.asked} == {QUERY}
    assert result.details.screened_files == len(outlines)


async def test_what_the_function_raises_fails_the_search_as_a_model_would(tmp_path: Path) -> None:
    def relevance(case: AskedCase) -> float:
        raise ModelHTTPError(401, 'scripted')

    with pytest.raises(ToolFailed, match='401'):
        await search_with(ScriptedJudge(relevance), tmp_path)


async def test_an_answer_that_is_no_relevance_is_refused_like_any_judges(tmp_path: Path) -> None:
    judge = ScriptedJudge({}, otherwise=7)
    with pytest.raises(ToolFailed, match='not from 0 to 1'):
        await search_with(judge, tmp_path)


async def test_it_cannot_be_the_model_of_an_agent() -> None:
    with pytest.raises(ValueError, match='judges snippets'):
        await Agent(ScriptedJudge({})).run('hello')


@given(
    query=st.text(min_size=1).filter(str.split),
    path=st.text(min_size=1),
    symbol=st.none() | st.text(min_size=1),
    text=st.text(),
    complaint=st.none() | st.just('it holds no object'),
)
async def test_a_case_is_read_back_as_it_was_framed(
    query: str, path: str, symbol: str | None, text: str, complaint: str | None
) -> None:
    words = ' '.join(query.split())
    framed = frame_case(a_case(text, path=path, symbol=symbol, imports='import os' * (not symbol)))
    judge = ScriptedJudge({'': 0.5})
    response = await ask(judge, framed, write_instructions(query, complaint))
    assert isinstance(response.parts[0], ToolCallPart)
    assert response.parts[0].args == {'entity': 0.5, 'operation': 1.0}
    (case,) = judge.asked
    assert (case.path, case.symbol) == (path, symbol)
    assert case.imports == (None if symbol else 'import os')
    assert case.text.replace('&lt;', '<') == text.replace('&lt;', '<')
    assert case.query.replace('&lt;', '<') == words.replace('&lt;', '<')


async def ask(judge: ScriptedJudge, prompt: str, instructions: str) -> ModelResponse:
    parameters = ModelRequestParameters(
        output_mode='tool', output_tools=[ToolDefinition(name='answer')], allow_text_output=False
    )
    request = ModelRequest(parts=[UserPromptPart(prompt)], instructions=instructions)
    return await judge.request([request], None, parameters)


async def test_a_model_searches_once_then_answers_with_what_came_back(tmp_path: Path) -> None:
    write_project(tmp_path, PROJECT)
    capabilities = [LocalWorkspace(tmp_path), SmartSearch(ScriptedJudge({'refusing': 0.9}))]
    found = await Agent(searches_once(QUERY), capabilities=capabilities).run('go')
    assert '"symbol":"SessionStore.load"' in found.output
    narrowed = searches_once(QUERY, directory='tests')
    assert '"matches":[]' in (await Agent(narrowed, capabilities=capabilities).run('go')).output
    astray = searches_once(QUERY, directory='nowhere')
    assert 'nowhere' in (await Agent(astray, capabilities=capabilities).run('go')).output


async def test_a_model_that_searches_can_be_streamed(tmp_path: Path) -> None:
    write_project(tmp_path, PROJECT)
    capabilities = [LocalWorkspace(tmp_path), SmartSearch(ScriptedJudge({'refusing': 0.9}))]
    async with Agent(searches_once(QUERY), capabilities=capabilities).run_stream('go') as run:
        assert '"symbol":"SessionStore.load"' in await run.get_output()


def test_a_project_is_written_byte_for_byte(tmp_path: Path) -> None:
    files = {'a/b/c.py': 'x = "\u00e9"\r\n', 'data.bin': b'\x00\xff'}
    assert write_project(tmp_path / 'new', files) == tmp_path / 'new'
    assert (tmp_path / 'new/a/b/c.py').read_bytes() == 'x = "\u00e9"\r\n'.encode()
    assert (tmp_path / 'new/data.bin').read_bytes() == b'\x00\xff'


@pytest.mark.parametrize('path', ['/etc/x', '../x', 'a/../../x'])
def test_a_project_stays_below_its_root(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match='below the project'):
        write_project(tmp_path, {'first.py': '', path: ''})
    assert not (tmp_path / 'first.py').exists()
