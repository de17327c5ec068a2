"""Makes labelled queries that anyone can rebuild: docstrings, and the functions they were on.

    python -m benchmarks.docstrings --out DIRECTORY

`DIRECTORY` gets the sources of pinned PyPI packages with every docstring removed, one tree each,
and `queries.jsonl` for `benchmarks/quality.py` and `benchmarks/meaning.py`, whose queries are the
first paragraphs of docstrings of functions. None of the packages is in the data that the embedding
was trained on (`training/sources.toml`).
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from training.pairs import clean_description, is_wanted

PACKAGES: Final = (
    'cachetools==8.0.2',
    'cattrs==26.2.1',
    'dateparser==1.5.0',
    'discord.py==2.7.1',
    'luigi==3.8.1',
    'mkdocs==1.6.1',
    'networkx==3.7',
    'openpyxl==3.1.5',
    'parso==0.8.7',
    'pint==0.26.2',
    'pypdf==7.1.1',
    'trio==0.35.0',
)

DOWNLOAD: Final = (
    *(sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check'),
    *('--no-deps', '--only-binary', ':all:', '--python-version', '3.13'),
)
"""A wheel for any Python will do: its sources are read, not run."""

MAX_QUERIES: Final = 40
"""Of one package, so that a big one does not outweigh the others."""

MIN_WORDS: Final = 6
"""A shorter description hardly tells its function from others."""

MIN_LINES: Final = 3
"""Of code below the docstring: shorter functions only pass a call on."""

MAX_LINES: Final = 60
"""Of the place that answers: the whole of a longer function would be hit by chance."""

DEFINITIONS: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


class Described(NamedTuple):
    """A function, and what its docstring said."""

    path: str
    first: int
    last: int
    description: str


def strip(path: str, text: str) -> tuple[str, list[Described]]:
    """A file without its docstrings, lines kept, and its functions that had a telling one."""
    lines = text.split('\n')
    described: list[Described] = []
    for node in ast.walk(ast.parse(text)):
        docstring = ast.get_docstring(node) if isinstance(node, DEFINITIONS) else None
        if docstring is None:
            continue
        assert isinstance(node, DEFINITIONS)
        expression = node.body[0]
        end = expression.end_lineno or expression.lineno
        for number in range(expression.lineno, end + 1):
            lines[number - 1] = ''
        lines[expression.lineno - 1] = ' ' * expression.col_offset + 'pass'
        description = clean_description(docstring)
        if not isinstance(node, FUNCTIONS) or len(description.split()) < MIN_WORDS:
            continue
        last = node.end_lineno or node.lineno
        if last - end >= MIN_LINES:
            last = min(last, node.lineno + MAX_LINES - 1)
            described.append(Described(path, node.lineno, last, description))
    return '\n'.join(lines), described


def unpack(wheel: Path, tree: Path) -> list[Described]:
    """Write the sources of a package without docstrings, and tell what its functions are for."""
    described: list[Described] = []
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            if not info.filename.endswith('.py') or not is_wanted(info.filename, info.file_size):
                continue
            try:
                text, functions = strip(info.filename, archive.read(info).decode(errors='replace'))
            except SyntaxError:
                print(f'{info.filename} is newer than this Python, and left out')
                continue
            path = tree / info.filename
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            described += functions
    return described


def draw(functions: list[Described]) -> Iterator[Described]:
    """At most `MAX_QUERIES` with different descriptions, the same each time."""

    def lot(function: Described) -> str:
        return blake2b(repr(tuple(function)).encode()).hexdigest()

    unlike = {function.description: function for function in sorted(functions, key=lot)}
    yield from list(unlike.values())[:MAX_QUERIES]


def query(package: str, number: int, function: Described) -> dict[str, object]:
    """A row of `queries.jsonl`."""
    return {
        'id': f'docstring/{package}/{number}',
        'source': 'docstring',
        'repo': package,
        'dir': package,
        'root': '',
        'language': 'python',
        'commit_exact': True,
        'query': function.description,
        'relevant': [
            {'path': function.path, 'start_line': function.first, 'end_line': function.last}
        ],
        'secondary': [],
    }


def main() -> None:
    """Fetch the packages, write their trees and the queries."""
    parser = argparse.ArgumentParser(description='Makes docstring-to-function queries.')
    parser.add_argument('--out', type=Path, required=True)
    directory: Path = parser.parse_args().out
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as wheels:
        for pinned in PACKAGES:
            package, _, version = pinned.partition('==')
            subprocess.run([*DOWNLOAD, '--dest', wheels, pinned], check=True)
            (wheel,) = Path(wheels).glob(f'{package.replace(".", "_")}-{version}-*.whl')
            chosen = draw(unpack(wheel, directory / package))
            rows += (query(package, number, one) for number, one in enumerate(chosen, 1))
    queries = directory / 'queries.jsonl'
    queries.write_text(''.join(f'{json.dumps(row)}\n' for row in rows))
    print(f'{len(rows)} queries in {queries}')


if __name__ == '__main__':
    main()
