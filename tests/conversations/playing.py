"""Writing a script, and playing it within this process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from textwrap import dedent

from pagekeeper.conversations.play import Outcome, play
from pagekeeper.conversations.script import load


def write(folder: Path, text: str, name: str = "a.conversation.yaml") -> Path:
    """A file with this text, without its indentation."""
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return path


def outcomes(folder: Path, text: str) -> list[Outcome]:
    """What comes of the cases of a script."""
    cases = load(write(folder, text))
    return [asyncio.run(play(case, folder / f"home-{number}")) for number, case in enumerate(cases)]


def failures(folder: Path, text: str) -> list[tuple[int, str, str]]:
    """Line, expectation and finding of all failures of a script."""
    return [(it.place.line, it.expected, it.found) for one in outcomes(folder, text) for it in one.failures]
