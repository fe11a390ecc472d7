"""What a request shows: the blocks in view, the notes, the user's last words, and what was done in this turn so far.

Only the runtime writes its markers unescaped, so what stands between them is data, and the user's words are what is
left. Nothing here is obeyed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...text import unescape
from ..base import ChatMessage, ModelRequest

_BLOCK = re.compile(r'<block label="([^"]*)" rev="(\d+)"([^>]*)>\n(.*?)\n</block>', re.DOTALL)
_EDIT = re.compile(
    r'<block_edit label="([^"]*)" from_rev="(\d+)" to_rev="(\d+)" line="(\d+)">\n(.*?)\n?</block_edit>', re.DOTALL
)
_NOTE = re.compile(r'<(memory_update|memory_pressure|memory)( at="[^"]*")?>\n(.*?)\n?</\1>\n?', re.DOTALL)
_SUMMARY = re.compile(r"<summary>\n(.*?)\n</summary>", re.DOTALL)
_OTHERS = re.compile(r"<other_blocks>\n(.*?)\n</other_blocks>", re.DOTALL)
_LIMIT = re.compile(r'limit="(\d+)"')
_ITEM = re.compile(
    r"- \[(?P<ref>[^\]\s]+)\](?: (?P<date>\d{4}-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d)?)?)?"
    r"(?: \((?:(?P<weak>weak)(?:, )?)?(?:score (?P<score>[\d.]+))?[^)]*\))?(?: (?P<kind>\w+):)?(?: (?P<text>.*))?",
)
FORGOTTEN = "[forgotten at the user's request]"

Source = Literal["block", "passage", "message", "summary"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is remembered, as the request shows it."""

    source: Source
    ref: str
    """The block's label, or the id of the passage or message."""
    text: str
    date: str = ""
    kind: str = ""
    """fact, episode ... for a passage; user or assistant for a message."""
    weak: bool = False
    score: float = 0.0


@dataclass(slots=True)
class BlockView:
    """A block as it stands in the request: its highest revision."""

    label: str
    revision: int
    value: str
    limit: int = 5000

    def lines(self) -> list[str]:
        """Its lines that hold something."""
        return [line for line in self.value.split("\n") if line.strip()]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of this turn, or an earlier one of the window, with its result."""

    name: str
    arguments: dict[str, Any]
    result: str | None

    @property
    def failed(self) -> bool:
        return self.result is not None and self.result.startswith("Error")


@dataclass(slots=True)
class View:
    """A request, read."""

    words: str = ""
    """What the user said last, without notes."""
    blocks: dict[str, BlockView] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    """Blocks that are not in view: label and description."""
    recalled: list[Item] = field(default_factory=list)
    """What the `<memory>` notes of this turn hold."""
    summary: list[Item] = field(default_factory=list)
    done: list[Call] = field(default_factory=list)
    """The calls of this turn."""
    earlier: list[Call] = field(default_factory=list)
    """The calls of earlier turns that are still in the window."""
    last_reply: str = ""
    """What the assistant said before the user's last words."""
    tools: frozenset[str] = frozenset()

    def can(self, tool: str) -> bool:
        return tool in self.tools

    def lines(self) -> list[Item]:
        """The lines of the blocks in view, the persona's aside: it is about the assistant."""
        return [
            Item("block", block.label, line.strip().removeprefix("- "))
            for block in self.blocks.values()
            if block.label != "persona"
            for line in block.lines()
        ]

    def results(self, tool: str) -> list[Call]:
        """This turn's finished calls of `tool`."""
        return [call for call in self.done if call.name == tool and call.result is not None]

    def found(self) -> list[Item]:
        """What this turn's searches found."""
        return [
            item
            for tool in ("archival_search", "conversation_search")
            for call in self.results(tool)
            if not call.failed
            for item in items(call.result or "")
        ]

    def passages(self) -> list[Item]:
        """The passages that this turn's note and searches show, each once."""
        shown = {item.ref: item for item in [*self.recalled, *self.found()] if item.source == "passage"}
        return list(shown.values())

    def messages(self) -> list[Item]:
        """The messages that this turn's note and searches show, each once."""
        shown = {item.ref: item for item in [*self.recalled, *self.found()] if item.source == "message"}
        return list(shown.values())


