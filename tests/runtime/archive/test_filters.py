"""A condition never lets anything else through and never hides what meets it, in memory and in LanceDB alike."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekeeper.runtime.archive import search
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import retire, supersede
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.ranking.weights import Weights
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.runtime.scope import Scope
from pagekeeper.tests.support.archives import Home, find, put, scope

ZONE = "America/New_York"
NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)
ROWS = 80
TRUSTS = (0.0, 0.1, 0.25, 0.3, 0.35, 0.5, 0.7, 1.0)
TAGS = ("home", "x' OR '1'='1", "[a,b]", "日本", "%_")
KINDS = ("fact", "episode", "insight")
USERS = ("me", "me' OR 'x'='x")
CONVERSATIONS = ("cv-1", "cv'2")


@dataclass
class Known:
    """A row as the oracle knows it."""

    id: str
    table: str
    user: str
    conversation: str
    at: datetime
    label: str
    tags: tuple[str, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    status: str = "active"
    trust: float = 0.5


def meets(row: Known, query: Query) -> bool:
    """The oracle: what the conditions mean, one by one."""
    day = row.at.astimezone(query.scope.timezone).date()
    passage = row.table == "passage"
    held, start, end = True, query.valid_at, query.valid_until
    if start is not None:
        began = row.valid_from is None or (row.valid_from < end if end else row.valid_from <= start)
        held = began and (row.valid_to is None or start < row.valid_to)
    tags = {tag in row.tags for tag in query.tags}
    return (
        row.user == query.scope.user
        and row.table in query.tables
        and (query.conversation is None or row.conversation == query.conversation)
        and (not query.roles or (not passage and row.label in query.roles))
        and (not query.kinds or (passage and row.label in query.kinds))
        and (not query.tags or (passage and (all(tags) if query.tag_match == "all" else True in tags)))
        and (query.start is None or day >= query.start)
        and (query.end is None or day <= query.end)
        and held
        and (row.expires_at is None or row.expires_at > NOW)
        and row.status in query.statuses
        and row.trust >= query.least_trust
        and row.id not in query.exclude
    )


class World:
    """One home, half of whose rows are in LanceDB, as two processes see it: one with all rows in memory, one not."""

    def __init__(self, path: Path) -> None:
        self.home = Home(path, start=NOW - timedelta(days=9))
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.rows: list[Known] = []
        self.archives: list[Archive] = []
        self.runner.run(self._fill())

    async def _fill(self) -> None:
        randomly = random.Random(7)
        for resident, weights in ((0, Weights()), (1000, Weights()), (0, Weights(arm=8)), (1000, Weights(arm=8))):
            opened = self.home.archive(resident=resident, weights=weights)
            self.archives.append(await self.stack.enter_async_context(opened))
        writing = self.archives[0]
        for number in range(ROWS):
            where = self._scope(randomly)
            if number % 3:
                await self._passage(writing, where, number, randomly)
            else:
                role = randomly.choice(["user", "assistant"])
                (message,) = await self.home.say(where, f"alpha said number{number}", role=role)
                self.rows.append(Known(message, "message", where.user, where.conversation, self.home.clock.now(), role))
            self.home.clock.advance(timedelta(hours=randomly.randint(0, 5)))
            if number == ROWS // 2:
                assert await writing.flush() > 0
        for row in [row for row in self.rows if row.table == "passage"][::7]:
            await self.home.journal.write(partial(self._retire, row))
        for row in [row for row in self.rows if row.table == "passage"][3::7]:
            await self.home.journal.write(partial(self._supersede, row))
        await writing.embed_messages()
        self.home.clock.advance(NOW - self.home.clock.now())

    def _retire(self, row: Known, tx: Transaction) -> None:
        retire(tx, scope(user=row.user, conversation=row.conversation), [row.id], "old")
        row.status = "retired"

    def _supersede(self, row: Known, tx: Transaction) -> None:
        # The successor expired at once, so that none of the queries finds it.
        successor = Draft("alpha text, revised", expires_at=NOW - timedelta(days=30))
        supersede(tx, scope(user=row.user, conversation=row.conversation), row.id, successor)
        row.status = "superseded"

    def _scope(self, randomly: random.Random) -> Scope:
        user = randomly.choice(USERS)
        return scope(user=user, conversation=f"{randomly.choice(CONVERSATIONS)}{USERS.index(user)}", zone=ZONE)

    async def _passage(self, archive: Archive, where: Scope, number: int, randomly: random.Random) -> None:
        def sometime() -> datetime | None:
            return NOW + timedelta(hours=randomly.randint(-200, 100)) if randomly.random() < 0.5 else None

        values: dict[str, Any] = {name: sometime() for name in ("event_time", "valid_from", "valid_to", "expires_at")}
        starts, ends = values["valid_from"], values["valid_to"]
        if starts and ends and ends <= starts:  # which is refused
            values |= {"valid_from": ends, "valid_to": starts if ends < starts else None}
        values["kind"] = randomly.choice(KINDS)
        # Most are trusted as usual: else the conditions beside this one would meet few rows.
        values["trust"] = 0.5 if randomly.random() < 0.5 else randomly.choice(TRUSTS)
        values["tags"] = tuple(randomly.sample(TAGS, randomly.randint(0, 3)))
        (made,) = await put(archive, where, [Draft(f"alpha text number{number}", **values)])
        at = values.pop("event_time") or self.home.clock.now()
        label = values.pop("kind")
        self.rows.append(Known(made, "passage", where.user, where.conversation, at, label, **values))

    def close(self) -> None:
        self.runner.run(self.stack.aclose())
        self.runner.close()
        self.home.journal.close()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("home"))
    yield made
    made.close()


def some(values: tuple[str, ...], most: int = 2) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), max_size=most, unique=True).map(tuple))


days = st.one_of(st.none(), st.dates(date(2025, 12, 30), date(2026, 1, 14)))
queries = st.builds(
    Query,
    scope=st.sampled_from(USERS).map(lambda user: scope(user=user, zone=ZONE)),
    text=st.sampled_from(["alpha", "number12 text", "alpha' OR 1=1 --", '"alpha"', "nothing like it", "?"]),
    tables=st.sampled_from([("passage", "message"), ("passage",), ("message",)]),
    conversation=st.sampled_from([None, "cv-10", "cv'21", "' OR ''='"]),
    roles=some(("user", "assistant", "'")),
    kinds=some((*KINDS, "x'")),
    tags=some(TAGS),
    tag_match=st.sampled_from(["any", "all"]),
    start=days,
    end=days,
    valid_at=st.one_of(st.none(), st.integers(-300, 100).map(lambda hours: NOW + timedelta(hours=hours))),
    valid_until=st.one_of(st.none(), st.integers(100, 300).map(lambda hours: NOW + timedelta(hours=hours))),
    statuses=st.sampled_from([("active",), ("retired",), ("superseded",), ("active", "retired", "superseded")]),
    least_trust=st.one_of(st.sampled_from([0, 0.3, *TRUSTS]), st.floats(0, 1, width=32)),
    limit=st.just(100),
)
seen = st.one_of(st.just(()), st.lists(st.integers(0, ROWS - 1), max_size=ROWS // 2))
"""Which rows are in view, and so not wanted."""


def alone() -> list[dict[str, Any]]:
    """Each value of each condition, by itself."""
    values: dict[str, list[Any]] = {
        "tables": [("passage",), ("message",), ("passage", "message")],
        "conversation": ["cv-10", "cv'21", "cv-none"],
        "roles": [("user",), ("assistant",), ("user", "assistant")],
        "kinds": [(kind,) for kind in KINDS] + [KINDS[:2]],
        "tags": [(tag,) for tag in TAGS] + [TAGS[:2], TAGS[2:]],
        "start": [date(2026, 1, day) for day in range(1, 12)],
        "end": [date(2026, 1, day) for day in range(1, 12)],
        "valid_at": [NOW + timedelta(days=days) for days in range(-9, 5, 2)],
        "statuses": [("active",), ("superseded",), ("retired",), ("superseded", "retired")],
        "least_trust": [*TRUSTS, 0.301, 0.999],
    }
    out: list[dict[str, Any]] = [{name: value} for name, some in values.items() for value in some]
    out += [{**case, "valid_until": case["valid_at"] + timedelta(days=3)} for case in out if "valid_at" in case]
    return [*out, *({**case, "tag_match": "all"} for case in out if "tags" in case), {}]


@pytest.mark.parametrize("case", alone(), ids=str)
@pytest.mark.parametrize("user", USERS)
def test_each_condition_alone_hides_nothing_that_meets_it(world: World, user: str, case: dict[str, Any]) -> None:
    query = Query(scope(user=user, zone=ZONE), "alpha", limit=100, **case)
    assert_exact(world, query)


def test_the_conditions_that_are_tried_alone_are_all_there_are() -> None:
    names = {name for case in alone() for name in case}
    # Of the others, the scope and the text are in every query, and `exclude` and `limit` have tests of their own.
    assert names | {"scope", "text", "exclude", "limit"} == {one.name for one in fields(Query)}


def test_every_condition_is_met_by_some_rows_and_not_by_others(world: World) -> None:
    """Else a condition that does nothing would pass."""
    met: dict[str, set[bool]] = {}
    for case in alone():
        for name in case:
            query = Query(scope(zone=ZONE), "alpha", **{"statuses": ("active", "superseded", "retired"), **case})
            met.setdefault(name, set()).update(meets(row, query) for row in world.rows if row.user == "me")
    assert all(kinds == {True, False} for kinds in met.values()), met


@settings(max_examples=100, deadline=None)
@given(query=queries, unwanted=seen)
def test_exactly_what_meets_the_conditions_is_found(world: World, query: Query, unwanted: list[int]) -> None:
    assert_exact(world, replace(query, exclude=frozenset(world.rows[place].id for place in unwanted)))


def assert_exact(world: World, query: Query) -> None:
    """Both from memory and from LanceDB, all that meets the conditions is found, and nothing else."""
    expected = {row.id for row in world.rows if meets(row, query)}
    for archive in world.archives[:2]:
        assert {hit.id for hit in world.runner.run(archive.search(query))} == expected


@settings(max_examples=40, deadline=None)
@given(query=queries, limit=st.integers(1, 8), unwanted=seen)
def test_conditions_act_before_the_limit(world: World, query: Query, limit: int, unwanted: list[int]) -> None:
    """Even where each arm brings hardly more than the limit, rows that do not meet the conditions take no place."""
    exclude = frozenset(world.rows[place].id for place in unwanted)
    narrow = replace(query, text="alpha", limit=limit, exclude=exclude)
    expected = {row.id for row in world.rows if meets(row, narrow)}
    for archive in world.archives[2:]:
        found = {hit.id for hit in world.runner.run(archive.search(narrow))}
        assert found <= expected
        assert len(found) == min(limit, len(expected))


def test_excluded_ids_are_not_found(world: World) -> None:
    rows = [row.id for row in world.rows if row.user == "me" and row.status == "active"]
    for archive in world.archives[:2]:
        found = world.runner.run(find(archive, scope(zone=ZONE), "alpha", exclude=frozenset(rows[:5]), limit=100))
        assert not {hit.id for hit in found} & set(rows[:5])


@pytest.mark.parametrize("few", [0, 1000])
async def test_what_memory_knows_better_takes_no_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Whether LanceDB is told at once to leave out its own copies, or its answer is looked at first."""
    monkeypatch.setattr(search, "FEW_NEWER", few)
    home = Home(tmp_path / "home")
    async with home.archive(resident=0, weights=Weights(arm=8)) as archive:
        ids = await put(archive, scope(), [f"alpha text number{number}" for number in range(40)])
        await archive.flush()
        await home.journal.write(lambda tx: retire(tx, scope(), ids[:30], "old"))
        newer = await put(archive, scope(), ["alpha text, quite new"])
        hits = await find(archive, scope(), "alpha text", limit=8)
        assert {hit.id for hit in hits} <= {*ids[30:], *newer}
        assert len(hits) == 8
    home.journal.close()
