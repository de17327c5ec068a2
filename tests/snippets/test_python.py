"""Cutting Python."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from inline_snapshot import snapshot

from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.snippets.outline import outline_nodes
from pydantic_ai_smart_search.snippets.python import PYTHON
from pydantic_ai_smart_search.snippets.structure import Node
from tests.snippets.cuts import cut


class Declared(NamedTuple):
    """A function or class outside functions."""

    span: LineSpan
    symbol: str


def declared_by_parser(body: Sequence[ast.stmt], scope: str = '') -> Iterator[Declared]:
    for statement in body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([statement.lineno, *(item.lineno for item in statement.decorator_list)])
            last = statement.end_lineno or first
            yield Declared(LineSpan(first, last), scope + statement.name)
            if isinstance(statement, ast.ClassDef) and statement.body[0].lineno > statement.lineno:
                yield from declared_by_parser(statement.body, f'{scope}{statement.name}.')


def declared_by_outline(nodes: Sequence[Node], scope: str = '') -> Iterator[Declared]:
    for node in nodes:
        if node.name:
            yield Declared(node.span, scope + node.name)
            if node.is_container:
                yield from declared_by_outline(node.children, f'{scope}{node.name}.')


def test_declarations_are_those_of_the_parser_over_the_standard_library() -> None:
    wanted = found = files = 0
    for path in sorted(Path(sysconfig.get_path('stdlib')).glob('*.py'))[::3]:
        text = path.read_text('utf-8')
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            parsed = set(declared_by_parser(ast.parse(text).body))
        nodes = outline_nodes(split_lines(text), PYTHON)
        outlined = set(declared_by_outline(nodes))
        wanted += len(parsed)
        found += len(parsed & outlined)
        files += 1
    assert files > 40
    assert found == wanted


def test_a_file_is_cut_along_its_declarations() -> None:
    assert cut(
        'cache.py',
        '''
        """A cache."""

        from __future__ import annotations

        import time

        LIMIT = 4
        TABLE = {
            'a': 1,
            'b': 2,
            'c': 3,
        }


        # Kept for callers.
        class Missing(KeyError):
            """Nothing is stored."""


        class Stale(KeyError): ...


        @dataclass(
            frozen=True,
        )
        class Cache:
            """Keeps what was loaded.

            For a while.
            """

            entries: dict[str, Entry]
            """By key."""
            limit: int = LIMIT

            def get(self, key: str) -> Entry:
                """The entry for a key."""
                return self.entries[key]

            def __len__(self) -> int:
                return len(self.entries)

            def __bool__(self) -> bool:
                return True

            # Needs a lock.
            @property
            @lru_cache(
                maxsize=None,
            )
            async def size(
                self,
                unit: int = 1,
            ) -> int:
                return sum(entry.size for entry in self.entries) // unit

            class Config:
                strict = True


        if sys.platform == 'win32':

            def load(path: str) -> Cache:
                with open(path) as file:
                    return Cache(read(file))

        else:

            def load(path: str) -> Cache:
                return Cache(read(path))
        ''',
    ) == snapshot("""\
1-7
8-12 TABLE
15-17 Missing
20-20 Stale
23-34 Cache
36-38 Cache.get
40-44 Cache.__len__, Cache.__bool__
46-55 Cache.size
57-58 Cache.Config
61-65 load
67-70 load\
""")


def test_a_long_function_is_cut_into_its_blocks() -> None:
    assert cut(
        'run.py',
        '''
        def run(jobs, *, limit):
            """Run all jobs.

            Those that fail are tried again.
            """
            done = []
            for job in jobs:
                if job.is_done:
                    continue
                done.append(job)
                log(job)
            left = []

            def retry(job):
                """Once more."""
                try:
                    job.start()
                except Failed:
                    left.append(job)

            match limit:
                case 0:
                    return done
                case 1:
                    retry(done[0])
                    return left
                case _:
                    pass
            if not done:
                log('none')
                log('none')
                log('none')
            elif len(done) > 1:
                log('many')
                log('many')
                log('many')
                log('many')
            else:
                log('one')
            return left
        ''',
    ) == snapshot("""\
1-12 run
14-19 run.retry
21-28 run
29-40 run\
""")


def test_strings_and_brackets_hide_what_looks_like_code() -> None:
    assert cut(
        'text.py',
        '''
        TEMPLATE = """
        def not_a_function():
            pass
        """

        QUERY = (
        'select'
        "def neither(): # "
        )

        def real(
        a='(', b="\\\\",
        ):
            return """
        class Nor:
            pass
        """ % a

        def after(): \\
            return 1
        ''',
    ) == snapshot("""\
1-9
11-17 real
19-20 after\
""")


def test_a_bracket_that_is_never_closed_ends_at_the_next_declaration() -> None:
    assert cut(
        'broken.py',
        """
        x = call(
            1,

        def first():
            a = 1
            return a

        class Second:
            def method(self):
                return (1,
        """,
    ) == snapshot("""\
1-2
4-6 first
8-10 Second, Second.method\
""")


def test_cython_is_cut_like_python() -> None:
    assert cut(
        'fast.pyx',
        """
        cdef class Heap:
            cdef int size

            cdef inline int push(self, int value) nogil:
                self.size += 1
                return self.size

        cpdef double mean(double[:] values):
            cdef double total = 0
            return total
        """,
    ) == snapshot("""\
1-6 Heap, Heap.push
8-10 mean\
""")
