"""Any Pydantic AI model as a judge: one request a question, counted and limited as a run's own."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext, suppress
from functools import lru_cache
from typing import Final, NamedTuple, Self

import anyio
from pydantic_ai import Agent
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import KnownModelName, Model, ModelRequestParameters, infer_model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage, UsageLimits

from pydantic_ai_smart_search.judge.answer import MalformedAnswer, read_numbers
from pydantic_ai_smart_search.judge.judge import Case, Judge, Judgment, Outline, Screening
from pydantic_ai_smart_search.judge.local import LOCAL, LocalJudge
from pydantic_ai_smart_search.judge.model_errors import failure_of
from pydantic_ai_smart_search.judge.prompt import (
    JUDGMENT_FORM,
    Form,
    frame_case,
    frame_outlines,
    screening_form,
    write_instructions,
    write_screening_instructions,
)
from pydantic_ai_smart_search.options import JUDGE_TIMEOUT_SECONDS

JudgeModel = LocalJudge | Model | KnownModelName | str
"""What a user gives as the judge: `'local'` or a `LocalJudge`, or a model or its name."""

NAMED_SETTINGS: Final = ModelSettings(request_timeout=JUDGE_TIMEOUT_SECONDS)
"""Of a model given by name: a deadline for the whole request, whatever its client does."""

_ANSWER_TOOL: Final = 'answer'


def is_local(model: JudgeModel) -> bool:
    """Whether the judge that `model` stands for sends nothing anywhere, without building it."""
    return isinstance(model, LocalJudge) or model == LOCAL


def judge_name(model: JudgeModel) -> str:
    """The judge as results and spans name it, without building it."""
    if isinstance(model, LocalJudge):
        return model.name
    return f'{model.system}:{model.model_name}' if isinstance(model, Model) else model


def make_judge(
    model: JudgeModel, *, usage: RunUsage | None = None, usage_limits: UsageLimits | None = None
) -> Judge:
    """The judge that `model` stands for, to be used for one search on one event loop.

    A model given by name is built here and closed after the search: its HTTP client belongs to one
    event loop, while one capability may be used from several. An instance is its owner's to close.

    Raises:
        JudgeFailed: The name means no model, or what the model needs, such as a key, is missing.
    """
    if isinstance(model, LocalJudge):
        return model
    if model == LOCAL:
        return LocalJudge()
    try:
        return ModelJudge(model, usage=usage, usage_limits=usage_limits)
    except Exception as error:
        raise failure_of(judge_name(model), error) from error


class _Filled(NamedTuple):
    """A form, filled in."""

    numbers: list[float]
    """In the order of the form's questions."""
    input_tokens: int
    output_tokens: int


class ModelJudge:
    """Asks a model both questions about a snippet, or one about each of several outlines, in one
    request.

    It goes through `pydantic_ai.direct`: an agent run costs a hundred times more. Tokens and cost
    are added to `usage` and held to `usage_limits`; the request itself is claimed by the caller.
    Requests are never instrumented, because their prompts carry source. A model given by name is
    open while the judge is.
    """

    def __init__(
        self,
        model: Model | KnownModelName | str,
        *,
        usage: RunUsage | None = None,
        usage_limits: UsageLimits | None = None,
    ) -> None:
        self._name = judge_name(model)
        self._model = _without_instrumentation(infer_model(model))
        self._is_owned = isinstance(model, str)
        self._settings = _settings_for(self._model) if self._is_owned else None
        self._usage = usage or RunUsage()
        self._limits = usage_limits or UsageLimits(request_limit=None)
        self._session = AsyncExitStack()

    @property
    def name(self) -> str:
        """The model's name as given, or `provider:model` of an instance."""
        return self._name

    @property
    def is_local(self) -> bool:
        """False: each judgment is a request."""
        return False

    async def __aenter__(self) -> Self:
        """Make the model ready for this event loop.

        Raises:
            JudgeFailed: It cannot be made ready.
        """
        try:
            await self._session.enter_async_context(
                self._model if self._is_owned else _silent_run(self._model)
            )
        except Exception as error:
            raise failure_of(self._name, error) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close a model given by name, even when the search was cancelled."""
        with anyio.CancelScope(shield=True) if self._is_owned else nullcontext():
            await self._session.aclose()

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        """Answer for one case with one request.

        Raises:
            JudgeFailed: The model raised, or did not answer with two numbers from 0 to 1.
            UsageLimitExceeded: A token or cost limit of the run is reached, which ends the run.
        """
        filled = await self._fill_in(
            JUDGMENT_FORM, write_instructions(query, complaint), frame_case(case)
        )
        entity, operation = filled.numbers
        return Judgment(
            entity=entity,
            operation=operation,
            input_tokens=filled.input_tokens,
            output_tokens=filled.output_tokens,
        )

    async def screen(
        self, query: str, outlines: Sequence[Outline], complaint: str | None = None
    ) -> Screening:
        """Answer for several outlines with one request; raises as `judge` does."""
        filled = await self._fill_in(
            screening_form(len(outlines)),
            write_screening_instructions(query, complaint),
            frame_outlines(outlines),
        )
        return Screening(
            likelihoods=filled.numbers,
            input_tokens=filled.input_tokens,
            output_tokens=filled.output_tokens,
        )

    async def _fill_in(self, form: Form, instructions: str, prompt: str) -> _Filled:
        try:
            response = await self._request(form, instructions, prompt)
            self._count(response)
            numbers = _read_response(response, form)
        except UsageLimitExceeded:
            raise
        except Exception as error:
            raise failure_of(self._name, error) from error
        return _Filled(numbers, response.usage.input_tokens, response.usage.output_tokens)

    async def _request(self, form: Form, instructions: str, prompt: str) -> ModelResponse:
        messages: list[ModelMessage] = [
            ModelRequest(parts=[UserPromptPart(prompt)], instructions=instructions)
        ]
        parameters = _ask(form, instructions)
        self._limits.check_before_request(self._usage)
        if self._limits.count_tokens_before_request:
            counted = await self._model.count_tokens(messages, self._settings, parameters)
            self._limits.check_per_request_input_tokens(counted.input_tokens)
            self._limits.check_before_request(self._usage + counted)
        return await model_request(
            self._model,
            messages,
            model_settings=self._settings,
            model_request_parameters=parameters,
            instrument=False,
        )

    def _count(self, response: ModelResponse) -> None:
        """Add the response to the run's usage, priced where possible, and hold it to the limits."""
        if response.usage.cost is None and response.model_name:
            # An unknown price stays unknown, as it does for the run's own requests.
            with suppress(LookupError, ValueError):
                response.usage.cost = response.cost().total_price
        self._usage.incr(response.usage)
        for attempt in response.failed_attempts or ():
            if attempt.usage is not None:
                self._usage.incr(attempt.usage)
        self._limits.check_tokens(self._usage)
        self._limits.check_cost(self._usage, warn_if_cost_unavailable=False)
        self._limits.check_per_request_input_tokens(response.usage.input_tokens)


