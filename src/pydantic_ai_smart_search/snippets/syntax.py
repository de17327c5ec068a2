"""What the outline of a file needs to know of its language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple


class Place(Enum):
    """What a body belongs to."""

    FILE = auto()
    CONTAINER = auto()
    FUNCTION = auto()


OUTSIDE_FUNCTIONS: Final = (Place.FILE, Place.CONTAINER)
"""Where a line that could as well be a call declares something."""

IN_CONTAINERS: Final = (Place.CONTAINER,)
"""Where a method needs no keyword."""


class Declaration(NamedTuple):
    """One way a line declares something."""

    pattern: re.Pattern[str]
    """Its groups, joined with dots, are the name: a Go method names its type before itself."""
    is_container: bool = False
    places: tuple[Place, ...] = tuple(Place)
    min_lines: int = 1
    """Shorter statements are left unnamed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Syntax:
    """What sets one language, or a family of them, apart.

    Patterns but `hidden` and `token` are matched where the text of a line begins.
    """

    hidden: re.Pattern[str]
    """Strings and comments: no statement begins inside a match."""
    marks: re.Pattern[str]
    """What the first characters of a line say about it, by the group that matches.

    `comment`: it is only a comment. `continuation`: it begins nothing although it is indented like
    a statement, such as a closing brace. `clause`: it begins another body of the statement before
    it (`else`). `lead`: it belongs to the statement after it (a decorator).
    """
    declarations: tuple[Declaration, ...] = ()
    """The first that matches applies."""
    token: re.Pattern[str] | None = None
    """Strings, comments, brackets and line ends, where brackets suspend the indentation."""
