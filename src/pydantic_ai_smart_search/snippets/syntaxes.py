"""What the outline has to know about languages other than Python, a family at a time.

They serve where no grammar is installed, so they name what most code of a family declares and leave
the rest. Every pattern takes time linear in the length of a line.
"""

from __future__ import annotations

import re
from typing import Final

from pydantic_ai_smart_search.snippets.structure import BLOCK_LINES
from pydantic_ai_smart_search.snippets.syntax import (
    IN_CONTAINERS,
    OUTSIDE_FUNCTIONS,
    Declaration,
    Place,
    Syntax,
)

# Escapes count outside strings, too: a backslash goes on with its line, and without them each quote
# of a row of escaped ones would be tried as the start of a string.
_STRINGS: Final = r"""
    \"\"\" [^"\\]*+ (?: (?: \\. | "(?!"") ) [^"\\]*+ )*+ (?: \"\"\" | \Z )
  | " [^"\\\n]*+ (?: \\. [^"\\\n]*+ )*+ "
  | ' [^'\\\n]*+ (?: \\. [^'\\\n]*+ )*+ '
  | \\.
"""
_SLASHES: Final = rf'//[^\n]*+ | /\* .*? (?: \*/ | \Z ) | {_STRINGS}'
_BACKTICKS: Final = r'` [^`\\]*+ (?: \\. [^`\\]*+ )*+ `'
_HASHES: Final = rf'\#[^\n]*+ | {_STRINGS}'


def _hidden(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL | re.VERBOSE)


def _function(pattern: str, places: tuple[Place, ...] = tuple(Place)) -> Declaration:
    return Declaration(re.compile(pattern), places=places)


def _container(pattern: str) -> Declaration:
    return Declaration(re.compile(pattern), is_container=True)


def _value(pattern: str) -> Declaration:
    return Declaration(re.compile(pattern), places=OUTSIDE_FUNCTIONS, min_lines=BLOCK_LINES)


def _brace_marks(comment: str = '//', lead: str = '') -> re.Pattern[str]:
    """Marks of languages with braces, given what begins a comment and what else is a lead."""
    return re.compile(
        rf'(?P<comment>{comment}|/\*)'
        r'|(?P<clause>(?:\}\s*)?(?:else|catch|finally|elseif|case)\b|default\s*:)'
        r'|(?P<lead>@[\w.]+(?:\((?:[^()]|\([^()]*+\))*+\)?)?\s*$'  # @Get("/x")
        r'|#!?\[.*\]\s*$'  # #[derive(Debug)]
        r'|\[[\w.]+(?:\(.*\))?\]\s*$'  # [HttpGet]
        rf'|template\s*<[^;{{]*${lead})'
        r'|(?P<continuation>[{})\].,:?&|=+<>]|->'
        r'|(?:where|extends|implements|throws|with|requires)\b'
        r'|(?:\w+\s+)?\w+:\s*$'  # a label, or `public:`
        r'|#\s*(?:if|el|end|error|line|nullable|pragma|region|warning))'
    )


_MODIFIERS: Final = (
    r'(?:(?:@\w+|abstract|annotation|async|companion|convenience|data|default|export|extern'
    r'|fileprivate|final|implicit|inline|inner|internal|lazy|local|mutating|native|open|override'
    r'|partial|private|protected|pub(?:\([^)]*\))?|public|readonly|required|sealed|static|suspend'
    r'|synchronized|tailrec|typedef|unsafe|value|virtual|"C")\s+)*+'
)

