"""Cutting text that is divided by headings."""

from __future__ import annotations

from inline_snapshot import snapshot

from pydantic_ai_smart_search.snippets.prose import MAX_TITLE_CHARS
from tests.snippets.cuts import cut, symbols


def test_markdown_is_cut_by_heading() -> None:
    assert cut(
        'README.md',
        """
        ---
        title: Guide
        ---
        Some words first.

        # Guide #

        What this is.
        It goes on.

        ## Install

        ```bash
        # not a heading

        pip install guide
        ```

        ### From source

        Clone it.
        Build it.

        Options
        -------

        | a | b |
        |---|---|
        | 1 | 2 |

        - item
        ---

        ~~~
        ```
        # still code
        ~~~

        ####### seven
        """,
    ) == snapshot("""\
1-4
6-9 Guide
11-17 Guide > Install
19-22 Guide > Install > From source
24-39 Guide > Options\
""")


def test_a_fence_is_not_cut_and_a_long_section_is() -> None:
    code = '\n'.join(f'line {n}' for n in range(25))
    words = '\n\n'.join('words and\nmore words' for _ in range(12))
    text = f'# Long\n\n{words}\n\n```py\n{code}\n\n{code[:30]}\n```\n\n{words}\n'
    assert cut('a.md', text) == snapshot("""\
1-28 Long
30-37 Long
39-71 Long
73-101 Long
103-107 Long\
""")


def test_a_fence_that_is_never_closed_hides_the_rest() -> None:
    assert symbols('a.md', '# One\n\n```\n# Two\n\n# Three\n') == ['One']


def test_front_matter_that_is_never_closed_is_text() -> None:
    assert symbols('a.md', '---\n\n# One\n\ntext\n') == ['One']


def test_restructured_text_is_cut_by_the_order_of_its_styles() -> None:
    assert cut(
        'guide.rst',
        """
        =====
        Guide
        =====

        What this is.

        Install
        =======

        Words::

            Not a title
            ===========

        From source
        -----------

        Clone it.

        Options
        =======

        Too short a line
        ===
        Text.

        ------

        Last.
        """,
    ) == snapshot("""\
1-5 Guide
7-13 Guide > Install
15-18 Guide > Install > From source
20-29 Guide > Options\
""")


def test_asciidoc_and_org_are_cut_by_their_marks() -> None:
    assert symbols('a.adoc', '= Guide\n\ntext\n\n== Install\n\ntext\ntext\ntext\n') == snapshot(
        ['Guide', 'Guide > Install']
    )
    assert symbols('a.org', '* Guide\n\ntext\n\n** Install\n\ntext\ntext\ntext\n') == snapshot(
        ['Guide', 'Guide > Install']
    )
    deep = '\n'.join(f'{"*" * depth} H{depth}\ntext\ntext' for depth in range(1, 1_500))
    assert len(symbols('a.org', deep)) == 1_499


def test_tables_of_toml_and_ini_are_sections() -> None:
    assert cut(
        'pyproject.toml',
        """
        # About this.
        [project]
        name = 'a'
        version = '1'

        [[tool.mypy.overrides]]
        module = 'x'
        strict = true

        [tool.ruff]
        line-length = 100
        select = [
            'A',
        ]
        """,
    ) == snapshot("""\
1-1
2-4 project
6-8 tool.mypy.overrides
10-14 tool.ruff\
""")


def test_text_without_headings_is_cut_by_paragraph() -> None:
    paragraph = 'words\n' * 9
    assert cut('notes.txt', '\n'.join([paragraph] * 8)) == snapshot("""\
1-29
31-59
61-79\
""")


def test_a_long_heading_is_shortened_in_the_symbol() -> None:
    (symbol,) = symbols('a.md', f'# {"long " * 100}\n\ntext\n\ntext\n')
    assert len(symbol) == MAX_TITLE_CHARS
