"""Credentials in the text of a file."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.source.credentials import find_secret

LETTERS = string.ascii_letters
BASE62 = LETTERS + string.digits
BASE64 = BASE62 + '+/'
HEX = '0123456789abcdef'


def drawn(length: int, alphabet: str = BASE62) -> str:
    """Characters drawn at random, the same in every run: none of these was ever issued."""
    generator = random.Random(f'{length} {alphabet}')
    return ''.join(generator.choice(alphabet) for _ in range(length))


def found_in(text: str) -> str | None:
    lines = split_lines(f'before = 1\n{text}\nafter = 2\n')
    return find_secret(lines, LineSpan(1, len(lines)))


# Put together here, so that no file of this repository looks like a leak to other scanners.
TOKENS = {
    'AWS access key': f'AKIA{drawn(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}',
    'AWS Bedrock key': f'ABSK{drawn(110, BASE64)}=',
    'Google API key': f'AIza{drawn(35)}',
    'Azure client secret': f'{drawn(3)}8Q~{drawn(34)}',
    'DigitalOcean token': f'dop_v1_{drawn(64, HEX)}',
    'Alibaba access key': f'LTAI{drawn(20)}',
    'Heroku API key': f'HRKU-AA{drawn(58)}',
    'Vault token': f'hvs.{drawn(95)}',
    'Terraform token': f'{drawn(14)}.atlasv1.{drawn(64)}',
    'GitHub token': f'ghp_{drawn(36)}',
    'GitLab token': f'glpat-{drawn(20)}',
    'Atlassian token': f'ATATT3{drawn(186)}',
    'npm token': f'npm_{drawn(36)}',
    'PyPI token': f'pypi-AgEIcHlwaS5vcmc{drawn(80)}',
    'RubyGems token': f'rubygems_{drawn(48, HEX)}',
    'Slack token': f'xoxb-{drawn(12, string.digits)}-{drawn(12, string.digits)}-{drawn(24)}',
    'Slack webhook': f'https://hooks.slack.com/services/T{drawn(10)}/B{drawn(10)}/{drawn(24)}',
    'Stripe key': f'sk_live_{drawn(24)}',
    'Square token': f'sq0atp-{drawn(22)}',
    'Shopify token': f'shpat_{drawn(32, HEX)}',
    'SendGrid key': f'SG.{drawn(22)}.{drawn(43)}',
    'OpenAI key': f'sk-proj-{drawn(58)}T3BlbkFJ{drawn(58)}',
    'Anthropic key': f'sk-ant-api03-{drawn(93)}AA',
    'Hugging Face token': f'hf_{drawn(34, LETTERS)}',
    'Databricks token': f'dapi{drawn(32, HEX)}',
    'Grafana token': f'glsa_{drawn(32)}_{drawn(8, HEX)}',
    'Sentry token': f'sntryu_{drawn(64, HEX)}',
    'Linear key': f'lin_api_{drawn(40)}',
    'Notion token': f'ntn_{drawn(11, string.digits)}{drawn(35)}',
    'age key': f'AGE-SECRET-KEY-1{drawn(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}',
    'JSON web token': f'eyJ{drawn(33)}.eyJ{drawn(60)}.{drawn(43)}',
}


@pytest.mark.parametrize('name', TOKENS)
@pytest.mark.parametrize('around', ['x = "{}"', '# see {} there', 'call({})', 'é: {}'])
def test_a_token_is_found_wherever_it_stands(name: str, around: str) -> None:
    assert found_in(around.format(TOKENS[name])) == name


@pytest.mark.parametrize('name', sorted(TOKENS.keys() - {'Terraform token', 'Slack webhook'}))
def test_a_token_within_a_longer_word_is_none(name: str) -> None:
    assert found_in(f'x = "word{TOKENS[name]}"') is None


@pytest.mark.parametrize(
    'text',
    [
        'AKIAIOSFODNN7EXAMPLE',  # the one the documentation of AWS uses
        f'ghp_{"x" * 36}',
        f'ghp_{"abcdefghijklmnopqrstuvwxyz" + "0123456789"}',
        f'sk_live_{"ab" * 12}',
        f'npm_{drawn(35)}',
        'the `ghp_` prefix, or `github_pat_`',
        'eyJhbGciOiJIUzI1NiJ9.eyJ.x',
    ],
)
def test_a_placeholder_or_the_shape_alone_is_no_token(text: str) -> None:
    assert found_in(f'x = "{text}"') is None


@pytest.mark.parametrize(
    'line',
    [
        'api_key = "{}"',
        'API_KEY: str = "{}"',
        "const apiToken: string = '{}';",
        'apiKey := "{}"',
        '"client_secret": "{}",',
        "{{:password => '{}'}}",
        '  password: {}',
        'export DB_PASSWORD={}',
        "os.environ['AUTH_KEY'] = '{}'",
        "os.environ.setdefault('SECRET_KEY', b'{}')",
        'client = Client(access_key="{}")',
        'set_api_key("{}")',
        'AccountName=a;AccountKey={}==;',
        'postgres://bob:{}@host/db',
        'Authorization: Bearer {}',
        'İ = 1; api_key = "{}"',
    ],
)
@pytest.mark.parametrize('value', [drawn(32), drawn(40, BASE64), drawn(64, HEX), drawn(32, HEX)])
def test_a_random_value_under_the_name_of_a_credential_is_found(line: str, value: str) -> None:
    assert found_in(line.format(value)) == 'key or password'


def test_a_key_with_symbols_is_found_in_quotes() -> None:
    value = drawn(50, string.ascii_lowercase + string.digits + '!@#$%^&*(-_=+)')
    assert found_in(f"SECRET_KEY = '{value}'") == 'key or password'


@pytest.mark.parametrize(
    'line',
    [
        # no credential by its name
        f'digest = "{drawn(64, HEX)}"',
        f'cache_key = "{drawn(40)}"',
        f'public_key = "{drawn(40)}"',
        f'password_hash = "{drawn(60)}"',
        f'next_page_token = "{drawn(40)}"',
        f'keyword = "{drawn(40)}"',
        f'url = "https://host:8000/{drawn(30)}"',
        f'secret_id = "{drawn(30)}"',
        # nothing random
        'api_key = "your-api-key-goes-here-123456"',
        'password = "correct-horse-battery-staple-42"',
        'SECRET_KEY = "django-insecure-a1b2c3d4e5f6g7h8i9"',
        'token = "0123456789abcdef0123456789abcdef"',
        'token = "aaaaaaaaaaaaaaaaaaaaaaaa1111"',
        'secret_name = "projects/p1/secrets/s2/versions/v3"',
        'access_token = "7488a646-e31f-11e4-aace-600308960662"',
        'auth_token = "4f2ab09c11de"',
        f'token = "{drawn(20, HEX)}"',
        'password = get_password_from_keychain2(account1)',
        'token = tokenizer.convert_tokens_to_ids3(vocab2)',
        'api_key: str | None = None  # from the environment',
        'secret = os.environ["MY_SECRET_NUMBER_12345"]',
        'token = "------------------------------"',
    ],
)
def test_source_code_about_credentials_is_none(line: str) -> None:
    assert found_in(line) is None


PRIVATE_KEY = '\n'.join(
    [
        '-----BEGIN RSA PRIVATE KEY-----',
        'Proc-Type: 4,ENCRYPTED',
        'DEK-Info: AES-128-CBC,0123',
        '',
        *(drawn(64, BASE64) for _ in range(50)),
        '-----END RSA PRIVATE KEY-----',
    ]
)


@pytest.mark.parametrize('kind', ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])
@pytest.mark.parametrize(
    'template', ['{}\n{}', 'KEY = """{}\n{}', '"{}\\n{}', '    "{}"\n    "{}"']
)
def test_a_private_key_is_found_in_any_wrapping(kind: str, template: str) -> None:
    head = f'-----BEGIN {kind}PRIVATE KEY-----'
    assert found_in(template.format(head, drawn(64, BASE64))) == 'private key'


