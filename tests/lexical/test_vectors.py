from __future__ import annotations

import gc
import weakref
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.embedding.encoder import Embedding, Vectors, find_words
from pydantic_ai_smart_search.lexical import vectors
from pydantic_ai_smart_search.lexical.terms import split_word
from pydantic_ai_smart_search.lexical.vectors import SnippetVectors
from pydantic_ai_smart_search.lexical.words import WordBatch, WordTable, new_numbers

QUERY = [b'delete', b'outdated', b'entries']
TEXTS = [
    b'def purge_expired(cache): cache.remove(key)',
    b'def draw_circle(radius): return canvas',
    b'',
    b'x = 1',
    b'response = http.get(url)',
]

texts = st.lists(st.sampled_from(TEXTS).map(lambda text: find_words(text.decode())), max_size=12)


def add(kept: SnippetVectors, texts: list[list[bytes]], table: WordTable | None = None) -> None:
    table = table or WordTable(split_word, new_numbers())
    numbers = array('I', [number for words in texts for number in table.number(words)])
    counts = array('I', [count for words in texts for count in (len(words), 0)])
    kept.add(WordBatch(table, numbers, counts))


def cosines(added: list[list[list[bytes]]], table: WordTable | None = None) -> Vectors:
    kept = SnippetVectors(Embedding.load())
    for texts in added:
        add(kept, texts, table)
    return kept.cosines(QUERY)


def test_cosines_are_those_of_the_model_to_a_hundredth() -> None:
    words = [find_words(text.decode()) for text in TEXTS]
    exact = Embedding.load().encode(words) @ Embedding.load().encode([QUERY])[0]
    assert np.abs(cosines([words]) - exact).max() < 0.01
    assert exact.argmax() == 0


def test_text_without_words_is_near_to_nothing() -> None:
    assert cosines([[[], [b'x']]]).tolist() == [0, 0]


def test_a_query_without_words_is_near_to_nothing() -> None:
    kept = SnippetVectors(Embedding.load())
    add(kept, [QUERY])
    assert kept.cosines([b'1']).tolist() == [0]


def test_no_snippets_no_cosines() -> None:
    assert cosines([]).tolist() == []


@given(st.lists(texts, max_size=6))
def test_it_does_not_matter_how_snippets_were_added(added: list[list[list[bytes]]]) -> None:
    together = cosines([[words for texts in added for words in texts]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, 'PART_SNIPPETS', 3)
        assert np.allclose(cosines(added), together, atol=0.01)
        table = WordTable(split_word, new_numbers())
        assert np.allclose(cosines(added, table), together, atol=0.01)


def test_what_words_are_made_of_is_forgotten_with_their_table() -> None:
    kept = SnippetVectors(Embedding.load())
    table = WordTable(split_word, new_numbers())
    add(kept, [QUERY], table)
    is_alive = weakref.ref(table)
    del table
    gc.collect()
    assert is_alive() is None


@given(texts, st.data())
def test_those_kept_are_numbered_anew_in_their_order(
    words: list[list[bytes]], data: st.DataObject
) -> None:
    numbers = sorted(
        data.draw(st.sets(st.integers(0, max(len(words) - 1, 0)), max_size=len(words)))
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, 'PART_SNIPPETS', 3)
        kept = SnippetVectors(Embedding.load())
        for text in words:
            add(kept, [text])
        kept.keep(np.array(numbers, np.int64))
        add(kept, [QUERY])
    expected = cosines([[*(words[number] for number in numbers), QUERY]])
    assert np.allclose(kept.cosines(QUERY), expected, atol=0.01)
