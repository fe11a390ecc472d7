"""Short ids: the shortest beginning that names one memory, and every beginning that does so is taken for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from pagekeeper.runtime.archive.choices import Kind
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.lines import line
from pagekeeper.runtime.archive.passages import add, change, get, retire, supersede
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.short_ids import _LIKE, SHORTEST, full_id, full_ids, short_ids
from pagekeeper.runtime.errors import Ambiguous, NotFound
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal.journal import Journal
from pagekeeper.runtime.timeline import changes
from pagekeeper.tests.support.archives import Home, scope


class Given(CountingIds):
    """Passages get these ids, in order."""

    def __init__(self, *wanted: str) -> None:
        super().__init__()
        self.wanted = list(wanted)

    def new(self, kind: str) -> str:
        return self.wanted.pop(0) if kind == "passage" else super().new(kind)


NEAR = ("p-0fk3a2aaaa", "p-0fk3a2abbb", "p-0fk3a2b000", "p-7zzzzzzzzz")


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home", ids=Given(*NEAR, "p-0fk3a2aaac"))
    made.journal.write_now(lambda tx: add(tx, scope(), [Draft(f"Fact {n}.") for n in range(len(NEAR))]))
    yield made
    made.journal.close()


def short(journal: Journal, *ids: str, user: str = "me") -> list[str]:
    return journal.read_now(lambda connection: short_ids(connection, scope(user=user), list(ids)))


def test_a_short_id_is_as_long_as_it_must_be(home: Home) -> None:
    assert short(home.journal, *NEAR) == ["p-0fk3a2aa", "p-0fk3a2ab", "p-0fk3a2b", "p-7zzzzz"]
    # Another user's memory does not make it longer.
    home.journal.write_now(lambda tx: add(tx, scope(user="eve"), [Draft("Eve sails.")]))
    assert short(home.journal, "p-0fk3a2aaac", user="eve") == ["p-0fk3a2"]
    assert short(home.journal, "human#3") == ["human#3"]


def test_a_beginning_that_names_one_memory_is_taken_and_another_is_refused(home: Home) -> None:
    def full(said: str, user: str = "me") -> str:
        return home.journal.read_now(lambda connection: full_id(connection, "passage", said, scope(user=user)))

    assert [full(said) for said in (*NEAR, "p-7", "p-0fk3a2b")] == [*NEAR, NEAR[3], NEAR[2]]
    assert [full(said) for said in ("[p-7]", " [p-0fk3a2b]\n", "[ p-7zzzzz ]")] == [NEAR[3], NEAR[2], NEAR[3]]
    with pytest.raises(Ambiguous, match=r"begins the ids of several: p-0fk3a2aa, p-0fk3a2ab, p-0fk3a2b\."):
        full("p-0fk3a2")
    for none in (
        "p-",
        "p-9",
        "p-0fk3a2aaaaa",
        "p-%",
        "p-7_",
        "p-７",
        "p-\x00",
        "human",
        "[]",
        "[p-]",
        "[p-7",
        "[[p-7]]",
    ):
        with pytest.raises(NotFound):
            full(none)
    with pytest.raises(NotFound):
        full("p-7", user="eve")
    assert home.journal.read_now(lambda c: full_ids(c, scope(), ["p-7", "[human#3]"])) == [NEAR[3], "human#3"]


def test_whatever_takes_an_id_takes_a_beginning_of_it(home: Home) -> None:
    def one(said: str) -> str:
        return str(home.journal.read_now(lambda connection: get(connection, scope(), said)).status)

    home.journal.write_now(lambda tx: change(tx, scope(), [{"id": "p-7", "uses": 1}], "used", writer="system"))
    home.journal.write_now(lambda tx: retire(tx, scope(), ["p-7"], "wrong"))
    home.journal.write_now(lambda tx: supersede(tx, scope(), "p-0fk3a2b", Draft("Fact 2, newer.")))
    assert (one(NEAR[3]), one(NEAR[2])) == ("retired", "superseded")
    with pytest.raises(Ambiguous):
        home.journal.write_now(lambda tx: retire(tx, scope(), ["p-0"], "wrong"))


async def test_marks_and_histories_show_them_too(home: Home) -> None:
    """What shares its beginning with another is told by as much as tells them apart, wherever it is named."""
    home.journal.write_now(
        lambda tx: change(tx, scope(), [{"id": NEAR[1], "status": "disputed", "disputes": NEAR[0]}], "x", writer="user")
    )
    home.journal.write_now(lambda tx: supersede(tx, scope(), NEAR[3], Draft("Fact 3, newer.")))
    async with home.archive() as archive:
        query = Query(scope(), "Fact", tables=("passage",), statuses=("active", "disputed"))
        told = [line(hit, scope().timezone) for hit in await archive.search(query)]
    assert any("[p-0fk3a2aaaa]" in one and "disputed by p-0fk3a2ab:" in one for one in told)
    assert any("[p-0fk3a2ab]" in one and "disputed, disputes p-0fk3a2aaaa:" in one for one in told)
    history = "\n".join(it.text for it in home.journal.read_now(lambda c: changes(c, "ag-1", "me")))
    assert "archived p-0fk3a2b: Fact 2." in history
    assert "superseded p-7zzzzz by p-0fk3a2aaac: Fact 3." in history


@pytest.mark.parametrize("kind", ["passage", "message"])
def test_ids_are_looked_up_among_ids_not_among_all_that_a_user_has(home: Home, kind: Kind) -> None:
    def plan(connection: Connection) -> str:
        sql = str(_LIKE[kind]._statement.compile(connection, compile_kwargs={"render_postcompile": True}))
        return str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", ("",) * sql.count("?")).all())

    assert "(id>? AND id<?)" in home.journal.read_now(plan)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text("0123ab", min_size=7, max_size=10), min_size=1, max_size=30, unique=True))
def test_a_short_id_names_what_it_is_short_for(tails: list[str]) -> None:
    import tempfile

    ids = [f"p-{tail}" for tail in tails]
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder), ids=Given(*ids))
        home.journal.write_now(lambda tx: add(tx, scope(), [Draft(f"Fact {n}.") for n in range(len(ids))]))
        shown = short(home.journal, *ids)
        assert home.journal.read_now(lambda connection: full_ids(connection, scope(), shown)) == ids
        for item, one in zip(ids, shown, strict=True):
            assert item.startswith(one)
            assert len(one) >= min(SHORTEST, len(item))
        home.journal.close()
