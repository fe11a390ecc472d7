"""The commands know an app's memory by the app's name, as they know an agent's."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pagekeeper import Memory
from pagekeeper.tests.cli.conftest import Say


@pytest.fixture
def tea(home: Path) -> str:
    """The id of the first of two memories of the app `shop`."""

    async def fill() -> str:
        async with Memory.open(home=home, app="shop") as memory:
            (made,) = await memory.add("Ada likes\ngreen tea.", tags=["taste"])
            await memory.add("Ada lives in Porto.", kind="episode")
            return made

    return asyncio.run(fill())


def test_it_is_listed_and_searched(say: Say, tea: str) -> None:
    said = say("memory", "list", "--agent", "shop")
    assert (said.status, said.err) == (0, "")
    assert [line.split(maxsplit=2)[2] for line in said.out.splitlines()] == [
        "episode: Ada lives in Porto.",
        "fact: Ada likes green tea.",
    ]
    (one,) = say("memory", "list", "--agent", "shop", "--tag", "taste", "--json").json
    assert (one["id"], one["text"], one["status"]) == (tea, "Ada likes\ngreen tea.", "active")
    assert len(say("memory", "list", "--agent", "shop", "--limit", "1", "--json").json) == 1
    assert tea[:8] in say("memory", "search", "--agent", "shop", "tea").out
    assert say("memory", "list", "--agent", "shop", "--user", "bob").err.strip().endswith("Nothing is archived.")


def test_it_is_changed_without_an_agent(say: Say, tea: str) -> None:
    assert say("memory", "forget", "--agent", "shop", "--id", tea, "--yes").out.startswith("Forgotten: 1 passage")
    assert tea[:8] not in say("memory", "list", "--agent", "shop").out
    number = say("memory", "history", "--agent", "shop", "--json").json[-1]["seq"]
    assert say("memory", "undo", "--agent", "shop", str(number)).out == "Restored 1 thing.\n"
    assert tea[:8] in say("memory", "list", "--agent", "shop").out
    assert say("memory", "sweep", "--agent", "shop").status == 0
    kinds = {one["name"]: one["kind"] for one in say("agents", "list", "--json").json}
    assert kinds == {"main": "agent", "shop": "app"}


def test_it_is_erased_for_good(say: Say, tea: str, home: Path) -> None:
    said = say("memory", "forget", "--agent", "shop", "--id", tea, "--erase", "--yes")
    assert said.status == 0, said.err
    assert tea[:8] not in say("memory", "list", "--agent", "shop", "--old").out
    assert not any(b"green tea" in path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert "Ada lives in Porto." in say("memory", "list", "--agent", "shop").out


def test_documents_are_imported_into_it(say: Say, tea: str, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# Tea\nBrew it for three minutes.")
    assert say("memory", "import", str(tmp_path / "guide.md"), "--agent", "shop").status == 0
    (one,) = say("memory", "list", "--agent", "shop", "--kind", "document", "--json").json
    assert "three minutes" in one["text"]


@pytest.mark.parametrize("command", [["ask", "--agent", "shop", "hi"], ["memory", "edit", "--agent", "shop", "x"]])
def test_it_does_not_talk_and_has_no_blocks(say: Say, tea: str, command: list[str]) -> None:
    said = say(*command)
    assert (said.status, said.out) == (2, "")
    assert "'shop' is an app" in said.err
    assert say("memory", "show", "--agent", "shop").out == "There are no blocks.\n"
