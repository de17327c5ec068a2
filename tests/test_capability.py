from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation, LocalWorkspace
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.usage import UsageLimits

from pydantic_ai_smart_search import SmartSearch, SmartSearchToolset
from pydantic_ai_smart_search.guidance import GUIDANCE, SENDS_SOURCE, TOOL_DESCRIPTION
from pydantic_ai_smart_search.testing import ScriptedJudge, searches_once
from tests.project import run_context, write_project

pytestmark = pytest.mark.anyio


def agent_over(
    root: Path, search: SmartSearch[Any], model: FunctionModel, *others: Any
) -> Agent[None, str]:
    return Agent(model, capabilities=[LocalWorkspace(root), search, *others])


class Offer:
    """A model that records what it was offered and answers at once."""

    def __init__(self) -> None:
        self.tools: list[str] = []
        self.instructions = ''
        self.info: AgentInfo | None = None

    def model(self) -> FunctionModel:
        def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.tools = [tool.name for tool in info.function_tools]
            (request,) = messages
            assert isinstance(request, ModelRequest)
            self.instructions = request.instructions or ''
            self.info = info
            return ModelResponse(parts=[TextPart('ok')])

        return FunctionModel(respond)


async def test_an_agent_finds_code_by_what_it_does(tmp_path: Path) -> None:
    write_project(tmp_path)
    agent = agent_over(
        tmp_path,
        SmartSearch(ScriptedJudge({'refusing': 0.9})),
        searches_once('where do we reject expired sessions?'),
    )
    result = json.loads((await agent.run('find it')).output)
    assert result['matches'][0] == snapshot(
        {
            'file_path': 'app/sessions.py',
            'start_line': 12,
            'end_line': 17,
            'symbol': 'SessionStore.load',
            'kind': None,
            'score': 0.9,
            'text': '''\
    def load(self, token):
        """Return the session of a token, refusing one that has expired."""
        session = self.sessions[token]
        if session.expires_at < time.time():
            raise PermissionError('session expired')
        return session\
''',
            'snippet_start_line': 12,
            'snippet_end_line': 17,
        }
    )
    assert result['coverage'] == snapshot(
        {
            'files': 4,
            'snippets': 6,
            'evaluated': 6,
            'skipped_files': 0,
            'selection_complete': True,
        }
    )
    assert 'details' not in result


async def test_the_tool_as_a_model_sees_it(tmp_path: Path) -> None:
    offer = Offer()
    await agent_over(tmp_path, SmartSearch('local'), offer.model()).run('hello')
    assert offer.info
    (tool,) = offer.info.function_tools
    assert tool.name == 'smart_search'
    assert tool.description == TOOL_DESCRIPTION
    assert tool.parameters_json_schema == snapshot(
        {
            'additionalProperties': False,
            'properties': {
                'query': {
                    'description': 'The behaviour to find, in plain English: what the code does, to what.',
                    'type': 'string',
                },
                'directory': {
                    'default': '.',
                    'description': 'Directory or file to search, inside the working directory. Ignored and hidden files are left out.',
                    'type': 'string',
                },
                'glob': {
                    'anyOf': [{'type': 'string'}, {'type': 'null'}],
                    'default': None,
                    'description': 'Narrows to matching files, such as "*.py", "src/**" or "*.ts,*.tsx".',
                },
                'limit': {
                    'default': 5,
                    'description': 'Most matches to return, 1 to 100.',
                    'maximum': 100,
                    'minimum': 1,
                    'type': 'integer',
                },
                'candidates': {
                    'default': 128,
                    'description': 'Most snippets to judge, 1 to 256. More finds more and costs more: each one judged counts as a request.',
                    'maximum': 256,
                    'minimum': 1,
                    'type': 'integer',
                },
                'alternatives': {
                    'anyOf': [
                        {'items': {'type': 'string'}, 'maxItems': 5, 'type': 'array'},
                        {'type': 'null'},
                    ],
                    'default': None,
                    'description': 'Other phrasings of the query, with other words the code might use. Two or three help; at most 5. They cost no judgments.',
                },
            },
            'required': ['query'],
            'type': 'object',
        }
    )


