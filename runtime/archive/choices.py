"""What there is to choose from. The command line offers it at every start, so nothing else is imported with it."""

from __future__ import annotations

from typing import Literal

Kind = Literal["passage", "message"]
"""Of what is found, and of the tables that hold it."""

TABLES: tuple[Kind, ...] = ("passage", "message")
KINDS = ("fact", "episode", "insight", "skill", "document", "rule")
"""Of passages."""
LASTING = ("document", "rule")
"""The kinds of passages that do not age: a guide is as good as on the day that it was given, a rule until revoked."""
STATUSES = ("active", "superseded", "retired", "disputed", "proposed")
"""Of passages: a disputed one contradicts another, a proposed one is a rule, and both wait for the user's decision."""
BASES = ("", "stated", "inferred", "imported", "reflected")
"""How what a passage says is known; the first where that is unknown."""
ROLES = ("user", "assistant")
"""Of the messages that can be found."""
TAG_MATCHES = ("any", "all")
FORMATS = {".txt": "text", ".md": "markdown", ".markdown": "markdown", ".jsonl": "jsonl"}
"""Of documents, by how a file's name ends."""
