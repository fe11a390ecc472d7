"""What is known of a passage may change, and its text may not; how far the memory work is goes back with a rewind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper.runtime.archive.drafts import Draft, draft_of
from pagekeeper.runtime.archive.passages import add, change, get, retire, supersede
from pagekeeper.runtime.errors import InvalidName, NotFound
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.fold.rows import current
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.tests.support.archives import Home, scope

WHOLE = Draft(
    "Ada lives in Porto.",
    kind="fact",
    tags=("home",),
    event_time=datetime(2026, 1, 2, 9, tzinfo=UTC),
    valid_from=datetime(2026, 1, 1, tzinfo=UTC),
    valid_to=datetime(2026, 3, 1, tzinfo=UTC),
    speaker="user",
    session=1,
    ordinal=4,
    entities=("Porto",),
    participants=("Ada",),
    location="Porto",
    importance=0.8,
    confidence=0.9,
    trust=0.4,
    source=("m-1",),
    subject="user",
    attribute="home",
    value="Porto",
    single=True,
    basis="stated",
    permanent=True,
    relations=({"subject": "user", "relation": "lives in", "object": "Porto"},),
    evidence=("p-9",),
    document="p-doc",
    chunk=2,
)


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


def one(home: Home, passage: str) -> Any:
    return home.journal.read_now(lambda connection: get(connection, scope(), passage))


def test_a_draft_like_a_passage_differs_in_its_text_alone(home: Home) -> None:
    [passage] = home.journal.write_now(lambda tx: add(tx, scope(), [WHOLE]))
    again = draft_of(one(home, passage), "Ada moved to Porto.")
    assert again == Draft(**{**{name: getattr(WHOLE, name) for name in Draft.__slots__}, "text": "Ada moved to Porto."})


def test_metadata_changes_as_a_version_of_its_own(home: Home) -> None:
    [passage] = home.journal.write_now(lambda tx: add(tx, scope(), [Draft("Ada sails.")]))
    told = {"id": passage, "trust": 0.55, "uses": 1, "used_at": "2026-01-01T00:00:00Z", "status": "retired"}
    home.journal.write_now(lambda tx: change(tx, scope(), [told], "used", writer="system"))
    row = one(home, passage)
    assert (row.trust, row.uses, row.used_at, row.text) == (0.55, 1, "2026-01-01T00:00:00Z", "Ada sails.")
    assert row.retired_at is not None
    assert home.journal.read_now(differences) == {}


def test_a_text_never_changes_and_another_users_passage_is_none(home: Home) -> None:
    [passage] = home.journal.write_now(lambda tx: add(tx, scope(), [Draft("Ada sails.")]))
    for wrong in ({"text": "Ada rows."}, {"user": "eve"}, {"from_seq": 1}):
        told = {"id": passage, **wrong}
        with pytest.raises(ValueError, match="no such column can change"):
            home.journal.write_now(partial(change, scope=scope(), changes=[told], reason="x", writer="user"))
    with pytest.raises(NotFound):
        home.journal.write_now(
            lambda tx: change(tx, scope(user="eve"), [{"id": passage, "trust": 0}], "used", writer="user")
        )
    assert one(home, passage).text == "Ada sails."


def test_what_is_superseded_ends_and_what_is_retired_says_when(home: Home) -> None:
    old, gone = home.journal.write_now(lambda tx: add(tx, scope(), [Draft("Ada lives in Porto."), Draft("Ada rows.")]))
    ended = "2026-03-01T00:00:00Z"
    home.journal.write_now(lambda tx: supersede(tx, scope(), old, Draft("Ada lives in Rome."), ended=ended))
    home.journal.write_now(lambda tx: retire(tx, scope(), [gone], "wrong"))
    assert (one(home, old).status, one(home, old).valid_to) == ("superseded", ended)
    assert (one(home, gone).status, one(home, gone).retired_at is None) == ("retired", False)
    assert home.journal.read_now(differences) == {}


@pytest.mark.parametrize("wrong", [{"basis": "heard"}, {"status": "gone"}])
def test_a_draft_with_an_unknown_word_is_refused(home: Home, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidName, match="Use one of"):
        home.journal.write_now(lambda tx: add(tx, scope(), [Draft("Ada sails.", **wrong)]))  # type: ignore[arg-type]


def test_memory_work_moves_on_fails_and_goes_back(home: Home) -> None:
    def tell(type: str, **payload: Any) -> int:
        payload = {"user": "ada", **payload}
        return home.journal.write_now(lambda tx: tx.append(type, payload, stream=scope().agent, writer="sleeptime").seq)

    def state() -> Any:
        query = select(tables.sleep).where(current(tables.sleep))
        row = home.journal.read_now(lambda connection: connection.execute(query).one())
        return row.cursors, row.failures, row.error

    first = tell("sleep.done", cursors={"cv-1": 4}, counts={}, cost={})
    assert state() == ({"cv-1": 4}, 0, "")
    tell("sleep.failed", reason="The model was silent.")
    tell("sleep.failed", reason="It still is.")
    assert state() == ({"cv-1": 4}, 2, "It still is.")
    tell("sleep.done", cursors={"cv-2": 9}, counts={}, cost={})
    assert state() == ({"cv-1": 4, "cv-2": 9}, 0, "")
    payload: dict[str, Any] = {"to": first, "conversation": None, "blocks": [], "summaries": {}}
    home.journal.write_now(lambda tx: tx.append("agent.rewound", payload, stream=scope().agent, writer="user"))
    assert state() == ({"cv-1": 4}, 0, "")
    assert home.journal.read_now(differences) == {}
