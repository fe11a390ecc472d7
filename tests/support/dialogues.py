"""Dialogues as text files: what is said to a model, and what must come of it.

# title
> what the user says
= what the last reply must hold        ! what it must not hold
@ what memory must hold                ? what it must not hold
~ what neither memory nor any later request may hold
--                                     a new conversation with the same memory
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pagekeeper.runtime.models.base import Model

from .bench import Bench


@dataclass
class Dialogue:
    """One dialogue: its lines, as pairs of mark and text."""

    title: str
    lines: list[tuple[str, str]] = field(default_factory=list)


def read(path: Path) -> list[Dialogue]:
    """The dialogues of a file."""
    found: list[Dialogue] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found.append(Dialogue(line[2:]))
        elif line == "--":
            found[-1].lines.append(("--", ""))
        elif line.strip():
            found[-1].lines.append((line[0], line[1:].strip()))
    return found


def play(dialogue: Dialogue, model: Model) -> list[str]:
    """What went otherwise than it must: nothing, if the model understood."""
    bench = Bench(model)
    wrong: list[str] = []
    said = reply = ""
    for mark, text in dialogue.lines:
        held = {"=": reply, "!": reply, "@": bench.memory(), "?": bench.memory()}.get(mark, "").lower()
        if mark == "--":
            bench.fresh()
        elif mark == ">":
            said = text
            reply = bench.say(text)
        elif mark == "~":
            if text.lower() in bench.memory().lower() or text.lower() in bench.window().lower():
                wrong.append(f"{said!r} left {text!r} behind")
        elif (text.lower() in held) == (mark in "!?"):
            wrong.append(f"{mark} {text!r}: {said!r} -> {held!r}")
    return wrong
