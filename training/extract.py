"""Make the training pairs from fetched archives: `python -m training.extract ARCHIVES OUT`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from training.pairs import Pair, pairs_of, read_archive
from training.store import write_pairs

MAX_PAIRS: Final = 4_000
"""Pairs kept of one package, so that a giant's habits are not the model's."""

MAX_REPEATS: Final = 2
"""Pairs kept with one description or with one code: the rest are copies."""

PROCESSES: Final = 2
"""Archives read at once; the pairs do not depend on it."""


def extract(archive: Path, excluded: frozenset[str]) -> list[Pair]:
    """At most `MAX_PAIRS` pairs of one archive, chosen by digest so that any file may contribute.

    What is excluded makes no room for others, which nobody has compared.
    """
    found = {
        pair.digest: pair
        for path, raw in read_archive(archive)
        for pair in pairs_of(archive.name, path, raw)
    }
    chosen = sorted(found)[:MAX_PAIRS]
    return [found[digest] for digest in chosen if digest not in excluded]


def without_copies(archives: Iterable[Path], extracted: Iterable[list[Pair]]) -> Iterator[Pair]:
    """The pairs of all archives, without the copies of a description or a code."""
    seen: Counter[str] = Counter()
    for archive, pairs in zip(archives, extracted, strict=True):
        kept = 0
        for pair in pairs:
            if max(seen[pair.description.lower()], seen[pair.code]) < MAX_REPEATS:
                seen[pair.description.lower()] += 1
                seen[pair.code] += 1
                kept += 1
                yield pair
        print(f'{archive.name}\t{kept}', file=sys.stderr)


def main() -> None:
    """Read the arguments and write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('archives', type=Path, help='directory of wheels and npm tarballs')
    parser.add_argument('out', type=Path, help='.jsonl.gz to write')
    parser.add_argument('--exclude', type=Path, help='file of digests of pairs to leave out')
    args = parser.parse_args()
    excluded = frozenset(args.exclude.read_text().split()) if args.exclude else frozenset[str]()
    archives = sorted(path for path in args.archives.iterdir() if path.suffix in {'.whl', '.tgz'})
    with ProcessPoolExecutor(PROCESSES) as pool:
        extracted = pool.map(partial(extract, excluded=excluded), archives)
        write_pairs(args.out, without_copies(archives, extracted))


if __name__ == '__main__':
    main()
