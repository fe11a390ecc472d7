"""`pagekeeper memory why`, and ids as people type them."""

from __future__ import annotations

from pathlib import Path

from pagekeeper.tests.cli.conftest import Say
from pagekeeper.tests.support.importing import write


def test_a_memory_says_where_it_comes_from(say: Say) -> None:
    assert say("ask", "I work at Kiln as a potter. Remember that the kiln is fired on Mondays.").status == 0
    found, *_ = say("memory", "search", "kiln fired", "--in", "passages", "--json").json
    told = say("memory", "why", f"[{found['short']}]")
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(f"[{found['short']}] {found['label']}, active: {found['text']}")
    assert "  > I work at Kiln as a potter." in told.out
    data = say("memory", "why", found["id"], "--json").json
    assert (data["id"], data["writer"], data["uses"]) == (found["id"], "agent", 0)
    assert data["source"][0]["said"].startswith("I work at Kiln")
    refused = say("memory", "why", "p-zzzzzz")
    assert refused.status == 2
    assert "There is no passage 'p-zzzzzz'." in refused.err


def test_what_was_forgotten_says_when_and_what_brings_it_back(say: Say, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a__txt="Ada is allergic to peanuts.")
    assert say("memory", "import", str(notes)).status == 0
    (found,) = say("memory", "search", "peanuts", "--in", "passages", "--json").json
    event = say("memory", "forget", "--id", found["short"], "--yes", "--json").json["event"]
    for command in ("why", "forget"):
        asked = [found["id"]] if command == "why" else ["--id", found["id"], "--yes"]
        refused = say("memory", command, *asked)
        assert refused.status == 2
        assert f"{found['short']} was forgotten on 20" in refused.err
        assert f"`pagekeeper memory undo {event}` brings it back." in refused.err
        assert "peanuts" not in refused.err
    assert say("memory", "undo", event).out == "Restored 1 thing.\n"
    assert say("memory", "why", found["short"]).status == 0
    # What a rewind took away was never forgotten.
    added = next(one["seq"] for one in say("memory", "history", "--json").json if one["type"] == "passage.added")
    assert say("agents", "rewind", "main", "--to", str(added - 1), "--yes").status == 0
    assert "There is no passage" in say("memory", "why", found["id"]).err


def test_a_forgotten_message_says_so_too(say: Say) -> None:
    say("ask", "Ada is allergic to peanuts.")
    messages = [it for it in say("memory", "forget", "peanuts", "--json").json if it["id"].startswith("m-")]
    assert say("memory", "forget", "--id", messages[0]["id"], "--yes").status == 0
    refused = say("memory", "forget", "--id", messages[0]["id"], "--yes")
    assert f"{messages[0]['id'][:8]} was forgotten on 20" in refused.err
