"""Looking through every file of a tree in one command, for some words, without moving the text."""

from __future__ import annotations

import os
import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

import anyio.to_thread

from pydantic_ai_smart_search.options import MAX_SOURCE_BYTES
from pydantic_ai_smart_search.source.packed import Packed, run_packed
from pydantic_ai_smart_search.source.ripgrep import SETUP, Ripgrep

_WORD: Final = r'[\w\x80-\xff]{0,40}'
"""What is left and right of a stem in its word: no term is longer than 40 characters."""

_EDGE: Final = r'(?:\b|[\x80-\xff])'
"""Where a word starts and ends: what has more than 40 characters before or after the stem is data,
of which there may be megabytes, but for a few very long names. `rg` looks at bytes, to which only
ASCII has edges.
"""

# `wc -c` knows the size of a file without reading it, and where that is not so it is quick enough.
# --text: what is binary is found out when it is read, and UTF-16 has a mark.
_SCAN: Final = rf"""{SETUP}
at=.; [ "$below" = . ] || at=./$below
produce() {{
    [ "$1" = sizes ] && walk --files --null --sort "$2" -- "$at" | xargs -0 wc -c
    printf '\0\n\n'
    walk --only-matching --ignore-case --no-unicode --text --heading --no-line-number --null \
        --color never --max-filesize {MAX_SOURCE_BYTES} --sort "$2" --regexp "$3" -- "$at"
    echo "rg exited with $?" >&2
}}
"""

_SIZE: Final = re.compile(r'^ *(\d+) \./(.+)$', re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """The words of a tree's files that hold one of some stems. Flat, as there may be millions."""

    sizes: Mapping[str, int]
    """Bytes of the files, by path relative to the root."""
    paths: Sequence[str]
    """The files with such words, in no particular order, some of them perhaps not to be read."""
    counts: array[int]
    """Words found in each of `paths`."""
    found: array[int]
    """The number of each word: those of the first of `paths`, then those of the second."""
    words: Sequence[bytes]
    """The distinct words, by number."""


async def scan_files(
    rg: Ripgrep, stems: Collection[str], sizes: Mapping[str, int] | None = None
) -> Scan | None:
    """Find the words that hold one of `stems`, in any case, in every file that `rg` lists.

    Sizes come along unless they are known. `None` where the workspace has not the tools to tell
    them, or `rg` fails.
    """
    pattern = f'{_EDGE}{_WORD}(?:{"|".join(map(_spelled, stems))}){_WORD}{_EDGE}'
    # `rg` searches in parallel and in another order each time, unless it is told to sort.
    for order in ('none', 'path'):
        asked = (*rg.setup, 'sizes' if sizes is None else 'known', order, pattern)
        packed = await run_packed(rg.workspace, _SCAN, asked)
        if packed.slices == 1:
            break
    return await anyio.to_thread.run_sync(_read_scan, packed, rg.prefix, sizes)


def _spelled(stem: str) -> str:
    """How a stem is spelled in words: `retri` is that of `retries` and of `retry`."""
    quoted = re.escape(stem)
    return f'{quoted[:-1]}[iy]' if stem.endswith('i') else quoted


def _read_scan(packed: Packed, prefix: str, sizes: Mapping[str, int] | None) -> Scan | None:
    try:
        raw = packed.unpack()
    except ValueError:
        return None
    listed, _, blocks = raw.partition(b'\0\n\n')
    if sizes is None:
        sizes = {
            path[len(prefix) :]: int(size)
            for size, path in _SIZE.findall(os.fsdecode(listed))
            if path.startswith(prefix)
        }
    start = len(f'./{prefix}')
    numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
    paths: list[str] = []
    counts, found = array('I'), array('I')
    for block in blocks.rstrip(b'\n').split(b'\n\n'):
        path, separator, words = block.partition(b'\0')
        if separator:
            before = len(found)
            found.extend(map(numbers.__getitem__, words.split(b'\n')))
            paths.append(os.fsdecode(path)[start:])
            counts.append(len(found) - before)
    if not sizes or (not paths and 'rg exited with 2' in packed.result.stderr):
        return None
    return Scan(sizes=sizes, paths=paths, counts=counts, found=found, words=list(numbers))