_KEYWORDED: Final = (
    _container(
        rf'{_MODIFIERS}(?:@?interface|actor|class|contract|enum(?:\s+(?:class|struct))?|extension'
        r'|library|message|mod|module|namespace|object|protocol|record|service|trait)\s+(\w+(?:(?:\.|::)\w+)*+)'
    ),
    _container(rf'{_MODIFIERS}(?:struct|union)\s+(?:[A-Z_]+\s+)?(\w++)[^;()=]*+$'),
    _container(r'(?:unsafe\s+)?impl\b[^{]*?\sfor\s+&?(?:mut\s+)?(?:\w+::)*+(\w+)'),
    _container(
        r'(?:unsafe\s+)?impl\b\s*+(?:<[^<>{]*(?:<[^<>{]*+>[^<>{]*+)*+>)?\s*+(?:\w+::)*+(\w+)'
    ),
    # Go's receiver is what a method belongs to: `func (c *Cache) Get`.
    _function(rf'{_MODIFIERS}func\s*\(\s*+(?:\w++\s++)?\*?\s*+(\w++)[^)]*+\)\s*(\w+)'),
    _function(
        rf'{_MODIFIERS}(?:func|fun|fn|function|def|sub|procedure|proc|macro_rules!)\s+'
        r'(?:<[^>]*>\s*)?&?([\w.]+)'
    ),
    _function(rf'{_MODIFIERS}(init|deinit|constructor|subscript)\b[^=]*$', IN_CONTAINERS),
)
_TYPE: Final = _function(r'type\s+(\w+)\s+(?:struct|interface|func)\b')
_VALUE: Final = _value(rf'{_MODIFIERS}(?:type|let|val|var|const)\s+(?:mut\s+)?(\w+)')

# Where a type, not a keyword, begins a function: `static int *foo(char *name) {`.
_TYPED_HEAD: Final = (
    r'(?!(?:return|else|new|throw|goto|delete|case|typedef|using|import|package|await)\b)'
    r'(?:[\w<>\[\],.?&:*@~]+\s+){0,8}[*&]*'
    r'(?!(?:if|for|while|switch|catch|return|foreach|lock|fixed|sizeof|defined|using)\b)'
    r'(~?[\w:]+|operator\s*[^\s\w(]+)\s*\('
)
_TYPED: Final = (
    _function(_TYPED_HEAD, IN_CONTAINERS),
    # Elsewhere, what ends with a semicolon is a call or a mere prototype.
    _function(rf'{_TYPED_HEAD}(?:[^;]*|[^;{{]*\{{.*)$', OUTSIDE_FUNCTIONS),
)

BRACES: Final = Syntax(
    hidden=_hidden(_SLASHES),
    marks=_brace_marks(),
    declarations=(*_KEYWORDED, _VALUE),
)
"""Rust, Kotlin, Swift, Scala and what looks like them."""

BACKTICKS: Final = Syntax(
    hidden=_hidden(f'{_SLASHES} | {_BACKTICKS}'),
    marks=_brace_marks(),
    declarations=(*_KEYWORDED, _TYPE, _VALUE),
)
"""Go, whose raw strings span lines."""

TYPED: Final = Syntax(
    hidden=_hidden(_SLASHES),
    # A return type may have a line of its own.
    marks=_brace_marks(lead=r'|(?:[A-Za-z_]\w*\s+)*+[A-Za-z_]\w*+\s*+(?:\*++\s*)?$'),
    declarations=(*_KEYWORDED, *_TYPED, _value(r'#\s*define\s+(\w+)')),
)
"""C, C++, Java, C#, Dart and what looks like them."""

PHP: Final = Syntax(
    hidden=_hidden(f'{_HASHES} | {_SLASHES}'),
    marks=_brace_marks(r'//|#(?!\[)'),
    declarations=_KEYWORDED,
)
"""PHP: comments begin with a hash, too."""

_EXPORT: Final = r'(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?'
_BINDING: Final = rf'{_EXPORT}(?:const|let|var)\s+([\w$]+)\s*(?::[^=]*)?=\s*'
_MEMBER: Final = (
    r'(?:(?:public|private|protected|static|async|readonly|override|abstract|get|set)\s+)*+\*?\s*'
    r'(?!(?:if|for|while|switch|catch|return|function)\b)([#\w$]+)[?!]?\s*'
)

