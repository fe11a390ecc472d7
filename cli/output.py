"""What the commands print: results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

# Control characters other than tab and newline, and the marks that reorder what a terminal shows.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def complain(message: str, hint: str = "") -> None:
    """Say what went wrong in one line, and what helps in the next."""
    lines = [f"pagekeeper: {message}"] + ([hint] if hint else [])
    print("\n".join(safe(line) for line in lines), file=sys.stderr)


def note(text: str) -> None:
    """Say something beside the result."""
    print(safe(text), file=sys.stderr, flush=True)


def show(text: str, *, end: str = "\n") -> None:
    """Print a part of the result. A terminal gets no control characters that models or memories may hold."""
    print(safe(text) if sys.stdout.isatty() else text, end=end, flush=True)


def show_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    print(json.dumps(value, ensure_ascii=False, default=str), flush=True)


def show_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns as wide as their widest cell. A cell is one line."""
    cells = [list(heads), *([" ".join(str(cell).split()) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    for row in cells:
        show("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def safe(text: str) -> str:
    """`text` with its control characters made visible, so that it cannot command the terminal."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def forgiving(stream: TextIO) -> None:
    """Print what a stream's encoding lacks as an escape, rather than fail in the middle of a reply."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
