"""`pagekeeper agents`: the agents of a home."""

from __future__ import annotations

import pytest

from pagekeeper.cli.agents import _told
from pagekeeper.runtime.rewind import Preview
from pagekeeper.tests.cli.conftest import Say


def test_agents_are_listed(say: Say) -> None:
    said = say("agents", "list")
    assert said.status == 0
    assert said.out.splitlines()[0].split() == ["name", "kind", "conversations", "messages", "events", "last", "active"]
    assert said.out.splitlines()[1].split()[:5] == ["main", "agent", "0", "0", "4"]
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


def test_an_agent_is_made_with_its_persona(say: Say) -> None:
    assert say("agents", "create", "小林", "--persona", "I am Lin.").out == "Made agent 小林.\n"
    assert say("memory", "show", "persona", "--agent", "小林").out == "I am Lin.\n"
    assert say("agents", "create", "long", "--persona", "x" * 5001).status == 1
    assert "long" not in [entry["name"] for entry in say("agents", "list", "--json").json]
    said = say("agents", "create", "小林")
    assert (said.status, said.err.splitlines()[0]) == (2, "pagekeeper: There is an agent '小林' already.")


def test_a_fork_goes_its_own_way(say: Say) -> None:
    assert say("agents", "fork", "main", "copy", "--at", "2").out == "Made agent copy from main at event 2.\n"
    assert say("memory", "show", "notes", "--agent", "copy").out == "one\ntwo\n"
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"
    assert say("agents", "fork", "main", "copy").status == 2
    assert say("agents", "fork", "main", "other", "--at", "99").status == 2


def test_a_rewind_is_shown_asked_for_and_can_be_undone(say: Say) -> None:
    said = say("agents", "rewind", "main", "--to", "2", "--preview")
    assert said.status == 0
    assert "Blocks that change: notes, secret." in said.out
    assert say("agents", "rewind", "main", "--to", "2").status == 2
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"
    said = say("agents", "rewind", "main", "--to", "2", "--yes")
    assert said.out.endswith("Rewound. `pagekeeper agents rewind main --to 4` undoes it.\n")
    assert say("memory", "show", "notes").out == "one\ntwo\n"
    assert say("agents", "rewind", "main", "--to", "4", "--yes").status == 0
    assert say("memory", "show", "notes").out == "one\ntwo\n三\n"


def test_a_rewind_to_nowhere_is_refused(say: Say) -> None:
    for arguments, words in (
        (["--to", "99"], "run from 1 to 4"),
        (["--to", "0"], "run from 1 to 4"),
        (["--turns", "1"], "There is no turn to go back"),
        (["--turns", "-1"], "at least one turn"),
        (["--to", "1", "--conversation", "nope"], "no conversation 'nope'"),
        ([], "--to --turns is required"),
    ):
        said = say("agents", "rewind", "main", "--yes", *arguments)
        assert (said.status, said.out) == (2, "")
        assert words in said.err


@pytest.mark.parametrize(
    ("count", "line"),
    [
        (0, "Back to event 7: 0 messages leave, 0 come back, 0 passages leave or come back."),
        (1, "Back to event 7: 1 message leaves, 1 comes back, 1 passage leaves or comes back."),
        (2, "Back to event 7: 2 messages leave, 2 come back, 2 passages leave or come back."),
    ],
)
def test_a_preview_counts_one_in_the_singular(count: int, line: str) -> None:
    assert _told(Preview(7, count, count, count, (), ()))[0] == line
