"""Accepting replies that are not as expected: the new text goes into the script, and nothing else changes there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..runtime.errors import ScriptMistake
from .play import Outcome
from .script import load
from .source import Place, Span


@dataclass(slots=True)
class Accepted:
    """What came of it."""

    replies: dict[str, int] = field(default_factory=dict)
    """How many were written, by file."""
    refused: dict[Place, str] = field(default_factory=dict)
    """Why a reply that is not as expected could not be, by where it is expected."""


def accept(outcomes: Iterable[Outcome]) -> Accepted:
    """Write the replies that were found in the place of those that were expected.

    The failures that are accepted are taken out of the outcomes. Raises ScriptMistake where a script would then be
    wrong, as one that contains its own answer is; then all files are as they were.
    """
    outcomes = list(outcomes)
    out, found = Accepted(), dict[Span, set[str]]()
    for failure in (failure for outcome in outcomes for failure in outcome.failures):
        if failure.accept is not None:
            found.setdefault(failure.accept[0], set()).add(failure.accept[1])
        elif failure.kept:
            out.refused[failure.place] = failure.kept
    wanted: dict[str, dict[Span, str]] = {}
    for span, texts in found.items():
        if len(texts) == 1:
            wanted.setdefault(span.file, {})[span] = texts.pop()
    for outcome in outcomes:
        for failure in outcome.failures:
            if failure.accept and failure.accept[0] not in wanted.get(failure.accept[0].file, ()):
                out.refused[failure.place] = "the reply is not the same each time that this step is played"
        outcome.failures = [it for it in outcome.failures if not it.accept or it.place in out.refused]
    # An included file is no script of its own, so it is the scripts that were played that must still be right.
    _rewrite({Path(file): replies for file, replies in wanted.items()}, {Path(one.file) for one in outcomes})
    out.replies = {file: len(replies) for file, replies in wanted.items()}
    return out


def _rewrite(wanted: dict[Path, dict[Span, str]], scripts: Iterable[Path]) -> None:
    before = {path: path.read_bytes() for path in wanted}
    try:
        for path, replies in wanted.items():
            path.write_bytes(_rewritten(before[path].decode("utf-8"), replies).encode())
        for script in scripts:
            load(script)
    except (ScriptMistake, OSError):
        for path, old in before.items():
            path.write_bytes(old)
        raise


def _rewritten(text: str, replies: dict[Span, str]) -> str:
    for span, reply in sorted(replies.items(), key=lambda pair: -pair[0].start):
        old = text[span.start : span.end]
        # A block of text ends where the next line begins; the line's end stays.
        end = old[len(old.rstrip()) :]
        text = text[: span.start] + _quoted(reply) + end + text[span.end :]
    return text


def _quoted(reply: str) -> str:
    """A text as YAML in quotes, which is what JSON is too."""
    return json.dumps(reply.replace("${", "$${"), ensure_ascii=False)
