"""Terms: identifiers split into parts and whole, and stemmed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.lexical.terms import find_words, split_word, stem, terms_of


@pytest.mark.parametrize(
    ('word', 'terms'),
    [
        ('parseHTMLResponse', ['pars', 'html', 'respons', 'parsehtmlrespons']),
        ('HTTPServer', ['http', 'server', 'httpserver']),
        ('user_id', ['user', 'id', 'userid']),
        ('__init__', ['init']),
        ('MAX_LINES', ['max', 'lin', 'maxlin']),
        ('userIDs', ['user', 'id', 'userid']),
        ('URLs', ['url', 'url']),
        ('sha256', ['sha', 'sha256']),
        ('utf_8', ['utf', 'utf8']),
        ('cookies', ['cooki']),
        ('404', ['404']),
    ],
)
def test_an_identifier_is_its_parts_and_its_whole(word: str, terms: list[str]) -> None:
    assert list(split_word(word.encode())) == terms


@pytest.mark.parametrize('word', ['x', 'i', '_', '__', '7', '1234567', 'f' * 41, 'A' * 41])
def test_letters_long_numbers_and_encoded_data_are_no_terms(word: str) -> None:
    assert list(split_word(word.encode())) == []


def test_the_spellings_of_one_identifier_share_a_term() -> None:
    spellings = ['userId', 'user_id', 'UserID', 'userid', 'USER_ID']
    assert all('userid' in terms_of(word) for word in spellings)


def test_words_beyond_ascii_stay_whole_and_typographic_punctuation_ends_them() -> None:
    assert terms_of('größe_maß “größe”—Ändern') == ['größ', 'maß', 'größemaß', 'größ', 'ändern']


def test_words_keep_their_order_and_number() -> None:
    assert find_words('if (a_b == "c-d") {\n\tc; }') == [b'if', b'a_b', b'c', b'd', b'c']


def test_text_that_cannot_be_encoded_is_still_searched() -> None:
    assert terms_of('before\ud800after') == ['befor', 'after']


@pytest.mark.parametrize(
    'forms',
    [
        'expire expires expired expiring',
        'session sessions',
        'retry retries retried retrying',
        'emit emits emitted emitting',
        'cancel cancels canceled cancelled cancelling',
        'cookie cookies',
        'cache caches cached caching',
        'parse parses parsed parsing',
        'class classes',
        'status statuses',
        'alias aliases',
        'add adds added adding',
        'install installs installed',
        'pass passes passed passing',
        'key keys',
        'try tries',
        'run running',
        'exceed exceeds exceeding',
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize('word', ['string', 'need', 'feed', 'bus', 'red', 'ring', 'seed', 'thing'])
def test_a_word_that_only_looks_like_a_form_is_left_alone(word: str) -> None:
    assert stem(word) == word


@given(st.text())
def test_terms_are_lower_case_and_neither_short_nor_long(text: str) -> None:
    for term in terms_of(text):
        assert term == term.lower()
        assert 2 <= len(term) <= 80  # a capital can be two letters in lower case


@given(st.lists(st.from_regex('[a-zA-Z_][a-zA-Z0-9_]{0,20}', fullmatch=True)))
def test_text_has_the_terms_of_its_words(words: list[str]) -> None:
    assert terms_of(' '.join(words)) == [t for word in words for t in split_word(word.encode())]