JAVASCRIPT: Final = Syntax(
    hidden=_hidden(f'{_SLASHES} | {_BACKTICKS}'),
    marks=_brace_marks(),
    declarations=(
        _container(
            rf'{_EXPORT}(?:class|interface|namespace|module|(?:const\s+)?enum)\s+'
            r'(?!extends\b)([\w$.]+)'
        ),
        _function(rf'{_EXPORT}(?:async\s+)?function\s*\*?\s*([\w$]+)'),
        _function(rf'{_BINDING}(?:async\s*)?(?:function\b|\([^;]*$|[\w$]+\s*=>|$)'),
        _function(r'(?:module\.)?exports\.([\w$]+)\s*=\s*(?:async\s+)?function\b'),
        _function(r'(?!exports\b|module\b)([\w$]+)\.(?:prototype\.)?([\w$]+)\s*=\s*function\b'),
        _container(rf'{_BINDING}(?:class\b|\{{\s*$)'),
        _function(rf'{_EXPORT}type\s+([\w$]+)[^=]*=', OUTSIDE_FUNCTIONS),
        _value(_BINDING),
        _function(rf'{_MEMBER}(?:<[^()]*>)?\([^;]*$', IN_CONTAINERS),
        _function(
            rf'{_MEMBER}(?:[=:]|:[^=]*+=)\s*(?:async\s*)?(?:function\b|\([^;]*$|[\w$]+\s*=>)',
            IN_CONTAINERS,
        ),
    ),
)
"""JavaScript and TypeScript."""

WORDS: Final = Syntax(
    hidden=_hidden(rf'(?m:^)=begin\b .*? (?: (?m:^)=end\b | \Z ) | {_HASHES}'),
    marks=re.compile(
        r'(?P<comment>#|=begin\b)'
        r'|(?P<lead>@(?:doc|spec|impl|deprecated|typedoc)\b)'
        r'|(?P<clause>(?:else|elsif|elseif|rescue|ensure|catch|after|when)\b)'
        r'|(?P<continuation>(?:end|then|do)\b|[)\]}|.&])'
    ),
    declarations=(
        _container(
            r'(?:class|module|defmodule|defprotocol|defimpl|(?:mutable\s+)?struct)\s+([\w.:]+)'
        ),
        _function(r'(?:private\s+|protected\s+)?def\s+(?:self\.)?([\w?!=]+|[^\s\w(]+)'),
        _function(r'(?:defp|defmacrop?|defguardp?|defdelegate|function|macro)\s+([\w.?!]+)'),
        _value(r'([A-Z]\w*)\s*='),
    ),
)
"""Ruby, Elixir, Julia, Crystal: blocks end with a word."""

LUA: Final = Syntax(
    hidden=_hidden(
        rf'--\[\[ .*? (?: \]\] | \Z ) | --[^\n]*+ | \[\[ .*? (?: \]\] | \Z ) | {_STRINGS}'
    ),
    marks=re.compile(
        r'(?P<comment>--)|(?P<clause>(?:else|elseif)\b)|(?P<continuation>(?:end|until)\b|[)\]}])'
    ),
    declarations=(
        _function(r'(?:local\s+)?function\s+([\w.:]+)'),
        _function(r'(?:local\s+)?([\w.]+)\s*=\s*function\b'),
        _value(r'(?:local\s+)?([\w.]+)\s*='),
    ),
)
"""Lua."""

SHELL: Final = Syntax(
    hidden=_hidden(_HASHES),
    marks=re.compile(
        r'(?P<comment>#)|(?P<clause>(?:else|elif|elsif|elseif|catch|finally)\b)'
        r'|(?P<continuation>(?:fi|done|esac|then|do)\b|;;|[{)}\]|&])'
    ),
    declarations=(
        _function(r'([\w:.-]+)\s*\(\)'),
        _function(r'(?:function!?|sub|proc|package|func)\s+([\w:.-]+)'),
        _function(r'([\w.]+)\s*(?:<-|=)\s*function\b'),
        _container(r'class\s+([\w:]+)'),
        _value(r'(?:[\w]+\s+)?[$@%]?([\w.]+)\s*(?:<-|=)'),
    ),
)
"""Shells, Perl, R, Tcl, PowerShell: a hash begins a comment."""

