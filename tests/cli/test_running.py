"""Interrupts and pipes, of the real command."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import anyio
import pytest
from rich.text import Text
from typer.testing import CliRunner

from pydantic_ai_smart_search import cli
from pydantic_ai_smart_search.cli.app import app
from pydantic_ai_smart_search.cli.output import Output
from tests.cli.conftest import answer, command, environment, stalled_judge
from tests.project import write_project


@pytest.mark.anyio
async def test_ctrl_c_during_a_search_exits_with_130_and_no_traceback(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stalled_judge(monkeypatch) as judge:
        process = await anyio.open_process(
            [command(), 'find', 'expired session', '-j', 'system-one:test'], env=environment()
        )
        async with process:
            await judge.asked.wait()
            # The kernel may hand the signal to a thread that is not the event loop's, which then
            # sees it when it next wakes: who waits presses again.
            while process.returncode is None:
                process.send_signal(signal.SIGINT)
                with anyio.move_on_after(10):
                    await process.wait()
            assert process.stdout is not None
            assert process.stderr is not None
            assert b''.join([part async for part in process.stdout]) == b''
            assert b''.join([part async for part in process.stderr]) == b''
        assert process.returncode == 130
        await judge.left.wait()


def test_ctrl_c_is_exit_130_wherever_it_comes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr('pydantic_ai_smart_search.cli.running.anyio.run', interrupt)
    assert CliRunner().invoke(app, ['files']).exit_code == 130
    monkeypatch.setattr('pydantic_ai_smart_search.cli.app.app', interrupt)
    with pytest.raises(SystemExit) as exit_:
        cli.main()
    assert exit_.value.code == 130


@pytest.mark.parametrize(
    'arguments',
    ['files', 'files --json', 'find "expired session" -t 0 --json', 'find session -t 0'],
)
def test_a_reader_that_has_enough_is_no_failure(here: Path, arguments: str) -> None:
    write_project(here, {f'{"long_name" * 20}/{number}.py': 'x = 1\n' for number in range(500)})
    script = f'set -o pipefail; "$0" {arguments} | head -n 1'
    run = subprocess.run(
        ['bash', '-c', script, command()], env=environment(), capture_output=True, check=False
    )
    assert run.returncode == 0
    assert len(run.stdout.splitlines()) == 1
    assert b'Broken' not in run.stderr
    assert b'Traceback' not in run.stderr


@pytest.mark.parametrize('is_terminal', [True, False])
def test_output_stops_once_its_reader_is_gone(is_terminal: bool) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, 'w') as file:
        output = Output(file=file, force_terminal=is_terminal)
        for line in ('first', 'second'):
            output.put_line(Text(line))
        output.put('third')
        assert output.quiet


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, 'find_spec', answer(None))
    with pytest.raises(SystemExit, match=r'pydantic-ai-smart-search\[cli\]'):
        cli.main()
