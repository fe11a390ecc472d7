"""What time and trust do to what a search finds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from pagekeeper.runtime.ageing import trust
from pagekeeper.runtime.archive import columns
from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import change, get
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.clock import stamp
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.tests.support.archives import Home, find, put, scope, texts


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


async def worths(archive: Archive, question: str = "sails") -> dict[str, float]:
    """What the step `worth` gives each result, by its text."""
    hits = await archive.search(Query(scope(), question, limit=20), explain=True)
    return {hit.text: hit.explain["worth"] for hit in hits}


@pytest.mark.parametrize("resident", [0, 2000])
async def test_what_was_important_long_ago_counts_less_than_what_is_so_now(home: Home, resident: int) -> None:
    async with home.archive(resident=resident) as archive:
        await put(archive, scope(), [Draft("Ada sails far.", importance=0.9)])
        before = await worths(archive)
        home.clock.advance(timedelta(days=60))
        await put(archive, scope(), [Draft("Bea sails far.", importance=0.9)])
        if not resident:
            assert await archive.flush() == 2
        after = await worths(archive)
        assert before["Ada sails far."] > 0 > after["Ada sails far."]
        assert after["Bea sails far."] == max(after.values())


async def test_what_lasts_does_not_fade(home: Home) -> None:
    lasting = [
        Draft("Ada sails, for good.", permanent=True),
        Draft("Ada sails, says the guide.", kind="document"),
        Draft("Never say that Ada sails.", kind="rule"),
    ]
    async with home.archive() as archive:
        await put(archive, scope(), [*lasting, Draft("Ada sails on Sundays.")])
        home.clock.advance(timedelta(days=365))
        found = await worths(archive)
        (faded,) = [text for text, worth in found.items() if worth < max(found.values())]
        assert faded == "Ada sails on Sundays."
        assert len({found[draft.text] for draft in lasting}) == 1


async def test_a_use_makes_it_count_as_new(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        used, unused = await put(archive, scope(), ["Ada sails a lot.", "Bea sails a lot."])
        assert await archive.flush() == 2
        home.clock.advance(timedelta(days=60))
        told = {"id": used, "used_at": stamp(home.clock.now())}
        await home.journal.write(lambda tx: change(tx, scope(), [told], "used", writer="system"))
        for _flushed in (False, True):
            found = await worths(archive)
            assert found["Ada sails a lot."] > found["Bea sails a lot."]
            await archive.flush()
        stored = home.journal.read_now(lambda connection: get(connection, scope(), unused))
        assert stored.importance == 0.5


async def test_an_old_memory_stands_above_words_that_say_the_same(home: Home) -> None:
    """However old it is: it fades among memories, and not behind the log, where nobody judged anything."""
    async with home.archive() as archive:
        await put(archive, scope(), ["Ada sails with Bo, to Faro."])
        await home.say(scope(), "Ada sails with Cy, to Faro.")
        await archive.embed_messages()
        home.clock.advance(timedelta(days=700))
        found = await worths(archive)
        assert found["Ada sails with Bo, to Faro."] > found["Ada sails with Cy, to Faro."]


def _correct(passage: str, tx: Transaction) -> None:
    told = {"id": passage, "trust": trust.corrected(get(tx.connection, scope(), passage).trust)}
    change(tx, scope(), [told], "corrected", writer="system")


async def test_what_was_corrected_three_times_is_found_only_by_who_asks_for_it(home: Home) -> None:
    async with home.archive() as archive:
        (wrong,) = await put(archive, scope(), ["Ada sails alone."])
        for left in (1, 1, 0):
            await home.journal.write(partial(_correct, wrong))
            assert len(await find(archive, scope(), "sails")) == left
        assert await texts(archive, scope(), "sails", least_trust=0) == ["Ada sails alone."]


async def test_an_archive_without_the_column_is_made_again_by_itself(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = columns.schema

    def older(dimension: int) -> pa.Schema:
        return pa.schema([field for field in now(dimension) if field.name != "fades_from"])

    monkeypatch.setattr(columns, "schema", older)
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada sails home."])
        assert await archive.flush() == 1
        assert await archive.tables() is not None
        generation = archive._view.position.generation
    monkeypatch.setattr(columns, "schema", now)
    async with home.archive(resident=0) as archive:
        assert await texts(archive, scope(), "sails") == ["Ada sails home."]
        assert archive._view.position.generation == generation + 1
