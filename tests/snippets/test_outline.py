"""Cutting languages without a grammar, a small file of each family."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pydantic_ai_smart_search.snippets import syntaxes
from pydantic_ai_smart_search.snippets.outline import outline_nodes
from pydantic_ai_smart_search.snippets.syntax import Syntax
from tests.snippets.cuts import SYNTAXES, cut, outline
from tests.snippets.laws import check_cut
from tests.strategies import texts

SOURCES = Path(__file__).with_name('sources')


def show(text: str, syntax: Syntax) -> str:
    return '\n'.join(
        f'{snippet.span.first}-{snippet.span.last} {snippet.symbol or ""}'.rstrip()
        for snippet in outline(dedent(text).removeprefix('\n'), syntax).snippets
    )


def symbols_of(name: str, syntax: Syntax) -> list[str]:
    """The symbols of one of the sources, one by one and once."""
    snippets = outline((SOURCES / name).read_text(), syntax).snippets
    joined = ', '.join(snippet.symbol or '' for snippet in snippets)
    return [*dict.fromkeys(symbol for symbol in joined.split(', ') if symbol)]


@settings(max_examples=80, deadline=None)
@given(syntax=st.sampled_from(sorted(SYNTAXES)), text=texts())
def test_the_laws_hold_in_every_syntax(syntax: str, text: str) -> None:
    check_cut(outline(text, SYNTAXES[syntax]), text)


def test_nothing_has_no_nodes() -> None:
    assert outline_nodes([], syntaxes.BRACES) == []


@pytest.mark.parametrize(
    ('name', 'syntax', 'expected'),
    [
        (
            'cache.c',
            syntaxes.TYPED,
            snapshot(['entry', 'cache', 'policy', 'cache_new', 'cache_slot']),
        ),
        (
            'cache.cpp',
            syntaxes.TYPED,
            snapshot(
                [
                    'store',
                    'Cache',
                    'Cache.Cache',
                    'Cache.~Cache',
                    'Cache.operator[]',
                    'Cache.bool',
                    'Cache.find',
                    'cache_version',
                ]
            ),
        ),
        (
            'Cache.java',
            syntaxes.TYPED,
            snapshot(
                [
                    'Cache',
                    'Cache.Cache',
                    'Cache.toString',
                    'Cache.keys',
                    'Cache.Policy',
                    'Cache.Policy.rank',
                    'Cache.Policy.named',
                    'Cache.Entry',
                    'Cache.seconds',
                ]
            ),
        ),
        (
            'Cache.cs',
            syntaxes.TYPED,
            snapshot(
                [
                    'Store',
                    'Store.Cache',
                    'Store.Cache.Cache',
                    'Store.Cache.Get',
                    'Store.Cache.operator +',
                    'Store.Entry',
                    'Store.Policy',
                ]
            ),
        ),
        ('cache.go', syntaxes.BACKTICKS, snapshot(['New', 'Cache.Get', 'Cache.Len'])),
        (
            'cache.rs',
            syntaxes.BRACES,
            snapshot(
                [
                    'Cache',
                    'Cache.new',
                    'Cache.len',
                    'Cache.is_full',
                    'Cache.fmt',
                    'Store',
                    'Store.load',
                    'Store.forget',
                    'cached',
                    'tests',
                    'tests.a_new_cache_is_empty',
                ]
            ),
        ),
        (
            'Cache.kt',
            syntaxes.BRACES,
            snapshot(
                [
                    'Cache',
                    'Cache.constructor',
                    'Cache.get',
                    'Cache.watcher',
                    'Cache.of',
                    'String.cached',
                    'Policy',
                    'Policy.rank',
                ]
            ),
        ),
        (
            'Cache.swift',
            syntaxes.BRACES,
            snapshot(
                [
                    'Cache',
                    'Cache.init',
                    'Cache.deinit',
                    'Cache.subscript',
                    'Cache.get',
                    'Cache.description',
                    'Store',
                    'Store.load',
                    'Store.forget',
                    'Policy',
                ]
            ),
        ),
        (
            'Cache.scala',
            syntaxes.BRACES,
            snapshot(
                [
                    'Cache',
                    'Cache.this',
                    'Cache.get',
                    'Cache.ordering',
                    'Cache.load',
                    'Cache.forget',
                    'Cache.rest',
                    'rank',
                ]
            ),
        ),
        (
            'cache.php',
            syntaxes.PHP,
            snapshot(
                [
                    'Store',
                    'Cache',
                    'Cache.__construct',
                    'Cache.get',
                    'Loads',
                    'Loads.load',
                    'Counts',
                    'Counts.count',
                    'Policy',
                    'Policy.named',
                    'cached',
                ]
            ),
        ),
        (
            'cache.js',
            syntaxes.JAVASCRIPT,
            snapshot(
                [
                    'Cache',
                    'Cache.constructor',
                    'Cache.isFull',
                    'Cache.#trim',
                    'Cache.onEvict',
                    'create',
                    'load',
                    'handlers',
                    'handlers.open',
                    'handlers.close',
                    'Cache.keys',
                ]
            ),
        ),
        (
            'cache.ts',
            syntaxes.JAVASCRIPT,
            snapshot(
                [
                    'Key',
                    'Store',
                    'Cache',
                    'Cache.constructor',
                    'Cache.load',
                    'Cache.forget',
                    'Base',
                    'Policy',
                    'Policies',
                    'Policies.named',
                    'size',
                    'cached',
                    'DEFAULTS',
                ]
            ),
        ),
        ('Cache.tsx', syntaxes.JAVASCRIPT, snapshot(['Props', 'Cache', 'useCache'])),
        (
            'cache.rb',
            syntaxes.WORDS,
            snapshot(
                [
                    'Store',
                    'Store.Cache',
                    'Store.Cache.POLICIES',
                    'Store.Cache.initialize',
                    'Store.Cache.empty',
                    'Store.Cache.[]',
                    'Store.Cache.capacity=',
                    'Store.Cache.build',
                    'Store.Cache.key_of',
                ]
            ),
        ),
        (
            'cache.ex',
            syntaxes.WORDS,
            snapshot(
                [
                    'Store.Cache',
                    'Store.Cache.get',
                    'Store.Cache.clear',
                    'Store.Cache.init',
                    'Store.Cache.cached',
                    'Store.Cache.left',
                    'Store.Cache.is_key',
                    'Enumerable',
                    'Enumerable.count',
                    'Store.Loads',
                    'Store.Loads.load',
                ]
            ),
        ),
        (
            'cache.lua',
            syntaxes.LUA,
            snapshot(['POLICIES', 'M.new', 'M:get', 'M.clear', 'hash', 'handlers']),
        ),
        ('cache.sh', syntaxes.SHELL, snapshot(['cache_path', 'cache_get', 'cache_clear'])),
    ],
)
def test_most_declarations_are_named_without_a_grammar(
    name: str, syntax: Syntax, expected: list[str]
) -> None:
    assert symbols_of(name, syntax) == expected


def test_braces_on_lines_of_their_own_and_code_at_the_margin_do_not_break_a_function() -> None:
    assert show(
        """
        /*
         Licence: do what you
         like with it.
        */
        #include <stdio.h>

        /*
          Says that it failed.
        */

        static int
        fail(const char *what,
                         int code)
        {
        #ifdef LOUD
            puts(what);
        #endif
            if (code)
            {
                puts("code");
                goto out;
            }
            switch (code)
            {
            case 1:
                puts("one");
                puts("one");
                break;
            default:
                puts("many");
                puts("many");
                break;
            }
        out:
            return code;
        }

        class Shape
        {
        public:
            int area() const;
        private:
            template <class T>
            T
            scale(T by)
            {
                return by;
            }
        };
        """,
        syntaxes.TYPED,
    ) == snapshot("""\
