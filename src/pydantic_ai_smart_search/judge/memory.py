"""Judgments kept between searches, so that the same question is not paid for twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace
from hashlib import blake2b

from pydantic_ai_smart_search.judge.judge import Judgment


class JudgmentMemory:
    """The judgments of the last snippets judged, at most `capacity`, least recently used first out.

    It serves one judge with its settings. Safe to share between threads and event loops.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._judgments: OrderedDict[bytes, Judgment] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, query: str) -> bool:
        """Whether a judgment for the query is kept, of whatever evidence."""
        digest = _digest(query)
        with self._lock:
            return any(key.startswith(digest) for key in self._judgments)

    def recall(self, query: str, evidence: str) -> Judgment | None:
        """The judgment kept for a case's evidence, or `None`. It cost nothing this time."""
        key = _key(query, evidence)
        with self._lock:
            judgment = self._judgments.get(key)
            if judgment is None:
                return None
            self._judgments.move_to_end(key)
        return replace(judgment, input_tokens=0, output_tokens=0)

    def keep(self, query: str, evidence: str, judgment: Judgment) -> None:
        """Keep a judgment, forgetting the least recently used one if there is no room."""
        key = _key(query, evidence)
        with self._lock:
            self._judgments[key] = judgment
            self._judgments.move_to_end(key)
            while len(self._judgments) > self._capacity:
                self._judgments.popitem(last=False)


def _key(query: str, evidence: str) -> bytes:
    return _digest(query) + _digest(evidence)


def _digest(text: str) -> bytes:
    return blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).digest()
