"""Memory work, disputes and erasing in the app, with a real agent behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Button, Static

from pagekeeper.runtime.context.parts import ERASED
from pagekeeper.runtime.core.blocks import BlockSpec
from pagekeeper.runtime.errors import ModelUnavailable
from pagekeeper.runtime.models.scripted import Gate, call
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.erasing import holding
from pagekeeper.tests.support.sleeping import answer, home, model_of, operation
from pagekeeper.tests.tui.driving import idle, running, send, shown, until
from pagekeeper.tui.app import PagekeeperApp
from pagekeeper.tui.choosing import Deciding, Erasing
from pagekeeper.tui.session import OpenAgent
from pagekeeper.tui.strip_view import StripView

BY_HAND: dict[str, Any] = {"subject": "user", "attribute": "home", "value": "Porto", "single": True}


def opening(path: Path, model: Any, **options: Any) -> OpenAgent:
    return lambda: open_agent(path, model, **{"embedder": HashEmbedder(), **options})


async def press(pilot: Pilot[None], app: PagekeeperApp, button: str) -> None:
    """Press the button of the screen that has these words."""
    (found,) = [one for one in app.screen.query(Button) if str(one.label) == button]
    found.focus()
    await pilot.press("enter")


# -- work


async def test_memory_work_is_done_at_once_and_told(tmp_path: Path) -> None:
    gate = Gate()
    told = [home("Porto"), operation("The user [/foo] sails.", importance=99), {"op": "add"}]
    model = model_of("Hello.", extracts=[[gate, answer(*told)]])
    async with running(opening(tmp_path, model)) as (app, pilot):
        await idle(app, pilot)
        await send(app, pilot, "/work")
        await until(pilot, lambda: "Memory work. Went through 0 messages." in shown(app.transcript))
        await send(app, pilot, "I live in Porto, and I sail.")
        await send(app, pilot, "/work")
        await until(pilot, lambda: "memory work: 0 of 2 messages" in app.status.message)
        await send(app, pilot, "/work")
        assert "is under way" in app.status.message
        gate.open()
        await until(pilot, lambda: "Went through 2 messages." in shown(app.transcript))
        page = shown(app.transcript)
        for line in ("2  added", "1  clamped", "1  faulty", "It took 1 model call."):
            assert line in page
        assert "! Not used: an operation 'add' without text." in page
        await until(pilot, lambda: app.status.message == "Memory: 2 added, 1 faulty.")


async def test_memory_work_that_fails_says_so_and_can_be_stopped(tmp_path: Path) -> None:
    gate = Gate()
    model = model_of("Hello.", extracts=[ModelUnavailable("The model [/foo] is down."), [gate], answer(home("Porto"))])
    async with running(opening(tmp_path, model)) as (app, pilot):
        await send(app, pilot, "I live in Porto.")
        await send(app, pilot, "/work")
        await until(pilot, lambda: "! It stopped: The model [/foo] is down." in shown(app.transcript))
        assert "What is left is tried again later; nothing is lost." in shown(app.transcript)
        await send(app, pilot, "/work")
        await until(pilot, lambda: "0 of 2 messages" in app.status.message)
        await until(pilot, lambda: len([one for one in model.requests if one.purpose == "extract"]) == 2)
        await pilot.press("escape")
        await until(pilot, lambda: "was stopped" in app.status.message)
        await send(app, pilot, "/work")
        await until(pilot, lambda: "1  added" in shown(app.transcript))


async def test_leaving_in_the_middle_of_memory_work_leaves_it_for_later(tmp_path: Path) -> None:
    model = model_of("Hello.", extracts=[[Gate()]])
    async with running(opening(tmp_path, model)) as (app, pilot):
        await send(app, pilot, "I live in Porto.")
        await send(app, pilot, "/work")
        await until(pilot, lambda: len(model.requests) == 2)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.conversation.session is None)
    assert app.return_code == 0
    async with open_agent(tmp_path, model_of(extracts=[answer(home("Porto"))]), embedder=HashEmbedder()) as agent:
        assert (await agent.memory.work()).counts == {"added": 1}


# -- disputes


async def test_the_user_decides_which_side_of_a_dispute_holds(tmp_path: Path) -> None:
    model = model_of("Hm.", extracts=[answer(home("Lisbon")), answer()])
    async with running(opening(tmp_path, model)) as (app, pilot):
        await idle(app, pilot)
        session = app.conversation.session
        assert session is not None
        await send(app, pilot, "/disputes")
        await until(pilot, lambda: app.status.message == "Nothing is in dispute.")
        await send(app, pilot, "/disputes p-1 new")
        assert app.status.message == "/disputes takes nothing behind it: decide between memories that clash."
        assert app.prompt.text == "/disputes p-1 new", "it is given back"
        app.prompt.put("")
        await session.memory.insert("The user lives in Porto.", **BY_HAND)
        await send(app, pilot, "I live in Lisbon.")
        await send(app, pilot, "/work")
        await until(pilot, lambda: "/disputes lets you decide." in shown(app.transcript))

        async def asked() -> StripView:
            await send(app, pilot, "/disputes")
            await until(pilot, lambda: isinstance(app.screen, Deciding))
            choices = app.screen.query_one("#choices", StripView)
            await until(pilot, lambda: "[ ]" in shown(choices))
            return choices

        choices = await asked()
        assert "the newer" in shown(choices)
        assert "2026-01-01, by hand  the older" in shown(choices)
        assert "(1 of 1)" in str(app.screen.query_one("#choosing").border_title)
        # Nothing is decided by a letter, nor without a choice.
        await pilot.press("y", "n")
        await press(pilot, app, "Decide")
        assert isinstance(app.screen, Deciding)
        assert "None is chosen" in str(app.screen.query_one("#choosing").border_subtitle)
        await press(pilot, app, "Later")
        await until(pilot, lambda: app.status.message == "1 in dispute.")

        choices = await asked()
        await pilot.press("down", "space")
        assert "[x]" in shown(choices)
        await press(pilot, app, "Decide")
        await until(pilot, lambda: app.status.message == "Decided 1. Nothing is in dispute.")
        hits = await session.memory.search("Where does the user live?", tables=("passage",))
        assert {hit.text for hit in hits} == {"The user lives in Lisbon."}


async def test_each_dispute_is_shown_as_it_stands_then(tmp_path: Path) -> None:
    extracts = [answer(home("Lisbon")), answer(home("Rome")), answer(home("Oslo"))]
    async with running(opening(tmp_path, model_of("Hm.", "Hm.", "Hm.", extracts=extracts))) as (app, pilot):
        await idle(app, pilot)
        session = app.conversation.session
        assert session is not None
        await session.memory.insert("The user lives in Porto.", **BY_HAND)
        for city in ("Lisbon", "Rome", "Oslo"):
            await send(app, pilot, f"I live in {city}.")
            await session.memory.work()
        disputes = {one.new.value: one.id for one in await session.memory.disputes()}
        await send(app, pilot, "/disputes")

        async def sides(place: str) -> list[str]:
            await until(pilot, lambda: isinstance(app.screen, Deciding))
            await until(pilot, lambda: place in str(app.screen.query_one("#choosing").border_title))
            await until(pilot, lambda: "[ ]" in shown(app.screen.query_one("#choices")))
            return [choice.words().removeprefix("The user lives in ") for choice in app.screen.choices]  # type: ignore[attr-defined]

        first = await sides("(1 of 3)")
        assert first[1] == "Porto."
        await pilot.press("down", "space")
        await press(pilot, app, "Decide")
        second = await sides("(2 of 3)")
        assert second[1] == first[0], "the one that holds now"
        await session.memory.settle(disputes[second[0][:-1]], "old")
        await pilot.press("down", "space")
        await press(pilot, app, "Decide")
        third = await sides("(3 of 3)")
        assert third[1] == first[0]
        await press(pilot, app, "Later")
        await until(pilot, lambda: app.status.message == "Decided 1. 1 in dispute.")


# -- erasing

SECRET = "zarquon4711"
TOLD = f"The code of the vault is {SECRET}."
BOTH = f"Ada likes green tea and plays the cello in the orchestra of the old town, and {SECRET} [/foo] opens it."
HUMAN = BlockSpec("human", "Name: Ada", "The user.", pinned=True, per_user=True)


async def test_what_is_erased_is_shown_first_and_is_gone_from_screen_and_home(tmp_path: Path) -> None:
    noting = call("core_memory_append", label="human", content=TOLD)
    model = model_of([noting], f"Noted: {TOLD}", "Yes.", "Still here.")
    async with running(opening(tmp_path, model, blocks=[HUMAN])) as (app, pilot):
        await send(app, pilot, TOLD)
        await send(app, pilot, BOTH)
        session = app.conversation.session
        assert session is not None
        assert SECRET in shown(app.transcript)
        assert SECRET in shown(app.blocks)

        async def asked() -> StripView:
            await send(app, pilot, f"/erase {SECRET}")
            await until(pilot, lambda: isinstance(app.screen, Erasing))
            choices = app.screen.query_one("#choices", StripView)
            await until(pilot, lambda: "✕ goes" in shown(choices))
            return choices

        choices = await asked()
        assert "[ ] in part · " in shown(choices)
        assert "[/foo] opens it." in shown(choices)
        # Nothing is erased by a letter, nor by Enter or Escape.
        await pilot.press("y", "e", "enter", "escape")
        await until(pilot, lambda: app.status.message == "Nothing was erased.")
        assert holding(tmp_path, SECRET)

        choices = await asked()
        while "[x]" not in shown(choices):
            await pilot.press("down", "space")
        await press(pilot, app, "Erase")
        await until(pilot, lambda: "Erased for good from" in shown(app.transcript))
        assert "Exports and backups that were made before still hold it." in shown(app.transcript)
        assert ERASED in shown(app.transcript)
        assert holding(tmp_path, SECRET) == []
        # Neither does the screen hold it, nor what was typed.
        assert all(SECRET not in item.words() for item in app.transcript.items)
        assert SECRET not in shown(app.blocks)
        assert SECRET not in app.status.message
        for _ in range(6):
            await pilot.press("up")
            assert SECRET not in app.prompt.text
        app.prompt.clear()
        await pilot.press("ctrl+z", "ctrl+z")
        assert SECRET not in app.prompt.text
        app.prompt.clear()
        await send(app, pilot, "And now?")
        assert "Still here." in shown(app.transcript)
        assert SECRET not in str(model.requests[-1].messages)
        await send(app, pilot, f"/erase {SECRET}")
        await until(pilot, lambda: "Nothing says that in these words." in app.status.message)


async def test_what_is_partial_stays_unless_it_is_chosen(tmp_path: Path) -> None:
    async with running(opening(tmp_path, model_of("Noted.", "Yes."))) as (app, pilot):
        await send(app, pilot, TOLD)
        await send(app, pilot, BOTH)
        await send(app, pilot, f"/erase {SECRET}")
        await until(pilot, lambda: isinstance(app.screen, Erasing))
        await press(pilot, app, "Erase")
        await until(pilot, lambda: "Kept, with a part of it: 1 text." in shown(app.transcript))
        said = [item.words() for item in app.transcript.items]
        assert ERASED in said
        assert BOTH in said


async def test_while_memory_work_runs_nothing_is_erased_and_it_says_why(tmp_path: Path) -> None:
    gate = Gate()
    async with running(opening(tmp_path, model_of("Noted.", extracts=[[gate, answer()]]))) as (app, pilot):
        await send(app, pilot, TOLD)
        await send(app, pilot, "/work")
        await until(pilot, lambda: "0 of 2" in app.status.message)
        await send(app, pilot, f"/erase {SECRET}")
        await until(pilot, lambda: isinstance(app.screen, Erasing))
        await press(pilot, app, "Erase")
        await until(pilot, lambda: "✕ A turn or memory work is under way." in shown(app.transcript))
        assert TOLD in [item.words() for item in app.transcript.items]
        gate.open()
        await until(pilot, lambda: "Went through 2 messages." in shown(app.transcript))


async def test_the_help_has_them(tmp_path: Path) -> None:
    async with running(opening(tmp_path, model_of())) as (app, pilot):
        await send(app, pilot, "/help")
        page = str(app.screen.query_one("#reading Static", Static).render())
        for line in ("/work ", "/disputes ", "/erase WORDS "):
            assert line in page
        await pilot.press("escape")
        await send(app, pilot, "/erase")
        assert app.status.message == "What? /erase WORDS"
