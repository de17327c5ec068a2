"""Measures how well and how fast source is cut, language by language, on real trees.

    python benchmarks/cutting.py --tree go=DIRECTORY --tree rust=DIRECTORY ... [--out FILE]

For each language: the share of its functions and methods whose name is the symbol of a snippet that
holds the line they are named on, and the megabytes a second one core cuts. Functions are counted
in the syntax tree by the node types below, not by the query that the cutter goes by.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final

import tree_sitter

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.options import MAX_FILE_BYTES, MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.grammar import grammar_nodes, symbol_joiner
from pydantic_ai_smart_search.snippets.languages.grammars import Grammar, load_grammar
from pydantic_ai_smart_search.snippets.languages.table import LANGUAGES, language_of
from pydantic_ai_smart_search.snippets.snippet import Snippet
from pydantic_ai_smart_search.snippets.structure import cut_nodes

_ECMASCRIPT: Final = (
    'function_declaration',
    'generator_function_declaration',
    'method_definition',
    'function_signature',
    'method_signature',
    'abstract_method_signature',
)

FUNCTIONS: Final = {
    'bash': ('function_definition',),
    'c': ('function_definition',),
    'c_sharp': ('method_declaration', 'constructor_declaration', 'local_function_statement'),
    'cpp': ('function_definition',),
    'elixir': ('call',),
    'go': ('function_declaration', 'method_declaration'),
    'java': ('method_declaration', 'constructor_declaration'),
    'javascript': _ECMASCRIPT,
    'kotlin': ('function_declaration',),
    'lua': ('function_declaration',),
    'php': ('function_definition', 'method_declaration'),
    'ruby': ('method', 'singleton_method'),
    'rust': ('function_item', 'function_signature_item'),
    'scala': ('function_definition', 'function_declaration'),
    'swift': ('function_declaration', 'init_declaration', 'protocol_function_declaration'),
    'tsx': _ECMASCRIPT,
    'typescript': _ECMASCRIPT,
}
"""The node types that declare a function or method, by language."""

DECLARATORS: Final = ('function_declarator', 'pointer_declarator', 'reference_declarator')
"""What C and C++ wrap the name of a function in, not always in a field."""

MISSED_SHOWN: Final = 10
"""Functions without a snippet of their name that a report lists for each language."""

MISREAD: Final = frozenset({'else', 'for', 'if', 'namespace', 'switch', 'while'})
"""What the grammars of C and C++ take for the name of a function where a macro misleads them."""

_ELIXIR_FUNCTION: Final = re.compile(rb'(?:def|defp|defmacro|defmacrop)\s+([a-z_]\w*[?!]?)')
"""A function of Elixir is a call like any other; it is known by what is called."""


@dataclass
class Measured:
    """What was measured of one language."""

    trees: list[str]
    files: int = 0
    bytes: int = 0
    uncut_files: int = 0
    """Files left to windows because their grammar would not parse them in time."""
    broken_files: int = 0
    """Files whose syntax tree has an error, often a macro or a newer syntax."""
    snippets: int = 0
    functions: int = 0
    named: int = 0
    """Functions whose name is the symbol of a snippet that holds it."""
    share: float = 0.0
    seconds: float = 0.0
    """Processor time of splitting lines, parsing and cutting."""
    megabytes_per_second: float = 0.0
    missed: list[str] = field(default_factory=list[str])
    """The first functions without a snippet of their name."""


def measure(name: str, trees: Sequence[Path], max_bytes: int) -> Measured:
    """Cut the files of language `name` below `trees`, up to `max_bytes` of them."""
    grammar = load_grammar(LANGUAGES[name])
    assert grammar, f'no grammar is installed for {name}'
    measured = Measured(trees=[tree.name for tree in trees])
    for path, text in _files(name, trees):
        if measured.bytes > max_bytes:
            break
        started = time.process_time()
        snippets = _cut(path.name, text)
        seconds = time.process_time() - started
        size = len(text.encode())
        measured.files += 1
        measured.bytes += size
        measured.seconds += seconds
        if snippets is None:
            measured.uncut_files += 1
            continue
        measured.snippets += len(snippets)
        _count(measured, name, grammar, path, text, snippets)
    measured.share = measured.named / max(measured.functions, 1)
    measured.megabytes_per_second = measured.bytes / max(measured.seconds, 1e-9) / 1e6
    return measured


def _files(name: str, trees: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for tree in trees:
        for path in sorted(tree.rglob('*')):
            if not path.is_file() or path.is_symlink() or path.stat().st_size > MAX_FILE_BYTES:
                continue
            raw = path.read_bytes()
            if b'\0' in raw:
                continue
            text = raw.decode(errors='replace')
            if language_of(path.name, text) is LANGUAGES[name]:
                yield path, text


def _cut(path: str, text: str) -> list[Snippet] | None:
    lines = split_lines(text)
    nodes = grammar_nodes(path, text)
    return None if nodes is None else cut_nodes(nodes, lines, symbol_joiner(path, text))


def _count(
    measured: Measured,
    name: str,
    grammar: Grammar,
    path: Path,
    text: str,
    snippets: Sequence[Snippet],
) -> None:
    source = text.encode()
    tree = tree_sitter.Parser(grammar.language).parse(source)
    measured.broken_files += tree.root_node.has_error
    covered = {
        line: snippet.symbol or ''
        for snippet in snippets
        for line in range(snippet.span.first, snippet.span.last + 1)
    }
    lines = split_lines(text)
    for function, line in _functions(tree, frozenset(FUNCTIONS[name]), source):
        if len(lines[line - 1]) > MAX_SNIPPET_CHARS:
            continue
        measured.functions += 1
        if re.search(rf'(?:^|\W){re.escape(function)}(?:,|$)', covered.get(line, '')):
            measured.named += 1
        elif len(measured.missed) < MISSED_SHOWN:
            measured.missed.append(f'{path.name}:{line} {function}')


def _functions(
    tree: tree_sitter.Tree, types: frozenset[str], source: bytes
) -> Iterator[tuple[str, int]]:
    """The name of each function, and the line it is named on."""
    cursor = tree.walk()
    while True:
        node = cursor.node
        assert node
        if node.type in types and (found := _name(node, source)):
            yield found
        if cursor.goto_first_child() or cursor.goto_next_sibling():
            continue
        while cursor.goto_parent():
            if cursor.goto_next_sibling():
                break
        else:
            return


def _name(node: tree_sitter.Node, source: bytes) -> tuple[str, int] | None:
    if node.type == 'call':
        called = _ELIXIR_FUNCTION.match(source, node.start_byte, node.end_byte)
        return (called[1].decode(), node.start_point[0] + 1) if called else None
    if node.type == 'init_declaration':
        word = next(child for child in node.children if child.type == 'init')
        return 'init', word.start_point[0] + 1
    name = node
    while deeper := _deeper(name):
        name = deeper
    text = source[name.start_byte : name.end_byte].decode().strip('\'"()')
    if name.type == 'operator_cast':
        text = text.partition('(')[0].strip()
    if name is node or text in MISREAD:
        return None
    return text, name.start_point[0] + 1


def _deeper(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The node in which to look for the name of a function, or the end of it."""
    if node.type == 'operator_cast':
        return None
    for field_name in ('name', 'declarator', 'field', 'method'):
        if child := node.child_by_field_name(field_name):
            return child
    return next((child for child in node.named_children if child.type in DECLARATORS), None)


