"""Looking, before anything is changed, for every piece of text that an erasure would take, and where it stands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, select

from ..errors import NotFound, UsageError
from ..forgetting import lines, log
from ..forgetting.candidates import Candidate
from ..forgetting.common import is_common
from ..forgetting.facts import LIGHT, Facts, terms_of
from ..forgetting.survey import family, memories
from ..journal import tables
from ..scope import Scope
from .pieces import pieces_of
from .records import Record, records
from .streams import relatives, threads
from .walk import Walk
from .words import Words

_NOUNS = {
    "messages": "message",
    "passages": "passage",
    "blocks": "block revision",
    "epochs": "head or summary",
    "inputs": "input",
}
"""What people call the rows of a table; what stands in none of them is in the record of events alone."""
RECORD = "record"
RECORDING = "recording"


@dataclass(frozen=True, slots=True)
class Find:
    """A piece of text that says what is to be erased. `places` counts where it stands, by what people call them."""

    text: str
    partial: bool
    """It holds only a part of it, or says more of other things: whoever erases decides."""
    places: dict[str, int]


@dataclass(frozen=True, slots=True)
class Erasable:
    """What an erasure would take, and what it would leave: a preview, from which `erase` goes on."""

    scope: Scope
    words: Words
    items: frozenset[str]
    """The ids of what was chosen: passages, messages, and the inputs that these came from. They go whole."""
    chosen: list[str]
    """The texts of these."""
    finds: list[Find]
    streams: list[str]
    """The agents that it would be erased from: this one, and its forks where they were asked for."""
    forks: list[str] = field(default_factory=list)
    """The names of other agents, forked from this one or its origins, that hold it and would keep it."""
    names: list[str] = field(default_factory=list)
    """Names that hold it, and stay: of blocks, conversations and agents."""
    also: list[Candidate] = field(default_factory=list)
    """Passages that may be about it in other words; they stay, unless they are named by their ids."""
    files: list[str] = field(default_factory=list)
    """Other files in the home that hold it, and stay."""

    @property
    def partial(self) -> list[Find]:
        """The finds that are to be decided on."""
        return [find for find in self.finds if find.partial]

    def __bool__(self) -> bool:
        return bool(self.items or self.finds)


class Collector:
    """Gathers the pieces of texts that say it, and counts the places where they stand."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.found: dict[str, Counter[str]] = {}
        self._here: set[str] = set()

    def text(self, text: str) -> str:
        """Take the pieces of a text."""
        self._here.update(piece for piece in pieces_of(text) if self.words.judge(piece) is not None)
        return text

    def stand(self, place: str) -> None:
        """Say where all that was taken since the last time stands."""
        for piece in sorted(self._here):
            self.found.setdefault(piece, Counter())[place] += 1
        self._here.clear()

    def take(self, walk: Walk, record: Record) -> None:
        """Take all that a row says."""
        table = record.table
        if table is tables.events:
            values = record.values
            walk.event(values["type"], values["conversation"], values["payload"])
        else:
            walk.row(table.name, record.values)
        self.stand(RECORD if table is tables.events else _NOUNS.get(table.name, RECORD))

    @property
    def finds(self) -> list[Find]:
        """What was found; events count only for what stands in no table."""
        out = []
        for piece, places in self.found.items():
            known = {place: count for place, count in places.items() if place != RECORD} or dict(places)
            out.append(Find(piece, self.words.judge(piece) == "part", known))
        return sorted(out, key=lambda find: find.partial)


def survey(connection: Connection, scope: Scope, query: str | None, ids: Sequence[str], forks: bool) -> Erasable:
    """Find all that says what `query` names, or what `ids` name. Raises NotFound and UsageError."""
    family_of_agents = relatives(connection, scope.agent)
    streams = [one.agent for one in family_of_agents] if forks else [scope.agent]
    if query is not None:
        words, items, chosen = _named(connection, scope, query), set[str](), list[str]()
    else:
        words, items, chosen = _chosen(connection, scope, ids)
    items |= _copies(connection, items, streams)
    collected = _collect(connection, scope, words, streams)
    others = [] if forks else family_of_agents[1:]
    holding = [it.name for it in others if _collect(connection, scope, words, [it.agent]).found]
    return Erasable(
        scope,
        words,
        frozenset(items),
        chosen,
        collected.finds,
        streams,
        holding,
        list(_names(connection, scope, words, streams)),
    )


def may_hold(words: Words, items: Collection[str] = ()) -> Callable[[str], bool]:
    """Tells from a row's stored text whether it is worth reading."""
    exact = [json.dumps(piece, ensure_ascii=False)[1:-1] for piece in words.exact]
    carriers = log.Carriers(words.facts, [*items, *words.exact, *exact])
    return lambda raw: carriers.may(raw) or words.may(raw)


def _collect(connection: Connection, scope: Scope, words: Words, streams: Sequence[str]) -> Collector:
    collector = Collector(words)
    walk = Walk(scope.user, threads(connection), collector.text)
    for stream in streams:
        for record in records(connection, stream, may_hold(words)):
            collector.take(walk, record)
    return collector


