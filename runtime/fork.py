"""Forking an agent: a new one that starts from the state of another at some moment, and then goes its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Row, Table, insert, select

from .core.blocks import Block
from .directory import create_agent
from .forgetting.force import forgettings, in_force
from .forgetting.payload import said
from .journal import tables
from .journal.fold.rows import as_of, current
from .journal.journal import Transaction, last_seq
from .parted import answer_parted, started_calls
from .rewind import all_blocks, check_moment

_BATCH = 200
"""Rows in one event."""

_KEPT = ("row", "stream", "from_seq", "to_seq")

Values = dict[str, Any]


def fork(transaction: Transaction, origin: str, name: str, at: int | None = None) -> str:
    """Make the agent `name` with the state that `origin` (an id) had at the event `at`, now if it is None.

    Everything gets ids of its own, and names the one it was copied from; vectors are reused. What is forgotten in the
    origin is forgotten in the fork, and can be restored there. Returns the new agent's id. Raises UsageError,
    InvalidName or AlreadyExists.
    """
    moment = (
        last_seq(transaction.connection, origin) if at is None else check_moment(transaction.connection, origin, at)
    )
    kind = transaction.connection.execute(select(tables.agents.c.kind).where(tables.agents.c.id == origin)).scalar_one()
    fork_id = create_agent(transaction, name, kind=kind, origin=origin, moment=moment)
    copy = _Copy(transaction, origin, fork_id, moment)
    copy.rows()
    copy.forgettings()
    copy.vectors()
    threads = [copy.ids[thread] for thread in copy.threads]
    started = started_calls(transaction.connection, origin, moment)
    answer_parted(transaction, fork_id, threads, started, "was forked", copy.first_event)
    return fork_id


class _Copy:
    """Copies rows as events of the new agent's stream; `ids` leads from an origin's id to its copy's."""

    def __init__(self, transaction: Transaction, origin: str, fork_id: str, moment: int) -> None:
        self.ids: dict[str, str] = {}
        self.threads: dict[str, str] = {}
        """The origin's conversations, and whose each is."""
        self.first_event = transaction.events[-1].id
        self._transaction = transaction
        self._origin = origin
        self._fork = fork_id
        self._moment = moment
        self._gone = in_force(transaction.connection, origin, moment)
        self._now = all_blocks(transaction.connection, origin)

    def rows(self) -> None:
        """Copy the state."""
        threads = self._read(tables.conversations)
        self.threads = {row["id"]: row["user"] for row in threads}
        self._write(tables.conversations, threads, "conversation", lambda row: {})
        self._write(tables.blocks, self._read(tables.blocks), None, self._block)
        self._write(tables.messages, self._read(tables.messages), "message", self._message)
        self._write(tables.passages, self._read(tables.passages), "passage", self._passage)
        self._write(tables.epochs, self._read(tables.epochs), "epoch", self._epoch)
        self._write(tables.sleep, self._read(tables.sleep), None, self._sleep)

    def forgettings(self) -> None:
        """Forget in the copy what is forgotten in the origin now, whatever moment it is a copy of."""
        withheld = tables.withheld
        for event in forgettings(self._transaction.connection, self._origin):
            query = select(withheld).where(withheld.c.event == event.id, current(withheld))
            rows = self._transaction.connection.execute(query.order_by(withheld.c.row)).all()
            items = [
                {"kind": row.kind, "item": self.ids[row.item], "part": row.part}
                for row in rows
                if row.item in self.ids and row.kind != "forgetting"
            ]
            payload = said(event.payload)
            copied = self._append(
                "memory.forgotten",
                {
                    **payload,
                    "items": items,
                    "ids": [self.ids[item] for item in payload["ids"] if item in self.ids],
                    # The summaries were copied without it.
                    "summaries": {},
                    "deferred": None,
                    **({"of": self.ids.get(payload["of"])} if "of" in payload else {}),
                },
                conversation=self.ids.get(event.conversation),
                cause=self.ids.get(event.cause),
            )
            self.ids[event.id] = copied.id

    def vectors(self) -> None:
        """Give the copies their origins' vectors."""
        table, connection = tables.vectors, self._transaction.connection
        for batch in _batches(list(self.ids)):
            rows = connection.execute(select(table).where(table.c.item.in_(batch))).all()
            copies = [{"item": self.ids[row.item], "space": row.space, "vector": row.vector} for row in rows]
            if copies:
                connection.execute(insert(table), copies)

    def _block(self, row: Values) -> Values:
        """A block has no id; what was forgotten since does not come along."""
        then = Block(row["label"], row["value"], row["description"], user=row["user"])
        now = self._now.get((row["user"], row["label"]))
        block = self._gone.block(then, now)
        return {"value": block.value, "description": block.description}

    def _message(self, row: Values) -> Values:
        return {"conversation": self.ids[row["conversation"]], "turn": self._new("turn", row["turn"])}

    def _passage(self, row: Values) -> Values:
        """What a passage says of other rows, said of their copies."""
        return {
            "conversation": self.ids.get(row["conversation"]),
            "turn": self._new("turn", row["turn"]),
            "superseded_by": self.ids.get(row["superseded_by"]),
            "document": self._new("passage", row["document"]),
            "source": [self.ids.get(item, item) for item in row["source"]],
            "disputes": self.ids.get(row["disputes"]),
            "evidence": [self.ids[item] for item in row["evidence"] if item in self.ids],
        }

    def _sleep(self, row: Values) -> Values:
        """The copy's messages have their places from the origin's. Its events are numbered anew, so it is consolidated
        anew, which finds nothing more where there was nothing."""
        cursors = {self.ids[thread]: place for thread, place in row["cursors"].items() if thread in self.ids}
        return {"cursors": cursors, "consolidated": 0, "reflected": 0}

    def _epoch(self, row: Values) -> Values:
        """The copy's first request starts an epoch of its own."""
        summary = self._gone.summary(self.threads[row["conversation"]], row["summary"])
        return {"conversation": self.ids[row["conversation"]], "reason": "stale: forked", "summary": summary}

    def _new(self, kind: str, origin: str | None) -> str | None:
        """The copy's id for one of the origin's, made when it is first asked for."""
        if origin is not None and origin not in self.ids:
            self.ids[origin] = self._transaction.ids.new(kind)
        return self.ids[origin] if origin is not None else None

    def _read(self, table: Table) -> list[Values]:
        """The rows that held then."""
        query = select(table).where(table.c.stream == self._origin, as_of(table, self._moment)).order_by(table.c.row)
        return [_values(row) for row in self._transaction.connection.execute(query).all()]

    def _write(self, table: Table, rows: list[Values], kind: str | None, changes: Callable[[Values], Values]) -> None:
        if kind is not None:
            for row in rows:
                row["origin_id"], row["id"] = row["id"], self._new(kind, row["id"])
        known = table.c.keys()
        made = [{name: it for name, it in {**row, **changes(row)}.items() if name in known} for row in rows]
        for batch in _batches(made):
            self._append("rows.copied", {"table": table.name, "rows": batch})

    def _append(self, type: str, payload: Values, **where: Any) -> Any:
        return self._transaction.append(type, payload, stream=self._fork, writer="user", **where)


def _values(row: Row[Any]) -> Values:
    return {name: value for name, value in row._mapping.items() if name not in _KEPT}


def _batches(rows: list[Any]) -> Iterator[list[Any]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
