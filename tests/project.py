"""A small real project on disk, and agents and contexts that search it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from textwrap import dedent
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage, UsageLimits
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceBackend

SESSIONS = dedent(
    '''
    """Server-side sessions."""

    import time


    class SessionStore:
        """Keeps sessions in memory."""

        def __init__(self):
            self.sessions = {}

        def load(self, token):
            """Return the session of a token, refusing one that has expired."""
            session = self.sessions[token]
            if session.expires_at < time.time():
                raise PermissionError('session expired')
            return session
    '''
).lstrip()

RETRIES = dedent(
    '''
    def call_with_retries(send, request, attempts=3):
        """Send a request, trying again when the network fails."""
        for attempt in range(attempts):
            try:
                return send(request)
            except ConnectionError:
                if attempt == attempts - 1:
                    raise
    '''
).lstrip()

TESTS = dedent(
    """
    def test_an_expired_session_is_refused(store):
        store.sessions['t'].expires_at = 0
        with raises(PermissionError):
            store.load('t')
    """
).lstrip()


def write_project(root: Path, files: dict[str, str | bytes] | None = None) -> Path:
    """Write `files` below `root` (a project about sessions and retries by default)."""
    if files is None:
        files = {
            'app/sessions.py': SESSIONS,
            'app/network.py': RETRIES,
            'tests/test_sessions.py': TESTS,
            'README.md': '# Sessions\n\nExpired sessions are refused.\n',
        }
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def run_context(
    workspace: Path | WorkspaceBackend, *, limits: UsageLimits | None = None, **fields: Any
) -> RunContext[None]:
    """The context of a run over `workspace`, as a directly called toolset needs it."""
    backend = LocalWorkspaceBackend(workspace) if isinstance(workspace, Path) else workspace
    return RunContext(
        deps=None,
        model=TestModel(),
        usage=RunUsage(),
        usage_limits=limits,
        workspace=backend if isinstance(backend, Workspace) else Workspace(backend),
        **fields,
    )


def calls_tool_once(**arguments: Any) -> FunctionModel:
    """A model that calls `smart_search` with `arguments`, then repeats what it got back."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, UserPromptPart):
            return ModelResponse(parts=[ToolCallPart('smart_search', arguments)])
        assert isinstance(last, BaseToolReturnPart)
        return ModelResponse(parts=[TextPart(last.model_response_str())])

    async def stream(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        (part,) = respond(messages, info).parts
        if isinstance(part, ToolCallPart):
            yield {0: DeltaToolCall(part.tool_name, part.args_as_json_str())}
        elif isinstance(part, TextPart):
            yield part.content

    return FunctionModel(respond, stream_function=stream, model_name='main')


def scores_by_word(**scores: float) -> FunctionModel:
    """A judge that answers the highest of `scores` whose word the snippet holds, else 0, twice."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (prompt,) = messages[-1].parts
        assert isinstance(prompt, UserPromptPart)
        text = str(prompt.content)
        score = max((score for word, score in scores.items() if word in text), default=0.0)
        (tool,) = info.output_tools
        return ModelResponse(parts=[ToolCallPart(tool.name, {'entity': score, 'operation': score})])

    return FunctionModel(respond, model_name='by-word')