def _named(connection: Connection, scope: Scope, query: str) -> Words:
    """What a query names: its own words, and the words of what says them, so that what says those is found as well."""
    wanted = terms_of(query)
    others = [text for text in memories(connection, scope) if not wanted <= terms_of(text)]
    plain = Facts.of([query], others) or Facts([{t: LIGHT if is_common(t) else 1.0 for t in sorted(wanted)}])
    if not plain:
        raise UsageError("The query has no words by which something could be found.", hint="Name it otherwise.")
    program = _program(connection, scope)
    first = Words(plain, query, program=program)
    told = [find.text for find in _collect(connection, scope, first, [scope.agent]).finds if not find.partial]
    others = [text for text in others if text not in told]
    facts = Facts([*plain.facts, *Facts.of(told, others).facts])
    return Words(_without_usual(connection, scope, facts, plain), query, program=program)


def _chosen(connection: Connection, scope: Scope, ids: Sequence[str]) -> tuple[Words, set[str], list[str]]:
    """What ids name, hidden or not: its words, the ids of what goes whole, and their texts."""
    if not ids:
        raise UsageError("There is nothing to erase.", hint="Name it in words, or by ids that a query lists.")
    found_lines, found_passages, found_messages = [], [], []
    for item in dict.fromkeys(ids):
        if lines.is_line_id(item):
            found_lines.append(lines.line_then(connection, scope, item))
        elif item.startswith("m-"):
            found_messages.append(_row(connection, scope, tables.messages, item))
        else:
            found_passages.append(_row(connection, scope, tables.passages, item))
    stated = [line.text for line in found_lines] + [row.text for row in found_passages]
    told = stated or [row.text for row in found_messages]
    wanted = [terms_of(text) for text in told]
    others = [text for text in memories(connection, scope, ids) if not any(it <= terms_of(text) for it in wanted)]
    facts = Facts.of(told, others)
    passages = family(connection, scope, found_passages, facts) if found_passages else []
    exact = [piece for line in found_lines for piece in pieces_of(line.text)]
    turns = [row.turn for row in found_messages if row.role == "user" and row.turn is not None]
    inputs = connection.execute(select(tables.inputs.c.id).where(tables.inputs.c.turn.in_(turns))).scalars()
    items = {*passages, *(row.id for row in found_messages), *inputs}
    table = tables.passages
    query = select(table.c.text).where(table.c.id.in_(passages), table.c.stream == scope.agent).distinct()
    texts = [*connection.execute(query.order_by(table.c.text)).scalars(), *(row.text for row in found_messages)]
    facts = _without_usual(connection, scope, facts, Facts([]))
    return Words(facts, exact=exact, program=_program(connection, scope)), items, texts


def _row(connection: Connection, scope: Scope, table: Any, item: str) -> Row[Any]:
    """The newest version of a passage or message, also of one that was forgotten or rewound. Raises NotFound."""
    query = select(table).where(table.c.id == item, table.c.stream == scope.agent, table.c.user == scope.user)
    row = connection.execute(query.order_by(table.c.row.desc()).limit(1)).one_or_none()
    if row is None:
        what = table.name.removesuffix("s")
        raise NotFound(f"There is no {what} {item[:80]!r}.", hint="Take an id from a search.")
    return row


def _without_usual(connection: Connection, scope: Scope, facts: Facts, named: Facts) -> Facts:
    """The facts, with words that are usual in the log telling little; but not those that were `named`."""
    found, total = log.pieces(connection, scope, log.Carriers(facts))
    usual = log.usual(found, facts, total) - {term for fact in named.facts for term in fact}
    return facts.lighter(usual)


def _program(connection: Connection, scope: Scope) -> set[str]:
    """The pieces of what the program tells every model: system texts, and descriptions of tools."""
    epochs = tables.epochs
    query = select(epochs.c.system, epochs.c.tools).where(epochs.c.stream == scope.agent).distinct()
    found: set[str] = set()

    def take(text: str) -> str:
        found.update(pieces_of(text))
        return text

    for system, tools in connection.execute(query):
        take(system)
        Walk("", {}, take).plain(tools)
    return found


def _copies(connection: Connection, items: Collection[str], streams: Sequence[str]) -> set[str]:
    """What forks copied of these, at any remove, and what these were copied from."""
    near: dict[str, set[str]] = {}
    for table in (tables.messages, tables.passages) if items and len(streams) > 1 else ():
        query = select(table.c.id, table.c.origin_id).where(table.c.stream.in_(streams), table.c.origin_id.is_not(None))
        for copy, origin in connection.execute(query.distinct()):
            near.setdefault(copy, set()).add(origin)
            near.setdefault(origin, set()).add(copy)
    found, new = set(items), set(items)
    while new := {it for one in new for it in near.get(one, ())} - found:
        found |= new
    return found


def _names(connection: Connection, scope: Scope, words: Words, streams: Sequence[str]) -> Iterator[str]:
    """Names that hold it. They are how the user calls things, and stay."""
    kinds: tuple[tuple[str, Any, Any, Any], ...] = (
        ("block", tables.blocks, tables.blocks.c.label, tables.blocks.c.user.in_(["", scope.user])),
        ("conversation", tables.conversations, tables.conversations.c.name, tables.conversations.c.user == scope.user),
    )
    for kind, table, column, mine in kinds:
        query = select(column).where(table.c.stream.in_(streams), mine).distinct().order_by(column)
        yield from (f"{kind} {name}" for name in connection.execute(query).scalars() if words.judge(name) is not None)
    names = connection.execute(select(tables.agents.c.name).where(tables.agents.c.id.in_(streams))).scalars()
    yield from (f"agent {name}" for name in sorted(names) if words.judge(name) is not None)
