"""Measuring retrieval on published sets of conversations and questions, without a language model.

`find` tells the sets apart and `locomo`, `memdaily` and `beam` read them into the terms of `dataset`; `ingest` archives
what was said, or `chat` has it said again, and `run` searches for it, all in a home and by the ways that agents use;
`metrics` and `report` count.
"""
