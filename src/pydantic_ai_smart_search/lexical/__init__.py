"""Choosing candidates by their words: terms, BM25, the index of one root and the shortlist."""
