"""What `import pydantic_ai_smart_search` gives, and what it costs."""

import subprocess
import sys

import pytest

import pydantic_ai_smart_search


def test_every_public_name_is_there() -> None:
    for name in pydantic_ai_smart_search.__all__:
        assert getattr(pydantic_ai_smart_search, name) is not None
    assert dir(pydantic_ai_smart_search) == sorted(pydantic_ai_smart_search.__all__)


def test_another_name_is_not() -> None:
    name = 'SmartFind'
    with pytest.raises(AttributeError, match="has no attribute 'SmartFind'"):
        getattr(pydantic_ai_smart_search, name)


def output_of(program: str) -> str:
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_capability_is_built_without_what_only_a_search_needs() -> None:
    program = (
        'import sys\n'
        'from pydantic_ai_smart_search import SmartSearch\n'
        'SmartSearch("local", index_dir="indexes").get_toolset()\n'
        'print([name for name in ("numpy", "rank_bm25", "tree_sitter") if name in sys.modules])\n'
    )
    assert output_of(program) == '[]\n'


def test_a_stage_can_be_imported_without_the_host() -> None:
    program = (
        'import sys\n'
        'import pydantic_ai_smart_search.lexical.index\n'
        'import pydantic_ai_smart_search.snippets.cutting\n'
        'print([name for name in ("pydantic_ai", "opentelemetry") if name in sys.modules])\n'
    )
    assert output_of(program) == '[]\n'
