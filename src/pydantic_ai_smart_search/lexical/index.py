"""The index of one root: its files, and where their snippets are. It keeps no text."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.embedding.encoder import Embedding
from pydantic_ai_smart_search.lexical.bm25 import SnippetBM25
from pydantic_ai_smart_search.lexical.postings import Numbers, Segment
from pydantic_ai_smart_search.lexical.terms import find_words, split_word
from pydantic_ai_smart_search.lexical.vectors import SnippetVectors
from pydantic_ai_smart_search.lexical.words import Bag
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.source.files import FileState, Skipped, SkipReason, SourceFile
from pydantic_ai_smart_search.source.kinds import FileKind, kind_of

NAME_REPEATS: Final = 3
"""How often a snippet has the words of its path, and of its symbol, besides those of its text.
With 1, recall@24 of commits falls from .68 to .64 (`benchmarks/results/ablation-2026-11-29.json`).
"""

DIGEST_BYTES: Final = 16
"""Enough that two contents of one file never share a digest: 2**64 would have to be tried."""


def digest_of(raw: bytes) -> bytes:
    """Digest that tells one content of a file from another."""
    return blake2b(raw, digest_size=DIGEST_BYTES).digest()


class Content(NamedTuple):
    """What tells one content of a file from another."""

    digest: bytes
    size: int = 0
    """Bytes."""
    state: FileState | None = None
    """State of the file in which it has this content, if that can be told by it."""

    @classmethod
    def of(cls, file: SourceFile) -> Content:
        """The content of a file as it was read."""
        return cls(digest_of(file.raw), len(file.raw), file.state)


@dataclass(slots=True)
class IndexedFile:
    """One file of the index."""

    path: str
    """Relative to the root."""
    kind: FileKind
    content: Content
    """What was indexed."""
    lines: int
    snippets: range
    """Numbers of its snippets, in line order."""
    notes: Sequence[Skipped]
    """Why it was not indexed, or not in full."""


_REMOVED: Final = IndexedFile('', FileKind.CODE, Content(b''), 0, range(0), ())
"""Whose the removed snippets of a restored index are."""


class IndexPart(NamedTuple):
    """All that an index holds, in flat arrays that another process can hand over."""

    files: Sequence[IndexedFile]
    first_lines: array[int]
    last_lines: array[int]
    symbols: Sequence[str | None]
    segments: Sequence[Segment]
    lengths: Numbers
    terms: Sequence[str]
    """The terms by the numbers that the segments call them by."""
    vectors: NDArray[np.int8] | None


class IndexedSnippet(NamedTuple):
    """Where a snippet is."""

    file: IndexedFile
    span: LineSpan
    symbol: str | None


class SnippetIndex:
    """The snippets of one root: where they are, and their terms. For one thread at a time."""

    bm25: SnippetBM25
    """The terms of each snippet, by its number."""
    vectors: SnippetVectors | None
    """The meaning of each snippet that has settled in `bm25`; `None` where only words count."""
    files: list[IndexedFile]
    """Files by the number that `file_of` gives; some of them no longer in the index."""
    lines: int
    """Lines of all files together."""
    size: int
    """Bytes of all files together."""

    first_lines: array[int]
    """First line of each snippet, by its number; of removed snippets too."""
    last_lines: array[int]
    """Last line of each."""
    symbols: list[str | None]
    """Symbol of each."""
    epoch: int
    """How often the snippets have been numbered anew."""
    problem: str
    """Why the index is not kept on disk though it should be; empty if nothing is wrong."""

    def __init__(self, *, use_embedding: bool = False) -> None:
        """With the embedding, snippets are found by their meaning too."""
        self.vectors = SnippetVectors(Embedding.load()) if use_embedding else None
        self.epoch = 0
        self.problem = ''
        self.bm25 = SnippetBM25(
            split_word,
            name_repeats=NAME_REPEATS,
            on_seal=self.vectors.add if self.vectors else None,
        )
        self.files = []
        self.lines = 0
        self.size = 0
        self._by_path: dict[str, IndexedFile] = {}
        self._file_numbers = array('I')
        self.first_lines = array('I')
        self.last_lines = array('I')
        self.symbols = []

    @property
    def snippets(self) -> int:
        """Snippets in the index."""
        return self.bm25.corpus_size

    @property
    def file_of(self) -> Numbers:
        """The number of each snippet's file; of removed snippets too."""
        return np.array(self._file_numbers, np.uint32)

    def snippet(self, number: int) -> IndexedSnippet:
        """The snippet of that number."""
        return IndexedSnippet(
            self.files[self._file_numbers[number]],
            LineSpan(self.first_lines[number], self.last_lines[number]),
            self.symbols[number],
        )

    def indexed_files(self) -> list[IndexedFile]:
        """The files in the index that have snippets, in path order."""
        return [file for _, file in sorted(self._by_path.items()) if file.snippets]

    def add(self, path: str, content: Content, cut: Cut, doubt: Skipped | None = None) -> None:
        """Index a file, instead of what was known of it; `doubt` is kept as a note on its text."""
        path_words = find_words(path)
        bags = [
            Bag(find_words('\n'.join(span.slice(cut.lines))), path_words + find_words(symbol or ''))
            for span, symbol in cut.snippets
        ]
        notes = [doubt] if doubt else []
        if cut.long_lines:
            notes.append(Skipped(path, SkipReason.LONG_LINE, f'{cut.long_lines} lines'))
        first = len(self.symbols)
        numbers = range(first, first + len(bags))
        file = IndexedFile(path, kind_of(path), content, len(cut.lines), numbers, notes)
        self._put(file)
        if not bags:
            return
        self._file_numbers.extend([len(self.files)] * len(bags))
        self.files.append(file)
        self.bm25.add(bags)
        self.first_lines.extend([span.first for span, _ in cut.snippets])
        self.last_lines.extend([span.last for span, _ in cut.snippets])
        self.symbols.extend([symbol for _, symbol in cut.snippets])

    def hand_over(self) -> IndexPart:
        """All that an index holds from which nothing was ever removed."""
        self.bm25.settle()
        return IndexPart(
            list(self._by_path.values()),
            self.first_lines,
            self.last_lines,
            self.symbols,
            self.bm25.segments,
            self.bm25.lengths,
            self.bm25.terms(0),
            self.vectors.rows(0) if self.vectors else None,
        )

    def absorb(self, part: IndexPart) -> None:
        """Add the files of another index, as if they were added here in the same order."""
        first = len(self.symbols)
        for file in part.files:
            file.snippets = range(first + file.snippets.start, first + file.snippets.stop)
            self._put(file)
            if file.snippets:
                self._file_numbers.extend([len(self.files)] * len(file.snippets))
                self.files.append(file)
        self.bm25.absorb(part.segments, part.lengths, part.terms)
        if self.vectors is not None and part.vectors is not None:
            self.vectors.append(part.vectors)
        self.first_lines.extend(part.first_lines)
        self.last_lines.extend(part.last_lines)
        self.symbols.extend(part.symbols)

    def add_skipped(self, skipped: Skipped, content: Content) -> None:
        """Note a file that has no snippets, instead of what was known of it."""
        path = skipped.path
        self._put(IndexedFile(path, kind_of(path), content, 0, range(0), [skipped]))

    def keep_only(self, paths: set[str]) -> None:
        """Forget the files that are not among `paths`."""
        for path in [path for path in self._by_path if path not in paths]:
            self._forget(path)
        kept = self.bm25.compact()
        if kept is not None:
            self._renumber(kept)

    def file(self, path: str) -> IndexedFile:
        """A file of the index."""
        return self._by_path[path]

    def contents(self) -> dict[str, tuple[Content, range]]:
        """Of every file its content and the numbers of its snippets."""
        return {path: (file.content, file.snippets) for path, file in self._by_path.items()}

    def restore(
        self,
        files: Sequence[IndexedFile],
        first_lines: array[int],
        last_lines: array[int],
        symbols: list[str | None],
    ) -> None:
        """Fill an empty index whose `bm25` is restored already; each array goes by snippet."""
        self.first_lines, self.last_lines, self.symbols = first_lines, last_lines, symbols
        self.files = sorted(
            (file for file in files if file.snippets), key=lambda file: file.snippets.start
        )
        file_numbers = np.full(len(symbols), len(self.files), np.uint32)
        for number, file in enumerate(self.files):
            file_numbers[file.snippets.start : file.snippets.stop] = number
        self.files.append(_REMOVED)
        self._file_numbers = array('I', file_numbers.tobytes())
        for file in files:
            self._put(file)
        self.bm25.revive([file.snippets for file in files])

    def is_in_state(self, path: str, state: FileState | None) -> bool:
        """Whether a file is in the index with the content it has in `state`, as far as is known."""
        file = self._by_path.get(path)
        return file is not None and state is not None and file.content.state == state

    def has_digest(self, path: str, digest: bytes | None) -> bool:
        """Whether a file is in the index with the content of this digest."""
        file = self._by_path.get(path)
        return file is not None and file.content.digest == digest

    def confirm(self, file: SourceFile) -> bool:
        """Whether a file is in the index with its content, whose state is noted if it is."""
        known = self._by_path.get(file.path)
        if known is None:  # as all are at first: that takes no digest
            return False
        content = Content.of(file)
        if content.digest != known.content.digest:
            return False
        known.content = content
        return True

    def lines_of(self, path: str) -> int:
        """Lines of a file, 0 if it is not in the index or was skipped."""
        file = self._by_path.get(path)
        return file.lines if file else 0

    def skipped(self) -> list[Skipped]:
        """Files of the index that have no snippets, or whose text is in doubt or incomplete."""
        return [note for file in self._by_path.values() for note in file.notes]

    def _put(self, file: IndexedFile) -> None:
        self._forget(file.path)
        self._by_path[file.path] = file
        self.lines += file.lines
        self.size += file.content.size

    def _forget(self, path: str) -> None:
        file = self._by_path.pop(path, None)
        if file is None:
            return
        self.lines -= file.lines
        self.size -= file.content.size
        if file.snippets:
            self.bm25.remove(file.snippets)

    def _renumber(self, kept: NDArray[np.int64]) -> None:
        """Follow the numbers of `bm25`, of which `kept` are the old ones."""
        self.epoch += 1
        if self.vectors is not None:
            self.vectors.keep(kept)
        numbers: list[int] = kept.tolist()
        self.first_lines = array('I', [self.first_lines[number] for number in numbers])
        self.last_lines = array('I', [self.last_lines[number] for number in numbers])
        self.symbols = [self.symbols[number] for number in numbers]
        self.files = [file for file in self.files if self._by_path.get(file.path) is file]
        self._file_numbers = array('I')
        for number, file in enumerate(self.files):
            first = len(self._file_numbers)
            file.snippets = range(first, first + len(file.snippets))
            self._file_numbers.extend([number] * len(file.snippets))
