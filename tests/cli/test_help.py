from __future__ import annotations

import subprocess

import pytest
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app
from tests.cli.conftest import command, environment
from tests.cli.reference import PAGE, page_with_reference

COMMANDS = ['find', 'files', 'calibrate', 'doctor', 'index', 'mcp']


def test_the_reference_page_says_what_the_commands_do() -> None:
    assert PAGE.read_text() == page_with_reference(), 'run `python -m tests.cli.reference`'


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(app, ['--help'])
    assert shown.exit_code == 0
    assert all(f' {name} ' in shown.stdout for name in COMMANDS)


@pytest.mark.parametrize('name', COMMANDS)
def test_help_shows_globs_and_names_as_they_are_typed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('COLUMNS', '200')
    shown = CliRunner().invoke(app, [name, '--help']).stdout
    assert '**' not in shown.replace('src/**', '')
    assert '`' not in shown
    if '--glob' in shown:
        assert '*.py, src/** or *.ts,*.tsx.' in shown


def test_help_brings_no_background_of_its_own_to_a_terminal() -> None:
    done = subprocess.run(  # the library decides on colours when it is imported
        [command(), 'find', '--help'],
        env={**environment(), 'FORCE_COLOR': '1', 'TERM': 'xterm-256color'},
        capture_output=True,
        text=True,
        check=False,
    )
    assert '\x1b[36m*.py\x1b[0m' in done.stdout


def test_the_version_is_printed() -> None:
    shown = CliRunner().invoke(app, ['--version'])
    assert (shown.exit_code, shown.stdout) == (0, 'smart-search 0.1.0\n')


def test_a_shell_completes_what_is_typed() -> None:
    words = 'smart-search find --'
    variables = {
        '_SMART_SEARCH_COMPLETE': 'complete_bash',
        'COMP_WORDS': words,
        'COMP_CWORD': str(words.count(' ')),
    }
    done = subprocess.run(
        [command()],
        env={**environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert {'--judge', '--threshold'} <= set(done.stdout.split())