1-5
7-17 fail
18-22 fail
23-34 fail
35-36 fail
38-40 Shape
41-42 Shape.area
43-49 Shape.scale\
""")


def test_clauses_are_branches_of_their_statement() -> None:
    assert show(
        """
        function load(path) {
          if (path) {
            open(path)
            read(path)
            check(path)
            close(path)
          } else if (fallback) {
            open(fallback)
            read(fallback)
            check(fallback)
            close(fallback)
          } else {
            throw new Error()
          }
          const text = `
        function hidden() {
        }
        `
          return [
            text,
          ]
            .map(trim)
            .filter(Boolean)
        }
        """,
        syntaxes.JAVASCRIPT,
    ) == snapshot("""\
1-14 load
15-18 load
19-24 load\
""")


def test_a_body_with_nothing_but_comments_or_braces_at_its_margin_is_cut_inside() -> None:
    body = ''.join(f'    // note\n      step{n}();\n      more();\n' for n in range(12))
    assert show(f'void run() {{\n{body}}}\n', syntaxes.TYPED) == snapshot("""\
1-12 run
13-24 run
25-36 run
37-38 run\
""")


def test_tabs_count_as_columns() -> None:
    text = 'class A {\n\tvoid f() {\n        g();\n\t}\n\n    void h() {\n\t\tg();\n\t\tg();\n    }\n}\n'
    assert show(text, syntaxes.TYPED) == snapshot("""\
