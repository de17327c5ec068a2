"""Indexing in processes beside this one, for trees that take seconds.

Cutting and counting hold Python's one lock, so threads do not help. The processes are programs of
their own rather than forks, which a program with threads must not make, and do not run the user's
main module, as those of `multiprocessing` do. They import what cuts and counts and nothing else of
the package, take files as this process read them, and hand back flat arrays. Wherever that does not
work, this process does all of it by itself.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from pydantic_ai_smart_search.indexing import find_changed, index_files
from pydantic_ai_smart_search.lexical.index import IndexPart, SnippetIndex
from pydantic_ai_smart_search.source.files import SourceFile
from pydantic_ai_smart_search.threads import collection_paused

MIN_FILES: Final = 1_000
"""Files from which on processes are worth it: they are cut in some 4 s, and a process costs 0.5 s
of its own.
"""

MAX_PROCESSES: Final = 6
"""To read, send and absorb takes this process a sixth of what cutting takes the others."""

_TASK_FILES: Final = 128
"""Files given to a process at a time, of ordinary size 2 MB."""

_POLL_SECONDS: Final = 0.05
"""How often a thread that waits for a process looks whether its search is still wanted."""

_READ_BYTES: Final = 1 << 20
"""Read of an answer at a time; a pipe holds less."""

_HEAD: Final = struct.Struct('>17sQ')
_MARK: Final = b'smart-search part'
"""What an answer starts with, before its length: a program that is no Python after all may say
anything.
"""

_BOOT: Final = (
    'import json, sys; sys.path[:] = json.loads(sys.argv[1]);'
    ' from pydantic_ai_smart_search.processes import serve;'
    ' serve(sys.stdin.buffer, sys.stdout.buffer)'
)


class Task(NamedTuple):
    """What a process is asked."""

    files: Sequence[SourceFile]
    named: frozenset[str]
    """Those of the files that the caller named."""
    use_embedding: bool


class Indexer:
    """Brings files into an index as they come, in their order; with processes, if they are many.

    Not all are in it before `finish`. For one thread at a time; its processes last until it is
    closed.
    """

    def __init__(self, index: SnippetIndex, named: frozenset[str], files: int) -> None:
        """`files` is how many may come, and `named` are those that the caller named."""
        self._index = index
        self._named = named
        self._processes = _start_processes() if files >= MIN_FILES else []
        self._idle = deque(self._processes)
        self._busy = deque[tuple[_Process, Sequence[SourceFile]]]()

    def take(self, stop: threading.Event, files: Sequence[SourceFile]) -> int:
        """Index those of `files` whose content is new, and count them; `stop` ends it early."""
        changed = find_changed(self._index, files)
        with collection_paused():
            for start in range(0, len(changed), _TASK_FILES):
                self._hand_out(stop, changed[start : start + _TASK_FILES])
        return len(changed)

    def finish(self, stop: threading.Event) -> None:
        """Bring in what processes still have; `stop` ends it early."""
        with collection_paused():
            while self._busy:
                self._absorb(stop)

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for process in self._processes:
            process.close()

    def _hand_out(self, stop: threading.Event, files: Sequence[SourceFile]) -> None:
        """Give files to a process that has nothing to do, or index them here if there is none."""
        if self._busy and not self._idle:
            self._absorb(stop)
        if self._idle:
            process = self._idle.popleft()
            process.send(Task(files, self._named, self._index.vectors is not None))
            self._busy.append((process, files))
        else:
            index_files(stop, self._index, files, self._named)

    def _absorb(self, stop: threading.Event) -> None:
        """Bring in the files that were handed out first."""
        process, files = self._busy.popleft()
        part = process.receive(stop)
        if part is not None:
            self._index.absorb(part)
            self._idle.append(process)
        else:
            index_files(stop, self._index, files, self._named)


class _Process:
    """A process that does one task at a time."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            OSError: It cannot be started.
        """
        # The empty place is the current directory, which may be what is searched.
        path = json.dumps([os.path.abspath(place) for place in sys.path if place])
        self._process = subprocess.Popen(
            [sys.executable, '-I', '-c', _BOOT, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Every processor has a process already: numpy's threads would only be in the way.
            env={**os.environ, 'OPENBLAS_NUM_THREADS': '1'},
        )

    def send(self, task: Task) -> None:
        """Give it a task. That it has ended shows when its answer is missing."""
        tasks = _pipe(self._process.stdin)
        with suppress(BrokenPipeError):
            pickle.dump(task, tasks, pickle.HIGHEST_PROTOCOL)
            tasks.flush()

    def receive(self, stop: threading.Event) -> IndexPart | None:
        """The answer to its task, or `None` if it has failed or `stop` is set before it answers."""
        answers = _pipe(self._process.stdout).fileno()
        answer = bytearray()
        while not stop.is_set():
            if select.select([answers], [], [], _POLL_SECONDS)[0]:
                read = os.read(answers, _READ_BYTES)
                answer += read
                if not read or not answer.startswith(_MARK[: len(answer)]):
                    break
                if _is_whole(answer):
                    return pickle.loads(memoryview(answer)[_HEAD.size :])
        return None

    def close(self) -> None:
        """End it at once, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # of a task it never read
            _pipe(self._process.stdin).close()
        _pipe(self._process.stdout).close()


def _is_whole(answer: bytearray) -> bool:
    if len(answer) < _HEAD.size:
        return False
    _, length = _HEAD.unpack_from(answer)
    return len(answer) == _HEAD.size + length


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, 'it was asked for'
    return pipe


def _start_processes() -> list[_Process]:
    """One for each processor this process may use, or none where one alone would be as quick.

    An application that Python is built into is no interpreter: started again, it would run anew.
    """
    is_python = Path(sys.executable).name.startswith(('python', 'pypy'))
    usable = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()
    processes: list[_Process] = []
    if is_python and usable is not None and usable > 1:
        with suppress(OSError):  # then there are fewer, or none
            while len(processes) < min(usable, MAX_PROCESSES):
                processes.append(_Process())
    return processes


def serve(tasks: IO[bytes], answers: IO[bytes]) -> None:
    """Do tasks until there are no more."""
    with suppress(EOFError):
        while True:
            task: Task = pickle.load(tasks)
            index = SnippetIndex(use_embedding=task.use_embedding)
            index_files(threading.Event(), index, task.files, task.named)
            answer = pickle.dumps(index.hand_over(), pickle.HIGHEST_PROTOCOL)
            answers.write(_HEAD.pack(_MARK, len(answer)) + answer)
            answers.flush()
