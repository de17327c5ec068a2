"""What the tests read out of a Markdown page: its code blocks and its tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).parents[2]
PAGES: Final = sorted(
    [*REPOSITORY.glob('*.md'), *REPOSITORY.glob('docs/**/*.md'), *REPOSITORY.glob('examples/*.md')]
)

_BLOCK: Final = re.compile(r'^```([^\n]*)\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced code block."""

    page: Path
    line: int
    """Of the opening fence, 1-based; so many lines are before the first line of the text."""
    language: str
    text: str

    def __str__(self) -> str:
        """How a test of it is called."""
        return f'{self.page.relative_to(REPOSITORY)}:{self.line}'


def blocks(*languages: str) -> list[Block]:
    """Every code block of every page, or those in `languages`."""
    return [
        Block(page, text.count('\n', 0, match.start()) + 1, match[1], match[2])
        for page in PAGES
        for text in [page.read_text()]
        for match in _BLOCK.finditer(text)
        if not languages or match[1] in languages
    ]


def table(page: str, *header: str) -> dict[str, list[str]]:
    """The rows of the page's one table with this header, by their first cell without backticks."""
    tables = (REPOSITORY / page).read_text().split(f'| {" | ".join(header)} |\n')
    assert len(tables) == 2, f'{len(tables) - 1} tables of {page} start with {header}'
    rows: dict[str, list[str]] = {}
    for line in tables[1].splitlines()[1:]:
        if not line.startswith('|'):
            break
        first, *others = (cell.strip() for cell in line.strip('|').split('|'))
        rows[first.strip('`')] = others
    return rows