1-4 A
6-10 A.h\
""")


def test_a_makefile_is_cut_by_target() -> None:
    assert cut(
        'Makefile',
        """
        CC := gcc
        FLAGS = -O2

        .PHONY: all test

        all: build test
        \techo done

        build: src/main.c
        \t$(CC) $(FLAGS) $<
        \tstrip a.out

        test:
        \t./a.out
        \t./a.out --again
        """,
    ) == snapshot("""\
1-4
6-7 all
9-11 build
13-15 test\
""")


def test_a_dockerfile_is_cut_by_instruction() -> None:
    run = 'RUN apt-get update \\\n' + ''.join(f' && apt-get install p{n} \\\n' for n in range(6))
    assert cut(
        'Dockerfile', f'FROM python:3\nWORKDIR /app\n{run} && true\n\nCMD ["run"]\n'
    ) == snapshot('1-12')


def test_sql_is_cut_by_statement() -> None:
    assert cut(
        'schema.sql',
        """
        -- Who may log in.
        CREATE TABLE IF NOT EXISTS app.users (
            id integer PRIMARY KEY,
            name text NOT NULL
        );

        SELECT *
        FROM users
        WHERE id = 1
          AND name <> ''
        ORDER BY name;

        create or replace function touch() returns trigger as $$
        begin
          new.changed = now();
          return new;
        end;
        $$ language plpgsql;
        """,
    ) == snapshot("""\
1-5 app.users
7-11
13-18 touch\
""")


def test_styles_are_cut_by_rule() -> None:
    assert cut(
        'a.scss',
        """
        @mixin rounded($by) {
          border-radius: $by;
          overflow: hidden;
        }

        .card { color: red }
        .card:hover,
        .card:focus {
          color: blue;
          a {
            color: green;
          }
        }
        """,
    ) == snapshot("""\
1-4 rounded
6-13\
""")


def test_lisp_and_functional_languages_have_symbols() -> None:
    assert cut(
        'a.clj', '(ns app)\n\n(defn load-it [path]\n  (let [x 1]\n    (slurp path)))\n'
    ) == snapshot("""\
1-1
3-5 load-it\
""")
    assert cut(
        'A.hs',
        'module A where\n\nload :: Path -> IO ()\nload p = do\n  x <- read p\n  print x\n',
    ) == snapshot("""\
1-3 A, load
4-6 load\
""")
    assert cut(
        'a.ml',
        'let rec load path =\n  let x = 1 in\n  read path x\n\nlet save () =\n  ()\n  ;;\n',
    ) == snapshot("""\
1-3 load
5-7 save\
""")


def test_data_is_cut_by_key() -> None:
    steps = ''.join(f'      - name: step {n}\n        run: make {n}\n' for n in range(20))
    assert cut(
        'ci.yml', f'name: CI\non: push\n\njobs:\n  test:\n    steps:\n{steps}  # end\n'
    ) == snapshot("""\
1-2
4-32 jobs
33-47 jobs\
""")
    entries = ''.join(f'    "p{n}": "1.{n}",\n' for n in range(25))
    text = f'{{\n  "name": "a",\n  "scripts": {{\n{entries}    "z": "2"\n  }}\n}}\n'
    assert cut('package.json', text) == snapshot("""\
1-2
3-31 scripts\
""")
