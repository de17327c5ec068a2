"""Measures how often the screen for credentials holds back a snippet, on trees that hold none.

    python benchmarks/credentials.py --tree stdlib=DIRECTORY ... [--out FILE]

Every file is decoded and cut as a search does it, and every snippet screened. What is held back is
listed with its place: in published code nearly all of it is a false alarm, or made for an example.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic_ai_smart_search.options import MAX_FILE_BYTES
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.source.credentials import find_secret
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import SourceFile, SourceText, is_hidden
from pydantic_ai_smart_search.source.kinds import FileKind, kind_of
from pydantic_ai_smart_search.source.secrets import is_secret_name


@dataclass
class Screened:
    """What came of one tree."""

    tree: str
    files: int = 0
    snippets: int = 0
    held_back: int = 0
    """Snippets that the screen holds back."""
    held_back_of_tests: int = 0
    """Those of them that are in tests, which have keys made for them."""
    share: float = 0.0
    """Of all snippets, those held back outside tests."""
    seconds: float = 0.0
    """Processor time of the screen alone."""
    alarms: list[str] = field(default_factory=list[str])
    """Where each is, and what it was taken for."""


def screen(tree: Path) -> Screened:
    """Screen every snippet of every file of a tree that a search would read."""
    screened = Screened(tree.name)
    for path in sorted(tree.rglob('*')):
        name = path.relative_to(tree).as_posix()
        if is_hidden(name) or is_secret_name(name) or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size > MAX_FILE_BYTES:
            continue
        source = decode_file(SourceFile(name, path.read_bytes()))
        if isinstance(source, SourceText):
            _screen_file(screened, name, source.text)
    screened.share = (screened.held_back - screened.held_back_of_tests) / max(screened.snippets, 1)
    return screened


def _screen_file(screened: Screened, name: str, text: str) -> None:
    cut = cut_file(name, text)
    screened.files += 1
    screened.snippets += len(cut.snippets)
    started = time.process_time()
    found = [(snippet.span, find_secret(cut.lines, snippet.span)) for snippet in cut.snippets]
    screened.seconds += time.process_time() - started
    for span, secret in found:
        if secret:
            screened.held_back += 1
            screened.held_back_of_tests += kind_of(name) is FileKind.TEST
            screened.alarms.append(f'{name}:{span.first} {secret}')


def main() -> None:
    """Screen what the command line names, print a table, and write it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--tree', action='append', required=True, metavar='NAME=DIRECTORY')
    parser.add_argument('--out', type=Path)
    results: dict[str, Screened] = {}
    arguments = parser.parse_args()
    for tree in arguments.tree:
        name, _, directory = tree.partition('=')
        results[name] = screened = screen(Path(directory))
        print(
            f'{name:12} {screened.files:6} files {screened.snippets:7} snippets'
            f' {screened.held_back:4} held back, {screened.held_back_of_tests} of tests'
            f' {screened.share:.4%} {screened.seconds:6.2f} s'
        )
    if arguments.out:
        report = {
            'python': platform.python_version(),
            'trees': {name: asdict(screened) for name, screened in results.items()},
        }
        arguments.out.write_text(json.dumps(report, indent=2) + '\n')


if __name__ == '__main__':
    main()
