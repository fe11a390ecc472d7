"""Writing what was extracted, reconciled with what is known: all of it and the moved cursor in one transaction.

So a process that dies has either done it or not, and nothing is done twice. What is known is read in that transaction,
so that a change that someone else made meanwhile is seen, and what one proposal did is known to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from ..ageing.trust import corrected
from ..archive import passages
from ..archive.archive import Archive
from ..archive.drafts import Draft, Prepared
from ..clock import stamp
from ..errors import PagekeeperError
from ..journal.journal import Transaction
from ..scope import Scope
from .asking import Cost
from .decisions import Add, Annotate, Decision, End, Proposal, Replace, Retire, Reword, Skip
from .delta import Delta, cursors, hidden_among
from .extract import Proposed, candidates
from .known import Known, about, read_attribute, read_known, read_written
from .names import aliases_of, named, read_aliases
from .reconcile import OPPOSITES, Policy, reconcile
from .stretches import place_after


class Overtaken(PagekeeperError):
    """Another process has worked through these messages meanwhile; this one must drop what it found."""


@dataclass(slots=True)
class Kept:
    """What became of the proposals."""

    counts: dict[str, int] = field(default_factory=dict)
    """added, updated, superseded, past, annotated, ended, retired, disputed; turned away; and skipped, by why."""
    ids: list[str] = field(default_factory=list)
    """The new memories."""
    refused: list[str] = field(default_factory=list)
    """Why something was turned away."""

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal, the ids of the memories it is compared with, and its text made ready to be archived."""

    proposal: Proposal
    near: list[str]
    prepared: Prepared


async def make_ready(archive: Archive, scope: Scope, proposals: Sequence[Proposal]) -> list[Candidate]:
    """Look up what each proposal is compared with, and embed it. Raises ArchiveError, and then nothing is written."""
    texts = [one.operation.text for one in proposals if one.operation.text]
    ready = dict(zip(texts, await archive.prepare(texts), strict=True))
    out = []
    for one in proposals:
        text = one.operation.text
        near = await candidates(archive, scope, text) if text else []
        out.append(Candidate(one, near, ready.get(text, Prepared.plain(text or "-"))))
    return out


def keep(
    transaction: Transaction,
    scope: Scope,
    delta: Delta,
    found: Sequence[Candidate],
    proposed: Proposed,
    cost: Cost,
    policy: Policy,
) -> Kept:
    """Do what the proposals come to, and move the cursor. Raises Overtaken, and then nothing is done."""
    connection = transaction.connection
    if cursors(connection, scope).get(delta.conversation, 0) != delta.start:
        raise Overtaken("Another process has done this memory work.")
    keeper = _Keeper(transaction, replace(scope, conversation=delta.conversation), delta, policy)
    for one in found:
        keeper.take(one)
    for what, told in (("faulty", proposed.faults), ("clamped", proposed.clamped)):
        for _ in told:
            keeper.kept.count(what)
    _done(transaction, scope, delta, keeper.kept.counts, cost)
    return keeper.kept


def _done(transaction: Transaction, scope: Scope, delta: Delta, counts: Mapping[str, int], cost: Cost) -> None:
    payload = {
        "user": scope.user,
        "cursors": {delta.conversation: delta.end},
        "counts": dict(counts),
        "cost": cost.data(),
    }
    transaction.append("sleep.done", payload, stream=scope.agent, writer="sleeptime", conversation=delta.conversation)


