"""Which languages there are, and how a file's is told."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Language:
    """One language, and where its grammar and its queries are found.

    The grammar `rust` is what the package `tree_sitter_rust` installs.
    """

    grammar: str
    factory: str = 'language'
    """The function of the grammar's package that gives it."""
    tags: tuple[str, ...] = ()
    """The grammars whose tags apply, in order; none where a grammar has none that can be used."""
    additions: tuple[str, ...]
    """The files of this folder that add to the tags, without `.scm`."""
    ignored: frozenset[str] = frozenset()
    """Kinds of declaration in the tags that are of no use, or that the additions find better."""
    reserved: frozenset[str] = frozenset()
    """What nothing is called, though a grammar that is misled by a macro may take it for a name."""
    joiner: str = '.'
    """Put between the names of a container and of its member to form a symbol."""


_C_KEYWORDS: Final = frozenset(
    {
        *('case', 'catch', 'do', 'else', 'for', 'if', 'return', 'sizeof', 'switch', 'while'),
        *('class', 'enum', 'extern', 'namespace', 'struct', 'template', 'union'),
    }
)

_JAVASCRIPT: Final = ('ecmascript', 'javascript')
_TYPESCRIPT: Final = ('ecmascript', 'typescript')
_TYPESCRIPT_TAGS: Final = ('javascript', 'typescript')
"""TypeScript's own tags leave out all that it has in common with JavaScript."""

LANGUAGES: Final = {
    'bash': Language(grammar='bash', additions=('bash',)),
    'c': Language(grammar='c', tags=('c',), additions=('c',), reserved=_C_KEYWORDS),
    'c_sharp': Language(grammar='c_sharp', additions=('c_sharp',)),
    'cpp': Language(
        grammar='cpp', tags=('cpp',), additions=('cpp',), reserved=_C_KEYWORDS, joiner='::'
    ),
    'elixir': Language(grammar='elixir', tags=('elixir',), additions=('elixir',)),
    'go': Language(grammar='go', tags=('go',), additions=('go',)),
    'java': Language(grammar='java', tags=('java',), additions=('java',)),
    'javascript': Language(grammar='javascript', tags=('javascript',), additions=_JAVASCRIPT),
    'kotlin': Language(grammar='kotlin', additions=('kotlin',)),
    'lua': Language(
        grammar='lua', tags=('lua',), additions=('lua',), ignored=frozenset({'function'})
    ),
    'php': Language(
        grammar='php',
        factory='language_php',
        tags=('php',),
        additions=('php',),
        ignored=frozenset({'module'}),
    ),
    'ruby': Language(grammar='ruby', tags=('ruby',), additions=('ruby',)),
    'rust': Language(grammar='rust', tags=('rust',), additions=('rust',), joiner='::'),
    'scala': Language(
        grammar='scala',
        tags=('scala',),
        additions=('scala',),
        ignored=frozenset({'function', 'module', 'property'}),
    ),
    'swift': Language(
        grammar='swift',
        tags=('swift',),
        additions=('swift',),
        ignored=frozenset({'method', 'property'}),
    ),
    'tsx': Language(
        grammar='typescript',
        factory='language_tsx',
        tags=_TYPESCRIPT_TAGS,
        additions=_TYPESCRIPT,
    ),
    'typescript': Language(
        grammar='typescript',
        factory='language_typescript',
        tags=_TYPESCRIPT_TAGS,
        additions=_TYPESCRIPT,
    ),
}
"""Every language, by a name to call it by in a test or a benchmark."""

_SUFFIXES: Final = {
    suffix: name
    for name, suffixes in {
        'bash': 'bash bats ksh sh zsh',
        'c': 'c',
        'c_sharp': 'cs csx',
        'cpp': 'c++ cc cpp cu cuh cxx h++ hh hpp hxx inl ipp ixx tpp txx',
        'elixir': 'ex exs',
        'go': 'go',
        'java': 'java',
        'javascript': 'cjs es6 js jsx mjs',
        'kotlin': 'kt kts',
        'lua': 'lua rockspec',
        'php': 'php php5 php7 php8 phtml',
        'ruby': 'gemspec podspec rake rb rbw ru',
        'rust': 'rs',
        'scala': 'sbt sc scala',
        'swift': 'swift',
        'tsx': 'tsx',
        'typescript': 'cts mts ts',
    }.items()
    for suffix in suffixes.split()
}

_FILE_NAMES: Final[dict[str, str]] = dict.fromkeys(
    ('capfile', 'fastfile', 'gemfile', 'guardfile', 'podfile', 'rakefile', 'vagrantfile'), 'ruby'
)
"""Files known by their name alone, in lower case."""

_INTERPRETERS: Final = {
    **dict.fromkeys(('ash', 'bash', 'bats', 'dash', 'ksh', 'sh', 'zsh'), 'bash'),
    **dict.fromkeys(('bun', 'deno', 'ts-node', 'tsx'), 'typescript'),
    **dict.fromkeys(('lua', 'luajit'), 'lua'),
    'elixir': 'elixir',
    'node': 'javascript',
    'php': 'php',
    'ruby': 'ruby',
}
"""What the first line of a script without a suffix runs it with, without a version."""

MAX_SHEBANG_CHARS: Final = 256
"""As much of a first line as Linux reads."""

_SHEBANG: Final = re.compile(r'#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([\w-]*?)[\d.]*(?:\s|$)')

_CPP_HEADER: Final = re.compile(
    r'^[^\S\n]*(?:class\s+\w|namespace\b|template\s*<|using\s|(?:public|private|protected)\s*:)',
    re.MULTILINE,
)
"""What tells a header of C++ from one of C; both end in `.h`."""


def language_of(path: str, text: str) -> Language | None:
    """The language of a file, by its path or else by how `text` begins; `None` for any other."""
    file_name = posixpath.basename(path).lower()
    suffix = posixpath.splitext(file_name)[1][1:]
    name = _SUFFIXES.get(suffix) or _FILE_NAMES.get(file_name)
    if suffix == 'h':
        name = 'cpp' if _CPP_HEADER.search(text) else 'c'
    elif not suffix and (shebang := _SHEBANG.match(text[:MAX_SHEBANG_CHARS])):
        name = _INTERPRETERS.get(shebang[1])
    return LANGUAGES[name] if name else None
