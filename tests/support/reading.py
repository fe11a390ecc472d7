"""Reading core memory out of a request alone, as a careful model would: the oracle for what the window shows.

It knows the format and nothing of the runtime that writes it: the head in the system message, then whole values and
changes in tool results and in the notes of user messages, in order; of each block the highest revision counts.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.models.base import ModelRequest

_HEAD = re.compile(r"\n<core_memory>\n(.*)\n</core_memory>", re.DOTALL)
_BLOCK = r'<block label="(?P<label>[^"]*)" rev="(?P<rev>\d+)"[^>]*>\n(?P<value>.*?)\n</block>'
_EDIT = (
    r'<block_edit label="(?P<edited>[^"]*)" from_rev="(?P<old>\d+)" to_rev="(?P<new>\d+)" line="(?P<line>\d+)">\n'
    r"(?P<lines>.*?)\n?</block_edit>"
)
_SHOWN = re.compile(f"{_BLOCK}|{_EDIT}", re.DOTALL)
_NOTE = re.compile(r'^<(memory_update|memory_pressure|memory) at="[^"]*">\n(.*?)\n</\1>$', re.DOTALL | re.MULTILINE)
_ESCAPED = re.compile(r"&((?:amp;)*)lt;")

Shown = dict[str, tuple[int, str]]
"""Label to revision and value."""


def read_blocks(request: ModelRequest) -> Shown:
    """Every block whose value the request shows, with its revision."""
    shown: Shown = {}
    system, *messages = request.messages
    heads = _HEAD.findall(system["content"])
    assert len(heads) == 1, f"{len(heads)} heads"
    _read(heads[0], shown)
    for message in messages:
        if message["role"] == "tool":
            _read(message["content"], shown)
        elif message["role"] == "user":
            for _kind, text in notes_of(message):
                _read(text, shown)
    return shown


def notes_of(message: dict[str, Any]) -> list[tuple[str, str]]:
    """The notes in a message: kind and text. In a user's message they stand before the words."""
    return _NOTE.findall(message["content"] or "")


def notes_in(request: ModelRequest) -> list[tuple[str, str]]:
    """All notes in the request, in order."""
    return [note for message in request.messages if message["role"] in ("user", "tool") for note in notes_of(message)]


def page_table(request: ModelRequest) -> str:
    """The text of the page table; empty where there is none."""
    found = re.findall(r"\n<other_blocks>\n(.*?)\n</other_blocks>", request.messages[0]["content"], re.DOTALL)
    return found[0] if found else ""


def head_of(request: ModelRequest) -> str:
    """The head: from the day to the end of the page table."""
    content = request.messages[0]["content"]
    start = content.rindex("Today is ", 0, content.index("\n<core_memory>\n"))
    return str(content[start:]).partition("\n\n<summary>\n")[0]


def summary_of(request: ModelRequest) -> str:
    """The summary of what was compacted; empty where there is none."""
    found = re.findall(r"\n<summary>\n(.*)\n</summary>$", request.messages[0]["content"], re.DOTALL)
    return found[0] if found else ""


def tokens_of(request: ModelRequest) -> int:
    """The request's size: all that it says, and four tokens for each message and call, as chat formats add them."""
    count = TokenCounter().count
    size = sum(count(json.dumps(tool, ensure_ascii=False)) for tool in request.tools)
    for message in request.messages:
        calls = [call["function"] for call in message.get("tool_calls", ())]
        size += count(message["content"] or "") + 4 + sum(count(c["name"] + c["arguments"]) + 4 for c in calls)
    return size


def _read(text: str, shown: Shown) -> None:
    for match in _SHOWN.finditer(text):
        if match["label"] is not None:
            label, revision = html.unescape(match["label"]), int(match["rev"])
            if revision >= shown.get(label, (0, ""))[0]:
                shown[label] = revision, _unescape(match["value"])
        else:
            label = html.unescape(match["edited"])
            revision, value = shown.get(label, (0, ""))
            if revision == int(match["old"]):
                shown[label] = int(match["new"]), _changed(value, int(match["line"]) - 1, match["lines"])


def _changed(value: str, start: int, change: str) -> str:
    """`value` after an edit, whose old lines must stand where it says."""
    changes = _unescape(change).split("\n") if change else []
    old = [line[1:] for line in changes if line.startswith("-")]
    new = [line[1:] for line in changes if line.startswith("+")]
    assert [f"-{line}" for line in old] + [f"+{line}" for line in new] == changes, f"not a change: {change!r}"
    lines = value.split("\n")
    assert lines[start : start + len(old)] == old, f"the change does not fit: {old!r} at {start} of {lines!r}"
    lines[start : start + len(old)] = new
    return "\n".join(lines)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda match: "&" + match[1][4:] + "lt;" if match[1] else "<", text)
