from __future__ import annotations

import re
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


def test_the_shortest_agent_answers(
    project: Path, provider: None, capsys: pytest.CaptureFixture[str]
) -> None:
    load('quick_start.py')['main']('Where are expired sessions refused?')
    assert 'SessionStore.load' in capsys.readouterr().out


def test_an_agent_of_a_file_answers(
    project: Path, provider: None, system_one: None, capsys: pytest.CaptureFixture[str]
) -> None:
    load('agent_file.py')['main']('Where are expired sessions refused?')
    assert 'SessionStore.load' in capsys.readouterr().out


@pytest.mark.anyio
async def test_a_decision_model_of_ones_own_gives_both_answers(
    project: Path, system_one: None, capsys: pytest.CaptureFixture[str]
) -> None:
    await load('decision_model.py')['main']('refuse an expired session')
    assert capsys.readouterr().out.splitlines() == [
        '0.95 0.95 app/sessions.py:12',
        '6 requests, 600 tokens',
    ]


@pytest.mark.anyio
async def test_several_agents_index_each_file_once(
    project: Path, provider: None, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = ['Where are expired sessions refused?', 'Who retries when the network fails?']
    await load('shared_index.py')['main']('.', *questions)
    first, second, figures = capsys.readouterr().out.splitlines()
    assert 'SessionStore.load' in first
    assert 'call_with_retries' in second
    assert figures == '2 searches, 4 files indexed'


def test_every_example_is_listed_and_every_listed_one_is_there() -> None:
    folder = REPOSITORY / 'examples'
    rows = [row for row in (folder / 'README.md').read_text().splitlines() if row.startswith('| `')]
    listed = [name for row in rows for name in re.findall(r'`([\w.]+)`', row.split('|')[1])]
    assert sorted([*listed, 'README.md']) == sorted(
        path.name for path in folder.iterdir() if path.is_file()
    )
