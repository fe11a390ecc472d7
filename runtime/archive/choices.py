"""What there is to choose from. The command line offers it at every start, so nothing else is imported with it."""

from __future__ import annotations

from typing import Literal

Kind = Literal["passage", "message"]
"""Of what is found, and of the tables that hold it."""

TABLES: tuple[Kind, ...] = ("passage", "message")
KINDS = ("fact", "episode", "insight", "skill", "document")
"""Of passages."""
STATUSES = ("active", "superseded", "retired")
"""Of passages."""
ROLES = ("user", "assistant")
"""Of the messages that can be found."""
TAG_MATCHES = ("any", "all")
FORMATS = {".txt": "text", ".md": "markdown", ".markdown": "markdown", ".jsonl": "jsonl"}
"""Of documents, by how a file's name ends."""
