"""Promises of SECURITY.md that no test of a single stage shows, and that each has its test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelRetry

from pydantic_ai_smart_search import SmartSearchToolset
from pydantic_ai_smart_search.testing import ScriptedJudge
from tests.docs.markdown import REPOSITORY
from tests.project import run_context, write_project

QUERY = 'refuse an expired session'
COMMAND = Path(sys.executable).with_name('smart-search')


def test_every_promise_names_tests_that_exist() -> None:
    tests = {
        name
        for file in (REPOSITORY / 'tests').rglob('test_*.py')
        for name in re.findall(r'^(?:async )?def (test_\w+)\(', file.read_text(), re.MULTILINE)
    }
    rows = re.findall(
        r'^\| (.+) \| (.+) \|$', (REPOSITORY / 'SECURITY.md').read_text(), re.MULTILINE
    )
    promises = {
        promise: re.findall(r'`(\w+)`', shown) for promise, shown in rows if '---' not in shown
    }
    del promises['promise']  # the heads of the tables
    assert len(promises) >= 20
    for promise, names in promises.items():
        assert names, promise
        assert set(names) <= tests, promise


def test_nothing_in_a_searched_directory_is_run(tmp_path: Path) -> None:
    mark = tmp_path / 'ran'
    program = f'open({str(mark)!r}, "w").close()\n'
    project = write_project(tmp_path / 'project')
    names = ['conftest.py', 'numpy.py', 'setup.py', 'sitecustomize.py', 'typing.py', 'app/numpy.py']
    write_project(project, dict.fromkeys(names, program))
    for name in ('rg', 'git', 'wc', 'cat'):
        (project / name).write_text(f'#!/bin/sh\n: > {mark}\n')
        (project / name).chmod(0o755)
    done = subprocess.run(
        [COMMAND, 'find', QUERY], cwd=project, capture_output=True, text=True, check=True
    )
    assert 'SessionStore.load' in done.stdout
    assert not mark.exists()


@pytest.mark.parametrize('argument', ['query', 'directory', 'glob'])
@pytest.mark.anyio
async def test_no_argument_is_run_by_a_shell(tmp_path: Path, argument: str) -> None:
    root = write_project(tmp_path / 'project')
    toolset = SmartSearchToolset[None](model='local')
    for text in (
        '$(touch ran)',
        '`touch ran`',
        "'; touch ran; '",
        '"; touch ran; "',
        'a\ntouch ran',
    ):
        arguments: dict[str, Any] = {'query': QUERY, argument: text}
        with suppress(ModelRetry):  # there is no such directory
            await toolset.smart_search(run_context(root), **arguments)
    assert 'ran' not in names_below(tmp_path)


def names_below(root: Path) -> set[str]:
    return {path.name for path in root.rglob('*')}


@pytest.mark.anyio
async def test_a_judge_that_approves_of_everything_returns_only_what_is_there(
    tmp_path: Path,
) -> None:
    judge = ScriptedJudge({}, otherwise=1.0)
    toolset = SmartSearchToolset[None](model=judge)
    result = await toolset.smart_search(run_context(write_project(tmp_path)), QUERY, limit=100)
    assert result.matches
    for match in result.matches:
        lines = (tmp_path / match.file_path).read_text().split('\n')
        assert match.text == '\n'.join(lines[match.start_line - 1 : match.end_line])


@pytest.mark.anyio
async def test_a_judge_is_sent_the_query_and_snippets_of_listed_files_only(tmp_path: Path) -> None:
    write_project(tmp_path)
    kept_out = ['.env', '.git/config', 'ignored.py', 'server.pem', 'app/.hidden.py']
    write_project(
        tmp_path, {'.gitignore': 'ignored.py\n', **dict.fromkeys(kept_out, 'session = 1\n')}
    )
    judge = ScriptedJudge({})
    result = await SmartSearchToolset[None](model=judge).smart_search(run_context(tmp_path), QUERY)
    assert len(judge.asked) == result.coverage.evaluated
    assert {case.query for case in judge.asked} == {QUERY}
    listed = {'README.md', 'app/network.py', 'app/sessions.py', 'tests/test_sessions.py'}
    assert {case.path for case in judge.asked} == listed
    for case in judge.asked:
        text = (tmp_path / case.path).read_text()
        assert case.text in text
        in_one_line = ' '.join(text.split())
        shown = [*(case.inside or '').split(' ... '), *(case.imports or '').split('; ')]
        assert all(part in in_one_line for part in shown)


def test_a_search_with_the_local_judge_opens_no_connection(tmp_path: Path) -> None:
    program = (
        'import sys\n'
        'def watch(event, arguments):\n'
        '    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):\n'
        '        print(event, arguments, file=sys.stderr)\n'
        'sys.addaudithook(watch)\n'
        'from pydantic_ai_smart_search.cli import main\n'
        f'sys.argv[1:] = ["find", {QUERY!r}]\n'
        'main()\n'
    )
    done = subprocess.run(
        [sys.executable, '-c', program],
        cwd=write_project(tmp_path),
        env={**os.environ, 'COLUMNS': '120'},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 'SessionStore.load' in done.stdout
    assert done.stderr == ''
