"""The journal's tables: the events, which are the truth, and the state, which is folded from them.

A state row carries `from_seq` and `to_seq`: it held from the event `from_seq` of its stream until the event `to_seq`,
and holds still where that is null. So the state as of n is `from_seq <= n AND (to_seq IS NULL OR n < to_seq)`.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
)
from sqlalchemy.types import JSON

SCHEMA_VERSION = 4
"""Grows with every change of these tables; a step in `steps` brings older databases there."""

metadata = MetaData()


def _versioned(name: str, *columns: Column) -> Table:  # type: ignore[type-arg]
    """A state table: its own columns, between a row number and the two ends of each row's validity."""
    return Table(
        name,
        metadata,
        Column("row", Integer, primary_key=True, autoincrement=True),
        Column("stream", String, nullable=False),
        *columns,
        Column("from_seq", Integer, nullable=False),
        Column("to_seq", Integer),
    )


meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))
"""Facts of the home that are no agent's state: schema version, the archive's generation, watermark, embedder."""

events = Table(
    "events",
    metadata,
    Column("row", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("stream", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("conversation", String),
    Column("turn", String),
    Column("step", Integer),
    Column("at", String, nullable=False),
    Column("type", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("writer", String, nullable=False),
    Column("cause", String),
    Column("payload", JSON, nullable=False),
    # Two writers that took the same number cannot both commit.
    UniqueConstraint("stream", "seq"),
)
Index("events_by_turn", events.c.turn, sqlite_where=events.c.turn.is_not(None))

agents = Table(
    "agents",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("deleted_at", String),
    Column("origin_id", String),
    # agent; or app: the memory of a program that is no agent
    Column("kind", String, nullable=False, default="agent"),
)
Index("agents_by_name", agents.c.name, unique=True, sqlite_where=agents.c.deleted_at.is_(None))

conversations = _versioned(
    "conversations",
    Column("id", String, nullable=False),
    Column("name", String, nullable=False),
    Column("user", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("origin_id", String),
)
Index("conversations_by_id", conversations.c.id)
Index("conversations_by_name", conversations.c.stream, conversations.c.user, conversations.c.name)

turns = Table(
    "turns",
    metadata,
    Column("id", String, primary_key=True),
    Column("stream", String, nullable=False),
    Column("conversation", String, nullable=False),
    Column("input", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("started_seq", Integer, nullable=False),
    Column("ended_seq", Integer),
    Column("reason", String),
)
Index("turns_open", turns.c.conversation, sqlite_where=turns.c.ended_seq.is_(None))
# Here and below, word for word as in the index: SQLite takes a partial index only where it sees its condition, not a
# parameter.
broken = turns.c.ended_seq.is_(None) | (turns.c.reason == literal_column("'interrupted'"))
Index("turns_broken", turns.c.stream, sqlite_where=broken)

inputs = Table(
    "inputs",
    metadata,
    Column("id", String, primary_key=True),
    Column("stream", String, nullable=False),
    Column("conversation", String, nullable=False),
    Column("user", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("owner", String, nullable=False),
    Column("at", String, nullable=False),
    Column("seq", Integer, nullable=False),
    # queued until a turn takes it; dropped if the user gave it up.
    Column("state", String, nullable=False),
    Column("turn", String),
)
queued = inputs.c.state == literal_column("'queued'")
Index("inputs_in_order", inputs.c.conversation, inputs.c.seq)
Index("inputs_queued", inputs.c.conversation, inputs.c.state, inputs.c.seq, sqlite_where=queued)

messages = _versioned(
    "messages",
    Column("id", String, nullable=False),
    Column("conversation", String, nullable=False),
    Column("user", String, nullable=False),
    Column("turn", String),
    Column("step", Integer),
    # Position in the conversation; never used twice, so it only grows.
    Column("ordinal", Integer, nullable=False),
    # Messages less than an hour apart are of one session.
    Column("session", Integer, nullable=False),
    Column("role", String, nullable=False),
    # What is said, as typed parts (runtime/context/parts.py).
    Column("parts", JSON, nullable=False),
    # The tool calls of an assistant's message: [{id, name, arguments}].
    Column("calls", JSON, nullable=False),
    # The call that a tool's message answers.
    Column("call_id", String),
    Column("partial", Boolean, nullable=False),
    # The words alone, without notes and tool traffic: what search finds. Empty for tool messages.
    Column("text", Text, nullable=False),
    Column("at", String, nullable=False),
    Column("origin_id", String),
)
Index("messages_in_order", messages.c.conversation, messages.c.ordinal)
Index("messages_by_id", messages.c.id)
Index("messages_by_turn", messages.c.turn)
Index("messages_born", messages.c.stream, messages.c.from_seq)
Index("messages_closed", messages.c.stream, messages.c.to_seq, sqlite_where=messages.c.to_seq.is_not(None))

epochs = _versioned(
    "epochs",
    Column("id", String, nullable=False),
    Column("conversation", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("reason", String, nullable=False),
    Column("model", String, nullable=False),
    Column("system", Text, nullable=False),
    Column("tools", JSON, nullable=False),
    Column("head", Text, nullable=False),
    # The blocks whose values are in the head: {label: revision}.
    Column("resident", JSON, nullable=False),
    Column("summary", Text, nullable=False),
    # The first message that is in the window.
    Column("first", Integer, nullable=False),
    # Here and below, a default stands for what events of older builds do not say.
    # A user's message that stays although some after it have left: the request that is being worked on. 0: none.
    Column("lead", Integer, nullable=False, default=0),
    # Messages before this one are older than the epoch: the head shows the blocks whose values they held.
    Column("boundary", Integer, nullable=False),
    # Messages before this one have been through a compaction, which left `cap` tokens to a text.
    Column("cut", Integer, nullable=False, default=0),
    Column("cap", Integer, nullable=False),
    # Messages before this one are without their notes of recall.
    Column("bare", Integer, nullable=False, default=0),
    # The day that the head names, in the agent's time zone.
    Column("date", String, nullable=False, default=""),
)
Index("epochs_current", epochs.c.conversation, sqlite_where=epochs.c.to_seq.is_(None))

blocks = _versioned(
    "blocks",
    # Whose the block is: empty for the agent's own.
    Column("user", String, nullable=False),
    Column("label", String, nullable=False),
    Column("description", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("limit", Integer, nullable=False),
    Column("read_only", Boolean, nullable=False),
    Column("pinned", Boolean, nullable=False),
    # Grows with every change of this label, also over a delete or a rewind.
    Column("revision", Integer, nullable=False),
    Column("writer", String, nullable=False),
    Column("at", String, nullable=False),
)
Index("blocks_current", blocks.c.stream, blocks.c.label, blocks.c.user, sqlite_where=blocks.c.to_seq.is_(None))
Index("blocks_born", blocks.c.stream, blocks.c.from_seq)
Index("blocks_closed", blocks.c.stream, blocks.c.to_seq, sqlite_where=blocks.c.to_seq.is_not(None))
# In this order, so that SQLite does not take it to find the blocks as they are.
Index("blocks_history", blocks.c.label, blocks.c.revision, blocks.c.stream, blocks.c.user)

block_uses = Table(
    "block_uses",
    metadata,
    Column("conversation", String, primary_key=True),
    Column("label", String, primary_key=True),
    Column("stream", String, nullable=False),
    # The event that last used the block in this conversation; 0 if it was only shown, -1 if it was paged out.
    Column("seq", Integer, nullable=False),
    # The revision that the conversation saw last.
    Column("revision", Integer, nullable=False),
)

counters = Table(
    "counters",
    metadata,
    Column("conversation", String, primary_key=True),
    Column("name", String, primary_key=True),
    Column("stream", String, nullable=False),
    Column("value", Integer, nullable=False),
)
"""Page faults, prefetches, evictions and compactions of a conversation."""

passages = _versioned(
    "passages",
    Column("id", String, nullable=False),
    Column("user", String, nullable=False),
    Column("conversation", String),
    Column("turn", String),
    Column("session", Integer),
    Column("ordinal", Integer),
    Column("speaker", String),
    Column("text", Text, nullable=False),
    # fact, episode, insight, skill, document or rule
    Column("kind", String, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("entities", JSON, nullable=False),
    Column("participants", JSON, nullable=False),
    Column("location", String),
    Column("event_time", String),
    Column("valid_from", String),
    Column("valid_to", String),
    Column("importance", Float, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("trust", Float, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("expires_at", String),
    # The events that this memory comes from.
    Column("source", JSON, nullable=False),
    Column("writer", String, nullable=False),
    # active, superseded, retired, disputed (it contradicts another, and the user has not decided) or proposed (a rule
    # that the user has not accepted); withheld ones are rows of the table `withheld`
    Column("status", String, nullable=False),
    Column("superseded_by", String),
    # The passages of one long text share a document; `chunk` is the place in it.
    Column("document", String),
    Column("chunk", Integer),
    Column("created_at", String, nullable=False),
    Column("origin_id", String),
    # Here and below, a default stands for what events of older builds do not say.
    # What it says of whom: the user, home, Porto.
    Column("subject", String),
    Column("attribute", String),
    Column("value", Text),
    # The attribute has one value at a time.
    Column("single", Boolean, nullable=False, default=False),
    # How it is known: stated, inferred, imported or reflected; empty where that is unknown.
    Column("basis", String, nullable=False, default=""),
    # It does not lose importance with time.
    Column("permanent", Boolean, nullable=False, default=False),
    # [{subject, relation, object}], which hold as long as it does.
    Column("relations", JSON, nullable=False, default=list),
    # The ids of the passages that an insight or a rule rests on.
    Column("evidence", JSON, nullable=False, default=list),
    # The passage that a disputed one contradicts.
    Column("disputes", String),
    Column("used_at", String),
    Column("retired_at", String),
)
Index("passages_current", passages.c.id, sqlite_where=passages.c.to_seq.is_(None))
Index("passages_born", passages.c.stream, passages.c.from_seq)
Index(
    "passages_about", passages.c.stream, passages.c.user, passages.c.attribute, sqlite_where=passages.c.to_seq.is_(None)
)
Index(
    "passages_disputing",
    passages.c.disputes,
    sqlite_where=passages.c.to_seq.is_(None) & passages.c.disputes.is_not(None),
)
Index("passages_closed", passages.c.stream, passages.c.to_seq, sqlite_where=passages.c.to_seq.is_not(None))

sleep = _versioned(
    "sleep",
    Column("user", String, nullable=False),
    # The last message of each conversation that memory work is through with: {conversation: ordinal}.
    Column("cursors", JSON, nullable=False),
    # How often it failed since it last succeeded, and why.
    Column("failures", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("at", String, nullable=False),
    # The newest event that consolidation has seen, and the newest of whose episodes were reflected on.
    Column("consolidated", Integer, nullable=False, default=0),
    Column("reflected", Integer, nullable=False, default=0),
)
"""How far the memory work in the background is, for each user of an agent."""
Index("sleep_current", sleep.c.stream, sleep.c.user, sqlite_where=sleep.c.to_seq.is_(None))

withheld = _versioned(
    "withheld",
    # message or passage; or forgetting: the event itself, which is in force while the row holds
    Column("kind", String, nullable=False),
    Column("item", String, nullable=False),
    # One part of a message, where the rest of it stays; null for all of it.
    Column("part", Integer),
    # The event that forgot it, and its number.
    Column("event", String, nullable=False),
    Column("forgot", Integer, nullable=False),
)
Index("withheld_forgettings", withheld.c.stream, withheld.c.forgot, sqlite_where=withheld.c.kind == "forgetting")
Index("withheld_by_event", withheld.c.event)
Index("withheld_current", withheld.c.item, sqlite_where=withheld.c.to_seq.is_(None))

vectors = Table(
    "vectors",
    metadata,
    Column("item", String, primary_key=True),
    # The embedder's fingerprint.
    Column("space", String, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)
"""The vectors of passages and messages, as float32. Derived, and dear to compute: they outlive the archive."""

outbox = Table(
    "outbox",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=True),
    # passage or message
    Column("kind", String, nullable=False),
    Column("item", String, nullable=False),
    sqlite_autoincrement=True,
)
"""What changed for the archive, in order. Entries above the archive's watermark are pending."""