@lru_cache(maxsize=32)
def _ask(form: Form, instructions: str) -> ModelRequestParameters:
    """The form, as a tool and as an output object: the host keeps what the model takes.

    Numbers have both bounds, which a decision model answers with the probability of yes.
    """
    schema: dict[str, object] = {
        'type': 'object',
        'properties': {
            name: {'type': 'number', 'minimum': 0, 'maximum': 1, 'description': question}
            for name, question in form.questions
        },
        'required': form.names,
        'additionalProperties': False,
    }
    return ModelRequestParameters(
        output_mode='auto',
        output_tools=[
            ToolDefinition(
                name=_ANSWER_TOOL,
                description=form.goal,
                parameters_json_schema=schema,
                kind='output',
            )
        ],
        output_object=OutputObjectDefinition(
            json_schema=schema, name=_ANSWER_TOOL, description=form.goal
        ),
        allow_text_output=False,
        instruction_parts=[InstructionPart(content=instructions)],
    )


def _read_response(response: ModelResponse, form: Form) -> list[float]:
    """The answer in the response's call of the answer tool, or else in its text."""
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    if not calls:
        text = ''.join(part.content for part in response.parts if isinstance(part, TextPart))
        return read_numbers(text, form.names)
    if calls[0].tool_name != _ANSWER_TOOL:
        raise MalformedAnswer(f'it calls another tool than `{_ANSWER_TOOL}`')
    return read_numbers(calls[0].args, form.names)


def _without_instrumentation(model: Model) -> Model:
    """`model` without what records its requests, at any depth: itself, or a copy if it had any."""
    if isinstance(model, InstrumentedModel):
        return _without_instrumentation(model.wrapped)
    if isinstance(model, WrapperModel):
        wrapped = _without_instrumentation(model.wrapped)
        if wrapped is not model.wrapped:
            model = copy.copy(model)
            model.wrapped = wrapped
    elif isinstance(model, FallbackModel):
        models = [_without_instrumentation(each) for each in model.models]
        if any(bare is not each for bare, each in zip(models, model.models, strict=True)):
            model = copy.copy(model)
            model.models = models
    return model


def _settings_for(model: Model) -> ModelSettings:
    """`NAMED_SETTINGS`, and no retries by the model's own client, which nobody would count."""
    settings = NAMED_SETTINGS.copy()
    if 'max_retries' not in model.unsupported_settings:
        settings['max_retries'] = 0
    return settings


def _silent_run(model: Model) -> AbstractAsyncContextManager[object]:
    """An agent run that asks nothing, around the requests to a model that is not ours to open.

    Starting a run is the host's public way to give a model a fresh HTTP client when the event loop
    is not the one it was last used on. Opening the model would do so too, but closing it again
    would close the client under the requests of others.
    """
    agent = Agent(model, name='smart_search_judge')
    agent.instrument = False
    return agent.iter()
