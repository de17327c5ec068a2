"""Credentials in the text of a file, told by their shape.

Tuned to hold back almost nothing that is none: in source code a screen that cries wolf takes
answers away, and files made of credentials are left out by name before they are read. The shapes of
tokens follow gitleaks (github.com/gitleaks/gitleaks, `config/gitleaks.toml`), a rule set that is
kept up; only those are here that their issuer made recognisable.
"""

from __future__ import annotations

import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pydantic_ai_smart_search.lines import LineSpan


class _Token(NamedTuple):
    """A kind of credential that can be recognised by itself."""

    name: str
    marks: tuple[str, ...]
    """One of them is in it: looked for first, being far quicker than the expression."""
    regex: re.Pattern[str]
    """Its first group is the part that is random."""
    source: str
    """The rule of gitleaks that describes it."""


def _token(name: str, marks: str, regex: str, source: str) -> _Token:
    alone = re.compile(rf'(?<![A-Za-z0-9]){regex}(?![A-Za-z0-9_-])')
    return _Token(name, tuple(marks.split()), alone, source)


_TOKENS: Final = (
    _token('AWS access key', 'AKIA ASIA', r'A[KS]IA([A-Z2-7]{16})', 'aws-access-token'),
    _token(
        'AWS Bedrock key', 'ABSK', r'ABSK([A-Za-z0-9+/]{109,269}={0,2})', 'aws-amazon-bedrock-*'
    ),
    _token('Google API key', 'AIza', r'AIza([\w-]{35})', 'gcp-api-key'),
    _token('Azure client secret', 'Q~', r'([\w~.]{3}\dQ~[\w~.-]{31,34})', 'azure-ad-client-secret'),
    _token(
        'DigitalOcean token',
        'dop_v1_ doo_v1_ dor_v1_',
        r'do[opr]_v1_([a-f0-9]{64})',
        'digitalocean-*',
    ),
    _token('Alibaba access key', 'LTAI', r'LTAI([A-Za-z0-9]{20})', 'alibaba-access-key-id'),
    _token('Heroku API key', 'HRKU-AA', r'HRKU-AA([\w-]{58})', 'heroku-api-key-v2'),
    _token('Vault token', 'hvs. hvb.', r'hv[sb]\.([\w-]{90,300})', 'vault-*-token'),
    _token(
        'Terraform token', '.atlasv1.', r'[A-Za-z0-9]{14}\.atlasv1\.([\w=-]{60,70})', 'hashicorp-*'
    ),
    _token(
        'GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', r'gh[opusr]_([A-Za-z0-9]{36,76})', 'github-*'
    ),
    _token('GitHub token', 'github_pat_', r'github_pat_(\w{82})', 'github-fine-grained-pat'),
    _token(
        'GitLab token',
        'glpat- gldt- glrt- glptt- glcbt- gloas- glft- glsoat- glagent- glimt-',
        r'gl(?:pat|dt|rt|ptt|cbt|oas|ft|soat|agent|imt)-([\w.-]{20,})',
        'gitlab-*',
    ),
    _token('Atlassian token', 'ATATT3', r'ATATT3([\w=-]{186})', 'atlassian-api-token'),
    _token('npm token', 'npm_', r'npm_([A-Za-z0-9]{36})', 'npm-access-token'),
    _token('PyPI token', 'pypi-', r'pypi-(AgEIcHlwaS5vcmc[\w-]{50,})', 'pypi-upload-token'),
    _token('RubyGems token', 'rubygems_', r'rubygems_([a-f0-9]{48})', 'rubygems-api-token'),
    _token(
        'Slack token', 'xox', r'xox[abeoprs]-((?:\d+-){1,4}[A-Za-z0-9-]{10,200})', 'slack-*-token'
    ),
    _token('Slack token', 'xapp-', r'xapp-\d-([A-Z0-9]+-\d+-[a-f0-9]{32,})', 'slack-app-token'),
    _token(
        'Slack webhook',
        'hooks.slack.com',
        r'hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/]{43,56})',
        'slack-webhook-url',
    ),
    _token(
        'Stripe key',
        'sk_live_ sk_test_ rk_live_ rk_test_',
        r'[sr]k_(?:live|test)_([A-Za-z0-9]{20,99})',
        'stripe-access-token',
    ),
    _token('Square token', 'sq0', r'sq0(?:atp|csp)-([\w-]{22,60})', 'square-access-token'),
    _token(
        'Shopify token',
        'shpat_ shpca_ shppa_ shpss_',
        r'shp(?:at|ca|pa|ss)_([a-fA-F0-9]{32})',
        'shopify-*',
    ),
    _token('SendGrid key', 'SG.', r'SG\.([\w-]{22}\.[\w-]{43})', 'sendgrid-api-token'),
    _token('OpenAI key', 'T3BlbkFJ', r'sk-([\w-]{20,200}T3BlbkFJ[\w-]{20,200})', 'openai-api-key'),
    _token(
        'Anthropic key', 'sk-ant-', r'sk-ant-(?:api|admin)\d\d-([\w-]{93}AA)', 'anthropic-*-key'
    ),
    _token('Hugging Face token', 'hf_', r'hf_([A-Za-z]{34})', 'huggingface-access-token'),
    _token('Databricks token', 'dapi', r'dapi([a-f0-9]{32})', 'databricks-api-token'),
    _token('Grafana token', 'glsa_', r'glsa_([A-Za-z0-9]{32}_[A-Fa-f0-9]{8})', 'grafana-service-*'),
    _token('Sentry token', 'sntry', r'sntry[su]_([\w+/=]{64,})', 'sentry-*-token'),
    _token('Linear key', 'lin_api_', r'lin_api_([A-Za-z0-9]{40})', 'linear-api-key'),
    _token('Notion token', 'ntn_', r'ntn_(\d{11}[A-Za-z0-9]{35})', 'notion-api-token'),
    _token(
        'age key', 'AGE-SECRET-KEY-1', r'AGE-SECRET-KEY-1([02-9AC-HJ-NP-Z]{58})', 'age-secret-key'
    ),
    _token('JSON web token', 'eyJ', r'eyJ[\w-]{15,500}+\.eyJ([\w-]{15,}+\.[\w-]{20,})', 'jwt'),
)