class _Keeper:
    """One transaction's work."""

    def __init__(self, transaction: Transaction, scope: Scope, delta: Delta, policy: Policy) -> None:
        self.kept = Kept()
        self._transaction = transaction
        self._connection: Connection = transaction.connection
        self._scope = scope
        self._delta = delta
        self._policy = policy
        self._aliases = read_aliases(self._connection, scope)
        self._turns = {entry.id: entry.turn for entry in delta.entries}
        self._gone = hidden_among(self._connection, [entry.id for entry in delta.entries])

    def take(self, one: Candidate) -> None:
        """Reconcile a proposal, and do what it comes to."""
        if not self._gone.isdisjoint(one.proposal.sources):
            # The user has asked to forget it since.
            self.kept.count("forgotten")
            return
        operation = one.proposal.operation
        known_as = replace(operation, subject=named(operation.subject, self._aliases))
        one = replace(one, proposal=replace(one.proposal, operation=known_as))
        for decision in reconcile(one.proposal, self._known(one), self._policy):
            self._do(decision, one)
        self._aliases |= aliases_of([known_as.subject], operation.relations)

    def _known(self, one: Candidate) -> list[Known]:
        """What the proposal is compared with; everybody whose name is known has it."""
        operation = one.proposal.operation
        ids = list(dict.fromkeys([*([operation.id] if operation.id else []), *one.near, *self.kept.ids]))
        found = read_known(self._connection, self._scope, ids)
        found += read_written(self._connection, self._scope, one.proposal.turns)
        wanted = self._attributes(one.proposal.about)
        for _, attribute in wanted:
            same = (self._named(known) for known in read_attribute(self._connection, self._scope, attribute))
            found += [known for known in same if known.about in wanted]
        return list({known.id: self._named(known) for known in found}.values())

    def _named(self, known: Known) -> Known:
        return replace(known, subject=named(known.subject, self._aliases))

    @staticmethod
    def _attributes(wanted: tuple[str, str] | None) -> list[tuple[str, str]]:
        """What is told of the same subject, and its opposite."""
        if wanted is None:
            return []
        subject, attribute = wanted
        return [wanted, *([(subject, OPPOSITES[attribute])] if attribute in OPPOSITES else [])]

    def _do(self, decision: Decision, one: Candidate) -> None:
        match decision:
            case Skip("instruction"):
                self.kept.count("turned away")
                self.kept.refused.append("an instruction to the assistant, which is no memory")
            case Skip(why):
                self.kept.count(f"skipped: {why}")
            case Add():
                self._add(decision, one)
            case Replace():
                self._replace(decision, one)
            case Reword(old):
                # The newest of what this proposal brought stands for both.
                passages.replace_by(self._transaction, self._scope, old, self.kept.ids[-1], writer="sleeptime")
                self.kept.count("reworded")
            case Annotate(old):
                self._change(old, "annotated", self._described(one.proposal))
                self.kept.count("annotated")
            case End(old, at):
                self._end(old, at)
            case Retire(old):
                self._retire(old)

    def _add(self, decision: Add, one: Candidate) -> None:
        draft = self._placed(self._draft(one.proposal, decision.starts, decision.ends), one.proposal)
        if decision.disputes is not None:
            draft = replace(draft, status="disputed", disputes=decision.disputes)
        [new, *_] = self._insert(draft, one)
        if decision.past is not None:
            self._change(new, "past", {"status": "superseded", "superseded_by": decision.past})
        what = "disputed" if decision.disputes is not None else "past" if decision.past is not None else "added"
        self.kept.count(what)

    def _replace(self, decision: Replace, one: Candidate) -> None:
        [old] = read_known(self._connection, self._scope, [decision.old])
        starts, ends = decision.starts or one.proposal.starts or old.valid_from, one.proposal.ends
        if starts is not None and ends is not None and ends <= starts:
            starts = None  # what is known of its beginning is not of this one
        draft = self._draft(one.proposal, starts, ends)
        draft = replace(
            draft, source=tuple(dict.fromkeys([*old.source, *draft.source])) if not decision.ended else draft.source
        )
        if draft.kind == "episode":
            row = passages.get(self._connection, self._scope, decision.old)
            draft = replace(draft, session=row.session, ordinal=row.ordinal)
        prepared = one.prepared
        if decision.text is not None:
            draft, prepared = replace(draft, text=decision.text), Prepared.plain(decision.text)
        ended = stamp(decision.ended) if decision.ended is not None else None
        self.kept.ids += passages.supersede(
            self._transaction,
            self._scope,
            decision.old,
            draft,
            prepared,
            ended=ended,
            writer="sleeptime",
            turn=self._turn(one.proposal),
        )
        self.kept.count("superseded" if decision.ended is not None else "updated")

    def _end(self, old: str, at: datetime) -> None:
        over = at <= self._transaction.clock.now()
        self._change(old, "ended", {"valid_to": stamp(at), **({"status": "superseded"} if over else {})})
        self.kept.count("ended")

    def _insert(self, draft: Draft, one: Candidate) -> list[str]:
        made = passages.add(
            self._transaction,
            self._scope,
            [draft],
            [one.prepared],
            writer="sleeptime",
            turn=self._turn(one.proposal),
        )
        self.kept.ids += made
        return made

    def _change(self, old: str, reason: str, values: Mapping[str, Any]) -> None:
        passages.change(self._transaction, self._scope, [{"id": old, **values}], reason, writer="sleeptime")

    def _retire(self, old: str) -> None:
        """What turned out wrong is also trusted less, in case it comes back."""
        row = passages.get(self._connection, self._scope, old)
        self._change(old, "corrected", {"trust": corrected(row.trust)})
        passages.retire(self._transaction, self._scope, [old], "The user said that it is wrong.", writer="sleeptime")
        self.kept.count("retired")

    def _turn(self, proposal: Proposal) -> str | None:
        return next((self._turns[source] for source in proposal.sources if source in self._turns), None)

    def _draft(self, proposal: Proposal, starts: datetime | None, ends: datetime | None) -> Draft:
        operation = proposal.operation
        happened = operation.event_time if operation.kind == "episode" else None
        return Draft(
            operation.text,
            kind=operation.kind,
            tags=operation.topics,
            # A fact is dated by when it was told, which is not when it was worked through.
            event_time=happened or proposal.said_at,
            valid_from=starts,
            valid_to=ends,
            entities=operation.entities,
            participants=operation.participants,
            location=operation.location,
            importance=operation.importance,
            confidence=operation.confidence,
            source=proposal.sources,
            relations=operation.relations,
            basis=proposal.basis,
            permanent=operation.permanent,
            **self._about(proposal),
        )

    def _placed(self, draft: Draft, proposal: Proposal) -> Draft:
        """An episode with its place among those that were told before it."""
        if draft.kind != "episode":
            return draft
        said = [entry.text for entry in self._delta.entries if entry.id in draft.source]
        told = [draft.text, *draft.tags, *draft.entities, *draft.participants, *said]
        place = place_after(self._connection, self._scope, told, draft.source, proposal.said_at)
        return replace(draft, session=place.session, ordinal=place.ordinal)

    @staticmethod
    def _about(proposal: Proposal) -> dict[str, Any]:
        """What it says of whom, in the names by which memories are compared."""
        operation = proposal.operation
        wanted = about(operation.subject, operation.attribute)
        if wanted is None:
            return {}
        return {
            "subject": wanted[0] if wanted[0] == "user" else operation.subject,
            "attribute": wanted[1],
            "value": operation.value,
            "single": operation.single,
        }

    def _described(self, proposal: Proposal) -> dict[str, Any]:
        """What a memory that lacks it may take over from one that says the same."""
        operation = proposal.operation
        known = {
            **self._about(proposal),
            "basis": proposal.basis,
            "permanent": operation.permanent,
            "relations": [dict(one) for one in operation.relations],
            "entities": list(operation.entities),
            "importance": operation.importance,
            "valid_from": stamp(proposal.starts) if proposal.starts else None,
        }
        return {name: value for name, value in known.items() if value}
