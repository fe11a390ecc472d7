"""Embedders: what turns text into vectors."""