_MARKS: Final = tuple((mark, token) for token in _TOKENS for mark in token.marks)

_MIN_CHARS: Final = 20
"""Characters of the shortest token, an access key of AWS."""

_TOKEN_CHARACTERS: Final = (string.ascii_letters + string.digits + '_-./+=~').encode()
_SPACED: Final = bytes(code if code in _TOKEN_CHARACTERS else ord(' ') for code in range(256))

_PRIVATE_KEY: Final = re.compile(r'-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----')
_KEY_BODY: Final = re.compile(r'[A-Za-z0-9+/=]{40,}')
"""A line of a key: PEM has 64 characters (RFC 7468), OpenPGP up to 76 (RFC 9580)."""

_KEY_HEADER: Final = re.compile(r'(?:[\w-]+: .*)?')
"""What old formats put between the first line of a key and its body: `DEK-Info: ...`, a blank."""

_KEY_HEADER_CHARS: Final = 300
"""How far behind its first line the body of a key starts at the latest, behind the headers."""

_MAX_KEY_LINES: Final = 200
"""Lines of the longest key in use: RSA with 16,384 bits has 195."""

# A value that may be a key, no shorter than a token: in base64 or hexadecimal, or, in quotes, with
# the symbols that frameworks mix in.
_VALUE: Final = r"""(?:
    (?<=["'`])(?P<quoted>[\w+/=!@\#$%^&*()-]{20,200})(?=["'`])
  | (?P<plain>[A-Za-z0-9+/_-]{20,200})={0,2}(?![\w+/-])
)"""

# What makes a name promise a credential, as it is found in text made small.
_WORDS: Final = ('secret', 'token', 'passw', 'pwd', 'credential', 'key')
_KEYS: Final = (
    *('api', 'access', 'auth', 'account', 'private', 'encryption', 'signing', 'master', 'service'),
    'storage',
)
"""What a key has to be called after: there are keys of dictionaries, caches and keyboards too."""

_NAME_CHARS: Final = 60
"""How much of a name before and after such a word is looked at."""

_ASSIGNED: Final = re.compile(
    rf"""
    (?P<rest>[\w-]{{0,{_NAME_CHARS}}}+) ["'`\])}}]*+ \s*+
    (?: => | := | :[^=:"'`\n]{{1,30}}= | [=:,(] )
    \s* (?:[a-zA-Z]{{0,2}}["'`]{{1,3}})? {_VALUE}
    """,
    re.ASCII | re.VERBOSE,
)
_BEARER: Final = re.compile(rf'\s+{_VALUE}', re.ASCII | re.VERBOSE)
_IN_URL: Final = re.compile(rf'[^\s:/@]*:{_VALUE}(?=@)', re.ASCII | re.VERBOSE)

_NAME_CHARACTERS: Final = string.ascii_lowercase + string.digits + '_.-'

_OTHER_NAME: Final = re.compile(
    r'hash|digest|sha\d|md5|checksum|public|encoded|fingerprint|csrf|page|cursor|ur[il]|name|path|file'
    r'|_ids?\Z|cancel|type|regex|pattern|format',
)
_UUID: Final = re.compile(r'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', re.IGNORECASE)

_PLACEHOLDER: Final = re.compile(
    r'example|sample|dummy|fake|test|placeholder|changeme|change-me|your|xxxx|secret|password|token'
    r'|insecure|12345678|abcdefg|qwerty|foobar|lorem',
    re.IGNORECASE,
)


