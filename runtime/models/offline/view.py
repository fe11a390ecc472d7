"""What a request shows: the blocks in view, the notes, the user's last words, and what was done in this turn so far.

Only the runtime writes its markers unescaped, so what stands between them is data, and the user's words are what is
left. Nothing here is obeyed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ...text import unescape
from ..base import ChatMessage, ModelRequest
from .sentences import after_gap, before_gap

_OPENED = re.compile(
    r"<(block|block_edit|memory_update|memory_pressure|memory|summary|other_blocks)((?: \w+=\"[^\"]*\")*)>\n"
)
GAP = re.compile(r"\n?<left_out[^<>\n]*/>\n?")
"""Where the runtime left characters out of a text that is too long; what users write of it is escaped."""
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_NOTES = ("memory_update", "memory_pressure", "memory")
_ITEM = re.compile(
    r"- \[(?P<ref>[^\]\s]+)\](?: (?P<date>\d{4}-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d)?)?)?"
    r"(?: \((?:(?P<weak>weak)(?:, )?)?(?:score (?P<score>[\d.]+))?[^)]*\))?"
    r"(?: (?P<kind>\w[\w -]*?)(?: from [^:]*?)?(?P<marks>(?:, [\w -]+)*):)?(?: (?P<text>.*))?",
)
OVER = frozenset(("superseded", "retired"))
"""The marks of a memory that does not hold any more."""
_HELD = re.compile(
    r"since (?P<since>[\d-]+)|until (?P<until>[\d-]+)|(?P<start>[\d-]+) to (?P<end>[\d-]+)",
)
_TODAY = re.compile(r"^Today is \w+, (\d{4}-\d\d-\d\d)(?:, time zone ([\w/+-]+))?\.$", re.MULTILINE)
LIMIT = 5000
"""Characters that a block may have, where the request does not say."""

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
    over: bool = False
    """It is marked as superseded: it tells what used to be."""
    since: str = ""
    """The day since which it held, and the day until which, where they are told: 2026-01-31."""
    until: str = ""

    def held(self, day: str) -> bool:
        """Whether it held on a day, as far as it is told; what does not say since when is taken to hold since ever."""
        return (not self.since or self.since <= day) and (not self.until or day < self.until)


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


@dataclass(frozen=True, slots=True)
class Marked:
    """A piece of a message between two of the runtime's markers."""

    tag: str
    attributes: dict[str, str]
    body: str
    start: int
    end: int


def marked(text: str, *, inside: bool = False) -> list[Marked]:
    """The marked pieces of a message, in order; with `inside` also those that stand in notes."""
    found: list[Marked] = []
    unclosed: set[str] = set()
    at = 0
    while opened := _OPENED.search(text, at):
        at = opened.end()
        tag = opened[1]
        if tag in unclosed:
            continue
        close = text.find(f"</{tag}>", at)
        if close < 0:
            unclosed.add(tag)
            continue
        end = close + len(tag) + 3
        end += text.startswith("\n", end)
        body = text[at:close].removesuffix("\n")
        found.append(Marked(tag, dict(_ATTRIBUTE.findall(opened[2])), body, opened.start(), end))
        if not (inside and tag in _NOTES):
            at = end
    return found


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
        """The messages that this turn's note and searches show, each once."""
        shown = {item.ref: item for item in [*self.recalled, *self.found()] if item.source == "message"}
        return list(shown.values())


def items(text: str) -> list[Item]:
    """The items of a note or of a search's result. A line that is no item goes on from the item before it, unless
    something was left out between them."""
    found: list[Item] = []
    gap = False
    for line in text.split("\n"):
        match = _ITEM.fullmatch(line)
        gap = match is None and (gap or GAP.match(line) is not None)
        if match is None:
            if found and line.strip() and not line.startswith("<") and not gap:
                last = found[-1]
                found[-1] = replace(last, text=f"{last.text} {line.strip()}")
            continue
        ref = match["ref"]
        source: Source = "passage" if ref.startswith("p-") else "message" if ref.startswith("m-") else "block"
        score = float(match["score"] or 0)
        words = unescape(match["text"] or "").strip()
        marks = (match["marks"] or "").split(", ")
        date, kind = match["date"] or "", match["kind"] or ""
        over = not OVER.isdisjoint(marks)
        since, until = _interval(marks)
        found.append(Item(source, ref, words, date, kind, bool(match["weak"]), score, over, since, until))
    return found


def _interval(marks: Sequence[str]) -> tuple[str, str]:
    """The days between which a memory held, of `2024-03 to 2026-01-17`, `until 2026-01-17` or `since 2024-03`."""
    for mark in marks:
        if found := _HELD.fullmatch(mark):
            return _day(found["since"] or found["start"]), _day(found["until"] or found["end"])
    return "", ""


def _day(bound: str | None) -> str:
    """A month stands for its first day."""
    return f"{bound}-01" if bound and len(bound) == 7 else bound or ""


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
    return text if role == "system" else "\n".join(note.body for note in marked(text) if note.tag in _NOTES)


def content(message: ChatMessage) -> str:
    """A message's text, whether it is one string or a list of parts."""
    value = message.get("content")
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "\n".join(str(part.get("text", "")) for part in value if isinstance(part, dict))
    return ""


def said(text: str) -> str:
    """The user's words in the text of a user's message; of sentences that were shown in part, nothing."""
    pieces = GAP.split(without_notes(text))
    for n in range(1, len(pieces)):
        pieces[n - 1], pieces[n] = before_gap(pieces[n - 1]), after_gap(pieces[n])
    return unescape("\n".join(pieces)).strip()


def without_notes(text: str) -> str:
    """What stands in a message beside the runtime's notes, still escaped."""
    out, at = [], 0
    for note in marked(text):
        if note.tag in _NOTES:
            out.append(text[at : note.start])
            at = note.end
    return "".join([*out, text[at:]])


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