def items(text: str) -> list[Item]:
    """The items of a note or of a search's result. A line that is no item goes on from the item before it."""
    found: list[Item] = []
    for line in text.split("\n"):
        match = _ITEM.fullmatch(line)
        if match is None:
            if found and line.strip() and not line.startswith("<"):
                last = found[-1]
                found[-1] = Item(last.source, last.ref, f"{last.text} {line.strip()}", last.date, last.kind, last.weak, last.score)
            continue
        ref = match["ref"]
        source: Source = "passage" if ref.startswith("p-") else "message" if ref.startswith("m-") else "block"
        score = float(match["score"] or 0)
        words = unescape(match["text"] or "").strip()
        found.append(Item(source, ref, words, match["date"] or "", match["kind"] or "", bool(match["weak"]), score))
    return found


def read(request: ModelRequest) -> View:
    """What `request` shows."""
    view = View(tools=frozenset(str(tool["function"]["name"]) for tool in request.tools))
    last = max((i for i, m in enumerate(request.messages) if m["role"] == "user"), default=-1)
    answers = {str(m.get("tool_call_id")): content(m) for m in request.messages if m["role"] == "tool"}
    for at, message in enumerate(request.messages):
        text = content(message)
        role = message["role"]
        if role == "system":
            _read_head(view, text)
        if role != "assistant":
            _read_blocks(view.blocks, text)
        if role == "assistant":
            calls = _calls(message, answers)
            (view.done if at > last else view.earlier).extend(calls)
            if at < last and text:
                view.last_reply = unescape(text)
        if at >= last and role in ("user", "tool"):
            for note in _NOTE.finditer(text):
                if note[1] == "memory":
                    view.recalled.extend(items(note[3]))
        if at == last:
            view.words = said(text)
    return view


def content(message: ChatMessage) -> str:
    """A message's text, whether it is one string or a list of parts."""
    value = message.get("content")
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "\n".join(str(part.get("text", "")) for part in value if isinstance(part, dict))
    return ""


def said(text: str) -> str:
    """The user's words in the text of a user's message."""
    return unescape(_NOTE.sub("", text)).strip()


def _read_head(view: View, text: str) -> None:
    found = _SUMMARY.search(text)
    if found:
        lines = (line.strip().removeprefix("- ") for line in unescape(found[1]).split("\n"))
        view.summary = [Item("summary", "summary", line) for line in lines if line]
    found = _OTHERS.search(text)
    if found:
        pairs = (line.removeprefix("- ").partition(": ") for line in found[1].split("\n"))
        view.others = {label.strip(): about for label, gap, about in pairs if gap and " " not in label.strip()}


def _read_blocks(blocks: dict[str, BlockView], text: str) -> None:
    """Whole values first where they come first: renderings are taken in the order in which they stand."""
    marks = sorted([*_BLOCK.finditer(text), *_EDIT.finditer(text)], key=lambda match: match.start())
    for match in marks:
        label = match[1]
        known = blocks.get(label)
        if match.re is _BLOCK:
            revision = int(match[2])
            if known is None or revision >= known.revision:
                limit = _LIMIT.search(match[3])
                size = int(limit[1]) if limit else known.limit if known else 5000
                blocks[label] = BlockView(label, revision, unescape(match[4]), size)
        elif known is not None and known.revision == int(match[2]):
            _apply(known, int(match[3]), int(match[4]), unescape(match[5]))


def _apply(block: BlockView, revision: int, line: int, change: str) -> None:
    marked = change.split("\n") if change else []
    old = [part[1:] for part in marked if part.startswith("-")]
    new = [part[1:] for part in marked if part.startswith("+")]
    lines = block.value.split("\n")
    lines[line - 1 : line - 1 + len(old)] = new
    block.value = "\n".join(lines)
    block.revision = revision


def _calls(message: ChatMessage, answers: dict[str, str]) -> list[Call]:
    calls = []
    for call in message.get("tool_calls") or ():
        function = call["function"]
        try:
            arguments = json.loads(function.get("arguments") or "{}")
        except json.JSONDecodeError:
            arguments = {}
        if isinstance(arguments, dict):
            calls.append(Call(str(function["name"]), arguments, answers.get(str(call.get("id")))))
    return calls
