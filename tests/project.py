"""A small real project on disk, and agents and contexts that search it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage, UsageLimits
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceBackend

from pydantic_ai_smart_search import testing

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


PROJECT = {
    'app/sessions.py': SESSIONS,
    'app/network.py': RETRIES,
    'tests/test_sessions.py': TESTS,
    'README.md': '# Sessions\n\nExpired sessions are refused.\n',
}
"""A project about sessions and retries."""


def write_project(root: Path, files: Mapping[str, str | bytes] = PROJECT) -> Path:
    """Write `files` below `root`, by default `PROJECT`."""
    return testing.write_project(root, files)


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
