from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import httpx2
import pytest
from inline_snapshot import snapshot
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.exceptions import (
    ConcurrencyLimitExceeded,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestTimeout,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.concurrency import ConcurrencyLimitedModel
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.system_one import SystemOneModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.system_one import SystemOneProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

from pydantic_ai_smart_search.errors import (
    JudgeFailed,
    JudgeUnavailable,
    JudgeUnusable,
    MalformedJudgment,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judgment, Outline, Screening
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.judge.model import JudgeModel, ModelJudge, judge_name, make_judge
from pydantic_ai_smart_search.judge.prompt import frame_outlines
from tests.judge.cases import a_case, judge_all, some_cases
from tests.servers import Asked, Reply, SystemOneServer, refuse, say, score

pytestmark = pytest.mark.anyio

ANSWER = {'entity': 0.9, 'operation': 0.8}
QUERY = 'reject an expired session'


def answers(
    *parts: ToolCallPart | TextPart, usage: RequestUsage | None = None, **fields: Any
) -> FunctionModel:
    """A language model that always gives the same answer."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(
            parts=list(parts), usage=usage or RequestUsage(input_tokens=50, output_tokens=5)
        )

    return FunctionModel(respond, **fields)


def raises(error: Exception, model_name: str = 'test') -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise error

    return FunctionModel(respond, model_name=model_name)


async def ask(
    model: JudgeModel,
    case: Case | None = None,
    *,
    usage: RunUsage | None = None,
    usage_limits: UsageLimits | None = None,
    complaint: str | None = None,
) -> Judgment:
    judge = make_judge(model, usage=usage, usage_limits=usage_limits)
    assert isinstance(judge, ModelJudge)
    async with judge:
        return await judge.judge(QUERY, case or a_case(), complaint)


CALL = ToolCallPart('answer', ANSWER)


# Decision models


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Callable[[SystemOneServer], str]:
    """Points `system-one:test` at a server, and is that name."""

    def point_at(server: SystemOneServer) -> str:
        monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
        return 'system-one:test'

    return point_at


async def test_a_decision_model_is_asked_two_questions_about_the_snippet_alone(
    served: Callable[[SystemOneServer], str],
) -> None:
    with SystemOneServer() as server:
        judged = await judge_all(make_judge(served(server)), [a_case('x = 1', path='a.py')])
    (asked,) = server.requests
    assert asked.state == '<snippet path="a.py">\nx = 1\n</snippet>'
    assert QUERY not in asked.state
    assert list(asked.questions) == ['entity', 'operation']
    for question in asked.questions.values():
        assert question['type'] == 'noul'
        assert QUERY in question['instructions']['background']
        assert question['instructions']['question'] not in question['instructions']['background']
    judgment = judged.cases[0].judgment
    assert judgment == Judgment(entity=0.9, operation=0.9, input_tokens=100, output_tokens=2)


async def test_a_decision_model_is_asked_about_each_of_several_outlines_at_once(
    served: Callable[[SystemOneServer], str],
) -> None:
    outlines = [Outline(path=f'{name}.py', text=f'defines: {name}') for name in 'ab']
    with SystemOneServer(lambda asked: say(file_1=0.2, file_2=0.7)) as server:
        judge = make_judge(served(server))
        assert isinstance(judge, ModelJudge)
        async with judge:
            screening = await judge.screen(QUERY, outlines)
    (asked,) = server.requests
    assert asked.state == frame_outlines(outlines)
    assert list(asked.questions) == ['file_1', 'file_2']
    assert all(QUERY in each['instructions']['background'] for each in asked.questions.values())
    assert screening == Screening(likelihoods=[0.2, 0.7], input_tokens=100, output_tokens=2)


async def test_an_answer_that_leaves_a_file_out_is_malformed() -> None:
    judge = make_judge(answers(ToolCallPart('answer', {'file_1': 0.5})))
    assert isinstance(judge, ModelJudge)
    outlines = [Outline(path=f'{name}.py', text='') for name in 'ab']
    with pytest.raises(MalformedJudgment, match='`file_2` is missing'):
        await judge.screen(QUERY, outlines)


async def test_a_decision_model_is_asked_again_with_the_reason(
    served: Callable[[SystemOneServer], str],
) -> None:
    def script(asked: Asked) -> Reply:
        return score() if 'could not be used' in json.dumps(asked.questions) else score(1.2)

    with SystemOneServer(script) as server:
        judged = await judge_all(make_judge(served(server)), some_cases(1))
    assert len(server.requests) == judged.requests == 2
    assert judged.retries == 1


async def test_a_judge_given_by_name_leaves_no_connection_open(
    served: Callable[[SystemOneServer], str],
) -> None:
    with SystemOneServer() as server:
        await judge_all(make_judge(served(server)), some_cases(20))
        await server.until_idle()


async def test_a_cancelled_search_leaves_no_connection_open(
    served: Callable[[SystemOneServer], str],
) -> None:
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stall(asked: Asked) -> Reply:
        loop.call_soon_threadsafe(started.set)
        return Reply(body=None, is_stalled=True)

    with SystemOneServer(stall) as server:
        search = asyncio.create_task(judge_all(make_judge(served(server)), some_cases(20)))
        await started.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        await server.until_idle()


@pytest.mark.parametrize('status', [408, 409, 425, 429, 500, 502, 503, 529])
async def test_statuses_that_may_pass_are_retried(
    served: Callable[[SystemOneServer], str], status: int
) -> None:
    replies = iter([refuse(status), refuse(status), score()])
    with SystemOneServer(lambda _: next(replies)) as server:
        judged = await judge_all(make_judge(served(server)), some_cases(1))
    assert (judged.requests, judged.retries) == (3, 2)


@pytest.mark.parametrize(
    ('status', 'advice'),
    [(401, 'key'), (402, 'quota'), (403, 'key'), (404, "model's name")],
)
async def test_statuses_that_cannot_pass_fail_at_once_and_say_what_to_do(
    served: Callable[[SystemOneServer], str], status: int, advice: str
) -> None:
    with (
        SystemOneServer(lambda _: refuse(status)) as server,
        pytest.raises(JudgeUnusable, match=advice),
    ):
        await judge_all(make_judge(served(server)), some_cases(1))
    assert len(server.requests) == 1


@pytest.mark.parametrize('status', [400, 413, 422])
async def test_a_rejected_request_is_not_repeated(
    served: Callable[[SystemOneServer], str], status: int
) -> None:
    with (
        SystemOneServer(lambda _: refuse(status)) as server,
        pytest.raises(JudgeFailed, match=f'status_code: {status}'),
    ):
        await judge_all(make_judge(served(server)), some_cases(1))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ('headers', 'seconds'),
    [
        ({'retry_after': '2'}, 2),
        ({'retry_after_ms': '500'}, 0.5),
        ({'retry_after': 'Wed, 21 Oct 2015 07:28:00 GMT'}, 0),
        ({}, None),
    ],
)
async def test_the_wait_a_provider_asks_for_is_read_from_its_headers(
    served: Callable[[SystemOneServer], str], headers: dict[str, str], seconds: float | None
) -> None:
    with (
        SystemOneServer(lambda _: refuse(429, **headers)) as server,
        pytest.raises(JudgeUnavailable) as raised,
    ):
        await ask(served(server))
    assert raised.value.is_rate_limited
    assert raised.value.retry_after == seconds


async def test_a_judge_that_cannot_be_reached_may_be_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('SYSTEM_ONE_BASE_URL', 'http://127.0.0.1:9')
    with pytest.raises(JudgeUnavailable) as raised:
        await ask('system-one:test')
    assert not raised.value.is_rate_limited


# Language models


@pytest.mark.parametrize(
    'part',
    [
        CALL,
        ToolCallPart('answer', json.dumps(ANSWER)),
        TextPart(json.dumps(ANSWER)),
        TextPart(f'```json\n{json.dumps(ANSWER, indent=2)}\n```'),
        TextPart(f'It rejects sessions, so: {json.dumps(ANSWER)} I am sure.'),
    ],
)
async def test_a_language_model_may_call_the_tool_or_write_json(
    part: ToolCallPart | TextPart,
) -> None:
    assert await ask(answers(part)) == Judgment(
        entity=0.9, operation=0.8, input_tokens=50, output_tokens=5
    )


async def test_a_language_model_is_offered_one_tool_and_told_what_is_data() -> None:
    seen: list[AgentInfo] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info)
        return ModelResponse(parts=[CALL])

    await ask(FunctionModel(respond), complaint='`entity` is missing')
    (info,) = seen
    assert (info.function_tools, info.allow_text_output) == ([], False)
    (tool,) = info.output_tools
    assert tool.parameters_json_schema == snapshot(
        {
            'type': 'object',
            'properties': {
                'entity': {
                    'type': 'number',
                    'minimum': 0,
                    'maximum': 1,
                    'description': 'Does the code work on what the query is about: the very data, resource or concept it names, not something that merely has a similar name?',
                },
                'operation': {
                    'type': 'number',
                    'minimum': 0,
                    'maximum': 1,
                    'description': 'Does the code itself carry out the action or behaviour the query describes? Importing, declaring, mentioning or documenting it is not enough.',
                },
            },
            'required': ['entity', 'operation'],
            'additionalProperties': False,
        }
    )
    assert info.instructions is not None
    assert QUERY in info.instructions
    assert '`entity` is missing' in info.instructions


@pytest.mark.parametrize('mode', ['native', 'prompted'])
async def test_a_model_that_prefers_json_is_given_the_schema_instead_of_a_tool(mode: Any) -> None:
    seen: list[ModelRequestParameters] = []

    class Prefers(WrapperModel):
        async def request(
            self,
            messages: list[ModelMessage],
            model_settings: ModelSettings | None,
            model_request_parameters: ModelRequestParameters,
        ) -> ModelResponse:
            seen.append(self.prepare_request(model_settings, model_request_parameters)[1])
            return await super().request(messages, model_settings, model_request_parameters)

    profile = ModelProfile(default_structured_output_mode=mode, supports_json_schema_output=True)
    await ask(Prefers(answers(TextPart(json.dumps(ANSWER)), profile=profile)))
    assert seen[0].output_tools == []
    assert seen[0].output_object is not None
    assert set(seen[0].output_object.json_schema['properties']) == {'entity', 'operation'}


@pytest.mark.parametrize(
    ('part', 'complaint'),
    [
        (ToolCallPart('answer', {'entity': '90%', 'operation': 1}), '`entity` is not a number'),
        (ToolCallPart('other', ANSWER), 'it calls another tool than `answer`'),
        (TextPart('90%'), 'it holds no object with `entity` and `operation`'),
    ],
)
async def test_an_answer_that_is_no_judgment_is_malformed(
    part: ToolCallPart | TextPart, complaint: str
) -> None:
    with pytest.raises(MalformedJudgment) as raised:
        await ask(answers(part))
    assert raised.value.complaint == complaint


# Usage and limits


async def test_tokens_and_cost_are_added_to_the_run() -> None:
    usage = RunUsage(input_tokens=1)
    model = answers(CALL, model_name='gpt-5-mini', usage=RequestUsage(input_tokens=1_000_000))
    await ask(model, usage=usage)
    assert usage.input_tokens == 1_000_001
    assert usage.cost is not None
    await ask(answers(CALL, model_name='no-such-model'), usage=usage)
    assert usage.requests == 0


async def test_a_cost_the_provider_reported_is_kept() -> None:
    usage = RunUsage()
    reported = RequestUsage(cost=Decimal('0.25'))
    await ask(answers(CALL, model_name='gpt-5-mini', usage=reported), usage=usage)
    assert usage.cost == Decimal('0.25')


@pytest.mark.parametrize(
    'limits',
    [
        UsageLimits(input_tokens_limit=40),
        UsageLimits(output_tokens_limit=4),
        UsageLimits(total_tokens_limit=40),
        UsageLimits(per_request_input_tokens_limit=40),
        UsageLimits(cost_limit=Decimal('0.000000001')),
    ],
)
async def test_a_limit_that_a_judgment_crosses_ends_the_run(limits: UsageLimits) -> None:
    usage = RunUsage()
    with pytest.raises(UsageLimitExceeded):
        await ask(answers(CALL, model_name='gpt-5-mini'), usage=usage, usage_limits=limits)
    assert usage.input_tokens == 50


async def test_a_limit_that_is_crossed_already_lets_no_request_out() -> None:
    with pytest.raises(UsageLimitExceeded):
        await ask(
            raises(AssertionError('asked')),
            usage=RunUsage(input_tokens=50),
            usage_limits=UsageLimits(input_tokens_limit=40),
        )


class Counts(WrapperModel):
    """Counts tokens beforehand, as a few providers do."""

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        return RequestUsage(input_tokens=45)


@pytest.mark.parametrize(
    'limits',
    [
        UsageLimits(input_tokens_limit=100, count_tokens_before_request=True),
        UsageLimits(per_request_input_tokens_limit=40, count_tokens_before_request=True),
    ],
)
async def test_tokens_are_counted_beforehand_where_the_run_asks_for_it(
    limits: UsageLimits,
) -> None:
    with pytest.raises(UsageLimitExceeded):
        await ask(
            Counts(raises(AssertionError('asked'))),
            usage=RunUsage(input_tokens=60),
            usage_limits=limits,
        )
    roomy = UsageLimits(input_tokens_limit=200, count_tokens_before_request=True)
    await ask(Counts(answers(CALL)), usage=RunUsage(), usage_limits=roomy)


# Telemetry


class Renamed(WrapperModel):
    """A wrapper of a user's own."""


@pytest.mark.parametrize('how', ['instrumented', 'wrapped', 'fallback', 'instrument_all'])
async def test_no_span_carries_source(how: str) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    settings = InstrumentationSettings(tracer_provider=provider)
    instrumented = InstrumentedModel(answers(CALL), settings)
    models: dict[str, Model] = {
        'instrumented': instrumented,
        'wrapped': Renamed(instrumented),
        'fallback': FallbackModel(instrumented, answers(CALL)),
        'instrument_all': answers(CALL),
    }
    Agent.instrument_all(settings)
    try:
        judge = make_judge(models[how])
        with provider.get_tracer('test').start_as_current_span('outer'):
            judged = await judge_all(judge, [a_case('SECRET = 1')])
    finally:
        Agent.instrument_all(False)
    assert len(judged.cases) == 1
    assert [span.name for span in exporter.get_finished_spans()] == ['outer']


async def test_a_model_loses_its_instrumentation_for_the_judge_only() -> None:
    settings = InstrumentationSettings(tracer_provider=TracerProvider())
    inner = InstrumentedModel(answers(CALL), settings)
    wrapper = Renamed(inner)
    make_judge(wrapper)
    assert wrapper.wrapped is inner


async def test_a_wrapper_without_instrumentation_is_asked_itself() -> None:
    class Counting(WrapperModel):
        asked = 0

        async def request(
            self,
            messages: list[ModelMessage],
            model_settings: ModelSettings | None,
            model_request_parameters: ModelRequestParameters,
        ) -> ModelResponse:
            self.asked += 1
            return await super().request(messages, model_settings, model_request_parameters)

    model = Counting(FallbackModel(answers(CALL), answers(CALL)))
    await ask(model)
    assert model.asked == 1


# Failures


@pytest.mark.parametrize(
    ('error', 'kind'),
    [
        (ModelHTTPError(429, 'test'), JudgeUnavailable),
        (ModelHTTPError(500, 'test'), JudgeUnavailable),
        (ModelHTTPError(401, 'test'), JudgeUnusable),
        (ModelHTTPError(400, 'test'), JudgeFailed),
        (
            ModelHTTPError.for_category(
                ModelQuotaExceededError, status_code=429, model_name='test'
            ),
            JudgeUnusable,
        ),
        (ModelAuthenticationError('test', 'no'), JudgeUnusable),
        (ModelConnectionError('test', 'reset'), JudgeUnavailable),
        (ModelRequestTimeout('test', 30), JudgeUnavailable),
        (ConcurrencyLimitExceeded('queue is full'), JudgeUnavailable),
        (TimeoutError(), JudgeUnavailable),
        (ConnectionResetError(), JudgeUnavailable),
        (UserError('no key'), JudgeUnusable),
        (ModelAPIError('test', 'odd'), JudgeFailed),
        (UnexpectedModelBehavior('garbage'), MalformedJudgment),
        (RuntimeError('bug'), JudgeFailed),
        (
            ExceptionGroup('all failed', [ModelHTTPError(401, 'a'), ModelHTTPError(503, 'b')]),
            JudgeUnavailable,
        ),
        (
            ExceptionGroup('all failed', [ModelHTTPError(401, 'a'), ModelHTTPError(400, 'b')]),
            JudgeUnusable,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_whatever_a_model_raises_is_a_failure_of_its_kind(
    error: Exception, kind: type[JudgeFailed]
) -> None:
    with pytest.raises(JudgeFailed) as raised:
        await ask(raises(error))
    assert type(raised.value) is kind
    assert raised.value.__cause__ is error
    assert raised.value.judge == 'function:test'


async def test_a_providers_own_words_are_cut_short() -> None:
    with pytest.raises(JudgeFailed) as raised:
        await ask(raises(RuntimeError('<html>' * 10_000)))
    assert len(str(raised.value)) < 500


# Names, instances and wrappers


@pytest.mark.parametrize(
    ('model', 'name'),
    [
        ('local', 'local'),
        (LocalJudge(), 'local'),
        ('system-one:clm-latest', 'system-one:clm-latest'),
        (
            FunctionModel(lambda messages, info: ModelResponse(parts=[]), model_name='f'),
            'function:f',
        ),
    ],
)
def test_a_judge_is_named_without_being_built(model: JudgeModel, name: str) -> None:
    assert judge_name(model) == name


async def test_a_judge_goes_by_the_name_it_was_given() -> None:
    assert make_judge(answers(CALL, model_name='f')).name == 'function:f'


@pytest.mark.parametrize('model', ['local', LocalJudge()])
def test_the_local_judge_needs_no_model(model: JudgeModel) -> None:
    judge = make_judge(model)
    assert (judge.name, judge.is_local) == ('local', True)


@pytest.mark.parametrize('model', ['nonsense', 'no-provider:x', 'system-one:test'])
def test_a_name_that_cannot_be_resolved_is_a_failed_judge(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('SYSTEM_ONE_BASE_URL', raising=False)
    with pytest.raises(JudgeUnusable, match='it is not set up'):
        make_judge(model)


async def test_a_judge_given_by_name_times_out(
    served: Callable[[SystemOneServer], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        'pydantic_ai_smart_search.judge.model.NAMED_SETTINGS', ModelSettings(request_timeout=0.05)
    )
    budget = RequestBudget()
    with (
        SystemOneServer(lambda _: Reply(body=None, is_stalled=True)) as server,
        pytest.raises(JudgeUnavailable, match=r'timed out after 0\.05 seconds'),
    ):
        await judge_all(make_judge(served(server)), some_cases(1), budget=budget)
    assert budget.spent == 3


async def test_a_client_that_retries_by_itself_is_told_not_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[ModelSettings | None] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_settings)
        return ModelResponse([CALL])

    def resolve(name: str) -> Model:
        return FunctionModel(respond)

    monkeypatch.setattr('pydantic_ai_smart_search.judge.model.infer_model', resolve)
    await ask('some:model')
    assert seen == [{'request_timeout': 30.0, 'max_retries': 0}]


async def test_an_instance_keeps_its_own_settings() -> None:
    seen: list[ModelSettings | None] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_settings)
        return ModelResponse(parts=[CALL])

    await ask(FunctionModel(respond, settings=ModelSettings(temperature=0.5)))
    assert seen == [{'temperature': 0.5}]


def test_an_instance_may_be_used_from_one_event_loop_after_another() -> None:
    loops = [asyncio.new_event_loop() for _ in range(3)]
    clients: list[httpx2.AsyncClient] = []
    with SystemOneServer() as server:
        model = SystemOneModel('test', provider=SystemOneProvider(base_url=server.url))
        for loop in loops:
            judged = loop.run_until_complete(judge_all(make_judge(model), some_cases(20)))
            assert len(judged.cases) == 20
            clients.append(model.client)
        for loop, client in zip(loops, clients, strict=True):
            loop.run_until_complete(client.aclose())
            loop.close()


async def test_the_client_of_an_instance_is_not_closed_under_its_other_users() -> None:
    with SystemOneServer() as server:
        provider = SystemOneProvider(base_url=server.url)
        model = SystemOneModel('test', provider=provider)
        await judge_all(make_judge(model), some_cases(1))
        assert not provider.client.is_closed
        await provider.client.aclose()


def test_one_name_may_be_used_from_several_event_loops_at_once(
    served: Callable[[SystemOneServer], str],
) -> None:
    judged: list[int] = []

    def search(name: str) -> None:
        judged.append(len(asyncio.run(judge_all(make_judge(name), some_cases(50))).cases))

    with SystemOneServer() as server:
        threads = [threading.Thread(target=search, args=[served(server)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert judged == [50] * 4


async def test_a_fallback_model_judges_with_the_model_that_works() -> None:
    usage = RunUsage()
    model = FallbackModel(raises(ModelHTTPError(503, 'a')), answers(CALL))
    assert (await ask(model, usage=usage)).entity == 0.9
    assert usage.input_tokens == 50


async def test_what_a_fallback_model_rejected_is_counted_too() -> None:
    def is_empty(response: ModelResponse) -> bool:
        return not response.parts

    usage = RunUsage()
    model = FallbackModel(answers(), answers(CALL), fallback_on=[is_empty])
    await ask(model, usage=usage)
    assert usage.input_tokens == 100


async def test_a_fallback_model_that_ran_out_of_models_says_what_each_did() -> None:
    model = FallbackModel(raises(ModelHTTPError(401, 'a')), raises(ModelHTTPError(503, 'b')))
    with pytest.raises(JudgeUnavailable):
        await ask(model)


async def test_a_concurrency_limited_model_keeps_its_limit() -> None:
    under_way = most = 0

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return ModelResponse(parts=[CALL])

    model = ConcurrencyLimitedModel(FunctionModel(respond), limiter=2)
    judged = await judge_all(make_judge(model), some_cases(40))
    assert (len(judged.cases), most) == (40, 2)


async def test_a_model_that_cannot_be_made_ready_is_a_failed_judge() -> None:
    class Unready(FunctionModel):
        @property
        def provider(self) -> None:
            raise UserError('no credentials')

    with pytest.raises(JudgeUnusable, match='no credentials'):
        await judge_all(
            make_judge(Unready(lambda messages, info: ModelResponse([CALL]))), some_cases(1)
        )
