"""Cutting one file: which cutter its text gets."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets import prose, syntaxes
from pydantic_ai_smart_search.snippets.grammar import grammar_nodes, symbol_joiner
from pydantic_ai_smart_search.snippets.languages.table import MAX_SHEBANG_CHARS
from pydantic_ai_smart_search.snippets.markup import cut_markup
from pydantic_ai_smart_search.snippets.notebook import cut_notebook
from pydantic_ai_smart_search.snippets.outline import outline_nodes
from pydantic_ai_smart_search.snippets.python import PYTHON
from pydantic_ai_smart_search.snippets.snippet import Cut, Snippet
from pydantic_ai_smart_search.snippets.structure import BROAD_SIZES, Node, cut_nodes
from pydantic_ai_smart_search.snippets.syntax import Syntax
from pydantic_ai_smart_search.snippets.windows import cut_windows

Cutter = Callable[[Sequence[str]], list[Snippet] | None]
"""Cuts the lines of a file, in line order; `None` when they are not what their name says."""


def cut_file(path: str, text: str) -> Cut:
    """Cut the text of the file at `path`; the same path and text are cut the same way.

    Every line that is neither blank nor too long is in a snippet, except that of a notebook only
    the sources of its cells are.
    """
    lines = split_lines(text)
    snippets = _cut_by_grammar(path, text, lines)
    if snippets is None:
        cutter = _cutter_of(path, lines)
        snippets = cutter(lines) if cutter else None
    long_lines = 0
    if max(map(len, lines), default=0) > MAX_SNIPPET_CHARS:
        long_lines = sum(len(line) > MAX_SNIPPET_CHARS for line in lines)
    return Cut(lines, cut_windows(lines) if snippets is None else snippets, long_lines)


def _cut_by_grammar(path: str, text: str, lines: Sequence[str]) -> list[Snippet] | None:
    nodes = grammar_nodes(path, text)
    return None if nodes is None else cut_nodes(nodes, lines, symbol_joiner(path, text))


def _cut_code(lines: Sequence[str], syntax: Syntax) -> list[Snippet]:
    return cut_nodes(outline_nodes(lines, syntax), lines)


def _cut_data(lines: Sequence[str], syntax: Syntax) -> list[Snippet]:
    return cut_nodes(outline_nodes(lines, syntax), lines, sizes=BROAD_SIZES)


def _cut_prose(
    lines: Sequence[str], nodes_of: Callable[[Sequence[str]], list[Node]]
) -> list[Snippet]:
    return cut_nodes(nodes_of(lines), lines, prose.JOINER, sizes=BROAD_SIZES)


def _by_name(names: Mapping[str, Cutter]) -> dict[str, Cutter]:
    """One entry for each of the names, which are separated by spaces."""
    return {name: cutter for group, cutter in names.items() for name in group.split()}


_PYTHON: Final = partial(_cut_code, syntax=PYTHON)
_JAVASCRIPT: Final = partial(_cut_code, syntax=syntaxes.JAVASCRIPT)
_SHELL: Final = partial(_cut_code, syntax=syntaxes.SHELL)
_WORDS: Final = partial(_cut_code, syntax=syntaxes.WORDS)
_MAKE: Final = partial(_cut_code, syntax=syntaxes.MAKE)

_BY_EXTENSION: Final = _by_name(
    {
        'py pyi pyw pyx pxd pxi bzl star gyp gypi': _PYTHON,
        'js jsx mjs cjs ts tsx mts cts': _JAVASCRIPT,
        'go': partial(_cut_code, syntax=syntaxes.BACKTICKS),
        'rs kt kts swift scala sc zig proto thrift graphql tf hcl sol nix': partial(
            _cut_code, syntax=syntaxes.BRACES
        ),
        'c h cc cpp cxx hh hpp hxx m mm cu java cs dart groovy gradle glsl': partial(
            _cut_code, syntax=syntaxes.TYPED
        ),
        'php': partial(_cut_code, syntax=syntaxes.PHP),
        'rb rake gemspec ex exs jl cr': _WORDS,
        'lua': partial(_cut_code, syntax=syntaxes.LUA),
        'sh bash zsh ksh fish bats cmake dockerfile pl pm r tcl ps1 psm1 awk': _SHELL,
        'mk mak': _MAKE,
        'clj cljs cljc edn el lisp scm rkt': partial(_cut_code, syntax=syntaxes.LISP),
        'hs elm ml mli fs fsx': partial(_cut_code, syntax=syntaxes.DASHES),
        'sql ddl': partial(_cut_code, syntax=syntaxes.SQL),
        'css scss less': partial(_cut_code, syntax=syntaxes.STYLES),
        'html htm xhtml vue svelte astro': cut_markup,
        'xml xsd xsl svg': partial(_cut_data, syntax=syntaxes.MARKUP),
        'yaml yml json json5 jsonc': partial(_cut_data, syntax=syntaxes.KEYS),
        'toml ini cfg conf': partial(_cut_prose, nodes_of=prose.table_nodes),
        'md markdown mdx qmd rmd': partial(_cut_prose, nodes_of=prose.markdown_nodes),
        'rst rest txt': partial(_cut_prose, nodes_of=prose.rest_nodes),
        'adoc asciidoc': partial(_cut_prose, nodes_of=prose.asciidoc_nodes),
        'org': partial(_cut_prose, nodes_of=prose.org_nodes),
        'ipynb': cut_notebook,
    }
)
"""Cutters by extension, in lower case."""

_BY_NAME: Final = _by_name(
    {
        'sconstruct sconscript wscript snakefile build.bazel build workspace tiltfile': _PYTHON,
        'makefile gnumakefile makefile.am makefile.in': _MAKE,
        'cmakelists.txt dockerfile containerfile justfile': _SHELL,
        'gemfile rakefile vagrantfile podfile brewfile fastfile': _WORDS,
        'jenkinsfile': partial(_cut_code, syntax=syntaxes.TYPED),
    }
)
"""Cutters by the whole name, in lower case."""

_BY_INTERPRETER: Final = _by_name(
    {
        'python pypy': _PYTHON,
        'node deno bun ts-node': _JAVASCRIPT,
        'sh bash zsh ksh dash fish perl tclsh pwsh rscript': _SHELL,
        'ruby elixir julia': _WORDS,
        'lua': partial(_cut_code, syntax=syntaxes.LUA),
        'php': partial(_cut_code, syntax=syntaxes.PHP),
    }
)
"""Cutters by what the first line of a script names, in lower case."""

_SHEBANG: Final = re.compile(r'#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?(?:\S*/)?([a-zA-Z-]+)')


def _cutter_of(path: str, lines: Sequence[str]) -> Cutter | None:
    """By name, else by extension, else by the interpreter the first line names."""
    name = posixpath.basename(path).lower()
    cutter = _BY_NAME.get(name) or _BY_EXTENSION.get(posixpath.splitext(name)[1].lstrip('.'))
    match = _SHEBANG.match(lines[0][:MAX_SHEBANG_CHARS]) if lines and not cutter else None
    return _BY_INTERPRETER.get(match.group(1).lower()) if match else cutter
