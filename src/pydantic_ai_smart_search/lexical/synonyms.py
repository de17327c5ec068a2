"""Words that programmers use for one another."""

from __future__ import annotations

SYNONYMS: dict[str, tuple[str, ...]] = {}
