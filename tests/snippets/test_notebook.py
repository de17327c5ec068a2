"""Cutting notebooks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pydantic_ai_smart_search.snippets.cutting import cut_file
from tests.snippets.cuts import cut
from tests.snippets.laws import check_cut


def notebook(*sources: object, indent: int | None = 1) -> str:
    cells: list[object] = [
        {'cell_type': 'code', 'metadata': {}, 'outputs': [{'text': ['noise\n']}], 'source': source}
        for source in sources
    ]
    return json.dumps({'cells': cells, 'metadata': {}, 'nbformat': 4}, indent=indent)


def test_cells_are_numbered_and_empty_ones_left_out() -> None:
    assert cut('a.ipynb', notebook(['a\n', 'b'], [], '', 'one string\n', ['last'])) == snapshot("""\
14-15 cell 1
52-52 cell 4
65-65 cell 5\
""")


def test_a_long_cell_is_cut_by_its_code() -> None:
    body = [f'    step({n})\n' for n in range(15)]
    source = ['import os\n', '\n', 'def train():\n', *body, '\n', 'class Model:\n', *body]
    assert cut('a.ipynb', notebook(['x = 1'], source)) == snapshot("""\
14-14 cell 1
28-45 cell 2, cell 2.train
46-62 cell 2.Model\
""")


def test_a_notebook_without_cells_has_no_snippets() -> None:
    assert cut('a.ipynb', notebook()) == ''


def test_a_notebook_on_one_line_is_cut_like_any_line() -> None:
    text = notebook(['a\n', 'b'], ['c'], indent=None)
    assert cut('a.ipynb', text) == '1-1'


def test_sources_of_several_lines_in_one_string_are_kept() -> None:
    text = '{"cells": [\n{"source": ["a\\n",\n"b\\n", "c"]},\n{"source": ["d\\ne\\n",\n"f"]}\n]}'
    assert cut('a.ipynb', text) == snapshot("""\
2-3 cell 1
4-5 cell 2\
""")


@pytest.mark.parametrize(
    'text',
    [
        *('', '{', '[]', '{}', '"cells"', '{"cells": 1}', '{"cells": [1]}', '{"cells": [[]]}'),
        *('{"cells": [{"source": ["a"]', '{"cells": [{"source"', '{"cells" ["a"]}', '[' * 100_000),
        *('{"cells": [{"source": ["a"]}], oops}', '{"cells": [{"a" "b" "c"}]}', '{1: 2}'),
        *('{"a": ' * 5_000, '{"worksheets": [{"cells": []}]}', 'not json', '{"cells": [{"a"}]}'),
    ],
)
def test_what_is_not_a_notebook_is_cut_like_any_text(text: str) -> None:
    assert cut('a.ipynb', text) == cut('a.unknown', text)


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
cells = st.lists(
    st.dictionaries(st.sampled_from(['source', 'outputs', 'cell_type']), values, max_size=3)
    | values,
    max_size=4,
)


@settings(deadline=None)
@given(cells, st.sampled_from([None, 0, 1, 4]))
def test_any_json_is_cut_by_the_laws(found: list[object], indent: int | None) -> None:
    text = json.dumps({'nbformat': 4, 'cells': found, 'metadata': []}, indent=indent)
    check_cut(cut_file('a.ipynb', text), text, is_whole=False)
