"""Bringing documents and notes into the archive: files and folders of text, Markdown and JSON lines.

`walk` finds the files, `source` opens them, one module for each format cuts them (`plain`, `markdown`, `jsonl`),
`reader` makes one stream of pieces of them, `known` tells which of these the archive has, and `bring` commits the rest.
"""
