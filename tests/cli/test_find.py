from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app
from tests.project import write_project


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('SMART_SEARCH_JUDGE', raising=False)
    return write_project(tmp_path)


def test_find_shows_where_and_what(here: Path) -> None:
    shown = CliRunner().invoke(app, ['find', 'reject an expired session', '--limit', '1'])
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].startswith('app/sessions.py:12-17  SessionStore.load')
    assert lines[1:7] == snapshot()
    assert any('ranked locally' in line for line in lines)


def test_find_exits_with_1_when_nothing_is_found(here: Path) -> None:
    nothing = CliRunner().invoke(app, ['find', 'quantum chromodynamics lattice'])
    assert nothing.exit_code == 1
    assert 'No matches' in nothing.stdout


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['find', 'sessions', 'nowhere'], "There is no 'nowhere'"),
        (['find', 'sessions', '--threshold', '2'], '`threshold` must be'),
        (['find', 'sessions', '--limit', '0'], '`limit` must be from 1 to 100'),
        (['find', 'sessions', '--judge', 'nosuch:model'], 'Unknown model'),
        (['find', 'the'], 'no searchable words'),
        (['files', 'nowhere'], "There is no 'nowhere'"),
    ],
)
def test_a_failure_exits_with_2_and_says_what_to_change(
    here: Path, arguments: list[str], message: str
) -> None:
    failed = CliRunner().invoke(app, arguments)
    assert failed.exit_code == 2
    assert failed.stdout == ''
    assert message in failed.stderr
    assert failed.stderr.startswith('smart-search: ')


def test_json_holds_the_whole_result_with_its_version(here: Path) -> None:
    printed = json.loads(
        CliRunner().invoke(app, ['find', 'reject an expired session', '--json']).stdout
    )
    assert printed['version'] == 1
    assert printed['matches'][0]['symbol'] == 'SessionStore.load'
    assert printed['details']['judge'] == 'local'
    assert printed['details']['matches'][0]['lexical_rank'] == 1


def test_a_directory_elsewhere_is_searched_and_shown_by_its_absolute_path(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = write_project(tmp_path_factory.mktemp('elsewhere'))
    shown = CliRunner().invoke(app, ['find', 'reject an expired session', str(elsewhere)])
    assert shown.stdout.startswith(str(elsewhere / 'app/sessions.py'))
    one_file = CliRunner().invoke(app, ['files', str(elsewhere / 'app/network.py')])
    assert one_file.stdout.splitlines()[0] == str(elsewhere / 'app/network.py')


def test_files_shows_what_would_be_searched_and_what_not_and_why(here: Path) -> None:
    (here / 'logo.bin').write_bytes(b'\0\1\2')
    shown = CliRunner().invoke(app, ['files'])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == snapshot([
    "README.md",
    "app/network.py",
    "app/sessions.py",
    "tests/test_sessions.py",
    "4 files, 6 snippets",
    "left out, binary: logo.bin",
])


def test_files_exits_with_1_when_there_is_nothing_to_search(here: Path) -> None:
    assert CliRunner().invoke(app, ['files', '--glob', '*.rs']).exit_code == 1


def test_files_as_json(here: Path) -> None:
    (here / 'logo.bin').write_bytes(b'\0\1\2')
    assert json.loads(CliRunner().invoke(app, ['files', '--json']).stdout) == snapshot({
    "version": 1,
    "files": [
        "README.md",
        "app/network.py",
        "app/sessions.py",
        "tests/test_sessions.py",
    ],
    "snippets": 6,
    "skipped": [{"path": "logo.bin", "reason": "binary", "detail": ""}],
})


def test_colours_follow_the_terminal_and_no_color(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('FORCE_COLOR', '1')
    coloured = CliRunner().invoke(app, ['find', 'reject an expired session'], color=True)
    assert '\x1b[' in coloured.stdout
    assert f'file://{here}/app/sessions.py' in coloured.stdout
    monkeypatch.delenv('FORCE_COLOR')
    assert '\x1b[' not in CliRunner().invoke(app, ['find', 'reject an expired session']).stdout


def test_the_installed_command_runs_and_a_judge_is_chosen_by_the_environment(here: Path) -> None:
    run = subprocess.run(
        [Path(sys.executable).with_name('smart-search'), 'find', 'reject an expired session'],
        cwd=here,
        env={'PATH': '/usr/bin:/bin', 'SMART_SEARCH_JUDGE': 'nosuch:model'},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, '')
    assert 'nosuch:model' in run.stderr
