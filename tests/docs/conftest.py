"""What a page's reader has: the project it talks about, and models behind the names it uses."""

from __future__ import annotations

import asyncio
import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic_ai import models
from pydantic_ai.messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.project import write_project
from tests.servers import Asked, Reply, SystemOneServer, score

AGENT_MODELS: Final = {'anthropic:claude-opus-5-5'}
"""Names that pages give to the agent's own model; a scripted one answers for them here."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project the pages search, as the current directory of an activated environment."""
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PATH', f'{sysconfig.get_path("scripts")}:{os.environ["PATH"]}')
    return tmp_path


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """The event loop that `run_sync` uses, closed afterwards: the host leaves its own open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scripted model behind the names of agents' models."""
    infer_model = models.infer_model

    def infer(model: Any, *args: Any, **kwargs: Any) -> models.Model:
        if isinstance(model, str) and model in AGENT_MODELS:
            return FunctionModel(search_then_answer)
        return infer_model(model, *args, **kwargs)

    monkeypatch.setattr(models, 'infer_model', infer)


def search_then_answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Search for what the user asks, then say where the best match is."""
    last = messages[-1].parts[-1]
    if isinstance(last, UserPromptPart):
        return ModelResponse(parts=[ToolCallPart('smart_search', {'query': last.content})])
    assert isinstance(last, BaseToolReturnPart)
    assert last.outcome == 'success', last.content
    best = last.model_response_object()['matches'][0]
    place = f'{best["file_path"]}, lines {best["start_line"]}-{best["end_line"]}'
    return ModelResponse(parts=[TextPart(f'`{best["symbol"]}` in {place}.')])


@pytest.fixture
def system_one(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A decision model behind `system-one:` names, for which one snippet is relevant."""

    def judge(asked: Asked) -> Reply:
        relevance = 0.95 if 'raise PermissionError' in asked.state else 0.05
        return score(relevance, relevance)

    with SystemOneServer(judge) as server:
        monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
        yield