MAKE: Final = Syntax(
    hidden=_hidden(r'\#[^\n]*+'),
    marks=re.compile(r'(?P<comment>#)|(?P<clause>else\b)|(?P<continuation>(?:endif|endef)\b)'),
    declarations=(
        _function(r'(?!\.PHONY)([^\s:=#]++)[^:=#]*+::?(?!=)'),
        _value(r'define\s+(\S+)'),
    ),
)
"""Makefiles: a target and its recipe."""

LISP: Final = Syntax(
    hidden=_hidden(r';[^\n]*+ | " [^"\\]*+ (?: \\. [^"\\]*+ )*+ " | \\.'),
    marks=re.compile(r'(?P<comment>;)|(?P<continuation>[)\]}])'),
    declarations=(_function(r'\((?:cl-)?def[\w*-]*\s+\(?([^\s()]+)'),),
)
"""Clojure, Scheme, Common and Emacs Lisp."""

DASHES: Final = Syntax(
    hidden=_hidden(
        rf'\(\* .*? (?: \*\) | \Z ) | \{{- .*? (?: -\}} | \Z ) | --[^\n]*+ | {_STRINGS}'
    ),
    marks=re.compile(
        r'(?P<comment>--|\(\*|\{-|//)|(?P<clause>(?:else|with|when|rescue)\b)'
        r'|(?P<continuation>[)\]}|]|(?:in|end|then|where|deriving)\b)'
    ),
    declarations=(
        _container(r'(?:module|class|instance)\s+([\w.]+)'),
        _function(r'(?:let|and)\s+(?:rec\s+|inline\s+|mutable\s+)*+([\w\']+)'),
        _function(r"([a-z_][\w']*)\s*::"),
        _function(r"([a-z_][\w']*)(?:\s[^=|]*+)?=(?!=)", OUTSIDE_FUNCTIONS),
        _value(r'(?:type|data|newtype)\s+(\w+)'),
    ),
)
"""Haskell, Elm, OCaml, F#."""

SQL: Final = Syntax(
    hidden=_hidden(
        rf'--[^\n]*+ | /\* .*? (?: \*/ | \Z ) | (\$\w*\$) .*? (?: \1 | \Z ) | {_STRINGS}'
    ),
    marks=re.compile(
        r'(?P<comment>--|/\*)|(?P<continuation>[(),;]|(?:and|as|begin|declare|end|except|from|full'
        r'|group|having|inner|intersect|into|join|left|limit|on|or|order|outer|returning|returns'
        r'|right|set|union|values|where)\b)',
        re.IGNORECASE,
    ),
    declarations=(
        Declaration(
            re.compile(
                r'create\s+(?:or\s+(?:replace|alter)\s+)?(?:\w+\s+){0,3}?(?:function|index|macro'
                r'|procedure|table|trigger|type|view)\s+(?:if\s+not\s+exists\s+)?["`\[]?([\w.]+)',
                re.IGNORECASE,
            )
        ),
    ),
)
"""SQL of any dialect."""

STYLES: Final = Syntax(
    hidden=_hidden(_SLASHES),
    marks=re.compile(r'(?P<comment>//|/\*)|(?P<continuation>[{})])'),
    declarations=(_function(r'@(?:mixin|function|keyframes)\s+([\w-]+)'),),
)
"""CSS, SCSS, Less."""

MARKUP: Final = Syntax(
    hidden=_hidden(r'<!-- .*? (?: --> | \Z )'),
    marks=re.compile(r'(?P<comment><!--)|(?P<continuation></|/?>)'),
)
"""HTML, XML and templates of them."""

KEYS: Final = Syntax(
    hidden=_hidden(r'(?!)'),
    marks=re.compile(r'(?P<comment>#|//)|(?P<continuation>[}\]])'),
    declarations=(_value(r'(?:-\s+)?["\']?([\w.$/@-]+)["\']?\s*:(?!\S)'),),
)
"""YAML and JSON: a key and what is indented below it."""
