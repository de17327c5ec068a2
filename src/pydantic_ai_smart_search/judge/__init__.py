"""Deciding which candidates are relevant."""
