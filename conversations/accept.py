"""Accepting replies that are not as expected: the new text goes into the script, and nothing else changes there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from ..runtime.errors import ScriptMistake, UsageError
from .play import Outcome
from .script import load
from .source import Span


def accept(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Write the replies that were found in the place of those that were expected; says how many, by file.

    The failures that are accepted are taken out of the outcomes. Raises UsageError where the rows of a table got
    different replies, and ScriptMistake where a script would contain its own answer; then that file is as it was.
    """
    wanted: dict[str, dict[Span, str]] = {}
    for outcome in outcomes:
        for failure in outcome.failures:
            if failure.accept is None:
                continue
            span, text = failure.accept
            if wanted.setdefault(span.file, {}).setdefault(span, text) != text:
                raise UsageError(f"{failure.place}: the reply is not the same each time, so it cannot be accepted.")
        outcome.failures = [failure for failure in outcome.failures if failure.accept is None]
    for file, replies in wanted.items():
        _rewrite(Path(file), replies)
    return {file: len(replies) for file, replies in wanted.items()}


def _rewrite(path: Path, replies: dict[Span, str]) -> None:
    before = path.read_bytes().decode("utf-8")
    text = before.replace("\r\n", "\n")
    for span, reply in sorted(replies.items(), key=lambda pair: -pair[0].start):
        old = text[span.start : span.end]
        # A block of text ends where the next line begins; the line's end stays.
        end = old[len(old.rstrip()) :]
        text = text[: span.start] + _quoted(reply) + end + text[span.end :]
    path.write_text(text, encoding="utf-8", newline="\r\n" if "\r\n" in before else "\n")
    try:
        load(path)
    except ScriptMistake:
        path.write_text(before, encoding="utf-8", newline="")
        raise


def _quoted(reply: str) -> str:
    """A text as YAML in quotes, which is what JSON is too."""
    return json.dumps(reply.replace("${", "$${"), ensure_ascii=False)
