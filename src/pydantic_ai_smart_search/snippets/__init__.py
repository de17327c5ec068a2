"""Cutting the text of one file into snippets."""
