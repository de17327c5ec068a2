"""Write the notice of a release: whose work it learned from, and under what licence that is."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import Final

from training.fetch import Source, read_sources

COLUMNS: Final = 100
"""Widest line, as of all text here."""

_ABOUT: Final = """\
pydantic-ai-smart-search
Copyright (c) 2026 The pydantic-ai-smart-search maintainers

MIT licence: see LICENSE. All text and code in this distribution is of its own authors. What it
depends on is installed from distributions of its own, each with its own licence.

The shapes by which it tells tokens from other text are those that the rules of gitleaks describe
(github.com/gitleaks/gitleaks, MIT licence); the expressions are its own.

Its embedding, model.npz, was trained on descriptions and code of the packages below, taken from the
registries PyPI and npm. It holds numbers, and single words and parts of words that occur in many
of them; it holds no passage of theirs. They are named with the licence that their own metadata
names, and with thanks to their authors.
"""


def write_notice(sources: list[Source]) -> str:
    """The text, in which packages stand under their licence, in the order of `sources`."""
    paragraphs = [_ABOUT]
    for licence in sorted({source.licence for source in sources}):
        named = [
            f'{source.name} {source.version}' for source in sources if source.licence == licence
        ]
        packages = textwrap.wrap(
            ', '.join(named), COLUMNS, break_long_words=False, break_on_hyphens=False
        )
        paragraphs.append('\n'.join([f'{licence}:', *packages, '']))
    return '\n'.join(paragraphs)


def main() -> None:
    """Read the arguments and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sources', type=Path)
    parser.add_argument('notice', type=Path)
    args = parser.parse_args()
    args.notice.write_text(write_notice(read_sources(args.sources)))


if __name__ == '__main__':
    main()
