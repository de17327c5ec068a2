"""Every code block of the README and the docs does what the page says it does."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from pydantic_ai import Agent

from pydantic_ai_smart_search import SmartSearch
from tests.docs.markdown import REPOSITORY, Block, blocks

RUN: Final = {'python', 'yaml', 'console'}
SETTINGS: Final = {'json', 'toml'}
"""Of other programs: `tests/cli/test_setup.py` reads them."""

NOT_CODE: Final = {'text'}
"""Drawings."""

COMMANDS: Final = blocks('console')
AGENT_FILES: Final = blocks('yaml')


def test_every_block_is_in_a_language_that_is_run() -> None:
    assert {block.language for block in blocks()} <= RUN | SETTINGS | NOT_CODE


@pytest.mark.parametrize('block', blocks('python'), ids=str)
def test_python_block_runs_and_prints_what_it_says(
    block: Block,
    project: Path,
    provider: None,
    system_one: None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for agent_file in AGENT_FILES:
        if agent_file.page == block.page:
            (project / 'agent.yaml').write_text(agent_file.text)
    padding = '\n' * block.line  # so that a traceback names the page's own line
    program = compile(padding + block.text, block.page, 'exec', dont_inherit=True)
    exec(program, {'__name__': '__main__'})  # noqa: S102 - our own page
    lines = [line.strip() for line in block.text.splitlines()]
    printed = [line[3:] for line in lines if line.startswith('#> ')]
    assert capfd.readouterr().out.splitlines() == printed


@pytest.mark.parametrize('block', AGENT_FILES, ids=str)
def test_agent_file_makes_an_agent_that_searches(
    block: Block, project: Path, provider: None, system_one: None
) -> None:
    (project / 'agent.yaml').write_text(block.text)
    agent = Agent.from_file('agent.yaml', custom_capability_types=[SmartSearch])
    assert 'SessionStore.load' in agent.run_sync('Where are expired sessions refused?').output


@pytest.mark.parametrize('block', COMMANDS, ids=str)
def test_command_does_what_the_page_shows(
    block: Block, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if '$ cd ' in block.page.read_text():  # which stands for all blocks of the page
        project = Path(sysconfig.get_path('stdlib'))
    for command, shown in commands(block):
        program, *arguments = shlex.split(command)
        if program == 'export':
            name, _, value = arguments[0].partition('=')
            monkeypatch.setenv(name, value.replace('~', str(tmp_path)))
            continue
        CHECKS[program](arguments, shown, project)


def commands(block: Block) -> list[tuple[str, str]]:
    """Each command of a console block with the output shown below it."""
    parts = [part.partition('\n') for part in f'\n{block.text}'.split('\n$ ')[1:]]
    return [(command, output) for command, _, output in parts]


def check_make(arguments: list[str], shown: str, project: Path) -> None:
    targets = re.findall(r'^([a-z-]+):', (REPOSITORY / 'Makefile').read_text(), re.MULTILINE)
    assert set(arguments) <= set(targets)


def check_pip(arguments: list[str], shown: str, project: Path) -> None:
    install, requirement = arguments
    metadata = tomllib.loads((REPOSITORY / 'pyproject.toml').read_text())['project']
    wanted = Requirement(requirement)
    assert (install, wanted.name) == ('install', metadata['name'])
    assert wanted.extras <= set(metadata['optional-dependencies'])


def check_search(arguments: list[str], shown: str, project: Path) -> None:
    """Run it: in this repository if it names a directory that is here, else in the project."""
    here = any((REPOSITORY / argument).is_dir() for argument in arguments)
    done = subprocess.run(
        [Path(sys.executable).with_name('smart-search'), *arguments],
        cwd=REPOSITORY if here else project,
        env={**os.environ, 'COLUMNS': '120'},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == '' or arguments[0] == 'files'  # which says there what it leaves out
    if shown:
        assert places(shown) == places(done.stdout) != []


def check_cd(arguments: list[str], shown: str, project: Path) -> None:
    (directory,) = arguments
    program = shlex.split(directory.removeprefix('$(').removesuffix(')'))
    assert program[:2] == ['python', '-c']
    printed = subprocess.run(
        [sys.executable, *program[1:]], capture_output=True, text=True, check=True
    )
    assert Path(printed.stdout.strip()) == project


def check_environment(arguments: list[str], shown: str, project: Path) -> None:
    assert arguments in (['-m', 'venv', '.venv'], ['.venv/bin/activate'])


def check_client(arguments: list[str], shown: str, project: Path) -> None:
    assert arguments == ['mcp', 'add', 'smart-search', '--', 'smart-search', 'mcp']


def places(output: str) -> list[tuple[str, str]]:
    """File and symbol of each match. Its lines and score may move when the code does."""
    return re.findall(r'^(\S+):\d+-\d+ +(\S+)', output, re.MULTILINE)


CHECKS: Final = {
    '.': check_environment,
    'cd': check_cd,
    'claude': check_client,
    'codex': check_client,
    'make': check_make,
    'opencode': check_client,
    'pip': check_pip,
    'python': check_environment,
    'smart-search': check_search,
}
