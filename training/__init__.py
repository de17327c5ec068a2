"""How the embedding is made: fetch, extract, train. Not part of the installed package."""
