import numpy as np
import pytest

from pydantic_ai_smart_search.embedding.encoder import (
    DIMENSIONS,
    MODEL,
    Embedding,
    find_words,
    parts_of,
)


@pytest.fixture(scope='module')
def model() -> Embedding:
    return Embedding.load()


def cosine(model: Embedding, first: str, second: str) -> float:
    vectors = model.encode([find_words(first), find_words(second)])
    return float(vectors[0] @ vectors[1])


@pytest.mark.parametrize(
    ('word', 'parts'),
    [
        (b'readHTTPHeader2', ['read', 'http', 'header']),
        (b'snake_case_name', ['snake', 'case', 'name']),
        (b'x', []),
        (b'0xdeadbeef' * 10, []),
        (b'q' * 30, []),
    ],
)
def test_identifier_is_split_into_lower_case_parts(word: bytes, parts: list[str]):
    assert parts_of(word) == parts


def test_vectors_have_length_one(model: Embedding):
    vectors = model.encode([[b'open', b'file'], [b'zzyqx']])
    assert vectors.shape == (2, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_text_without_words_has_the_zero_vector(model: Embedding):
    assert not model.encode([[], [b'x'], [b'1']]).any()


def test_nothing_to_encode_is_no_error(model: Embedding):
    assert model.encode([]).shape == (0, DIMENSIONS)
    assert model.spell([]).rows.size == 0


def test_vector_of_a_text_does_not_depend_on_its_neighbours(model: Embedding):
    texts = [find_words(f'open file {number} and read header{number}') for number in range(2_100)]
    together = model.encode(texts)
    assert np.allclose(
        together[[0, 1_000, 2_099]], model.encode([texts[0], texts[1_000], texts[2_099]]), atol=1e-5
    )


def test_order_of_words_does_not_count(model: Embedding):
    assert cosine(model, 'remove expired cookies', 'cookies expired remove') == pytest.approx(
        1, abs=1e-5
    )


def test_spelling_of_an_identifier_does_not_count(model: Embedding):
    assert cosine(model, 'parse_url', 'parseUrl') == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ('asked', 'near', 'far'),
    [
        (
            'delete outdated entries',
            'def purge_expired(cache): cache.remove(key)',
            'def draw_circle(radius): pass',
        ),
        ('fetch a web page', 'response = http.get(url)', 'sorted(items, key=len)'),
        (
            'run a job again after it failed',
            'for attempt in range(max_retries): task.retry()',
            'return image.resize(width)',
        ),
    ],
)
def test_code_of_the_same_meaning_is_nearer(model: Embedding, asked: str, near: str, far: str):
    assert cosine(model, asked, near) > cosine(model, asked, far)


def test_unknown_word_is_near_one_that_shares_its_pieces(model: Embedding):
    assert cosine(model, 'serializzer', 'serializzers') > cosine(
        model, 'serializzer', 'frobnicatte'
    )


def test_model_has_the_digest_beside_it():
    import hashlib

    digest = hashlib.sha256(MODEL.read_bytes()).hexdigest()
    assert MODEL.with_suffix('.sha256').read_text().split() == [digest, MODEL.name]


def test_model_fits_in_eight_megabytes():
    assert MODEL.stat().st_size < 8 << 20