def main() -> None:
    """Measure what the command line names, print a table, and write it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--tree', action='append', required=True, metavar='LANGUAGE=DIRECTORY')
    parser.add_argument('--max-bytes', type=int, default=5_000_000, help='per language')
    parser.add_argument('--out', type=Path)
    arguments = parser.parse_args()
    trees: dict[str, list[Path]] = {}
    for tree in arguments.tree:
        name, _, directory = tree.partition('=')
        trees.setdefault(name, []).append(Path(directory))
    results = {name: measure(name, trees[name], arguments.max_bytes) for name in sorted(trees)}
    for name, measured in results.items():
        print(
            f'{name:11} {measured.files:5} files {measured.bytes / 1e6:6.2f} MB'
            f' {measured.named:6}/{measured.functions:6} functions {measured.share:7.2%}'
            f' {measured.megabytes_per_second:6.2f} MB/s'
            f' {measured.uncut_files} uncut {measured.broken_files} broken'
        )
    if arguments.out:
        report = {
            'python': platform.python_version(),
            'machine': platform.machine(),
            'tree_sitter': version('tree-sitter'),
            'languages': {name: asdict(measured) for name, measured in results.items()},
        }
        arguments.out.write_text(json.dumps(report, indent=2) + '\n')


if __name__ == '__main__':
    main()
