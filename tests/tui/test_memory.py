"""The panel of blocks, the gauge, and approvals, with a real agent behind them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from textual.widgets import Static

from pagekeeper.runtime.context.parts import FORGOTTEN
from pagekeeper.runtime.core.blocks import Block, BlockSpec
from pagekeeper.runtime.models.base import ModelReply, Usage
from pagekeeper.runtime.models.scripted import Gate, call
from pagekeeper.runtime.stream import BlockChanged
from pagekeeper.runtime.tool import CallContext, Tool
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.tui.driving import background, begin, idle, running, scripted, send, shown, until
from pagekeeper.tui.app import PagekeeperApp
from pagekeeper.tui.choosing import Forgetting
from pagekeeper.tui.gauge import Filling
from pagekeeper.tui.screens import Approval, Reading
from pagekeeper.tui.strip_view import StripView

HUMAN = BlockSpec("human", "Name: Ada\nLikes tea", "What you know about the user.", pinned=True, per_user=True)
COFFEE = call("core_memory_replace", label="human", old_content="Likes tea", new_content="Likes coffee")


async def test_an_edit_is_marked_as_it_happens_and_until_the_user_speaks_again(tmp_path: Path) -> None:
    gate = Gate()
    async with running(scripted(tmp_path, COFFEE, [gate, "Noted."], "Welcome.", blocks=[HUMAN])) as (app, pilot):
        await idle(app, pilot)
        assert "● human" not in shown(app.blocks)
        assert "r1 system" in shown(app.blocks)
        assert "19/5,000" in shown(app.blocks)
        await begin(app, pilot, "coffee now", lambda: "r2 agent" in shown(app.blocks))
        assert "● human" in shown(app.blocks)
        plain = background(app.blocks, "Name: Ada")
        came, went = background(app.blocks, "Likes coffee"), background(app.blocks, "Likes tea")
        assert len({plain, came, went}) == 3
        gate.open()
        await idle(app, pilot)
        assert "Likes tea" in shown(app.blocks)
        await send(app, pilot, "thanks")
        assert "Likes tea" not in shown(app.blocks)
        assert background(app.blocks, "Likes coffee") == plain


async def test_edits_of_others_are_seen_and_can_be_undone_and_read_back(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, COFFEE, "Noted.", blocks=[HUMAN])) as (app, pilot):
        await send(app, pilot, "coffee now")
        await send(app, pilot, "/undo human")
        assert "r3 user" in shown(app.blocks)
        assert "Likes coffee" not in shown(app.blocks)
        await send(app, pilot, "/history human")
        assert isinstance(app.screen, Reading)
        page = str(app.screen._content)
        assert "revision 3  2026-01-01 09:00 UTC  by user" in page
        assert "- Likes tea\n+ Likes coffee" in page
        await pilot.press("escape")
        await send(app, pilot, "/undo nobody")
        assert "✕ There" in shown(app.transcript)
        await send(app, pilot, "/undo")
        assert "Which block?" in shown(app.status)


async def test_blocks_that_do_not_fit_are_shown_as_paged_out(tmp_path: Path) -> None:
    blocks = [HUMAN, *(BlockSpec(f"topic{i}", f"fact {i} " * 200, f"About {i}") for i in range(12))]
    async with running(scripted(tmp_path, "Hello.", blocks=blocks, core_budget=2_000), (120, 60)) as (app, pilot):
        await idle(app, pilot)
        await send(app, pilot, "hi")
        out = [block for block in app.blocks.blocks if not block.resident]
        assert out
        assert app.blocks.blocks[0].pinned
        assert f"{len(out)} out" in str(app.query_one("#blocks-title").render())
        await pilot.press("tab", "tab", "end")
        assert "paged out" in shown(app.blocks)
        assert "About" in shown(app.blocks)
        app.blocks.action_choose(-1)
        await pilot.press("enter")
        assert "fact" in shown(app.blocks)


async def test_blocks_that_are_new_or_deleted_are_marked(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "Hello.")) as (app, pilot):
        await idle(app, pilot)
        app.blocks.show([Block("a", "one"), Block("c", "three", writer="sleeptime", revision=1)], {"a", "c"})
        await app.watching.happened(BlockChanged("a", 2, None, "agent"))
        await pilot.pause()
        text = shown(app.blocks)
        assert "deleted by agent" in text
        assert "● c" in text
        assert "r1 sleeptime" in text
        app.blocks.begin_turn()
        await pilot.pause()
        assert "deleted" not in shown(app.blocks)


async def test_a_changed_block_comes_into_view(tmp_path: Path) -> None:
    blocks = [BlockSpec(f"topic{i:02}", "\n".join(f"line {n}" for n in range(30)), pinned=True) for i in range(12)]
    change = call("core_memory_append", label="topic11", content="the newest line")
    async with running(scripted(tmp_path, change, "Noted.", blocks=blocks), (80, 24)) as (app, pilot):
        await idle(app, pilot)
        assert "topic11" not in shown(app.blocks)
        await send(app, pilot, "hi")
        assert "● topic11" in shown(app.blocks)
        assert "the newest line" in shown(app.blocks)
        # The view shrinks as the gauge grows, or the window does; what the reader scrolls to stays.
        await pilot.resize_terminal(80, 18)
        await pilot.pause()
        assert "the newest line" in shown(app.blocks)
        app.blocks.scroll_home(animate=False)
        await pilot.resize_terminal(80, 17)
        await pilot.pause()
        assert "the newest line" not in shown(app.blocks)
        assert "human" in shown(app.blocks)


async def test_the_gauge_says_what_was_counted_and_what_was_reported(tmp_path: Path) -> None:
    reply = ModelReply("Hello.", usage=Usage(99_999, 5))
    async with running(scripted(tmp_path, "Hi.", reply)) as (app, pilot):
        await send(app, pilot, "hi")
        assert "counted; reported: nothing" in shown(app.gauge)
        filling = app.gauge.filling
        assert filling is not None
        assert filling.used == sum(tokens for _, tokens in filling.parts)
        assert f"{filling.used:,} of {filling.usable:,} (" in shown(app.gauge)
        await send(app, pilot, "hi")
        assert "counted; reported 99,999 (+9" in shown(app.gauge)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "counted here\nreported 99,999 (+9" in shown(app.gauge)
        await send(app, pilot, "/context")
        assert isinstance(app.screen, Reading)
        assert "by the provider" in str(app.screen._content)


async def test_the_gauge_is_clamped(tmp_path: Path) -> None:
    async with running(scripted(tmp_path)) as (app, pilot):
        await idle(app, pilot)
        parts = (("system", 900), ("tools", 0), ("messages", 9_500))
        app.gauge.filling = Filling(parts, 8_000, 2_000, 10_400, 0, None, 0, 2)
        await pilot.pause()
        gauge = shown(app.gauge)
        assert "10,400 of 8,000 (over)" in gauge
        assert all(len(line) <= app.gauge.size.width for line in gauge.split("\n"))


async def mail(context: CallContext, to: str) -> str:
    return f"sent to {to}"


MAIL = Tool("mail", "Sends.", {"type": "object", "properties": {"to": {"type": "string"}}}, mail, approve="ask")


async def test_a_person_decides_on_calls_and_no_letter_allows_one(tmp_path: Path) -> None:
    one = call("mail", to="[/foo]")
    async with running(scripted(tmp_path, one, "A.", one, "B.", one, "C.", tools=[MAIL])) as (app, pilot):
        await begin(app, pilot, "mail it", lambda: isinstance(app.screen, Approval))
        await pilot.press("y", "a", "o")
        assert isinstance(app.screen, Approval)
        await pilot.press("enter")
        await idle(app, pilot)
        assert "✕ mail" in shown(app.transcript)
        await begin(app, pilot, "mail it", lambda: isinstance(app.screen, Approval))
        await pilot.press("right", "enter")
        await idle(app, pilot)
        assert "✓ mail  to=[/foo]" in shown(app.transcript)
        await begin(app, pilot, "mail it", lambda: isinstance(app.screen, Approval))
        app.conversation.stop()
        await until(pilot, lambda: not isinstance(app.screen, Approval))
        await idle(app, pilot)
        assert "■ stopped" in shown(app.transcript)


ELSEWHERE = """
import asyncio, sys
from pathlib import Path
from pagekeeper.runtime.core.edit import Append, Rethink
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.agents import open_agent

