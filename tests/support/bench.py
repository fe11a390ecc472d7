"""A small memory in place of the runtime, which speaks the formats that models see: for conversations with a model.

It keeps blocks, passages and a log in lists and runs the tool calls of a reply on them. Its search counts shared words,
which is worse than the archive's: a model that finds its way here does so there.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

from pagekeeper.runtime.context.parts import Manner, edit_part, note_part, render_block, render_part, text_part
from pagekeeper.runtime.context.tokens import TokenCounter
from pagekeeper.runtime.models.base import ChatMessage, Model, ModelReply, ModelRequest
from pagekeeper.runtime.text import escape

TOOLS = (
    *(
        f"core_memory_{name}"
        for name in ("append", "replace", "rethink", "create", "delete", "list", "page_in", "page_out")
    ),
    *("archival_insert", "archival_search", "archival_update", "memory_forget", "conversation_search"),
)
DAY = "2026-01-01"
MOST_STEPS = 8
FORGOTTEN = "[forgotten at the user's request]"


@dataclass
class Record:
    """A passage or a message."""

    id: str
    text: str
    label: str = "fact"
    status: str = "active"


@dataclass
class Bench:
    """One agent, one user, any number of conversations: `fresh()` starts another."""

    model: Model
    human: str = "What I know about the user:"
    revision: int = 1
    passages: list[Record] = field(default_factory=list)
    log: list[Record] = field(default_factory=list)
    messages: list[ChatMessage] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    read_only: bool = False
    counter: int = 0

    def fresh(self) -> None:
        """A new conversation with the same memory; its window is empty."""
        self.messages = []

    def say(self, text: str) -> str:
        """One turn; the reply's text."""
        return asyncio.run(self._turn(text))

    def memory(self) -> str:
        """All that is remembered, without the log."""
        return "\n".join([self.human, *(one.text for one in self.passages if one.status == "active")])

    def window(self) -> str:
        """What the next request of this conversation would hold of its messages."""
        sent = [{key: value for key, value in message.items() if key != "_log"} for message in self.messages]
        return json.dumps(sent, ensure_ascii=False)

    # ---- the turn

    async def _turn(self, text: str) -> str:
        note = self._recall(text)
        said = self._record(text, "user")
        self.messages.append({"role": "user", "content": note + escape(text), "_log": said})
        for _ in range(MOST_STEPS):
            reply = await self._ask()
            if reply.text:
                answered = self._record(reply.text, "assistant")
                self.messages.append({"role": "assistant", "content": escape(reply.text), "_log": answered})
            if not reply.calls:
                self._withhold()
                return reply.text
            self._run(reply)
        raise AssertionError(f"no end: {self.calls[-4:]}")

    async def _ask(self) -> ModelReply:
        system = "System.\n<core_memory>\n" + render_block("persona", 1, "I am a helpful assistant.", ' limit="5000"')
        self._head = getattr(self, "_head", None) if len(self.messages) > 1 else None
        if self._head is None:
            self._head = render_block("human", self.revision, self.human, ' limit="5000" about="the user"')
        system += f"\n{self._head}\n</core_memory>"
        if self.others:
            lines = "\n".join(f"{label}: about {label}" for label in self.others)
            system += f"\n<other_blocks>\n{lines}\n</other_blocks>"
        sent = tuple({k: v for k, v in message.items() if k != "_log"} for message in self.messages)
        tools = tuple({"type": "function", "function": {"name": name, "parameters": {}}} for name in TOOLS)
        request = ModelRequest(({"role": "system", "content": system}, *sent), tools)
        self.requests.append(request)
        reply: ModelReply | None = None
        async for piece in self.model.stream(request):
            reply = piece if isinstance(piece, ModelReply) else reply
        assert reply is not None
        return reply

    def _run(self, reply: ModelReply) -> None:
        made = [
            {"id": self._id("c"), "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
        if reply.text:
            self.messages[-1]["tool_calls"] = made
        else:
            self.messages.append({"role": "assistant", "content": "", "tool_calls": made})
        for call in made:
            function: Any = call["function"]
            arguments = json.loads(function["arguments"])
            try:
                result = getattr(self, f"_{function['name']}")(**arguments)
            except ValueError as error:
                result = f"Error: {error}"
            self.calls.append((function["name"], arguments, result))
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    def _record(self, text: str, role: str) -> Record:
        record = Record(self._id("m-"), text, role)
        self.log.append(record)
        return record

    def _id(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter:06d}"

    # ---- search

    def _recall(self, text: str) -> str:
        seen = {record.id for message in self.messages if (record := message.get("_log"))}
        found = [
            f"- [{one.id}] {DAY} {one.label}: {one.text}"
            for score, one in self._find(text, [*self.passages, *self.log])
            if score >= 0.34 and one.id not in seen and one.status == "active"
        ]
        if not found:
            return ""
        return (
            render_part(note_part("memory", DAY, [text_part("\n".join(found[:8]))]), TokenCounter(), Manner(9999))
            + "\n"
        )

    def _find(self, query: str, records: list[Record]) -> list[tuple[float, Record]]:
        wanted = _words(query)
        scored = [
            (len(wanted & _words(one.text)) / (len(wanted) or 1), one) for one in records if one.status != "withheld"
        ]
        return sorted(scored, key=lambda pair: -pair[0])

    def _show(self, found: list[tuple[float, Record]], limit: int) -> str:
        lines = []
        for score, one in found[:limit]:
            mark = f"(score {score:.2f})" if score >= 0.34 else f"(weak, score {score:.2f})"
            status = "" if one.status == "active" else f", {one.status}"
            lines.append(f"- [{one.id}] {DAY} {mark} {one.label}{status}: {' '.join(one.text.split())}")
        return "\n".join(escape(line) for line in lines) or "No results."

    # ---- tools

    def _change(self, value: str) -> str:
        if self.read_only:
            raise ValueError("Block human is read-only.")
        edit = render_part(
            edit_part("human", self.revision, self.revision + 1, self.human, value), TokenCounter(), Manner(9999)
        )
        self.human, self.revision = value, self.revision + 1
        return (
            f"Changed block human from revision {self.revision - 1} to {self.revision}, 10 of 5,000 characters.\n{edit}"
        )

    def _core_memory_append(self, label: str, content: str) -> str:
        assert label == "human"
        return self._change(f"{self.human}\n{content}")

    def _core_memory_replace(self, label: str, old_content: str, new_content: str) -> str:
        assert label == "human"
        if self.human.count(old_content) != 1:
            raise ValueError(f"old_content occurs {self.human.count(old_content)} times.")
        return self._change(self.human.replace(old_content, new_content))

    def _core_memory_page_in(self, label: str) -> str:
        return f"Paged in block {label}.\n" + render_block(label, 1, self.others[label])

    def _archival_insert(self, content: str, tags: list[str] | None = None) -> str:
        self.passages.append(Record(self._id("p-"), content))
        return f"Archived as {self.passages[-1].id}."

    def _archival_update(self, id: str, content: str) -> str:
        old = next(one for one in self.passages if one.id == id)
        old.status = "superseded"
        self.passages.append(Record(self._id("p-"), content))
        return f"{id} is superseded by {self.passages[-1].id}. It said: {escape(old.text)}"

    def _archival_search(self, query: str, limit: int = 10) -> str:
        return self._show(self._find(query, self.passages), limit)

    def _conversation_search(self, query: str, roles: list[str] | None = None, limit: int = 10) -> str:
        said = [one for one in self.log[:-1] if not roles or one.label in roles]
        return self._show(self._find(query, said), limit)

    def _memory_forget(self, reason: str, query: str = "", ids: list[str] | None = None) -> str:
        if ids is None:
            self._forgotten = [query]
            found = [(s, one) for s, one in self._find(query, [*self.passages, *self.log[:-1]]) if s >= 0.3]
            lines = [
                f"- [human:{n}@{self.revision}] {DAY} line of block human: {line}"
                for n, line in enumerate(self.human.split("\n"), 1)
                if _words(query) & _words(line)
            ]
            lines += [f"- [{one.id}] {DAY} {one.label}: {one.text}" for _, one in found]
            return "\n".join(escape(line) for line in lines) or "No results."
        gone = {int(one.split(":")[1].split("@")[0]) for one in ids if one.startswith("human:")}
        facts = [line for n, line in enumerate(self.human.split("\n"), 1) if n in gone]
        if gone:
            self._change("\n".join(line for n, line in enumerate(self.human.split("\n"), 1) if n not in gone))
        for one in [*self.passages, *self.log]:
            if one.id in ids:
                facts.append(one.text)
                one.status = "withheld"
        self._forgotten = [*getattr(self, "_forgotten", []), *facts]
        return f"Forgotten: {len(ids)}."

    def _withhold(self) -> None:
        """At a turn's end what carries a forgotten fact leaves the window, and the head is compiled anew."""
        facts: list[str] = getattr(self, "_forgotten", [])
        if len(facts) < 2:
            return
        self._forgotten = []
        sets = [_words(fact) for fact in facts]
        for message in self.messages:
            text = json.dumps([message.get("content"), message.get("tool_calls")], ensure_ascii=False)
            if any(len(one & _words(text)) >= 0.6 * len(one) for one in sets if one):
                message["content"] = FORGOTTEN
                for call in message.get("tool_calls", ()):
                    call["function"]["arguments"] = "{}"
                if record := message.get("_log"):
                    record.status = "withheld"
        self._head = None


_STOP = frozenset(
    re.findall(
        r"\S+", "the a an i am is are was my me we our to of in on at and or that it you do does did user what which"
    )
)


def _words(text: str) -> set[str]:
    found = {word[:5] for word in set(re.findall(r"[a-z0-9]+", text.lower())) - _STOP}
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
        found |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    return found
