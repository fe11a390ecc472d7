"""What the commands print: results on stdout, everything else on stderr."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TextIO

# Control characters other than tab and newline, and the marks that reorder what a terminal shows.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def complain(message: str, hint: str = "") -> None:
    """Say what went wrong in one line, and what helps in the next."""
    lines = [f"pagekeeper: {message}"] + ([hint] if hint else [])
    with contextlib.suppress(OSError):  # there is nowhere left to say it
        print("\n".join(safe(line) for line in lines), file=sys.stderr)


def note(text: str) -> None:
    """Say something beside the result."""
    with contextlib.suppress(OSError):  # the result matters more
        print(safe(text), file=sys.stderr, flush=True)


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Say how far something is, on a line that is written over, where somebody looks."""

    def tell(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{safe(text)}", end="", file=sys.stderr, flush=True)

    try:
        yield tell
    finally:
        tell("")


def show(text: str, *, end: str = "\n") -> None:
    """Print a part of the result. A terminal gets no control characters that models or memories may hold."""
    with printing():
        print(safe(text) if sys.stdout.isatty() else text, end=end, flush=True)


def write_lines(file: TextIO, values: Iterable[Any]) -> None:
    """Write each of `values` as a line of JSON."""
    file.writelines(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


def show_work(summary: Mapping[str, Any]) -> None:
    """Show what memory work did in a measured run (`work`: counts by what was done), and note its `errors`."""
    show("Memory work: " + ", ".join(f"{count:,} {what}" for what, count in summary["work"].items()))
    for error in dict.fromkeys(summary["errors"]):
        note(f"Memory work: {error}")


def show_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    with printing():
        print(json.dumps(value, ensure_ascii=False, default=str), flush=True)


@contextlib.contextmanager
def printing(where: str = "Standard output") -> Iterator[None]:
    """Raise OutputFailed where something cannot be written; that its reader has left stays a BrokenPipeError."""
    from ..runtime.errors import OutputFailed

    if sys.stdout is None:  # closed by whoever started this
        raise OutputFailed("Standard output cannot be written (it is closed).")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed(f"{where} cannot be written ({error.strerror or error}).") from error


def show_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns as wide as their widest cell. A cell is one line."""
    cells = [list(heads), *([" ".join(str(cell).split()) for cell in row] for row in rows)]
    widths = [max(_columns(row[column]) for row in cells) for column in range(len(heads))]
    for row in cells:
        padded = (cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True))
        show("  ".join(padded).rstrip())


def _columns(text: str) -> int:
    """How many columns of a terminal the text takes: Chinese and the like take two for a character."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


@contextlib.contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A file to write text into, made readable by its owner alone; `-` is stdout.

    Raises UsageError where it cannot be opened, and OutputFailed where it cannot be written.
    """
    if path == "-":
        with printing():
            yield sys.stdout
            sys.stdout.flush()
        return
    with as_usage_error(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with printing(path), open(handle, "w", encoding="utf-8", newline="\n") as file:
        yield file


@contextlib.contextmanager
def writing_whole(path: str, *, over: bool) -> Iterator[TextIO]:
    """As `writing`, but the file appears under its name when it is whole, and takes the place of none unless `over`.

    Raises AlreadyExists, UsageError and OutputFailed, and then nothing has changed.
    """
    from ..runtime.errors import AlreadyExists

    there = path != "-" and os.path.lexists(path)
    if path == "-" or (there and not os.path.isfile(path)):  # a device or a pipe, such as /dev/stdout
        with writing(path) as out:
            yield out
        return
    if there and not over:
        raise AlreadyExists(f"{path} is there already.", hint="Say --force to write over it, or another name.")
    target = os.path.realpath(path)
    with as_usage_error(path):
        handle, beside = tempfile.mkstemp(prefix=".pagekeeper-", dir=os.path.dirname(target))
    try:
        with printing(path):
            with open(handle, "w", encoding="utf-8", newline="\n") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


@contextlib.contextmanager
def reading(path: str, handle: BinaryIO | None = None) -> Iterator[TextIO]:
    """A file to read text from, line by line, or one that is open already. Raises UsageError."""
    with as_usage_error(path):
        file = io.TextIOWrapper(handle or open(path, "rb"), encoding="utf-8", newline="\n")  # noqa: SIM115
    with file:
        try:
            yield file
        except UnicodeDecodeError as error:
            from ..runtime.errors import UsageError

            raise UsageError(f"{path} is not UTF-8 ({error.reason}).", hint="Save it as UTF-8.") from None


@contextlib.contextmanager
def as_usage_error(path: str) -> Iterator[None]:
    """Raise UsageError where a path cannot be opened."""
    from ..runtime.errors import UsageError

    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise UsageError(f"{path} cannot be opened ({getattr(error, 'strerror', None) or error}).") from None


def safe(text: str) -> str:
    """`text` with its control characters made visible, so that it cannot command the terminal."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def forgiving(stream: TextIO) -> None:
    """Print what a stream's encoding lacks as an escape, rather than fail in the middle of a reply."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


STEP = 250
"""Steps between two lines on how far it is, where no terminal shows one line that changes."""


def tell_steps(tell: Callable[[str], None], of_what: str, what: str, done: int, of: int) -> None:
    """Say how far a run is: in one line that changes on a terminal, else now and then."""
    text = f"{of_what}: {done:,} of {of:,} {what}"
    tell(text)
    if not sys.stderr.isatty() and (done == of or done % STEP == 0):
        note(text)