def test_a_pgp_key_is_found() -> None:
    head = '-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n'
    assert found_in(head + drawn(64, BASE64)) == 'private key'


def test_code_that_reads_keys_is_none() -> None:
    assert found_in("if line == '-----BEGIN PRIVATE KEY-----':\n    read(line)") is None
    assert found_in('-----BEGIN PUBLIC KEY-----\n' + drawn(64, BASE64)) is None


def test_every_part_of_a_private_key_is_one() -> None:
    """A window of lines may start in the middle of the key, and end before its end."""
    lines = ['x = 1', 'y = 2', *PRIVATE_KEY.split('\n'), 'z = 3', drawn(64, BASE64)]
    start = lines.index('') + 2
    for first in range(start, start + 49):
        assert find_secret(lines, LineSpan(first, first + 2)) == 'private key'
    assert find_secret(lines, LineSpan(1, 2)) is None
    assert find_secret(lines, LineSpan(len(lines) - 1, len(lines))) is None
    assert find_secret([drawn(64, BASE64)] * 300, LineSpan(290, 295)) is None


@given(st.text(max_size=300))
def test_any_text_screen_secrets(text: str) -> None:
    found_in(text)


@pytest.mark.parametrize('part', ['key', 'token ', 'eyJ-', 'xoxb-1-', '://', '1-'])
def test_no_text_takes_a_time_that_grows_with_its_square(part: str) -> None:
    lines = ['xoxb-' + part * 100_000 + '_']
    assert find_secret(lines, LineSpan(1, 1)) is None
