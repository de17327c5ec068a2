"""Find pairs whose code is also in some directory: `python -m training.overlap PAIRS DIRECTORY`.

Whoever measures search on a set of repositories must not have trained on them. A pair overlaps if
one of its runs of 8 lines (all its lines, if it is shorter but no triviality) stands in a file of
the directory, blanks and indentation aside. Prints a digest for each pair that overlaps, for
`--exclude` of `extract.py`, and a table by package on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from training.pairs import BRACE_SUFFIXES, Pair
from training.store import read_pairs

RUN_LINES: Final = 8
"""Lines that two files do not share by chance, unless they are boilerplate."""

MIN_RUN_CHARS: Final = 120
"""Characters a run of fewer lines needs so as not to be alike by chance."""

SUFFIXES: Final = BRACE_SUFFIXES | {'.py', '.pyi', '.jsx', '.c', '.go', '.hh'}
"""Files that are compared with: code in the languages of the pairs, and their neighbours."""

LineIds = dict[str, int]
Run = tuple[int, ...]


def runs_of(lines: list[str]) -> Iterator[tuple[str, ...]]:
    """The runs by which some code is recognised."""
    stripped = [line.strip() for line in lines if line.strip()]
    if len(stripped) < RUN_LINES and sum(map(len, stripped)) < MIN_RUN_CHARS:
        return
    size = min(RUN_LINES, len(stripped))
    for start in range(len(stripped) - size + 1):
        yield tuple(stripped[start : start + size])


def overlapping(pairs: list[Pair], directory: Path) -> set[int]:
    """Positions of the pairs that share a run with a file below `directory`."""
    ids: LineIds = {}
    owners: defaultdict[Run, list[int]] = defaultdict(list)
    for position, pair in enumerate(pairs):
        for run in runs_of(pair.code.split('\n')):
            owners[tuple(ids.setdefault(line, len(ids) + 1) for line in run)].append(position)
    sizes = sorted({len(run) for run in owners})
    found: set[int] = set()
    for path in source_files(directory):
        text = path.read_text(encoding='utf-8', errors='replace')
        known = [ids.get(line, 0) for line in map(str.strip, text.split('\n')) if line]
        for start, first in enumerate(known):
            if first:
                for size in sizes:
                    found.update(owners.get(tuple(known[start : start + size]), ()))
    return found


def source_files(directory: Path) -> Iterator[Path]:
    """Every source file below `directory`, links not followed."""
    for folder, _, names in os.walk(directory):
        for name in names:
            path = Path(folder, name)
            if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink():
                yield path


def main() -> None:
    """Read the arguments, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('pairs', type=Path, help='.jsonl.gz of pairs')
    parser.add_argument('directory', type=Path, help='what no pair may share code with')
    args = parser.parse_args()
    pairs = list(read_pairs(args.pairs))
    found = overlapping(pairs, args.directory)
    print('\n'.join(sorted({pairs[position].digest for position in found})))
    total = Counter(pair.package for pair in pairs)
    for package, count in Counter(pairs[position].package for position in found).most_common():
        print(f'{package}\t{count} of {total[package]}', file=sys.stderr)
    print(f'all\t{len(found)} of {len(pairs)}', file=sys.stderr)


if __name__ == '__main__':
    main()
