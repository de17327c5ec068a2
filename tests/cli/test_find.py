from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app
from tests.cli.conftest import command, environment
from tests.project import write_project
from tests.servers import SystemOneServer

FIND = ['find', 'reject an expired session', '--judge', 'system-one:test']


@pytest.mark.usefixtures('here', 'system_one')
def test_find_shows_where_and_what() -> None:
    shown = CliRunner().invoke(app, [*FIND, '--limit', '1'])
    assert shown.exit_code == 0
    *lines, blank, summary = shown.stdout.splitlines()
    assert lines == snapshot(
        [
            'app/sessions.py:12-17  SessionStore.load  0.90',
            '  12      def load(self, token):',
            '  13          """Return the session of a token, refusing one that has expired."""',
            '  14          session = self.sessions[token]',
            '  15          if session.expires_at < time.time():',
            "  16              raise PermissionError('session expired')",
            '  17          return session',
        ]
    )
    assert (blank, summary.partition(' · ')[0]) == ('', '1 match')


def test_find_exits_with_1_when_nothing_is_found(here: Path) -> None:
    nothing = CliRunner().invoke(app, ['find', 'quantum chromodynamics lattice'])
    assert nothing.exit_code == 1
    assert nothing.stdout.startswith('No matches · looked closely at ')


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


@pytest.mark.usefixtures('here')
def test_a_ranking_is_not_mistaken_for_a_judgment(system_one: SystemOneServer) -> None:
    ranked = CliRunner().invoke(app, ['find', 'refuse expired sessions', '--json'])
    assert json.loads(ranked.stdout)['details']['judge'] == 'local'
    assert 'ranked locally' in ranked.stdout
    assert system_one.requests == []
    judged = CliRunner().invoke(app, FIND)
    assert 'ranked locally' not in judged.stdout
    assert len(system_one.requests) > 1


@pytest.mark.usefixtures('here', 'system_one')
def test_json_holds_the_whole_result_with_its_version() -> None:
    printed = json.loads(CliRunner().invoke(app, [*FIND, '--json']).stdout)
    assert printed['version'] == 1
    assert printed['matches'][0]['symbol'] == 'SessionStore.load'
    assert printed['details']['judge'] == 'system-one:test'
    assert printed['details']['matches'][0]['entity'] == 0.95


@pytest.mark.usefixtures('here', 'system_one')
def test_no_field_of_the_json_goes_away_while_its_version_stays() -> None:
    printed = json.loads(CliRunner().invoke(app, [*FIND, '--json']).stdout)
    promised = {
        '': 'version matches coverage omitted_matches warnings details',
        'coverage': 'files snippets evaluated skipped_files selection_complete',
        'details': 'judge requests input_tokens output_tokens retries remembered unjudged '
        'indexed_files skipped seconds matches',
    }
    for part, fields in promised.items():
        assert set(fields.split()) <= set(printed[part] if part else printed)
    match = (
        'file_path start_line end_line symbol kind score text snippet_start_line snippet_end_line'
    )
    assert set(match.split()) <= set(printed['matches'][0])


@pytest.mark.usefixtures('system_one')
def test_explain_lists_every_candidate_after_the_matches_with_what_made_its_place(
    here: Path,
) -> None:
    write_project(here, {'app/keys.py': f"session_key = '{'AKIA' + 'J7QZ4MXW2K5TRV3N'}'\n"})
    explained = CliRunner().invoke(app, [*FIND, '--limit', '1', '--explain']).stdout
    match, table, summary = explained.split('\n\n')
    without = CliRunner().invoke(app, [*FIND, '--limit', '1']).stdout
    assert match == without.split('\n\n')[0]
    assert summary.startswith('1 match')
    # The last digits of a score are those of floating-point libraries.
    assert [re.sub(r'\d+\.\d{3}', '_.___', row) for row in table.splitlines()] == snapshot(
        [
            'rank    score  entity  operation  candidate',
            '   1    _.___    0.95       0.95  app/sessions.py:12-17 SessionStore.load  expir +_.___, whole file +_.___, session +_.___, meaning +_.___',
            '   2    _.___    0.05       0.05  tests/test_sessions.py:1-4 test_an_expired_session_is_refused  expir +_.___, kind of file -_.___, whole file +_.___, session +_.___',
            '   3    _.___    0.05       0.05  app/sessions.py:6-10 SessionStore, SessionStore.__init__  whole file +_.___, session +_.___, next of file -_.___, name of file +_.___',
            '   4    _.___    0.05       0.05  app/sessions.py:1-3  whole file +_.___, session +_.___, next of file -_.___, name of file +_.___',
            '   5    _.___    0.05       0.05  README.md:1-3 Sessions  kind of file -_.___, expir +_.___, whole file +_.___, session +_.___',
            '   6    _.___       -          -  app/keys.py:1-1  session +_.___, whole file +_.___',
            '   7    _.___    0.05       0.05  app/network.py:1-8 call_with_retries',
        ]
    )


@pytest.mark.usefixtures('here', 'system_one')
def test_json_has_the_candidates_where_they_are_asked_for() -> None:
    shown = CliRunner().invoke(app, [*FIND, '--json']).stdout
    assert json.loads(shown)['details']['candidates'] == []
    explained = CliRunner().invoke(app, [*FIND, '--json', '--explain']).stdout
    best = json.loads(explained)['details']['candidates'][0]
    assert sum(best.pop('parts').values()) == pytest.approx(best.pop('score'))
    assert best == snapshot(
        {
            'path': 'app/sessions.py',
            'start_line': 12,
            'end_line': 17,
            'symbol': 'SessionStore.load',
            'rank': 1,
            'entity': 0.95,
            'operation': 0.95,
        }
    )


@pytest.mark.usefixtures('here', 'system_one')
def test_a_directory_elsewhere_is_searched_and_shown_by_its_absolute_path(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    elsewhere = write_project(tmp_path_factory.mktemp('elsewhere'))
    shown = CliRunner().invoke(app, [*FIND, str(elsewhere)])
    assert shown.stdout.startswith(str(elsewhere / 'app/sessions.py'))
    one_file = CliRunner().invoke(app, ['files', str(elsewhere / 'app/network.py')])
    assert one_file.stdout.splitlines() == [str(elsewhere / 'app/network.py')]


def test_the_installed_command_runs_and_a_judge_is_chosen_by_the_environment(here: Path) -> None:
    run = subprocess.run(
        [command(), 'find', 'reject an expired session'],
        env={**environment(), 'SMART_SEARCH_JUDGE': 'nosuch:model'},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, '')
    assert 'nosuch:model' in run.stderr
