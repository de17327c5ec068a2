from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli import doctor
from pydantic_ai_smart_search.cli.app import app
from tests.cli.conftest import answer
from tests.servers import SystemOneServer


def checks(*arguments: str) -> tuple[int, dict[str, dict[str, object]]]:
    run = CliRunner().invoke(app, ['doctor', '--json', *arguments])
    return run.exit_code, json.loads(run.stdout)['checks']


def test_a_search_that_would_work_is_said_to(here: Path) -> None:
    shown = CliRunner().invoke(app, ['doctor'])
    assert shown.exit_code == 0
    lines = [line.split(maxsplit=2) for line in shown.stdout.splitlines()]
    assert [(mark, name) for mark, name, _ in lines[:-1]] == snapshot(
        [
            ('ok', 'versions'),
            ('ok', 'ripgrep'),
            ('ok', 'languages'),
            ('ok', 'workspace'),
            ('ok', 'judge'),
        ]
    )
    assert lines[3][2] == f'4 files to search in {here}'
    assert lines[-1] == snapshot(
        ['leaves', 'nothing:', 'searches are listed, read, cut and ranked in this process']
    )


def test_json_says_all_of_it_with_its_version(here: Path) -> None:
    printed = json.loads(CliRunner().invoke(app, ['doctor', '--json']).stdout)
    assert (printed['version'], printed['healthy']) == (1, True)
    assert list(printed['checks']) == snapshot(
        ['versions', 'ripgrep', 'languages', 'workspace', 'judge']
    )


def test_a_judge_is_asked_about_a_made_up_snippet_only(
    here: Path, system_one: SystemOneServer
) -> None:
    shown = CliRunner().invoke(app, ['doctor', '--judge', 'system-one:test'])
    assert shown.exit_code == 0
    (asked,) = system_one.requests
    assert 'check_session' in asked.state
    assert 'SessionStore' not in asked.state
    assert 'system-one:test gave a sample that fits a relevance of 0.90' in shown.stdout
    assert 'to the provider of system-one:test, with each search' in shown.stdout


def test_what_is_wrong_is_marked_with_what_to_do(here: Path) -> None:
    code, found = checks('nowhere', '--judge', 'nosuch:model')
    assert code == 2
    assert [name for name, check in found.items() if not check['ok']] == ['workspace', 'judge']
    assert 'nosuch:model' in str(found['judge']['detail'])
    shown = CliRunner().invoke(app, ['doctor', 'nowhere'])
    assert "FAIL  workspace  There is no 'nowhere'" in shown.stdout


def test_a_directory_with_nothing_to_search_is_wrong(here: Path) -> None:
    (here / 'empty').mkdir()
    code, found = checks('empty')
    assert (code, found['workspace']['ok']) == (2, False)


def test_a_missing_ripgrep_is_found_out(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = str(tmp_path_factory.mktemp('bin'))
    monkeypatch.setattr(sysconfig, 'get_path', answer(empty))
    monkeypatch.setenv('PATH', empty)
    code, found = checks()
    assert code == 2
    assert 'pydantic-ai-smart-search[rg]' in str(found['ripgrep']['detail'])


def test_a_ripgrep_that_does_not_run_is_found_out(
    here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = tmp_path_factory.mktemp('bin')
    (scripts / 'rg').write_bytes(b'\x7fELF of another machine')
    (scripts / 'rg').chmod(0o755)
    monkeypatch.setattr(sysconfig, 'get_path', answer(str(scripts)))
    _, found = checks()
    assert str(found['ripgrep']['detail']).startswith(f'{scripts}/rg cannot be run')


def test_grammars_are_missed_but_not_needed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, 'find_spec', answer(None))
    shown = CliRunner().invoke(app, ['doctor'])
    assert shown.exit_code == 0
    assert 'note  languages' in shown.stdout
    assert 'pydantic-ai-smart-search[languages]' in shown.stdout
