from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


@pytest.fixture
def kept(here: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the index of the project."""
    directory = tmp_path_factory.mktemp('kept')
    code, _ = run('find', 'refuse an expired session', '--index-dir', str(directory))
    assert code == 0
    return directory


def test_an_index_is_kept_listed_checked_and_dropped(here: Path, kept: Path) -> None:
    for flags in ((), ('--list',), ('--verify',)):
        code, shown = run('index', '--index-dir', str(kept), *flags)
        assert code == 0
        assert shown.splitlines()[0] == str(here)
        assert '6 snippets · ' in shown
    assert run('index', '/elsewhere', '--index-dir', str(kept)) == (0, 'No indexes.\n')
    assert run('index', '.', '--drop', '--index-dir', str(kept))[0] == 0
    assert run('index', '--index-dir', str(kept)) == (0, 'No indexes.\n')


def test_the_next_search_finds_the_same_by_the_kept_index(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('SMART_SEARCH_INDEX_DIR', str(kept))
    query = ('find', 'refuse an expired session', '--json')
    with_index = json.loads(run(*query)[1])
    monkeypatch.delenv('SMART_SEARCH_INDEX_DIR')
    without = json.loads(run(*query)[1])
    assert with_index['matches'] == without['matches']
    assert with_index['details']['indexed_files'] == 0


def test_a_damaged_index_is_shown_with_what_is_wrong(kept: Path) -> None:
    run('find', 'refuse an expired session', '--glob', '*.py', '--index-dir', str(kept))
    for database in kept.glob('*.sqlite'):
        database.write_bytes(b'not a database at all')
    code, shown = run('index', '--verify', '--json', '--index-dir', str(kept))
    assert code == 1
    assert all('not a database' in one['problem'] for one in json.loads(shown))
    code, shown = run('index', '--index-dir', str(kept))
    assert code == 1
    assert 'not a database' in shown


def test_a_glob_is_shown_beside_its_directory(here: Path, kept: Path) -> None:
    run('find', 'refuse an expired session', '--glob', '*.py', '--index-dir', str(kept))
    _, shown = run('index', '--index-dir', str(kept))
    assert f'{here}  *.py' in shown.splitlines()


def test_a_directory_has_to_be_named_and_be_there(here: Path) -> None:
    code, shown = run('index')
    assert code == 2
    assert '`--index-dir` or SMART_SEARCH_INDEX_DIR' in shown
    code, shown = run('index', '--index-dir', 'nowhere')
    assert code == 2
    assert 'nowhere' in shown