async def main():
    async with open_agent(Path(sys.argv[1]), ScriptedModel("Said [/there].")) as agent:
        await agent.memory.edit("human", Append("Lives in Oslo"))
        await agent.memory.edit("persona", Rethink("Brief."))
        await agent.send("From another window.")

asyncio.run(main())
"""


async def test_what_another_process_does_shows_without_a_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagekeeperApp, "NEWS_EVERY", 0.01)
    async with running(scripted(tmp_path, "Hello.", "Yes.", blocks=[HUMAN])) as (app, pilot):
        await send(app, pilot, "hi")
        before = app.gauge.filling
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", ELSEWHERE, str(tmp_path))
        assert await process.wait() == 0
        await until(pilot, lambda: "Said [/there]." in shown(app.transcript))
        await until(pilot, lambda: app.gauge.filling != before)
        assert "● human" in shown(app.blocks)
        assert "Lives in Oslo" in shown(app.blocks)
        assert "● persona" in shown(app.blocks)
        await send(app, pilot, "and?")
        words = [item.words() for item in app.transcript.items if item.words()]
        elsewhere = ["said elsewhere", "From another window.", "Said [/there]."]
        assert words == ["hi", "Hello.", *elsewhere, "and?", "Yes."]


async def test_what_is_said_elsewhere_while_a_turn_runs_here_shows_at_its_end(tmp_path: Path) -> None:
    gate = Gate()
    async with running(scripted(tmp_path, [gate, "One."])) as (app, pilot):
        await begin(app, pilot, "first", lambda: app.status.state.startswith("thinking"))
        async with scripted(tmp_path, "Two.")() as other:
            told = asyncio.create_task(other.send("second"))
            gate.open()
            await told
            await idle(app, pilot)
            app.watching.look_for_news()
            await until(pilot, lambda: "Two." in shown(app.transcript))
        words = [item.words() for item in app.transcript.items if item.words()]
        assert words == ["first", "One.", "said elsewhere", "second", "Two."]


async def test_memory_work_in_the_background_is_told_of(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "Hello.", "Hello.", embedder=HashEmbedder())) as (app, pilot):
        await send(app, pilot, "hi")
        session = app.conversation.session
        assert session is not None
        scope = session.scope

        async def worked(type: str, **payload: object) -> None:
            payload = {"user": scope.user, "cursors": {}, "cost": {}, **payload}
            await session.memory.journal.write(
                lambda tx: tx.append(type, payload, stream=scope.agent, writer="sleeptime")
            )
            app.watching.look_for_news()

        await worked("sleep.done", counts={"added": 2, "superseded": 1, "skipped: known": 3})
        await until(pilot, lambda: app.status.message == "Memory: 2 added, 1 superseded.")
        await worked("sleep.failed", reason="The model [/foo] is down.")
        await until(pilot, lambda: "will be tried again: The model [/foo] is down." in app.status.message)
        await worked("sleep.done", counts={}, user="eve")
        await send(app, pilot, "hi again")
        assert app.status.message == ""


async def test_rules_are_read_and_decided_on(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, embedder=HashEmbedder())) as (app, pilot):
        await idle(app, pilot)
        session = app.conversation.session
        assert session is not None
        await send(app, pilot, "/rules")
        assert str(app.screen.query_one("#reading Static", Static).render()) == "There are none."
        await pilot.press("escape")
        shows = [(await session.memory.insert(f"Trip {n} [/foo] failed.", kind="episode"))[0] for n in range(3)]
        await session.memory.insert(
            "Look at the [bold]weather.", kind="rule", status="proposed", evidence=shows, confidence=0.7
        )
        [rule] = await session.memory.rules()
        await send(app, pilot, "/rules")
        page = str(app.screen.query_one("#reading Static", Static).render())
        assert page.startswith(f"{rule.short}  proposed, sure by 70%\nLook at the [bold]weather.\n  since Trip ")
        await pilot.press("escape")
        await send(app, pilot, f"/rules accept {rule.short}")
        assert app.status.message == f"The rule {rule.short} holds."
        assert (await session.memory.block("rules")).value == "Look at the [bold]weather."
        await send(app, pilot, f"/rules drop {rule.short}")
        assert app.status.message == f"The rule {rule.short} does not hold."
        assert "(empty)" in shown(app.blocks)
        await send(app, pilot, "/rules accept")
        assert app.status.message == "Which rule? /rules accept|reject|drop ID"
        await send(app, pilot, "/rules reject p-none")
        assert "✕" in shown(app.transcript)


SECRET = BlockSpec("human", "Name: Ada\nAllergic to peanuts [/foo]\nLikes tea", "The user.", pinned=True, per_user=True)


async def test_memory_is_searched_and_what_was_found_is_no_markup(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "Noted.", embedder=HashEmbedder())) as (app, pilot):
        await send(app, pilot, "My [bold]dentist[/bold] [/foo] is Dr Ying, \x1b[31m牙医.")
        await send(app, pilot, "/search dentist")
        await until(pilot, lambda: isinstance(app.screen, Reading))
        page = str(app.screen.query_one("#reading Static", Static).render())
        assert "My [bold]dentist[/bold] [/foo] is Dr Ying, ␛[31m牙医." in page
        assert "user  2026-01-01" in page
        await pilot.press("escape")
        assert app.conversation.session is not None
        (found,) = await app.conversation.session.memory.insert("Dr Ying [/foo] pulls teeth.")
        await send(app, pilot, f"/why [{found[:10]}]")
        await until(pilot, lambda: isinstance(app.screen, Reading))
        page = str(app.screen.query_one("#reading Static", Static).render())
        assert f"[{found[:8]}] fact, active: Dr Ying [/foo] pulls teeth.\nwritten by user on 2026-01-01" in page
        await pilot.press("escape")
        await send(app, pilot, "/search")
        assert "What? /search WORDS" in shown(app.status)


async def test_a_person_chooses_what_is_forgotten_and_can_bring_it_back(tmp_path: Path) -> None:
    options = {"blocks": [SECRET], "embedder": HashEmbedder()}
    async with running(scripted(tmp_path, "Noted.", **options)) as (app, pilot):
        await send(app, pilot, "I am allergic to peanuts.")

        async def asked() -> StripView:
            await send(app, pilot, "/forget peanuts")
            await until(pilot, lambda: isinstance(app.screen, Forgetting))
            choices = app.screen.query_one("#choices", StripView)
            await until(pilot, lambda: "[x]" in shown(choices))
            return choices

        choices = await asked()
        assert "Allergic to peanuts [/foo]" in shown(choices)
        assert "I am allergic to peanuts." in shown(choices)
        # Nothing is forgotten by a letter, nor by Enter or Escape.
        await pilot.press("y", "f", "enter", "escape")
        assert "Nothing was forgotten" in shown(app.status)
        assert "peanuts" in shown(app.blocks)

        choices = await asked()
        while "[x]" in shown(choices):
            await pilot.press("down", "space")
        await pilot.press("tab", "tab", "enter")
        assert "Nothing was forgotten" in shown(app.status)
        assert "peanuts" in shown(app.blocks)

        await asked()
        await pilot.press("tab", "tab", "enter")
        await until(pilot, lambda: "Forgotten:" in shown(app.transcript))
        assert "Forgotten: 0 passages, 1 line, " in shown(app.transcript)
        await until(pilot, lambda: FORGOTTEN in shown(app.transcript))
        assert "Forgotten: 0 passages, 1 line, " in shown(app.transcript)
        session = app.conversation.session
        assert session is not None
        assert all("peanuts" not in block.value for block in await session.memory.blocks())
        assert not await session.memory.candidates("peanuts")

        event = next(word for word in shown(app.transcript).split() if word.startswith("ev-"))
        await send(app, pilot, f"/undo {event}")
        assert "Brought back" in shown(app.status)
        assert FORGOTTEN not in shown(app.transcript)
        assert any("peanuts [/foo]" in block.value for block in await session.memory.blocks())
        await send(app, pilot, "/forget zebras")
        await until(pilot, lambda: "Nothing carries that" in shown(app.status))


async def test_a_citation_of_nothing_is_told_of(tmp_path: Path) -> None:
    async with running(scripted(tmp_path, "You like tea [p-zzzzzz].", embedder=HashEmbedder())) as (app, pilot):
        await send(app, pilot, "What do I like?")
        assert "The reply cites [p-zzzzzz], and there is no such memory." in shown(app.transcript)
