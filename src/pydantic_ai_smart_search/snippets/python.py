"""What the outline has to know about Python.

Its spans are those of `ast` (tests compare them over the standard library) for a fraction of the
time. Nothing is parsed, so nothing warns, exhausts a stack, or depends on the Python that runs.
"""

from __future__ import annotations

import re
from typing import Final

from pydantic_ai_smart_search.snippets.structure import BLOCK_LINES
from pydantic_ai_smart_search.snippets.syntax import OUTSIDE_FUNCTIONS, Declaration, Syntax

# Escapes count outside strings, too: a backslash goes on with its line, and without them each quote
# of a row of escaped ones would be tried as the start of a string.
_HIDDEN: Final = r"""
    \"\"\" (?: [^"\\]++ | \\. | "(?!"") )*+ (?: \"\"\" | \Z )
  | ''' (?: [^'\\]++ | \\. | '(?!'') )*+ (?: ''' | \Z )
  | " [^"\\\n]*+ (?: \\. [^"\\\n]*+ )*+ "
  | ' [^'\\\n]*+ (?: \\. [^'\\\n]*+ )*+ '
  | \#[^\n]*+
  | \\.
"""

PYTHON: Final = Syntax(
    hidden=re.compile(_HIDDEN, re.DOTALL | re.VERBOSE),
    # A string that is a statement is a docstring: the first of its body, or of the field above it.
    marks=re.compile(
        r"""(?P<comment>\#)|(?P<lead>@)|(?P<clause>(?:else|elif|except|finally)\b)"""
        r"""|(?P<continuation>[)\]}]|[bfrtuBFRTU]{0,2}["'])"""
    ),
    declarations=(
        Declaration(re.compile(r'(?:async\s+)?def\s+(\w+)')),
        Declaration(re.compile(r'class\s+(\w+)'), is_container=True),
        Declaration(
            re.compile(r'(\w+)\s*(?::[^=]*)?=(?!=)'),
            places=OUTSIDE_FUNCTIONS,
            min_lines=BLOCK_LINES,
        ),
        # Cython.
        Declaration(re.compile(r'cp?def\s+class\s+(\w+)'), is_container=True),
        Declaration(re.compile(r'cp?def\s[^(]*?\b(\w++)\s*\(')),
    ),
    token=re.compile(rf'{_HIDDEN} | [()\[\]{{}}] | \n', re.DOTALL | re.VERBOSE),
)
"""Python of any version, and what is written like it."""
