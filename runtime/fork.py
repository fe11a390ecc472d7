"""Forking an agent: a new one that starts from the state of another at some moment, and then goes its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import Row, Table, insert, select

from .errors import AlreadyExists
from .forgetting import in_force
from .journal import tables
from .journal.fold.rows import as_of, current
from .journal.journal import Transaction, last_seq
from .rewind import check_moment
from .text import check_name

_BATCH = 200
"""Rows in one event."""

_KEPT = ("row", "stream", "from_seq", "to_seq")


def fork(transaction: Transaction, origin: str, name: str, at: int | None = None) -> str:
    """Make the agent `name` with the state that `origin` (an id) had at the event `at`, now if it is None.

    Everything gets ids of its own, and names the one it was copied from; vectors are reused. What is withheld in the
    origin is withheld in the fork. Returns the new agent's id. Raises UsageError, InvalidName or AlreadyExists.
    """
    connection, agents = transaction.connection, tables.agents
    name = check_name(name, "An agent's name")
    taken = select(agents.c.id).where(agents.c.name == name, agents.c.deleted_at.is_(None))
    if connection.execute(taken).scalar() is not None:
        raise AlreadyExists(f"There is an agent {name!r} already.", hint="Choose another name.")
    moment = last_seq(connection, origin) if at is None else check_moment(connection, origin, at)
    fork_id = transaction.ids.new("agent")
    _append(transaction, fork_id, "agent.created", {"name": name, "origin_id": origin, "origin_seq": moment})
    copy = _Copy(transaction, origin, fork_id, moment)
    copy.table(tables.conversations, "conversation")
    copy.table(tables.blocks, None, copy.block)
    copy.table(tables.messages, "message", lambda row: {"conversation": copy.ids[row["conversation"]]})
    copy.table(tables.passages, "passage", copy.passage)
    copy.table(tables.epochs, "epoch", copy.epoch)
    copy.withheld()
    copy.vectors()
    return fork_id


def _append(transaction: Transaction, stream: str, type: str, payload: dict[str, Any]) -> None:
    transaction.append(type, payload, stream=stream, writer="user")


class _Copy:
    """Copies rows as events of the new agent's stream; `ids` leads from an origin's id to its copy's."""

    def __init__(self, transaction: Transaction, origin: str, fork_id: str, moment: int) -> None:
        self.ids: dict[str, str] = {}
        self._transaction = transaction
        self._origin = origin
        self._fork = fork_id
        self._moment = moment
        self._gone = in_force(transaction.connection, origin, moment)

    def table(
        self, table: Table, kind: str | None, changes: Callable[[dict[str, Any]], dict[str, Any]] = lambda row: {}
    ) -> None:
        """Copy the rows of one table that held then."""
        query = select(table).where(table.c.stream == self._origin, as_of(table, self._moment)).order_by(table.c.row)
        rows = [_values(row) for row in self._transaction.connection.execute(query).all()]
        if kind is not None:
            for values in rows:
                self.ids[values["id"]] = self._transaction.ids.new(kind)
        made = []
        for values in rows:
            copied = {**values, **changes(values)}
            if kind is not None:
                copied["id"] = self.ids[values["id"]]
                if "origin_id" in table.c:
                    copied["origin_id"] = values["id"]
            made.append(copied)
        self._write(table, made)

    def passage(self, row: dict[str, Any]) -> dict[str, Any]:
        """What a passage says of other rows, said of their copies."""
        documents = self.ids.setdefault(f"document {row['document']}", self._transaction.ids.new("passage"))
        return {
            "conversation": self.ids.get(row["conversation"]),
            "superseded_by": self.ids.get(row["superseded_by"], row["superseded_by"]),
            "document": documents if row["document"] is not None else None,
        }

    def block(self, row: dict[str, Any]) -> dict[str, Any]:
        """A block has no id; what was forgotten since does not come along."""
        return {"value": self._gone.value(row["label"], row["user"], row["value"])}

    def epoch(self, row: dict[str, Any]) -> dict[str, Any]:
        """The copy's first request starts an epoch of its own."""
        summary = self._gone.summary(row["summary"])
        return {"conversation": self.ids[row["conversation"]], "reason": "stale: forked", "summary": summary}

    def withheld(self) -> None:
        """What is withheld now stays so in the copies, whatever moment they are of."""
        table = tables.withheld
        query = select(table).where(table.c.stream == self._origin, current(table)).order_by(table.c.row)
        rows = [_values(row) for row in self._transaction.connection.execute(query).all()]
        self._write(table, [{**row, "item": self.ids[row["item"]]} for row in rows if row["item"] in self.ids])

    def vectors(self) -> None:
        """Give the copies their origins' vectors."""
        table, connection = tables.vectors, self._transaction.connection
        for batch in _batches(list(self.ids)):
            rows = connection.execute(select(table).where(table.c.item.in_(batch))).all()
            copies = [{"item": self.ids[row.item], "space": row.space, "vector": row.vector} for row in rows]
            if copies:
                connection.execute(insert(table), copies)

    def _write(self, table: Table, rows: list[dict[str, Any]]) -> None:
        for batch in _batches(rows):
            _append(self._transaction, self._fork, "rows.copied", {"table": table.name, "rows": list(batch)})


def _values(row: Row[Any]) -> dict[str, Any]:
    return {name: value for name, value in row._mapping.items() if name not in _KEPT}


def _batches(rows: list[Any]) -> Iterator[Iterable[Any]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
