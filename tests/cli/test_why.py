"""`pagekeeper memory why`, and ids as people type them."""

from __future__ import annotations

from pagekeeper.tests.cli.conftest import Say


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
