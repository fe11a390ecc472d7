"""A file that is to be imported, and its text line by line: only a small part of it is in memory at a time."""

from __future__ import annotations

import codecs
import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...errors import UsageError
from ..files import tag_of

LINE = 65_536
"""Characters of a line that are read at once; a longer line comes in parts."""

_ENDS = "。！？；…\n\t .!?;，,"
"""After these a line that is too long is parted."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file by its path, or one that is open already and can be read again from its start."""

    name: str
    """What the user calls it."""
    format: str
    path: Path | None = None
    handle: BinaryIO | None = None

    @property
    def tag(self) -> str | None:
        """The tag of its passages, which names the file."""
        return tag_of(self.path.name) if self.path else None

    @contextlib.contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The bytes of the file. Raises UsageError."""
        if self.handle is not None:
            self.handle.seek(0)
            yield self.handle
            return
        assert self.path is not None
        try:
            handle = self.path.open("rb")
        except (OSError, ValueError) as error:
            raise UsageError(f"it cannot be opened ({getattr(error, 'strerror', None) or error}).") from None
        with handle:
            yield handle


def format_of(handle: BinaryIO) -> str:
    """What a file without a name seems to be: JSON lines if its first line is a JSON object, or else Markdown."""
    return "jsonl" if isinstance(first_value(handle), dict) else "markdown"


def first_value(handle: BinaryIO) -> object:
    """What a file's first line says as JSON; None if it is none. The handle is at the start again."""
    handle.seek(0)
    line = handle.readline(LINE)
    handle.seek(0)
    try:
        return json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def lines(handle: BinaryIO, *, whole: bool = False) -> Iterator[str]:
    """The lines of a file of UTF-8 with their line breaks, which become `\\n`, from its start on.

    A line of more than `LINE` characters comes in parts, unless lines are wanted `whole`. Raises UsageError.
    """
    handle.seek(0)
    text = io.TextIOWrapper(handle, encoding="utf-8-sig", newline=None)
    rest = ""
    try:
        while line := rest + text.readline(-1 if whole else LINE - len(rest)):
            rest = ""
            if len(line) >= LINE and not whole and not line.endswith("\n"):
                cut = max(line.rfind(end, LINE // 2) for end in _ENDS) + 1
                line, rest = (line[:cut], line[cut:]) if cut else (line, "")
            yield line
    except UnicodeDecodeError as error:
        raise UsageError(f"it is not UTF-8 ({error.reason} in line {_bad_line(handle)}).") from None
    except OSError as error:
        raise UsageError(f"it cannot be read ({error.strerror}).") from None
    finally:
        # Whoever stopped in the middle may have closed the file by now.
        with contextlib.suppress(ValueError):
            text.detach()


def _bad_line(handle: BinaryIO) -> int:
    """The first line that is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    handle.seek(0)
    number = 1
    with contextlib.suppress(UnicodeDecodeError):
        while part := handle.readline(LINE):
            decoder.decode(part)
            number += part.endswith(b"\n")
    return number
