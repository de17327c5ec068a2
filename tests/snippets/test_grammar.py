"""How grammars are found, kept in bounds, and turned into nodes whatever the language."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from textwrap import dedent

import pytest
from inline_snapshot import snapshot

from pydantic_ai_smart_search.options import MAX_FILE_BYTES
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.snippets.grammar import grammar_nodes, symbol_joiner
from pydantic_ai_smart_search.snippets.languages import parsing
from pydantic_ai_smart_search.snippets.languages.grammars import load_grammar
from pydantic_ai_smart_search.snippets.languages.table import LANGUAGES, Language, language_of
from tests.snippets.laws import check_cut
from tests.snippets.outlines import SOURCES, outline, symbols


@pytest.mark.parametrize(
    ('path', 'text', 'name'),
    [
        ('a/b.GO', '', 'go'),
        ('Rakefile', '', 'ruby'),
        ('a.h', 'struct entry;\n', 'c'),
        ('a.h', '#pragma once\n\nclass Cache;\n', 'cpp'),
        ('run', '#!/bin/sh\n', 'bash'),
        ('run', '#!/usr/bin/env -S ruby3.2 -w\n', 'ruby'),
        ('run', '#! /usr/bin/lua5.4', 'lua'),
        ('run', '#!/usr/bin/env node\n', 'javascript'),
        ('run', '#!/usr/bin/awk -f\n', None),
        ('run', 'def get(): ...\n', None),
        ('a.md', '#!/bin/sh\n', None),
        ('a.py', '', None),
    ],
)
def test_a_language_is_told_by_name_by_suffix_or_by_the_first_line(
    path: str, text: str, name: str | None
) -> None:
    assert language_of(path, text) is (LANGUAGES[name] if name else None)


def test_containers_and_members_are_joined_as_the_language_writes_it() -> None:
    joiners = {path: symbol_joiner(path, '') for path in ('a.cpp', 'a.rs', 'a.go', 'a.md')}
    assert joiners == {'a.cpp': '::', 'a.rs': '::', 'a.go': '.', 'a.md': '.'}


def test_a_file_of_no_known_language_has_no_nodes() -> None:
    assert grammar_nodes('a.md', '# Cache\n') is None


def test_a_language_whose_grammar_is_not_installed_has_no_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(LANGUAGES, 'go', replace(LANGUAGES['go'], grammar='of_nobody'))
    assert grammar_nodes('a.go', 'package cache\n') is None


def test_a_grammar_whose_node_types_have_changed_is_as_good_as_none() -> None:
    assert load_grammar(Language(grammar='go', additions=('rust',))) is None


def test_a_grammar_is_loaded_once_however_many_threads_ask_first() -> None:
    language = replace(LANGUAGES['go'], reserved=frozenset({'asked for the first time'}))
    start = threading.Barrier(8)

    def load(_: int) -> int:
        start.wait()
        return id(load_grammar(language))

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(load, range(8)))) == 1


def test_threads_cut_at_once_as_one_alone() -> None:
    names = [path.name for path in SOURCES] * 4
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(outline, names)) == list(map(outline, names))


@pytest.mark.parametrize('end', ['\r\n', '\r'])
def test_lines_are_counted_alike_whatever_ends_them(end: str) -> None:
    for path in SOURCES:
        assert outline(path.name, path.read_text().replace('\n', end)) == outline(path.name)


def test_what_follows_a_form_feed_or_a_nul_is_cut_too() -> None:
    text = 'func first() {\n\tpanic(1)\n}\n\f\nfunc second() {\n\tpanic("\0")\n}\n'
    assert outline('a.go', text) == '1-3 first\n5-7 second'


def test_characters_that_no_encoding_has_are_no_obstacle() -> None:
    assert symbols('a.go', 'func get() {\n\tpanic("\ud800 \u2028")\n}\n') == ['get']


def test_what_is_whole_in_a_broken_file_is_still_named() -> None:
    text = """
        func first() {
        	panic(1)
        }

        func broken(int int {
        	panic(]
        }

        func last() int {
        	x := 1
        	return x
        }
    """
    found = symbols('a.go', dedent(text))
    assert {'first', 'last'} <= set(found)


def test_a_statement_that_a_macro_tears_from_its_function_does_not_name_one() -> None:
    text = """
        END_OF_BLOCK
        else if (full) {
            trim();
            count();
        }

        int size(int a)
        {
            return a;
        }
    """
    assert symbols('a.c', dedent(text)) == ['size']


def test_a_file_of_one_line_is_one_snippet() -> None:
    assert outline('a.js', 'const a = 1; function get() {}') == '1-1 get'
    assert outline('a.js', 'call(1);') == '1-1'
    assert outline('a.js', '') == ''


def test_a_function_expression_has_the_name_it_is_assigned_to_only() -> None:
    text = 'app.use = function use(fn) {\n  const all = [fn];\n  return all;\n};\n'
    assert symbols('a.js', text) == ['app.use']


def test_a_statement_is_named_by_the_function_it_is_mostly_made_of() -> None:
    text = 'export default wrap(function cached(key) {\n  const all = [key];\n  return all;\n});\n'
    assert symbols('a.js', text) == ['cached']


def test_two_functions_in_one_statement_are_both_named() -> None:
    text = """
        cache.on('hit', function onHit(key) {
          count(key);
          return key;
        }).on('miss', function onMiss(key) {
          count(key);
          return load(key);
        });
    """
    assert symbols('a.js', dedent(text)) == ['onHit', 'onMiss']


def test_names_are_spelled_in_one_line_without_type_arguments() -> None:
    text = """
        template <class K>
        Map<K, std::vector<int>>
            ::Entry
            ::Entry(int a) {
          a += 1;
          use(a);
        }
    """
    assert symbols('a.cpp', dedent(text)) == ['Map ::Entry ::Entry']


def test_an_attribute_on_the_line_of_other_code_belongs_to_that() -> None:
    text = """
        const A: u8 = 1; // about A
        fn get() {
            let a = 1;
            use_it(a)
        }
    """
    assert outline('a.rs', dedent(text).lstrip()) == '1-1\n2-5 get'


def test_local_values_are_not_named_but_long_ones_of_a_file_are() -> None:
    rows = ''.join(f'\t\t"{number}",\n' for number in range(8))
    text = f'var names = []string{{\n{rows}}}\n\nfunc get() {{\n\tvar names = []string{{\n{rows}\t}}\n}}\n'
    assert outline('a.go', text) == '1-10 names\n12-23 get'


def test_a_long_function_is_cut_into_its_statements_under_its_name() -> None:
    block = ''.join(f'\t\tcount({number})\n' for number in range(7))
    text = 'func get() {\n' + f'\tfor ready() {{\n{block}\t}}\n' * 4 + '}\n'
    assert outline('a.go', text) == snapshot("""\
1-10 get
11-19 get
20-28 get
29-38 get\
""")


def test_functions_nested_too_deep_to_tell_apart_are_taken_whole() -> None:
    depth = 40
    text = ''.join(f'function f{number}() {{\n' for number in range(depth)) + '}\n' * depth
    found = symbols('a.js', text)
    assert 'f0' in found
    assert f'f{depth - 1}' not in found


def test_a_file_too_big_to_parse_has_no_nodes() -> None:
    assert grammar_nodes('a.go', 'package cache\n' + '\n' * MAX_FILE_BYTES) is None


TRAPS = {
    # What is open here is never ended, and mending it all at the end would take hours.
    'a.c': 'a{}=>',
    'a.go': 'a{} := !&*',
    # Each of these comments is looked for to the end of the file.
    'a.php': '<?php a{}-/*',
    # On this the grammar goes in circles.
    'a.kt': '.. {{ else\n]\nelse\n] b{}\n',
}
"""By the name of a file: what is hard to parse over and over, with a number to tell them apart."""


@pytest.mark.parametrize('path', TRAPS)
def test_a_file_made_to_hold_up_its_parser_is_still_cut(path: str) -> None:
    text = ';\n' * 1_000 + ''.join(map(TRAPS[path].format, range(6_000)))
    check_cut(cut_file(path, text), text)


def test_a_long_file_has_the_nodes_it_would_have_in_one_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {path.name: path.read_text() * 3 for path in SOURCES}
    whole = {name: grammar_nodes(name, text) for name, text in texts.items()}
    monkeypatch.setattr(parsing, 'MAX_STRETCH_TOKENS', 25)
    assert {name: grammar_nodes(name, text) for name, text in texts.items()} == whole


def test_a_line_too_long_for_one_stretch_is_parsed_too() -> None:
    calls = ''.join(f'f{number}(1); ' for number in range(3_000))
    assert symbols('a.js', f'{calls}\nfunction get() {{}}\n') == ['get']


@pytest.mark.parametrize(('opening', 'closing'), [('({}', ''), ('[{},\n', '{}]\n')])
def test_a_tangle_that_would_take_a_query_for_ever_has_no_nodes(opening: str, closing: str) -> None:
    text = ''.join(map(opening.format, range(30_000))) + ''.join(map(closing.format, range(30_000)))
    assert grammar_nodes('a.js', text) is None


@pytest.mark.parametrize(
    'bounds',
    [
        {'MAX_STRETCH_SECONDS': -1.0},
        {'MAX_STRETCH_SECONDS': -1.0, 'CHECKS_PER_LOOK': 1_000_000},  # over before it is looked at
        {'MIN_PARSE_SECONDS': -10.0},
        {'MAX_STRETCH_CHECKS': 0},
    ],
)
def test_a_file_that_takes_too_long_to_parse_has_no_nodes(
    monkeypatch: pytest.MonkeyPatch, bounds: dict[str, float]
) -> None:
    for name, value in bounds.items():
        monkeypatch.setattr(parsing, name, value)
    source = next(path for path in SOURCES if path.name == 'cache.ts')
    assert grammar_nodes(source.name, source.read_text() * 20) is None


def test_ten_thousand_comments_in_a_row_are_no_obstacle() -> None:
    comments = ''.join(f'// about {number}\n' for number in range(10_000))
    assert symbols('a.js', comments + 'function get() {\n  count();\n}\n')[-1] == 'get'
