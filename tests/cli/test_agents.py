"""`pagekeeper agents`: the agents of a home."""

from __future__ import annotations

from pagekeeper.tests.cli.conftest import Say


def test_agents_are_listed(say: Say) -> None:
    said = say("agents", "list")
    assert said.status == 0
    assert said.out.splitlines()[0].split() == ["name", "conversations", "messages", "events", "last", "active"]
    assert said.out.splitlines()[1].split()[:4] == ["main", "0", "0", "4"]
    (entry,) = say("agents", "list", "--json").json
    assert (entry["name"], entry["seq"]) == ("main", 4)


def test_deleting_needs_a_yes(say: Say) -> None:
    said = say("agents", "delete", "main")
    assert said.status == 2
    assert "--yes" in said.err
    assert say("agents", "delete", "main", "--yes").out == "Deleted agent main.\n"
    assert say("agents", "list", "--json").json == []


def test_a_group_alone_shows_its_help(say: Say) -> None:
    said = say("agents")
    assert said.status == 2
    assert "delete" in said.err


def test_a_hostile_name_is_refused(say: Say) -> None:
    for name in ("", "../../x", "x' OR '1'='1", "[/foo]", "\udcff", "a\x1b[31m"):
        said = say("agents", "delete", name, "--yes")
        assert said.status == 2
        assert said.err.startswith("pagekeeper: An agent's name cannot be")
        assert "\x1b" not in said.err
