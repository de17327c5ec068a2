"""The index of one root: which files are in it, and their snippets, without their text."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from pydantic_ai_smart_search.lexical.bm25 import SnippetBM25
from pydantic_ai_smart_search.lexical.terms import find_words, split_word
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.source.files import Skipped, SkipReason

META_REPEATS = 3


def digest_of(raw: bytes) -> bytes:
    """16 bytes that tell one file's content from another's."""
    return blake2b(raw, digest_size=16).digest()


@dataclass(slots=True)
class IndexedFile:
    """One file of the index."""

    path: str
    digest: bytes
    lines: int
    snippets: range
    """Ids of its snippets."""
    skipped: Skipped | None


class SnippetIndex:
    """Every snippet of one root. Used by one thread at a time."""

    def __init__(self) -> None:
        self.bm25 = SnippetBM25(split_word)
        self._files: dict[str, IndexedFile] = {}
        self.file_numbers = array('I')
        self.files: list[IndexedFile] = []
        self.first_lines = array('I')
        self.last_lines = array('I')
        self.symbols: list[str | None] = []

    @property
    def snippets(self) -> int:
        """Snippets in the index."""
        return self.bm25.corpus_size

    def add(self, path: str, digest: bytes, cut: Cut) -> None:
        """Index a file, instead of what was known of it."""
        self._forget(path)
        path_words = find_words(path) * META_REPEATS
        first = len(self.symbols)
        for span, symbol in cut.snippets:
            words = find_words('\n'.join(span.slice(cut.lines)))
            words += path_words
            if symbol:
                words += find_words(symbol) * META_REPEATS
            self.bm25.add(words)
            self.first_lines.append(span.first)
            self.last_lines.append(span.last)
            self.symbols.append(symbol)
        count = len(self.symbols) - first
        self.file_numbers.extend([len(self.files)] * count)
        skipped = (
            Skipped(path, SkipReason.LONG_LINE, f'{cut.long_lines} lines') if cut.long_lines else None
        )
        file = IndexedFile(path, digest, len(cut.lines), range(first, first + count), skipped)
        self._files[path] = file
        self.files.append(file)

    def add_skipped(self, skipped: Skipped, digest: bytes) -> None:
        """Note a file that has no snippets."""
        self._forget(skipped.path)
        self._files[skipped.path] = IndexedFile(skipped.path, digest, 0, range(0), skipped)

    def _forget(self, path: str) -> None:
        file = self._files.pop(path, None)
        if file is not None and file.snippets:
            self.bm25.remove(file.snippets)

    def digest_of_indexed(self, path: str) -> bytes | None:
        """Digest of the content a file was indexed with."""
        file = self._files.get(path)
        return file and file.digest

    def lines_of(self, path: str) -> int:
        """Lines of an indexed file, 0 if it is not indexed."""
        file = self._files.get(path)
        return file.lines if file else 0

    def skipped(self) -> list[Skipped]:
        """Files indexed without snippets, or not in full."""
        return [file.skipped for file in self._files.values() if file.skipped]

    def keep_only(self, paths: set[str]) -> None:
        """Forget the files that are not among `paths`."""
        for path in [path for path in self._files if path not in paths]:
            self._forget(path)
        kept = self.bm25.compact()
        if kept is None:
            return
        self.files = [file for file in self.files if self._files.get(file.path) is file]
        self.first_lines = array('I', np.frombuffer(self.first_lines, np.uint32)[kept].tobytes())
        self.last_lines = array('I', np.frombuffer(self.last_lines, np.uint32)[kept].tobytes())
        self.symbols = [self.symbols[number] for number in kept.tolist()]
        self.file_numbers = array('I')
        first = 0
        for number, file in enumerate(self.files):
            file.snippets = range(first, first + len(file.snippets))
            self.file_numbers.extend([number] * len(file.snippets))
            first = file.snippets.stop
