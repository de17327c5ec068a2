from __future__ import annotations

from dataclasses import replace

from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from tests.judge.cases import IRRELEVANT, RELEVANT

FREE = replace(RELEVANT, input_tokens=0, output_tokens=0)


def test_a_judgment_is_recalled_for_the_same_query_and_text_only() -> None:
    memory = JudgmentMemory(10)
    memory.keep('a', 'bc', RELEVANT)
    assert memory.recall('a', 'bc') == FREE
    assert memory.recall('ab', 'c') is None
    assert memory.recall('b', 'bc') is None


def test_the_least_recently_used_judgment_is_forgotten_first() -> None:
    memory = JudgmentMemory(2)
    memory.keep('q', '1', RELEVANT)
    memory.keep('q', '2', RELEVANT)
    memory.recall('q', '1')
    memory.keep('q', '3', RELEVANT)
    assert [text for text in '123' if memory.recall('q', text)] == ['1', '3']


def test_a_newer_judgment_replaces_the_older() -> None:
    memory = JudgmentMemory(2)
    memory.keep('q', '1', IRRELEVANT)
    memory.keep('q', '1', RELEVANT)
    assert memory.recall('q', '1') == FREE


def test_a_memory_without_capacity_keeps_nothing() -> None:
    memory = JudgmentMemory(0)
    memory.keep('q', '1', RELEVANT)
    assert memory.recall('q', '1') is None


def test_a_query_that_is_no_unicode_is_kept_too() -> None:
    memory = JudgmentMemory(1)
    memory.keep('\ud800', '1', RELEVANT)
    assert memory.recall('\ud800', '1') == FREE


def test_a_query_is_known_while_a_judgment_for_it_is_kept() -> None:
    memory = JudgmentMemory(1)
    assert not memory.knows('q')
    memory.keep('q', '1', RELEVANT)
    assert memory.knows('q')
    assert not memory.knows('q1')
    memory.keep('another', '1', RELEVANT)
    assert not memory.knows('q')