async def test_the_words_a_model_reads_change_only_on_purpose() -> None:
    assert TOOL_DESCRIPTION == snapshot("""\
Find code by what it does. Describe the behaviour in plain English ("reject an expired session", "where is a failed upload retried?") and get the most relevant places as short excerpts with file and line numbers, best first. Open the lines it returns next, rather than searching again.

Every candidate is judged on whether it acts on what you name and itself does what you describe: name both the thing and the action. Matches in tests carry kind="test". Read `coverage` and `warnings`: an empty result does not prove that the code does not exist. For an exact name, a regular expression or every single reference, use text search.\
""")
    assert GUIDANCE == snapshot("""\
## Finding code: start with smart_search
When you do not know where something is implemented, call `smart_search` first, with the behaviour in plain English and the narrowest directory you are sure of, rather than guessing names, chaining text searches or listing and reading files. Add two or three other phrasings as `alternatives`, with other words the code might use.

- The excerpts come with line ranges: open those lines next. Read code before you change it.
- Do not repeat a search whose excerpts already answer you, and do not open every match.
- Use text search for exact names, regular expressions and complete lists of references; open a file directly when you know where it is.
- Nothing found is not proof of absence: rephrase once with other words the code might use, then use text search. If `smart_search` fails, use text search instead of calling it again.
- It sends the query and selected source to the judge model's provider. Where code must stay on this machine, use text search only.\
""")


@pytest.mark.parametrize(
    ('guidance', 'expected'), [(None, GUIDANCE), ('', ''), ('Search first.', 'Search first.')]
)
async def test_guidance_is_ours_the_users_or_none(
    tmp_path: Path, guidance: str | None, expected: str
) -> None:
    offer = Offer()
    search = SmartSearch[None](ScriptedJudge({}), guidance=guidance)
    await agent_over(tmp_path, search, offer.model()).run('hello')
    assert offer.instructions == expected


async def test_a_local_judge_is_not_said_to_send_source_anywhere(tmp_path: Path) -> None:
    offer = Offer()
    await agent_over(tmp_path, SmartSearch('local'), offer.model()).run('hello')
    assert offer.instructions == GUIDANCE.removesuffix(SENDS_SOURCE)
    assert 'provider' not in offer.instructions


async def test_a_read_only_workspace_is_offered_neither_tool_nor_guidance(tmp_path: Path) -> None:
    offer = Offer()
    workspace = LocalWorkspace(tmp_path, read_only=True)
    await Agent(offer.model(), capabilities=[workspace, SmartSearch('local')]).run('hello')
    assert (offer.tools, offer.instructions) == ([], '')


async def test_a_run_without_a_workspace_fails_at_its_start_and_says_how_to_attach_one() -> None:
    offer = Offer()
    agent = Agent(offer.model(), capabilities=[SmartSearch('local')])
    with pytest.raises(UserError, match=r"`SmartSearch` needs a workspace .*LocalWorkspace\('.'\)"):
        await agent.run('hello')
    assert offer.info is None


@pytest.mark.parametrize(
    'setting',
    [
        {'threshold': 1.5},
        {'concurrency': 0},
        {'on_judge_error': 'ignore'},
        {'stop_after': 0},
        {'deadline_seconds': -1},
        {'use_embedding': 'no'},
        {'screen_secrets': 'no'},
    ],
)
def test_a_bad_setting_is_refused_when_the_capability_is_built(setting: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(setting))):
        SmartSearch('local', **setting)
    with pytest.raises(ValueError, match=next(iter(setting))):
        SmartSearchToolset[None](model='local', **setting)


async def test_the_capability_is_written_in_an_agent_spec(tmp_path: Path) -> None:
    write_project(tmp_path)
    spec = tmp_path / 'agent.yaml'
    spec.write_text(
        'model: test\n'
        'capabilities:\n'
        f'  - LocalWorkspace: {tmp_path}\n'
        '  - SmartSearch: {model: local, threshold: 0.2, concurrency: 2, cache_index: true}\n'
    )
    agent = Agent.from_file(spec, custom_capability_types=[SmartSearch])
    run = await agent.run('find it', model=searches_once('retry a request when the network fails'))
    assert json.loads(run.output)['matches'][0]['symbol'] == 'call_with_retries'


async def test_the_judge_alone_is_enough_in_an_agent_spec(tmp_path: Path) -> None:
    spec = tmp_path / 'agent.yaml'
    spec.write_text(
        f'model: test\ncapabilities:\n  - LocalWorkspace: {tmp_path}\n  - SmartSearch: local\n'
    )
    offer = Offer()
    agent = Agent.from_file(spec, custom_capability_types=[SmartSearch])
    await agent.run('hello', model=offer.model())
    assert offer.tools == ['smart_search']


def test_a_bad_setting_in_an_agent_spec_is_refused(tmp_path: Path) -> None:
    spec = tmp_path / 'agent.yaml'
    spec.write_text(
        'model: test\ncapabilities:\n  - SmartSearch: {model: local, threshold: .nan}\n'
    )
    with pytest.raises(ValueError, match='threshold'):
        Agent.from_file(spec, custom_capability_types=[SmartSearch])