_HEXADECIMAL: Final = re.compile(r'[0-9a-f]+|[0-9A-F]+')

_MIN_DIGITS: Final = 2
"""And letters: of 20 random letters and digits one value in eight has fewer."""

_MIN_HEX_DIGITS: Final = 32
"""Shorter ones are identifiers and colours; keys have 128 bits."""

_MIN_CHANGES: Final = 0.25
"""Random text changes between small letters, capitals and digits at 0.6 of its characters, or at
0.4 if it has small letters and digits alone; identifiers made of words do at less than 0.25.
"""

_MIN_ENTROPY: Final = 3.0
"""Bits per character, as in most rules of gitleaks: 20 random letters and digits have 4."""

_KINDS: Final = str.maketrans(
    string.ascii_lowercase + string.ascii_uppercase + string.digits,
    'a' * 26 + 'A' * 26 + '0' * 10,
)


def find_secret(lines: Sequence[str], span: LineSpan) -> str | None:
    """What credential is in a span of the file with these lines, whole or in part."""
    text = '\n'.join(span.slice(lines))
    if _holds_private_key(text) or _is_inside_private_key(lines, span):
        return 'private key'
    words = _long_words(text)
    for mark, token in _MARKS:
        if mark in words and any(_is_drawn(match[1]) for match in token.regex.finditer(words)):
            return token.name
    return 'key or password' if any(map(_is_key, _assigned_values(text))) else None


def _long_words(text: str) -> str:
    """What of a text may be a token, by its characters and its length: next to nothing, usually."""
    words = text.encode('ascii', 'replace').translate(_SPACED).split()
    return b' '.join([word for word in words if len(word) >= _MIN_CHARS]).decode()


def _holds_private_key(text: str) -> bool:
    """Whether a key follows its first line; code that reads or writes keys has that line alone."""
    return 'PRIVATE KEY' in text and any(
        _KEY_BODY.search(text, match.end(), match.end() + _KEY_HEADER_CHARS)
        for match in _PRIVATE_KEY.finditer(text)
    )


def _is_inside_private_key(lines: Sequence[str], span: LineSpan) -> bool:
    """Whether a span starts in the middle of a key."""
    is_inside = False
    for line in reversed(LineSpan(1, span.first).slice(lines)[-_MAX_KEY_LINES:]):
        if _PRIVATE_KEY.search(line):
            return True
        if not _KEY_BODY.search(line) and not (is_inside and _KEY_HEADER.fullmatch(line)):
            return False
        is_inside = True
    return False


def _assigned_values(text: str) -> Iterator[str]:
    """What stands under a name that promises a credential."""
    small = text.lower()
    if len(small) != len(text):  # a few capitals outside ASCII become two characters
        small = text
    for word in _WORDS:
        for start, end in _find_all(small, word):
            if assigned := _ASSIGNED.match(text, end):
                before = small[max(start - _NAME_CHARS, 0) : start]
                before = before[len(before.rstrip(_NAME_CHARACTERS)) :]
                is_promise = word != 'key' or before.rstrip('_-').endswith(_KEYS)
                if is_promise and not _OTHER_NAME.search(before + word + assigned['rest'].lower()):
                    yield assigned['quoted'] or assigned['plain']
    for word, expression in (('bearer', _BEARER), ('://', _IN_URL)):
        for _, end in _find_all(small, word):
            if found := expression.match(text, end):
                yield found['quoted'] or found['plain']


def _find_all(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Where a word starts and ends, at each place."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        yield start, end
        start = text.find(word, end)


def _is_key(value: str) -> bool:
    """Whether a value is a key rather than a word, an identifier or a place."""
    value = value.rstrip('=')
    digits = sum(map(str.isdigit, value))
    return (
        _MIN_DIGITS <= digits <= len(value) - _MIN_DIGITS
        and _changes(value) >= _MIN_CHANGES
        and not _UUID.fullmatch(value)
        and not (len(value) < _MIN_HEX_DIGITS and _HEXADECIMAL.fullmatch(value))
        and _is_drawn(value)
    )


def _changes(value: str) -> float:
    """How often neighbouring characters are of two kinds: small letter, capital, digit."""
    kinds = ''.join(filter(str.isalnum, value)).translate(_KINDS)
    return sum(map(str.__ne__, kinds, kinds[1:])) / len(kinds)


def _is_drawn(value: str) -> bool:
    """Whether a value looks drawn at random: no placeholder, no series, few repetitions."""
    if _PLACEHOLDER.search(value):
        return False
    steps = [ord(after) - ord(before) for before, after in itertools.pairwise(value)]
    if sum(step in (0, 1) for step in steps) > len(steps) / 2:
        return False
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares) >= _MIN_ENTROPY
