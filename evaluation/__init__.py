"""Measuring what memory is worth: retrieval on published sets of questions, and extraction on labelled dialogues.

`find` tells the sets apart and `locomo`, `memdaily` and `beam` read them into the terms of `dataset`; `ingest` archives
what was said, or `chat` has it said again, and `run` searches for it, all in a home and by the ways that agents use;
`metrics` and `report` count. `updates` has memory work done on such a chat, and looks at what was said anew. `labelled`
reads dialogues with what must be stored of them, and `extraction` puts them to a model.
"""
