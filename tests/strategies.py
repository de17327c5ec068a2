"""Hypothesis strategies for the text of files: broken, nested, huge, ended in every way."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.windows import WINDOW_LINES

PATHS: Final = (
    *('a.py', 'stubs.pyi', 'A.PY', 'wscript', 'a.pyx', 'a.js', 'a.ts', 'a.go', 'a.rs', 'a.c'),
    *('A.java', 'a.php', 'a.rb', 'a.ex', 'a.lua', 'a.sh', 'Makefile', 'a.el', 'a.hs', 'a.sql'),
    *('a.css', 'a.html', 'a.vue', 'a.xml', 'a.yaml', 'a.json', 'a.toml', 'README.md', 'a.rst'),
    *('notes.txt', 'a.adoc', 'a.org', 'a.ipynb', 'LICENSE', 'a.unknown', 'script'),
    *('a.jsx', 'a.tsx', 'a.cpp', 'a.cs', 'a.kt', 'a.swift', 'a.scala'),
)
"""A path for every cutter, and some for none."""

LINE_ENDS: Final = st.sampled_from(['\n', '\n', '\n', '\r\n', '\r', '\n\n', '\n \t\n', '\n\f\n'])

_WORDS: Final = st.sampled_from(
    [
        *('def f(a):', 'async def g(', 'class C:', 'class D(C): x = 1; y = 2', 'if x:', 'else:'),
        *('elif y:', 'try:', 'except A, B:', 'finally:', 'match x:', 'case 1:', '@wraps', 'x = ['),
        *('return 1', 'x = 1', 'print "x"', 'import os', 'NAME = (', 'lambda: (', 'with a as b:'),
        *('"""', "'''", '"', "'", '`', '\\', '(', ')', '[', ']', '{', '}', '});', '};', '#', '//'),
        *('/*', '*/', '/** doc', ' * more', '--', '--[[', ']]', '<!--', '-->', '{-', '$$', '<<EOF'),
        *('function f() {', 'const f = (a) => {', 'export class A {', 'get x() {', 'case 2: {'),
        *('func (c *C) Get(k string) {', 'impl<T> A for B<T> {', 'pub fn f() {', 'struct s {'),
        *('static int f(int a)', 'namespace n', 'public:', '[Attr]', '#[derive(A)]', '#ifdef X'),
        *('#endif', 'template <class T>', 'module M', 'defmodule A.B do', 'def f', 'end', 'then'),
        *('# Title', '## Part', 'Title', '=====', '-----', '```', '~~~~', '- item', '.. note::'),
        *('[table]', 'key: value', 'key:', '- a: 1', '"key": {', '"key": 1,', '---', 'all: dep'),
        *('<script>', '</script>', '<style lang="x">', '</style>', '<div>', '</div>', '(defun f'),
        *('CREATE TABLE t (', 'SELECT 1', ';', '* Heading', '== Heading', '=begin', '=end'),
        *('{"cells": [', '{"source": ["a"]}', ']}', '#!/usr/bin/env python3', '\0', '\ud800', 'é'),
        *('\u2028', '\x85', '\f', '\x1c', '\ufeff', '\xa0', '   ', '😀'),
    ]
)

_INDENTS: Final = st.one_of(
    st.sampled_from(['', '', '    ', '        ', '\t', '  ', '\f', ' \t']),
    st.integers(0, 40).map(lambda width: ' ' * width),
)


@st.composite
def _lines(draw: st.DrawFn) -> str:
    """One line: words of some language, indented in any way."""
    words = draw(st.lists(st.one_of(_WORDS, st.text(max_size=8)), max_size=3))
    return draw(_INDENTS) + ' '.join(words)


def _long_lines() -> st.SearchStrategy[str]:
    """Lines around and above the longest that can be judged."""
    lengths = st.integers(MAX_SNIPPET_CHARS // 3, MAX_SNIPPET_CHARS + 2)
    return st.builds(str.__mul__, st.sampled_from('x( "'), lengths)


@st.composite
def _runs(draw: st.DrawFn) -> list[str]:
    """Lines that make a part longer than any snippet: one line many times, each deeper or not."""
    times = draw(st.integers(1, 3 * WINDOW_LINES))
    line = draw(_lines())
    step = draw(st.sampled_from([0, 0, 1, 4]))
    return [' ' * (step * number) + line for number in range(times)]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """The text of a file in no language in particular."""
    parts = st.one_of(
        st.lists(_lines(), max_size=12), _runs(), st.lists(_long_lines(), min_size=1, max_size=2)
    )
    lines = [line for part in draw(st.lists(parts, max_size=5)) for line in part]
    end = draw(LINE_ENDS)
    ends = st.one_of(st.just(end), LINE_ENDS)
    return ''.join(line + draw(ends) for line in lines) + draw(st.sampled_from(['', 'x', '\\']))


def nested(opening: str, closing: str, depth: int, middle: str = '1') -> str:
    """`middle` inside `depth` pairs of brackets."""
    return opening * depth + middle + closing * depth
