"""The other files of a home: recordings of a model, which are erased from, and whatever else lies there, which is only
searched, since it is not ours to change.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from ..failpoint import reach
from ..home import ARCHIVE, JOURNAL, LOCKS, OWNERS
from ..models.cassette import dump, fingerprint
from .survey import RECORDING, Collector
from .walk import Walk

_OURS = {ARCHIVE, LOCKS, OWNERS, "archive.lock"}
_BESIDE = ".erasing"
"""What the name of a recording ends with while it is written anew."""


def recordings(home: Path) -> Iterator[Path]:
    """The cassettes that lie in the home (runtime/models/cassette.py)."""
    for path in _others(home):
        if not path.is_symlink():
            with path.open("rb") as file:
                head = file.readline(1_000)
            if head.startswith(b'{"cassette"'):
                yield path


def survey_recordings(home: Path, collector: Collector) -> None:
    """Take what recordings say."""
    walk = Walk("", {}, collector.text)
    for path in recordings(home):
        for _line, entry in _entries(path):
            walk.plain(_joined(entry))
            collector.stand(RECORDING)


def erase_recordings(home: Path, text: Callable[[str], str]) -> int:
    """Put what `text` makes of it in the place of each text of each recording; returns how many were changed."""
    walk = Walk("", {}, text)
    changed = 0
    for path in recordings(home):
        lines, same = [], True
        for line, entry in _entries(path):
            joined = _joined(entry)
            new = walk.plain(joined)
            if new is not joined:
                line, same = new if isinstance(new, str) else dump(_fingerprinted(new)), False
            lines.append(line)
        if not same:
            _replace(path, "".join(f"{line}\n" for line in lines))
            changed += 1
    for left in [path for path in _others(home) if path.name.endswith(_BESIDE)]:
        left.unlink()  # of an erasure that was cut off
    return changed


def holding(home: Path, pieces: Collection[str]) -> list[str]:
    """The other files that hold one of the pieces, in any of the spellings that programs write; relative names."""
    spelled = {spelling for piece in pieces for spelling in spellings(piece)}
    if not spelled:
        return []
    pattern = re.compile(b"|".join(map(re.escape, sorted(spelled, key=len, reverse=True))))
    known = set(recordings(home))
    found = []
    for path in _others(home):
        if path not in known and path.is_file() and pattern.search(path.read_bytes()):
            found.append(str(path.relative_to(home)))
    return sorted(found)


def spellings(text: str) -> set[bytes]:
    """A text as it may stand in a file: UTF-8, UTF-16, and as a string of JSON."""
    escaped = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    return {
        text.encode(),
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
        *(form.encode() for form in escaped),
    }


def _others(home: Path) -> Iterator[Path]:
    """The files that are not the journal's, the archive's or locks."""
    for path in sorted(home.iterdir()):
        if path.name in _OURS or path.name.startswith(JOURNAL):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from (it for it in sorted(path.rglob("*")) if it.is_file())
        elif path.is_file():
            yield path


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    """The lines of a recording, with what they say; one that was cut off is taken as it stands."""
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        if line.strip():
            try:
                yield line, json.loads(line)
            except (ValueError, RecursionError):
                yield line, line


def _joined(entry: Any) -> Any:
    """An entry with its deltas joined to the texts that they make, so that a sentence is found that came in parts."""
    if not isinstance(entry, dict) or not isinstance(entry.get("deltas"), list):
        return entry
    joined: list[dict[str, Any]] = []
    for delta in entry["deltas"]:
        last = joined[-1] if joined else {}
        grown = next((key for key in ("text", "reasoning", "arguments") if key in delta), "")
        if grown and last.keys() == delta.keys() and last.get("call") == delta.get("call"):
            joined[-1] = {**last, grown: last[grown] + delta[grown], **_named(last, delta)}
        else:
            joined.append(delta)
    return {**entry, "deltas": joined}


def _named(last: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """A call's name comes in parts as well."""
    return {"name": (last["name"] or "") + (delta["name"] or "")} if "name" in last else {}


def _fingerprinted(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "fingerprint": fingerprint(entry["request"])} if "request" in entry else entry


def _replace(path: Path, text: str) -> None:
    """Write a file anew, whole or not at all."""
    beside = path.with_name(path.name + _BESIDE)
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.chmod(path.stat().st_mode)
    reach("erasing.before_recording")
    os.replace(beside, path)
