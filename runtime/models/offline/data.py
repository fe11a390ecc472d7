"""Reads the phrasebook's files: the offline model's knowledge of language is data, and lies in phrasebook/*.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def load(name: str) -> dict[str, Any]:
    """The tables of phrasebook/`name`."""
    source = resources.files(__package__) / "phrasebook" / name
    return tomllib.loads(source.read_text(encoding="utf-8"))
