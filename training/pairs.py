"""Extract (description, code) pairs from the fetched packages.

A description is what a programmer wrote about the code below or around it: the first paragraph of a
docstring, or a comment. Python is read with `ast`; languages with braces by a doc
comment (`/** */`, `///`) and the block that follows it.
"""

from __future__ import annotations

import ast
import re
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Final

MIN_WORDS: Final = 4
"""Shorter descriptions ('Constructor.', 'See base class.') say nothing of the code."""

MAX_DESCRIPTION_CHARS: Final = 400
"""Longest description kept; a first paragraph is rarely longer than 3 lines."""

MIN_CODE_LINES: Final = 2
"""Shortest code, without its description: a `def` and one statement."""

MAX_CODE_LINES: Final = 60
"""Longest code, the length of a search snippet; what follows is cut off."""

MAX_COMMENT_LINES: Final = 15
"""Longest code a comment inside a function is taken to describe."""

MAX_FILE_BYTES: Final = 400_000
"""Larger files are generated."""

_WORD: Final = re.compile(r'[A-Za-z]{2,}')
_BOILERPLATE: Final = re.compile(
    r'copyright|licen[sc]e|noqa|type: ignore|pylint|eslint|prettier|todo|fixme'
    r'|deprecated|generated',
    re.IGNORECASE,
)
_SECTION: Final = re.compile(
    r'\s*(?::\w+|@\w+|(?:Args|Arguments|Parameters|Returns?|Raises|Examples?)\s*:|>>>|-{3,})'
)
_DOC_COMMENT: Final = re.compile(
    r'(?P<block>^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/)|(?P<lines>(?:^[ \t]*///[^\n]*\n)+)', re.MULTILINE
)
_DECLARATION: Final = re.compile(r'\s*(?:(?:@|#\[)[^\n]*\n\s*)*[^;{}\n]*(?:\n[^;{}\n]*){0,8}\{')
_MARKUP: Final = re.compile(r'\{@\w+ ([^}]*)\}|:\w+:`~?([^`]*)`|</?\w+>|``?')
_UNWANTED: Final = re.compile(
    r'(?:^|/)(?:tests?|_?vendor(?:ed)?|third_party|node_modules|_generated|locale)/|\.min\.|(?:^|/)test_'
)

BRACE_SUFFIXES: Final = frozenset(
    ('.js', '.mjs', '.ts', '.tsx', '.java', '.kt', '.swift', '.rs', '.cc', '.cpp', '.h', '.hpp')
)
"""Files read as languages with braces."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A description and the code it describes."""

    package: str
    path: str
    """Inside the package."""
    description: str
    code: str
    """Without the description."""

    @property
    def digest(self) -> str:
        """What tells this pair from others, whatever package it is in."""
        return blake2b(f'{self.description}\0{self.code}'.encode(), digest_size=8).hexdigest()


def read_archive(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The name and content of every source file of a wheel or an npm tarball, in name order."""
    if archive.suffix == '.whl':
        with zipfile.ZipFile(archive) as wheel:
            for info in sorted(wheel.infolist(), key=lambda info: info.filename):
                if is_wanted(info.filename, info.file_size):
                    yield info.filename, wheel.read(info)
        return
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for (
            member
        ) in tar:  # in the archive's order: going back would unpack it again from its start
            if member.isfile() and is_wanted(member.name, member.size):
                file = tar.extractfile(member)
                assert file is not None, 'a regular file has content'
                files[member.name] = file.read()
    yield from sorted(files.items())


def is_wanted(path: str, size: int) -> bool:
    """Whether a file is the package's own source: not vendored, minified, generated or a test."""
    suffix = PurePosixPath(path).suffix
    wanted = suffix == '.py' or (suffix in BRACE_SUFFIXES and not path.endswith('.d.ts'))
    return wanted and size <= MAX_FILE_BYTES and not _UNWANTED.search(path)


def pairs_of(package: str, path: str, raw: bytes) -> Iterator[Pair]:
    """The pairs of one file, in line order within each kind."""
    text = raw.decode(errors='replace').replace('\r\n', '\n')
    extract = python_pairs if path.endswith('.py') else brace_pairs
    for description, code in extract(text):
        described = clean_description(description)
        if described and len(code) >= MIN_CODE_LINES:
            yield Pair(package, path, described, '\n'.join(code[:MAX_CODE_LINES]))


def clean_description(text: str) -> str:
    """The first paragraph as one line, without markup; empty if it is not prose about code."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if not line.strip() or _SECTION.match(line):
            break
        lines.append(line.strip())
    prose = ' '.join(_MARKUP.sub(r' \1\2 ', ' '.join(lines)).split())[:MAX_DESCRIPTION_CHARS]
    words = _WORD.findall(prose)
    letters = sum(map(len, words))
    if len(words) < MIN_WORDS or _BOILERPLATE.search(prose) or letters < 0.6 * len(prose):
        return ''
    return prose


def python_pairs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Docstrings with their definitions, then comments with the statements below them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.split('\n')
    quoted: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            quoted.update(range(node.lineno + 1, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            docstring = ast.get_docstring(node)
            if docstring:
                first = node.body[0]
                code = [
                    *lines[node.lineno - 1 : first.lineno - 1],
                    *lines[first.end_lineno : node.end_lineno],
                ]
                yield docstring, [line for line in code if line.strip()]
    yield from commented_statements(lines, quoted)


def commented_statements(lines: list[str], quoted: set[int]) -> Iterator[tuple[str, list[str]]]:
    """Each run of indented comment lines, and the lines below it as far as the next gap or dedent.

    `quoted` are the lines, counted from 1, that begin inside a string.
    """
    number = 0
    while number < len(lines):
        start = number
        while (
            number < len(lines)
            and number + 1 not in quoted
            and lines[number].lstrip().startswith('#')
        ):
            number += 1
        indent = indent_of(lines[start])
        if number == start or not indent:
            number += number == start
            continue
        code: list[str] = []
        for line in lines[number : number + MAX_COMMENT_LINES]:
            if not line.strip() or indent_of(line) < indent or line.lstrip().startswith('#'):
                break
            code.append(line)
        yield '\n'.join(line.lstrip(' \t#:') for line in lines[start:number]), code


def indent_of(line: str) -> int:
    """Blank characters before the first other one."""
    return len(line) - len(line.lstrip())


def brace_pairs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Doc comments with the block that follows: a function, a method or a type."""
    for match in _DOC_COMMENT.finditer(text):
        declaration = _DECLARATION.match(text, match.end())
        if declaration is None:
            continue
        end = end_of_block(text, declaration.end())
        comment = re.sub(
            r'^[ \t]*(?:///?|/?\*+/?!?)[ \t]?|\*/', '', match.group(), flags=re.MULTILINE
        )
        code = text[match.end() : end].split('\n')
        yield comment, [line for line in code if line.strip()]


def end_of_block(text: str, start: int) -> int:
    """Where the block whose brace opened just before `start` ends; strings are not told apart."""
    depth = 1
    for match in re.compile('[{}]').finditer(text, start, start + 8_000):
        depth += 1 if match.group() == '{' else -1
        if not depth:
            return match.end()
    return min(len(text), start + 8_000)
