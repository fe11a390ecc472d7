"""Changing passages: what a transaction of the journal does when something is archived, replaced or taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from ..errors import NotFound
from ..journal import tables
from ..journal.events import Event, Writer
from ..journal.fold.passages import CHANGEABLE
from ..journal.fold.rows import current
from ..journal.journal import Transaction
from ..scope import Scope
from ..text import check_text
from . import disputed, vectors
from .drafts import Draft, Prepared, checked, columns
from .forgotten import forgotten
from .rows import Vector
from .short_ids import full_id, short_ids


def add(
    tx: Transaction,
    scope: Scope,
    drafts: Sequence[Draft],
    prepared: Sequence[Prepared] | None = None,
    *,
    writer: Writer = "agent",
    turn: str | None = None,
    step: int | None = None,
    cause: str | None = None,
) -> list[str]:
    """Archive `drafts`, and return the ids of the new passages, in order.

    A text that is longer than a passage becomes several; there is no length that is refused. `prepared` holds, for
    each draft, what `Archive.prepare` made of its text; without it the passages are embedded later.
    Raises InvalidText or InvalidName, and then nothing is archived.
    """
    prepared = prepared if prepared is not None else [Prepared.plain(draft.text) for draft in drafts]
    if [ready.text for ready in prepared] != [draft.text for draft in drafts]:
        raise ValueError("`prepared` is not of these drafts")
    new: list[dict[str, Any]] = []
    ready_vectors: list[tuple[str, Vector]] = []
    for draft, ready in zip(drafts, prepared, strict=True):
        shared = columns(checked(draft, scope), scope)
        document = draft.document or (tx.ids.new("passage") if len(ready.chunks) > 1 else None)
        for place, (text, vector) in enumerate(zip(ready.chunks, ready.vectors, strict=True), draft.chunk):
            passage_id = tx.ids.new("passage")
            chunk_of = {"document": document, "chunk": place} if document else {}
            new.append({"id": passage_id, "text": text, **shared, **chunk_of})
            if vector is not None:
                ready_vectors.append((passage_id, vector))
    if not new:
        return []
    _append(tx, scope, "passage.added", {"passages": new}, writer, turn, step, cause)
    if ready_vectors:
        vectors.claim(tx.connection, prepared[0].space)
        vectors.store(tx.connection, prepared[0].space, ready_vectors, new=True)
    return [passage["id"] for passage in new]


def supersede(
    tx: Transaction,
    scope: Scope,
    passage_id: str,
    draft: Draft,
    prepared: Prepared | None = None,
    *,
    ended: str | None = None,
    writer: Writer = "agent",
    turn: str | None = None,
    step: int | None = None,
) -> list[str]:
    """Put `draft` in the place of a passage, which stays as history. Returns the new ids. Raises NotFound.

    `ended` is the stamp of the moment until which the old one held; None where it was never true, or says the same.
    """
    old = get(tx.connection, scope, passage_id)
    if old.status == "superseded":
        was, by = short_ids(tx.connection, scope, [old.id, old.superseded_by])
        raise NotFound(f"{was} was already superseded by {by}.", hint="Update that one instead.")
    new = add(tx, scope, [draft], [prepared] if prepared else None, writer=writer, turn=turn, step=step)
    replace_by(tx, scope, passage_id, new[0], ended=ended, writer=writer, turn=turn, step=step)
    return new


def replace_by(
    tx: Transaction,
    scope: Scope,
    passage_id: str,
    other: str,
    *,
    ended: str | None = None,
    writer: Writer,
    turn: str | None = None,
    step: int | None = None,
) -> None:
    """Let a passage that is there take the place of another, which held until the stamp `ended`. Raises NotFound."""
    old = get(tx.connection, scope, passage_id)
    payload = {"id": old.id, "by": get(tx.connection, scope, other).id, **({"valid_to": ended} if ended else {})}
    _append(tx, scope, "passage.superseded", payload, writer, turn, step)
    disputed.follow(tx, scope, turn)


def retire(
    tx: Transaction,
    scope: Scope,
    passage_ids: Sequence[str],
    reason: str,
    *,
    writer: Writer = "agent",
    turn: str | None = None,
    step: int | None = None,
) -> Event:
    """Take passages out of use; they stay as history. Returns the event, by which it is undone. Raises NotFound."""
    whole = [get(tx.connection, scope, passage_id).id for passage_id in passage_ids]
    payload = {"ids": whole, "reason": check_text(reason, "The reason")}
    event = _append(tx, scope, "passage.retired", payload, writer, turn, step)
    disputed.follow(tx, scope, turn)
    return event


def change(
    tx: Transaction,
    scope: Scope,
    changes: Sequence[Mapping[str, Any]],
    reason: str,
    *,
    writer: Writer,
    turn: str | None = None,
) -> None:
    """Change what is known of passages, for `reason`: each of `changes` has an `id` and new values of columns.

    The text of a passage never changes: what says it otherwise is another passage. Raises NotFound.
    """
    whole = [{**one, "id": get(tx.connection, scope, one["id"]).id} for one in changes]
    for one in changes:
        if unknown := one.keys() - {"id", *CHANGEABLE}:
            raise ValueError(f"no such column can change: {', '.join(sorted(unknown))}")
    if whole:
        _append(tx, scope, "passage.changed", {"reason": reason, "changes": whole}, writer, turn)
        if any("status" in one for one in whole):
            disputed.follow(tx, scope, turn)


def get(connection: Connection, scope: Scope, passage_id: str) -> Row[Any]:
    """The row of a passage of this agent and user, by its id or by a beginning of it that no other shares.

    Raises NotFound, also where it is another's, or was forgotten; and Ambiguous.
    """
    table = tables.passages
    whole = full_id(connection, "passage", passage_id, scope)
    row = connection.execute(select(table).where(table.c.id == whole, current(table))).one_or_none()
    if row is None:
        raise NotFound(f"There is no passage {passage_id[:80]!r}.", hint="Take an id from a search.")
    if gone := forgotten(connection, scope, row.id):
        raise gone
    return row


def _append(
    tx: Transaction,
    scope: Scope,
    type: str,
    payload: dict[str, Any],
    writer: Writer,
    turn: str | None,
    step: int | None = None,
    cause: str | None = None,
) -> Event:
    return tx.append(
        type,
        payload,
        stream=scope.agent,
        writer=writer,
        conversation=scope.conversation,
        turn=turn,
        step=step,
        cause=cause,
    )
