"""Train the embedding from pairs: `python -m training.train PAIRS --out MODEL`.

The vector of a text is the sum of its words', normalised. Training pulls a description towards its
code and away from the other code of its batch, and code likewise (a softmax over the batch, both
ways), by Adam on the table alone. Neighbours in a batch come from the same package, as the wrong
answers of a search do. The same pairs, seed, processor and versions of numpy and scipy give the
same bytes: everything runs in one thread.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

for library in ('OPENBLAS', 'OMP', 'MKL'):
    os.environ[f'{library}_NUM_THREADS'] = '1'  # sums in one order, whatever the machine

import numpy as np
import scipy.sparse as sp

from pydantic_ai_smart_search.embedding.encoder import (
    DIMENSIONS,
    GRAM_BUCKETS,
    Vectors,
    find_words,
    parts_of,
    rows_of_parts,
    take_apart,
)
from training.store import read_pairs

SEED: Final = 7
"""Any will do; it only has to stay."""

BATCH: Final = 1_024
"""Pairs a step; each is an example of what the others are not."""

CHUNK: Final = 32
"""Pairs of one package that go into a batch together."""

EPOCHS: Final = 3
"""Passes over the pairs."""

LEARNING_RATE: Final = 0.01
"""Adam's first step size; it falls to a tenth along a line."""

SCALE: Final = 16.0
"""What a cosine is multiplied by before the softmax."""

MIN_PAIRS: Final = 8
"""Pairs a part has to occur in to get a row of its own."""

MAX_PARTS: Final = 25_000
"""Rows of the vocabulary: with the buckets and 128 dimensions 4.2 MB."""


def choose_vocabulary(words: Sequence[bytes], pairs_with: np.ndarray) -> list[str]:
    """The parts in most pairs, most frequent first, ties in alphabetical order."""
    counts: Counter[str] = Counter()
    for word, count in zip(words, pairs_with.tolist(), strict=True):
        for part in set(parts_of(word)):
            counts[part] += count
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_PARTS]
    return [part for part, count in common if count >= MIN_PAIRS]


class Texts:
    """The words of many texts, as numbers."""

    def __init__(self) -> None:
        self.ids: dict[bytes, int] = {}

    def count(self, texts: Sequence[str]) -> sp.csr_matrix:
        """How often each text has each word, damped by the square root."""
        columns: list[int] = []
        values: list[float] = []
        ends = [0]
        for text in texts:
            counts = Counter(find_words(text))
            columns += (self.ids.setdefault(word, len(self.ids)) for word in counts)
            values += (count**0.5 for count in counts.values())
            ends.append(len(columns))
        return sp.csr_matrix(
            (np.array(values, np.float32), np.array(columns, np.int32), np.array(ends))
        )


def row_matrix(words: Sequence[bytes], parts: Sequence[str]) -> sp.csr_matrix:
    """Words by rows of the table."""
    spelling = take_apart(words)
    numbers, ends = spelling.of_words
    of_words = sp.csr_matrix((np.ones(len(numbers), np.float32), numbers, np.append(0, ends)))
    of_words.resize(len(words), len(spelling.parts))
    rows, ends = rows_of_parts(spelling.parts, {part: row for row, part in enumerate(parts)})
    counts = np.diff(ends, prepend=0)
    weights = np.repeat((1 / counts).astype(np.float32), counts)
    shape = (len(spelling.parts), len(parts) + GRAM_BUCKETS)
    return of_words @ sp.csr_matrix((weights, rows, np.append(0, ends)), shape=shape)


