"""Ordering judged candidates and cutting an excerpt from each."""
