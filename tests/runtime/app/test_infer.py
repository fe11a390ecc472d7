"""What a program adds with `infer`: read by the model, reconciled with what is known, and kept with its source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pagekeeper import Home, Memory, NotFound, UsageError
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.errors import InferenceFailed, ModelUnavailable
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.refold import differences
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import answer, asked, home, model_of, operation

SAID = [
    {"role": "user", "content": "I moved to Porto.", "at": "2025-06-01T10:00"},
    {"role": "assistant", "content": "A fine city."},
]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home.open(tmp_path / "home", embedder=HashEmbedder(), clock=ManualClock(), background=False)
    yield made
    assert made.journal.read_now(differences) == {}
    await made.close()


def opened(place: Home, model: Any, app: str = "shop", user: str = "ada") -> AbstractAsyncContextManager[Memory]:
    return Memory.open(home=place, app=app, user=user, model=model, timezone="UTC")


async def test_what_is_worth_remembering_is_remembered(place: Home) -> None:
    model = model_of(extracts=[answer(home("Porto"))])
    async with opened(place, model) as memory:
        (made,) = await memory.add(SAID, infer=True)
        one = await memory.get(made)
        about = (one.text, one.subject, one.attribute, one.value)
        assert about == (
            "The user lives in Porto.",
            "user",
            "home",
            "Porto",
        )
        [question] = asked(model)
        assert [(it["speaker"], it["at"], it["text"]) for it in question["dialogue"]] == [
            ("user", "2025-06-01T10:00", "I moved to Porto."),
            ("assistant", "2026-01-01T09:00", "A fine city."),
        ]
        # What was said is in the log, which is asked only by who names it.
        assert [hit.id for hit in await memory.search("Porto")] == [made]
        said, *_ = await memory.search("moved", tables=("message",))
        assert (said.label, said.text) == ("user", "I moved to Porto.")
        source = await place.journal.read(
            lambda connection: connection.execute(
                select(tables.passages.c.source).where(tables.passages.c.id == made)
            ).scalar_one()
        )
        assert source == [said.id]


async def test_news_take_the_place_of_what_was_known(place: Home) -> None:
    model = model_of(extracts=[answer(home("Porto")), answer(home("Faro")), answer()])
    async with opened(place, model) as memory:
        (old,) = await memory.add("I live in Porto.", infer=True)
        (new,) = await memory.add("I moved to Faro.", infer=True)
        assert [one.text for one in await memory.list()] == ["The user lives in Faro."]
        assert (await memory.get(old)).superseded_by == new
        assert await memory.add("Lovely weather.", infer=True) == []


async def test_where_the_model_fails_nothing_is_lost(place: Home) -> None:
    model = model_of(extracts=[ModelUnavailable("It is down."), answer(home("Porto"))])
    async with opened(place, model) as memory:
        with pytest.raises(InferenceFailed, match="It is down") as caught:
            await memory.add(SAID, infer=True)
        assert "`work` tries again" in caught.value.hint
        assert await memory.list() == []
        done = await memory.work()
        assert (done.error, done.counts) == ("", {"added": 1})
        assert [one.text for one in await memory.list()] == ["The user lives in Porto."]


async def test_two_users_of_an_app_at_once_wait_for_each_other(place: Home) -> None:
    gate = Gate()
    slow, quick = model_of(extracts=[[gate, answer(home("Porto"))]]), model_of(extracts=[answer(home("Faro"))])
    async with opened(place, slow) as one, opened(place, quick, user="bob") as other:
        first = asyncio.create_task(one.add("I live in Porto.", infer=True))
        await gate.reached()
        second = asyncio.create_task(other.add("I live in Faro.", infer=True))
        await asyncio.sleep(0)
        gate.open()
        await asyncio.gather(first, second)
        assert [it.text for it in await one.list()] == ["The user lives in Porto."]
        assert [it.text for it in await other.list()] == ["The user lives in Faro."]


async def test_what_was_said_goes_with_the_scope_and_with_an_erasure(place: Home) -> None:
    model = model_of(extracts=[answer(operation("The user owns a quince farm.")), answer()])
    async with opened(place, model) as memory, opened(place, model_of(), user="bob") as other:
        await other.add("quince jam")
        (made,) = await memory.add("I own a quince farm.", infer=True)
        found = await memory.kept.erasable("quince farm")
        await memory.kept.erase(found, "erase")
        assert await memory.list() == []
        assert await memory.search("quince", tables=("message", "passage")) == []
        for trying in (memory.get(made), memory.update(made, "x"), memory.delete(made)):
            with pytest.raises(NotFound, match="was erased"):
                await trying
        await memory.add("I like tea.", infer=True)
        assert await memory.delete_all() == 0  # no memory came of it
        assert await memory.search("tea", tables=("message",)) == []
        assert [it.text for it in await other.list()] == ["quince jam"]


async def test_what_cannot_be_inferred_is_refused_and_nothing_is_logged(place: Home) -> None:
    async with opened(place, model_of()) as memory:
        for what, details in (("x", {"tags": ["a"]}), ([{"role": "user", "content": "x", "name": "Ada"}], {})):
            with pytest.raises(UsageError, match="the model says what is known"):
                await memory.add(what, infer=True, **details)
        with pytest.raises(UsageError, match="is empty"):
            await memory.add(" ", infer=True)
    async with opened(place, ScriptedModel()) as memory:
        with pytest.raises(UsageError, match="does not say what is worth remembering"):
            await memory.add("x", infer=True)
        assert await memory.search("x", tables=("message",)) == []
