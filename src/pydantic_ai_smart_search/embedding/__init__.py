"""Vectors for texts, near each other where they mean the same: the model and what runs it."""