def batches(packages: Sequence[str], rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Every pair once, in batches made of chunks of one package each."""
    order = rng.permutation(len(packages))
    grouped = order[np.argsort(np.array(packages)[order], kind='stable')]
    chunks = np.array_split(grouped, max(1, len(grouped) // CHUNK))
    shuffled = np.concatenate([chunks[at] for at in rng.permutation(len(chunks))])
    for start in range(0, len(shuffled) - BATCH + 1, BATCH):
        yield shuffled[start : start + BATCH]


def normalise(sums: Vectors) -> tuple[Vectors, Vectors]:
    """Rows of length 1, and the lengths they had."""
    norms = np.linalg.norm(sums, axis=1, keepdims=True) + np.float32(1e-6)
    return sums / norms, norms


def step(table: Vectors, asked: sp.csr_matrix, answers: sp.csr_matrix) -> tuple[float, Vectors]:
    """The loss of one batch and its gradient for the table."""
    q, q_norms = normalise(asked @ table)
    c, c_norms = normalise(answers @ table)
    scores = SCALE * (q @ c.T)
    scores -= scores.max()
    e = np.exp(scores)
    by_row = e / e.sum(1, keepdims=True)
    by_column = e / e.sum(0, keepdims=True)
    n = len(q)
    loss = -0.5 * float(np.log(by_row.diagonal()).mean() + np.log(by_column.diagonal()).mean())
    slope = by_row + by_column
    slope[np.arange(n), np.arange(n)] -= 2
    slope *= SCALE / (2 * n)
    to_q, to_c = slope @ c, slope.T @ q
    to_q = (to_q - q * (q * to_q).sum(1, keepdims=True)) / q_norms
    to_c = (to_c - c * (c * to_c).sum(1, keepdims=True)) / c_norms
    return loss, asked.T @ to_q + answers.T @ to_c


class Adam:
    """Kingma and Ba, 2015, with their constants."""

    def __init__(self, table: Vectors) -> None:
        self.mean = np.zeros_like(table)
        self.square = np.zeros_like(table)
        self.steps = 0

    def update(self, table: Vectors, gradient: Vectors, rate: float) -> None:
        """Move `table` a step down the gradient, in place."""
        self.steps += 1
        self.mean += np.float32(0.1) * (gradient - self.mean)
        self.square += np.float32(0.001) * (gradient * gradient - self.square)
        size = rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        table -= np.float32(size) * self.mean / (np.sqrt(self.square) + np.float32(1e-8))


def train(
    asked: sp.csr_matrix, answers: sp.csr_matrix, packages: Sequence[str], epochs: int
) -> Vectors:
    """The table, from random rows scaled by how rare each is."""
    rng = np.random.default_rng(SEED)
    table = rng.standard_normal((asked.shape[1], DIMENSIONS), dtype=np.float32) / np.float32(
        DIMENSIONS**0.5
    )
    seen = np.asarray((answers > 0).sum(0)).ravel() + np.asarray((asked > 0).sum(0)).ravel() + 1
    table *= np.log(2 * len(packages) / seen + 1).astype(np.float32)[:, None] / np.float32(5)
    adam = Adam(table)
    total = epochs * (len(packages) // BATCH)
    for epoch in range(epochs):
        started, losses = time.perf_counter(), []
        for batch in batches(packages, rng):
            loss, gradient = step(table, asked[batch], answers[batch])
            adam.update(table, gradient, LEARNING_RATE * (1 - 0.9 * adam.steps / total))
            losses.append(loss)
        print(
            f'epoch {epoch + 1}: loss {np.mean(losses):.3f}, {time.perf_counter() - started:.0f} s',
            file=sys.stderr,
        )
    return table


def quantise(table: Vectors) -> tuple[np.ndarray, Vectors]:
    """Whole numbers from -127 to 127, and what each row of them is multiplied by."""
    scales = np.abs(table).max(1) / 127
    scales[scales == 0] = 1
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def path_words(path: str) -> str:
    """The words of a path that a search would see: without the package's own folder and suffix."""
    return ' '.join(path.rsplit('.', 1)[0].split('/')[-2:])


def main() -> None:
    """Read the arguments, train, and write the artefact with its digest beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('pairs', type=Path, nargs='+', help='.jsonl.gz of pairs')
    parser.add_argument('--out', type=Path, required=True, help='.npz to write')
    args = parser.parse_args()
    pairs = [pair for path in args.pairs for pair in read_pairs(path)]
    texts = Texts()
    asked = texts.count([pair.description for pair in pairs])
    answers = texts.count([f'{path_words(pair.path)}\n{pair.code}' for pair in pairs])
    words = list(texts.ids)
    asked.resize(len(pairs), len(words))
    parts = choose_vocabulary(words, np.asarray(((asked + answers) > 0).sum(0)).ravel())
    rows = row_matrix(words, parts)
    print(f'{len(pairs)} pairs, {len(words)} words, {len(parts)} parts', file=sys.stderr)
    table = train(
        (asked @ rows).tocsr(), (answers @ rows).tocsr(), [pair.package for pair in pairs], EPOCHS
    )
    values, scales = quantise(table)
    spelled = np.frombuffer('\n'.join(parts).encode(), np.uint8)
    np.savez(args.out, parts=spelled, table=values, scales=scales)
    digest = hashlib.sha256(args.out.read_bytes()).hexdigest()
    args.out.with_suffix('.sha256').write_text(f'{digest}  {args.out.name}\n')
    print(digest)


if __name__ == '__main__':
    main()
