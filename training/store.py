"""Pairs on disk: one JSON row each, compressed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from training.pairs import Pair


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write `pairs` in their order."""
    with gzip.open(path, 'wt', encoding='utf-8', compresslevel=1) as file:
        file.writelines(json.dumps(asdict(pair)) + '\n' for pair in pairs)


def read_pairs(path: Path) -> Iterator[Pair]:
    """The pairs in the order they were written."""
    with gzip.open(path, 'rt', encoding='utf-8') as file:
        for line in file:
            yield Pair(**json.loads(line))
