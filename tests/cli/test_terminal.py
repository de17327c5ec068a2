"""What a terminal shows: `FORCE_COLOR` stands for one, `COLUMNS` is its width."""

from __future__ import annotations

import os
import pty
from contextlib import suppress
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from rich.cells import cell_len
from rich.text import Text
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app
from pydantic_ai_smart_search.cli.progress import ProgressLine
from tests.project import write_project


@pytest.fixture
def terminal(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('TERM', 'xterm-256color')
    monkeypatch.setenv('FORCE_COLOR', '1')
    monkeypatch.setenv('COLUMNS', '60')


def show(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments, color=True).stdout


def read_all(screen: int) -> str:
    """What the programs of a terminal wrote, which arrives in pieces; they are all gone."""
    shown = b''
    with suppress(OSError):  # how Linux tells that there is nobody left to write
        while piece := os.read(screen, 1 << 16):
            shown += piece
    os.close(screen)
    return shown.decode()


def plain(shown: str) -> str:
    return Text.from_ansi(shown).plain


@pytest.mark.usefixtures('terminal')
def test_a_narrow_terminal_breaks_no_line_of_source_and_wraps_words_below_each_other() -> None:
    shown = plain(show('find', 'trying again when the network fails', 'app/network.py', '-t', '0'))
    assert all(cell_len(line) <= 60 for line in shown.splitlines())
    assert shown.split('\n\n')[0].splitlines()[1:] == snapshot(
        [
            '  1  def call_with_retries(send, request, attempts=3):',
            '  2      """Send a request, trying again when the network f…',
            '  3      for attempt in range(attempts):',
            '  4          try:',
            '  5              return send(request)',
            '  6          except ConnectionError:',
            '  7              if attempt == attempts - 1:',
            '  8                  raise',
        ]
    )
    *_, notes = shown.split('\n\n')
    assert [line[:2] for line in notes.splitlines()[-2:]] == ['- ', '  ']


@pytest.mark.usefixtures('terminal')
def test_what_explains_a_candidate_is_wrapped_beside_its_numbers() -> None:
    shown = plain(show('find', 'trying again when the network fails', '--explain', '-t', '0'))
    assert all(cell_len(line) <= 60 for line in shown.splitlines())
    table = shown[shown.index('rank') :].split('\n\n')[0].splitlines()
    heading, first, second, *_ = table
    assert heading.index('candidate') == first.index('app/network.py') == 34
    assert second[:34].isspace()


@pytest.mark.usefixtures('terminal')
def test_a_heading_that_is_too_long_takes_a_second_line(here: Path) -> None:
    deep = 'a_folder_whose_name_is_long/another_one/sessions.py'
    write_project(here, {deep: (here / 'app/sessions.py').read_text()})
    first, second, *_ = plain(show('find', 'expired session', '-g', deep, '-t', '0')).splitlines()
    assert first.startswith(f'{deep}:')
    assert second.startswith('  SessionStore')


@pytest.mark.usefixtures('terminal')
def test_colours_and_links_are_the_terminals_own(here: Path) -> None:
    write_project(here, {'a dir/sessions.py': (here / 'app/sessions.py').read_text()})
    shown = show('find', 'reject an expired session', '--glob', 'a dir/**', '-t', '0')
    assert f'file://{here}/a%20dir/sessions.py' in shown
    assert '\x1b[35mdef\x1b[0m' in shown
    assert '\x1b[38;' not in shown


@pytest.mark.usefixtures('terminal')
def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('NO_COLOR', '1')
    shown = show('find', 'reject an expired session', '-t', '0')
    assert '\x1b[3' not in shown
    assert '\x1b[1m' in shown


def test_a_pipe_gets_text_as_it_is(here: Path) -> None:
    write_project(here, {'wide.py': f'def reject():\n\treturn "expired session {"x" * 200}"\n'})
    shown = CliRunner().invoke(
        app, ['find', 'reject an expired session', '-g', 'wide.py', '-t', '0']
    )
    assert '\x1b' not in shown.stdout
    assert f'  2  \treturn "expired session {"x" * 200}"\n' in shown.stdout


@pytest.mark.parametrize('is_terminal', [True, False])
def test_source_cannot_send_escape_sequences(
    here: Path, is_terminal: bool, request: pytest.FixtureRequest
) -> None:
    if is_terminal:
        request.getfixturevalue('terminal')
    hostile = (
        'def reject():  # \x1b]52;c;cm0=\x07\x9b2J\x7f\n    """Reject an expired session."""\n'
    )
    write_project(here, {'hostile.py': hostile})
    shown = show('find', 'reject an expired session', '-g', 'hostile.py', '-t', '0')
    assert '␛]52;c;cm0=␇\ufffd2J␡' in plain(shown)
    assert '\x1b]52' not in shown


@pytest.mark.usefixtures('here')
def test_progress_is_kept_to_terminals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('FORCE_COLOR', '1')
    with ProgressLine('listing files') as line:
        line('judge', 1, 2)
        line('a stage without words', 1, 2)
    assert capsys.readouterr().err == ''


@pytest.mark.usefixtures('terminal')
def test_a_terminal_is_told_what_is_being_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, terminal = pty.openpty()
    with open(terminal, 'w') as stderr:
        monkeypatch.setattr('sys.stderr', stderr)
        with ProgressLine('listing files') as line:
            line('judge', 1, 2)
    shown = read_all(screen)
    assert 'listing files' in shown
    assert 'judging snippets' in shown
    assert shown.endswith('\x1b[2K')


@pytest.mark.usefixtures('terminal')
def test_only_the_mark_and_the_name_of_a_check_are_coloured() -> None:
    first = show('doctor').splitlines()[0]
    detail = Text.from_ansi(first)
    styled = ''.join(detail.plain[span.start : span.end] for span in detail.spans)
    assert styled.split() == ['ok', 'versions']


@pytest.mark.usefixtures('terminal')
def test_an_error_is_wrapped_at_words() -> None:
    shown = CliRunner().invoke(app, ['find', 'x'], color=True).stderr
    assert plain(shown).splitlines() == snapshot(
        [
            "smart-search: `query` has no searchable words: 'x'. Describe",
            '              the behaviour with words the code would use.',
        ]
    )
