"""What a request shows: the blocks in view, the notes, the user's last words, and what was done in this turn so far."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from ...text import unescape
from ..base import ChatMessage, ModelRequest
from .items import Item, items
from .marks import GAP, NOTES, content, marked, said, without_notes
from .unkept import wanted

_TODAY = re.compile(r"^Today is \w+, (\d{4}-\d\d-\d\d)(?:, time zone ([\w/+-]+))?\.$", re.MULTILINE)
LIMIT = 5000
"""Characters that a block may have, where the request does not say."""


@dataclass(slots=True)
class BlockView:
    """A block as it stands in the request: its highest revision."""

    label: str
    revision: int
    value: str
    limit: int

    def lines(self) -> list[str]:
        """Its lines that hold something, headings aside."""
        return [line for line in self.value.split("\n") if line.strip() and not line.rstrip().endswith((":", "："))]


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
    gap: bool = False
    """Whether a part of those words is not shown."""
    last_words: str = ""
    """What the user said before that."""
    last_reply: str = ""
    """What the assistant said before the user's last words."""
    tools: frozenset[str] = frozenset()
    today: str = ""
    """The day and the time zone that the request names."""
    zone: str = "UTC"

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

    def active(self) -> list[Item]:
        """The passages that were not superseded."""
        return [item for item in self.passages() if not item.over]

    def messages(self) -> list[Item]:
        """The messages that this turn's note and searches show, each once, without what was not to be remembered."""
        shown = {item.ref: item for item in [*self.recalled, *self.found()] if item.source == "message"}
        kept = (replace(item, text=wanted(item.text).kept.strip()) for item in shown.values())
        return [item for item in kept if item.text]


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
        if role != "assistant" and (days := _TODAY.findall(_told(text, role))):
            view.today, zone = days[-1]
            view.zone = zone or view.zone
        if role != "assistant":
            _read_blocks(view.blocks, text)
        if role == "assistant":
            calls = _calls(message, answers)
            (view.done if at > last else view.earlier).extend(calls)
            if at < last and text:
                view.last_reply = unescape(text)
        if at >= last and role in ("user", "tool"):
            for note in marked(text):
                if note.tag == "memory":
                    view.recalled.extend(items(note.body))
        if role == "user":
            view.last_words, view.words = view.words, said(text)
            view.gap = GAP.search(without_notes(text)) is not None
    return view


def _told(text: str, role: str) -> str:
    """What of a message the runtime tells: all of the system's words, and notes in the others."""
    return text if role == "system" else "\n".join(note.body for note in marked(text) if note.tag in NOTES)


def _read_head(view: View, text: str) -> None:
    for part in marked(text):
        if part.tag == "summary":
            lines = (line.strip().removeprefix("- ") for line in unescape(part.body).split("\n"))
            view.summary = [Item("summary", "summary", line) for line in lines if line]
        elif part.tag == "other_blocks":
            pairs = (line.removeprefix("- ").partition(": ") for line in part.body.split("\n"))
            view.others = {label: about for label, _, about in pairs if label and " " not in label}


def _read_blocks(blocks: dict[str, BlockView], text: str) -> None:
    """Takes whole values and changes in the order in which they stand."""
    for part in marked(text, inside=True):
        if part.tag not in ("block", "block_edit"):
            continue
        marks = part.attributes
        label = marks.get("label", "")
        known = blocks.get(label)
        if part.tag == "block":
            revision = int(marks["rev"])
            if known is None or revision >= known.revision:
                limit = int(marks.get("limit", known.limit if known else LIMIT))
                blocks[label] = BlockView(label, revision, unescape(part.body), limit)
        elif known is not None and known.revision == int(marks["from_rev"]):
            _apply(known, int(marks["to_rev"]), int(marks["line"]), unescape(part.body))


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
