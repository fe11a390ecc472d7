"""Forgetting: finding what carries a fact, and withholding all of it.

Passages are retired and block lines removed by id. Every message, call, result, note and summary that carries the same
fact is withheld with them: it stays in the journal, where the user can read and restore it, and leaves search, recall
and every later request. What belongs to the turn that asks for it goes when that turn ends, since its model must still
know what it was asked.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from .archive import passages as archived
from .archive.archive import Archive
from .archive.query import Query
from .archive.terms import terms
from .clock import parse_stamp
from .context.parts import Part
from .core.blocks import Block, find_block, visible_blocks
from .core.edit import Author, Rethink, apply_edit
from .errors import NotFound, UsageError
from .journal import tables
from .journal.events import Event, Writer
from .journal.fold.rows import current
from .journal.journal import Journal, Transaction
from .scope import Scope

CARRIES = 0.4
"""The share of a fact's terms, each weighed by its rarity, from which a text carries it. It errs towards forgetting."""

_LINE_ID = re.compile(r"(?P<label>.+):(?P<line>\d+)@(?P<revision>\d+)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block, named as LABEL:LINE@REVISION."""

    block: Block
    number: int
    text: str

    @property
    def id(self) -> str:
        return f"{self.block.label}:{self.number}@{self.block.revision}"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, in numbers; `event` is what restores it."""

    event: Event
    passages: int
    lines: int
    messages: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may carry what is to be forgotten; `label` says what it is."""

    id: str
    at: datetime
    label: str
    text: str


class Facts:
    """What is to be forgotten, as sets of terms, and which texts carry it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.sets = [found for text in texts if (found := frozenset(terms(text)))]
        self._all = frozenset().union(*self.sets)
        self._starts = {term[:3] for term in self._all}

    @classmethod
    def of(cls, sets: Iterable[Iterable[str]]) -> Facts:
        """Facts that were stored as lists of terms."""
        made = cls(())
        made.sets = [frozenset(one) for one in sets]
        made._all = frozenset().union(*made.sets)
        made._starts = {term[:3] for term in made._all}
        return made

    def found(self, text: str) -> frozenset[str]:
        """The terms of the facts that `text` holds."""
        folded = text.casefold()
        if not any(start in folded for start in self._starts):
            return frozenset()
        return self._all.intersection(terms(text))

    def carriers(self, texts: Sequence[str], rarity: Counter[str], total: int) -> list[bool]:
        """For each text, whether it carries one of the facts; `rarity` counts in how many of `total` a term occurs."""
        weight = {term: math.log(1 + total / max(1, rarity[term])) for term in self._all}
        return [self._carries(self.found(text), weight) for text in texts]

    def touches(self, text: str) -> bool:
        """Whether `text` holds so many of a fact's terms that a summary must not keep it."""
        found = self.found(text)
        return any(len(fact & found) >= CARRIES * len(fact) for fact in self.sets)

    def _carries(self, found: frozenset[str], weight: dict[str, float]) -> bool:
        if not found:
            return False
        return any(
            sum(weight[term] for term in fact & found) >= CARRIES * sum(weight[term] for term in fact)
            for fact in self.sets
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What in an agent's log carries a fact: the items to withhold, and the messages among them by id."""

    items: list[dict[str, Any]]
    messages: list[Row[Any]]
    """User's and assistant's messages that carry it in their words."""


def search_log(
    connection: Connection, scope: Scope, facts: Facts, *, turn: str | None = None, but: str | None = None
) -> Found:
    """The messages of this user that carry the facts, whole or in one note.

    `turn` limits it to the messages of one turn, `but` leaves those of one out.
    """
    messages = tables.messages
    query = select(messages).where(messages.c.stream == scope.agent, messages.c.user == scope.user, current(messages))
    if turn is not None:
        query = query.where(messages.c.turn == turn)
    rows = [row for row in connection.execute(query.order_by(messages.c.row)).all() if but is None or row.turn != but]
    texts: list[str] = []
    places: list[tuple[Row[Any], int | None]] = []
    for row in rows:
        notes = [index for index, part in enumerate(row.parts) if part["type"] == "note"] if row.role == "user" else []
        texts.append(_words([part for index, part in enumerate(row.parts) if index not in notes], row.calls))
        places.append((row, None))
        for index in notes:
            texts.append(_words([row.parts[index]], []))
            places.append((row, index))
    rarity: Counter[str] = Counter()
    for text in texts:
        rarity.update(facts.found(text))
    items: list[dict[str, Any]] = []
    carrying: list[Row[Any]] = []
    whole: set[str] = set()
    for (row, part), carries in zip(places, facts.carriers(texts, rarity, len(texts)), strict=True):
        if not carries or row.id in whole:
            continue
        if part is None:
            whole.add(row.id)
            if row.role != "tool" and row.text:
                carrying.append(row)
        items.append({"kind": "message", "item": row.id, "part": part})
    return Found(_not_yet(connection, items), carrying)


def search_lines(blocks: Iterable[Block], facts: Facts) -> list[Line]:
    """The lines of blocks that carry the facts."""
    lines = [
        Line(block, number, text)
        for block in blocks
        for number, text in enumerate(block.value.split("\n"), 1)
        if text.strip()
    ]
    rarity: Counter[str] = Counter()
    for line in lines:
        rarity.update(facts.found(line.text))
    carry = facts.carriers([line.text for line in lines], rarity, len(lines))
    return [line for line, carries in zip(lines, carry, strict=True) if carries]


async def candidates(
    journal: Journal, archive: Archive, scope: Scope, query: str, *, but: str | None = None
) -> list[Candidate]:
    """What may carry what `query` names: passages by meaning and by words, block lines and messages by words.

    `but` leaves the messages of one turn out. Raises ArchiveError.
    """
    hits = await archive.search(Query(scope, query, tables=("passage",), statuses=("active", "superseded"), limit=20))
    facts = Facts([query])

    def look(connection: Connection) -> list[Candidate]:
        blocks = visible_blocks(connection, scope.agent, scope.user)
        lines = [
            Candidate(line.id, line.block.at or archive.clock.now(), f"line of block {line.block.label}", line.text)
            for line in search_lines(blocks, facts)
        ]
        said = search_log(connection, scope, facts, but=but).messages
        return lines + [Candidate(row.id, parse_stamp(row.at), row.role, row.text) for row in said]

    found = [Candidate(hit.id, hit.at, hit.label, hit.text) for hit in hits if not hit.weak]
    return found + await journal.read(look)


def forget(
    transaction: Transaction, scope: Scope, ids: Sequence[str], reason: str, author: Author, *, writer: Writer
) -> Forgotten:
    """Forget passages, block lines and messages by id, and withhold what carries the same facts.

    Within a turn (`author.turn`), the turn's own messages and this conversation's summary go at its end: `finish`.
    Raises NotFound where an id means nothing of this user's, and UsageError where a line has moved; then nothing is
    forgotten.
    """
    connection = transaction.connection
    lines, passages, messages = _resolve(connection, scope, ids)
    facts = Facts([line.text for line in lines] + [row.text for row in passages]) if lines or passages else None
    if facts is None or not facts.sets:
        facts = Facts(row.text for row in messages)
    found = search_log(connection, scope, facts, but=author.turn)
    chosen = [{"kind": "message", "item": row.id, "part": None} for row in messages if row.turn != author.turn]
    family = _predecessors(connection, scope, passages)
    items: list[dict[str, Any]] = [
        *({"kind": "passage", "item": passage_id, "part": None} for passage_id in family),
        *chosen,
        *(item for item in found.items if item["item"] not in {one["item"] for one in chosen}),
    ]
    hidden = _not_yet(connection, items)
    payload = {
        "items": hidden,
        "lines": [{"label": line.block.label, "user": line.block.user, "text": line.text} for line in lines],
        "facts": [sorted(one) for one in facts.sets],
        "reason": reason,
        "summaries": _summaries(connection, scope, facts, but=scope.conversation if author.turn else None),
        "deferred": scope.conversation if author.turn else None,
    }
    event = transaction.append(
        "memory.forgotten",
        payload,
        stream=scope.agent,
        writer=writer,
        conversation=scope.conversation,
        turn=author.turn,
        step=author.step,
    )
    because = Author(writer, author.conversation, author.turn, author.step, event.id)
    _remove_lines(transaction, scope, lines, because)
    return Forgotten(event, len(passages), len(lines), sum(item["kind"] == "message" for item in hidden))


_FORGOTTEN = select(tables.events.c.id, tables.events.c.payload).where(
    tables.events.c.turn == bindparam("turn"), tables.events.c.type == "memory.forgotten"
)


def finish(transaction: Transaction, scope: Scope, turn: str) -> None:
    """At a turn's end: withhold what of the turn itself carries what was forgotten in it."""
    rows = transaction.connection.execute(_FORGOTTEN, {"turn": turn}).all()
    facts = Facts.of(one for row in rows for one in row.payload["facts"])
    if not rows:
        return
    items = search_log(transaction.connection, scope, facts, turn=turn).items
    transaction.append(
        "memory.forgotten",
        {
            "items": items,
            "lines": [],
            "facts": [],
            "reason": "the turn that asked for it",
            "summaries": _summaries(transaction.connection, scope, facts, only=scope.conversation),
            "deferred": None,
            "of": rows[-1].id,
        },
        stream=scope.agent,
        writer="system",
        conversation=scope.conversation,
        turn=turn,
        cause=rows[-1].id,
    )


def restore(transaction: Transaction, scope: Scope, event_id: str, author: Author) -> int:
    """Take a forgetting back: what it withheld is there again, and its block lines are added at the end.

    Returns how many items came back. Raises NotFound.
    """
    connection, events = transaction.connection, tables.events
    query = select(events).where(
        events.c.id == event_id, events.c.stream == scope.agent, events.c.type == "memory.forgotten"
    )
    row = connection.execute(query).one_or_none()
    withheld = tables.withheld
    tied = select(events.c.id).where(events.c.stream == scope.agent, events.c.cause == event_id)
    ids = [event_id, *connection.execute(tied.where(events.c.type == "memory.forgotten")).scalars()]
    open_items = connection.execute(select(withheld.c.row).where(withheld.c.event.in_(ids), current(withheld))).all()
    if row is None or not (open_items or row.payload["lines"]):
        raise NotFound(
            f"Nothing is forgotten by the event {event_id[:80]!r}.", hint="`pagekeeper memory history` lists them."
        )
    for one in ids:
        transaction.append(
            "memory.restored",
            {"forgot": one},
            stream=scope.agent,
            writer=author.writer,
            conversation=author.conversation,
            cause=event_id,
        )
    for line in row.payload["lines"]:
        block = find_block(connection, scope.agent, scope.user, line["label"])
        if block is not None and line["text"] not in block.value.split("\n"):
            value = f"{block.value}\n{line['text']}" if block.value else line["text"]
            apply_edit(transaction, scope.agent, scope.user, block.label, Rethink(value), author)
    return len(open_items) + len(row.payload["lines"])


@dataclass(frozen=True, slots=True)
class InForce:
    """What was forgotten after some moment and not restored: block lines ({label, user, text}), and the facts."""

    lines: list[dict[str, str]]
    facts: Facts

    def value(self, label: str, user: str, value: str) -> str:
        """The value of a block without the lines that are forgotten."""
        gone = {line["text"] for line in self.lines if line["label"] == label and line["user"] == user}
        return "\n".join(line for line in value.split("\n") if line not in gone) if gone else value

    def summary(self, summary: str) -> str:
        """A summary without what carries a forgotten fact."""
        return without_facts(summary, self.facts) if self.facts.sets else summary


def in_force(connection: Connection, agent: str, since: int) -> InForce:
    """What was forgotten after the event `since` and is not restored: older states must not bring it back."""
    events = tables.events
    query = select(events.c.id, events.c.type, events.c.payload).where(
        events.c.stream == agent,
        events.c.seq > since,
        events.c.type.in_(["memory.forgotten", "memory.restored"]),
    )
    open_payloads: dict[str, dict[str, Any]] = {}
    for row in connection.execute(query.order_by(events.c.seq)).all():
        if row.type == "memory.forgotten":
            open_payloads[row.id] = row.payload
        else:
            open_payloads.pop(row.payload["forgot"], None)
    payloads = open_payloads.values()
    lines = [line for payload in payloads for line in payload["lines"]]
    return InForce(lines, Facts.of(one for payload in payloads for one in payload["facts"]))


def without_facts(summary: str, facts: Facts) -> str:
    """A summary without the sentences that hold much of a fact."""
    pieces = re.split(r"(?<=[.!?。！？])(?=\s)|(?<=[。！？\n])", summary)
    return "".join(piece for piece in pieces if not facts.touches(piece)).strip()


def _resolve(
    connection: Connection, scope: Scope, ids: Sequence[str]
) -> tuple[list[Line], list[Row[Any]], list[Row[Any]]]:
    """What ids mean: block lines, passages, messages."""
    lines: list[Line] = []
    passages: list[Row[Any]] = []
    messages: list[Row[Any]] = []
    for item in dict.fromkeys(ids):
        if match := _LINE_ID.fullmatch(item):
            lines.append(_line(connection, scope, match))
        elif item.startswith("m-"):
            messages.append(_message(connection, scope, item))
        else:
            passages.append(archived.get(connection, scope, item))
    if not (lines or passages or messages):
        raise UsageError("There is nothing to forget.", hint="Name what to forget by ids that a query lists.")
    return lines, passages, messages


def _line(connection: Connection, scope: Scope, match: re.Match[str]) -> Line:
    block = find_block(connection, scope.agent, scope.user, match["label"])
    if block is None:
        raise NotFound(f"There is no block {match['label'][:80]!r}.")
    lines = block.value.split("\n")
    number = int(match["line"])
    if block.revision != int(match["revision"]) or not 1 <= number <= len(lines):
        raise UsageError(
            f"Block {block.label!r} is at revision {block.revision} now, so {match[0]!r} may name another line.",
            hint="List the candidates again.",
        )
    return Line(block, number, lines[number - 1])


def _message(connection: Connection, scope: Scope, message_id: str) -> Row[Any]:
    messages = tables.messages
    query = select(messages).where(
        messages.c.id == message_id,
        messages.c.stream == scope.agent,
        messages.c.user == scope.user,
        current(messages),
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no message {message_id[:80]!r}.", hint="Take an id from a search.")
    return row


def _predecessors(connection: Connection, scope: Scope, rows: Sequence[Row[Any]]) -> list[str]:
    """The passages, and those that they superseded."""
    passages = tables.passages
    family = [row.id for row in rows]
    for passage_id in family:
        query = select(passages.c.id).where(
            passages.c.stream == scope.agent,
            passages.c.user == scope.user,
            passages.c.superseded_by == passage_id,
            current(passages),
        )
        family += [old for old in connection.execute(query).scalars() if old not in family]
    return family


def _remove_lines(transaction: Transaction, scope: Scope, lines: Sequence[Line], author: Author) -> None:
    """Remove lines from their blocks, one edit a block."""
    for label in dict.fromkeys(line.block.label for line in lines):
        gone = {line.number for line in lines if line.block.label == label}
        block = next(line.block for line in lines if line.block.label == label)
        kept = [text for number, text in enumerate(block.value.split("\n"), 1) if number not in gone]
        apply_edit(transaction, scope.agent, scope.user, label, Rethink("\n".join(kept)), author)


def _summaries(
    connection: Connection, scope: Scope, facts: Facts, *, but: str | None = None, only: str | None = None
) -> dict[str, str]:
    """The summaries in use that carry the facts, without the lines that do, by the id of their epoch."""
    epochs, conversations = tables.epochs, tables.conversations
    mine = select(conversations.c.id).where(conversations.c.stream == scope.agent, conversations.c.user == scope.user)
    query = select(epochs).where(epochs.c.conversation.in_(mine), current(epochs), epochs.c.summary != "")
    changed = {}
    for row in connection.execute(query).all():
        if row.conversation == but or (only is not None and row.conversation != only):
            continue
        kept = without_facts(row.summary, facts)
        if kept != row.summary.strip():
            changed[row.id] = kept
    return changed


def _not_yet(connection: Connection, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items that are not withheld already."""
    withheld = tables.withheld
    known: set[tuple[str, int | None]] = set()
    ids = [item["item"] for item in items]
    for start in range(0, len(ids), 500):
        query = select(withheld.c.item, withheld.c.part).where(
            withheld.c.item.in_(ids[start : start + 500]), current(withheld)
        )
        known.update((row.item, row.part) for row in connection.execute(query).all())
    return [item for item in items if (item["item"], item["part"]) not in known and (item["item"], None) not in known]


def _words(parts: Sequence[Part], calls: Sequence[dict[str, str]]) -> str:
    """All that these parts and calls say, for matching."""
    said = [call["arguments"] for call in calls]
    for part in parts:
        if part["type"] == "text":
            said.append(part["text"])
        elif part["type"] == "block":
            said.append(part["value"])
        elif part["type"] == "edit":
            said += [*part["old"], *part["new"]]
        else:
            said.append(_words(part["parts"], []))
    text = "\n".join(said)
    if "\\u" in text:
        # A call's arguments may spell letters as JSON escapes.
        text += "\n" + re.sub(r"\\u[0-9a-fA-F]{4}", lambda match: json.loads(f'"{match[0]}"'), text)
    return text