async def test_per_run_copies_share_one_index(tmp_path: Path) -> None:
    write_project(tmp_path)
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    agent = agent_over(
        tmp_path,
        SmartSearch('local', cache_index=True),
        searches_once('expired session'),
    )
    for _ in range(2):
        # Extra capabilities make the host copy the agent's own for the run.
        settings = InstrumentationSettings(tracer_provider=provider)
        await agent.run('find it', capabilities=[Instrumentation(settings)])
    indexed = [
        (span.attributes or {})['smart_search.indexed_files']
        for span in exporter.get_finished_spans()
        if span.name == 'smart search'
    ]
    assert indexed == [4, 0]


async def test_the_span_says_what_was_searched_and_carries_the_query_only_when_content_is_traced(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    attributes: dict[bool, dict[str, object]] = {}
    for include_content in (True, False):
        exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        settings = InstrumentationSettings(
            tracer_provider=provider, include_content=include_content
        )
        agent = agent_over(
            tmp_path,
            SmartSearch(ScriptedJudge({'refusing': 0.9})),
            searches_once('reject expired sessions'),
            Instrumentation(settings),
        )
        await agent.run('find it')
        spans = exporter.get_finished_spans()
        (search,) = [span for span in spans if span.name == 'smart search']
        (parent,) = [
            span
            for span in spans
            if span.context and search.parent and span.context.span_id == search.parent.span_id
        ]
        assert 'smart_search' in parent.name
        attributes[include_content] = dict(search.attributes or {})
        # The judge's prompts carry source, so no span is about one: two turns of the agent only.
        assert len([span for span in spans if span.name.startswith('chat')]) == 2
    assert attributes[True].pop('smart_search.query') == 'reject expired sessions'
    assert (
        attributes[True]
        == attributes[False]
        == snapshot(
            {
                'smart_search.judge_model': 'function:scripted',
                'smart_search.files': 4,
                'smart_search.skipped_files': 0,
                'smart_search.snippets': 6,
                'smart_search.evaluated': 6,
                'smart_search.indexed_files': 4,
                'smart_search.selection_complete': True,
                'smart_search.matches': 1,
                'smart_search.omitted_matches': 0,
            }
        )
    )


async def test_a_failed_search_records_no_exception_on_its_span(tmp_path: Path) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    agent = agent_over(
        tmp_path,
        SmartSearch('local'),
        searches_once('anything useful', directory='nowhere'),
        Instrumentation(InstrumentationSettings(tracer_provider=provider)),
    )
    await agent.run('find it')
    (search,) = [span for span in exporter.get_finished_spans() if span.name == 'smart search']
    assert not search.events
    assert search.status.is_unset


async def test_judgments_count_as_requests_of_the_run(tmp_path: Path) -> None:
    write_project(tmp_path)
    agent = agent_over(tmp_path, SmartSearch(ScriptedJudge({})), searches_once('expired session'))
    run = await agent.run('find it')
    judged = json.loads(run.output)['coverage']['evaluated']
    assert judged > 1
    assert run.usage.requests == judged + 2


async def test_a_search_spends_half_of_what_the_request_limit_leaves(tmp_path: Path) -> None:
    write_project(tmp_path, {f'm{n}.py': f'def session_{n}():\n    pass\n' for n in range(60)})
    agent = agent_over(tmp_path, SmartSearch(ScriptedJudge({})), searches_once('expired session'))
    run = await agent.run('find it')
    result = json.loads(run.output)
    # 50 by default, 1 used, 1 kept for the next turn: half of 48.
    assert result['coverage']['evaluated'] == 24
    assert any('Only 24 of 60 shortlisted snippets were judged' in w for w in result['warnings'])


async def test_a_run_without_requests_left_is_told_to_search_another_way(tmp_path: Path) -> None:
    write_project(tmp_path)
    agent = agent_over(tmp_path, SmartSearch(ScriptedJudge({})), searches_once('expired session'))
    run = await agent.run('find it', usage_limits=UsageLimits(request_limit=2))
    assert 'no requests left' in run.output
    assert 'regular text search' in run.output


async def test_the_toolset_is_usable_alone(tmp_path: Path) -> None:
    write_project(tmp_path)
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}))
    result = await toolset.smart_search(run_context(tmp_path), 'reject expired sessions')
    assert result.matches[0].symbol == 'SessionStore.load'
    assert result.details.requests == result.coverage.evaluated
    assert result.details.judge == 'function:scripted'
    assert result.details.matches[0].entity == 0.9
