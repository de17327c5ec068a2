from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.docs.markdown import REPOSITORY


def load(name: str) -> dict[str, Any]:
    return runpy.run_path(str(REPOSITORY / 'examples' / name))


@pytest.mark.anyio
async def test_a_program_searches_without_an_agent(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await load('search.py')['main']('refuse an expired session', '.')
    best, *_, warning = capsys.readouterr().out.splitlines()
    assert best.endswith('app/sessions.py:12 SessionStore.load')
    assert warning.startswith('Matches were ranked locally')


def test_an_agent_searches_then_reads(
    project: Path, provider: None, capsys: pytest.CaptureFixture[str]
) -> None:
    load('agent.py')['main']('Which error refuses an expired session?', '.')
    assert 'SessionStore.load' in capsys.readouterr().out


@pytest.mark.anyio
async def test_an_agent_reads_exactly_the_lines_it_names(project: Path) -> None:
    from tests.project import run_context

    lines = await load('agent.py')['read_lines'](run_context(project), 'app/sessions.py', 6, 7)
    assert lines == 'class SessionStore:\n    """Keeps sessions in memory."""'
