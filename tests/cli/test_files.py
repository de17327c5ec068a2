from __future__ import annotations

import json
from pathlib import Path

from inline_snapshot import snapshot
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app


def test_files_prints_what_would_be_searched_and_on_stderr_what_not_and_why(here: Path) -> None:
    (here / 'logo.bin').write_bytes(b'\0\1\2')
    (here / 'huge.csv').write_bytes(b'a,b\n' * 600_000)
    for number in range(6):
        (here / f'{number}.pem').touch()
    shown = CliRunner().invoke(app, ['files'])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == snapshot(
        ['README.md', 'app/network.py', 'app/sessions.py', 'tests/test_sessions.py']
    )
    assert shown.stderr.splitlines() == snapshot(
        [
            '4 files, 6 snippets',
            '- 1 left out, binary: logo.bin',
            '- 1 left out, oversize: huge.csv (2,400,000 bytes)',
            '- 6 left out, secret: 0.pem, 1.pem, 2.pem, 3.pem, 4.pem and 1 more',
        ]
    )


def test_files_exits_with_1_when_there_is_nothing_to_search(here: Path) -> None:
    nothing = CliRunner().invoke(app, ['files', '--glob', '*.rs'])
    assert (nothing.exit_code, nothing.stdout) == (1, '')
    assert nothing.stderr == '0 files, 0 snippets\n'


def test_files_as_json(here: Path) -> None:
    (here / 'logo.bin').write_bytes(b'\0\1\2')
    assert json.loads(CliRunner().invoke(app, ['files', '--json']).stdout) == snapshot(
        {
            'version': 1,
            'files': ['README.md', 'app/network.py', 'app/sessions.py', 'tests/test_sessions.py'],
            'snippets': 6,
            'skipped': [{'path': 'logo.bin', 'reason': 'binary', 'detail': ''}],
        }
    )


def test_a_file_name_takes_one_line_whatever_it_holds(here: Path) -> None:
    (here / 'two\nlines\x1b[31m.py').write_text('x = 1\n')
    shown = CliRunner().invoke(app, ['files', '--glob', 'two*'])
    assert shown.stdout == 'two␊lines␛[31m.py\n'
    listed = json.loads(CliRunner().invoke(app, ['files', '--glob', 'two*', '--json']).stdout)
    assert listed['files'] == ['two\nlines\x1b[31m.py']
