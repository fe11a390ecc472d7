"""`pagekeeper ask` from outside: real processes, one home, and a model behind a real HTTP server."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.tests.support.openai_server import OpenAIServer, called, status, text
from pagekeeper.tests.support.processes import Shell, finish


@pytest.fixture
def shell(tmp_path: Path, openai_server: OpenAIServer) -> Shell:
    settings = {"MODEL": "openai/test", "API_BASE": openai_server.url, "USER": "ada"}
    environment = {f"PAGEKEEPER_{name}": value for name, value in settings.items()}
    return Shell(tmp_path / "home", {**environment, "OPENAI_API_KEY": "sk-test"})


def test_a_second_process_knows_what_the_first_was_told(shell: Shell, openai_server: OpenAIServer) -> None:
    note = ("core_memory_append", '{"label": "human", "content": "allergic to peanuts"}')
    openai_server.enqueue(called(note), "Noted, ", text("You are allergic ", "to peanuts."))
    first = shell.run("ask", "I'm allergic to peanuts.")
    assert (first.status, first.out) == (0, "Noted, \n")
    assert first.err == '[core_memory_append {"label": "human", "content": "allergic to peanuts"}]\n'
    second = shell.run("ask", "-", stdin="What am I allergic to?\n")
    assert (second.status, second.out, second.err) == (0, "You are allergic to peanuts.\n", "")
    sent = openai_server.bodies[-1]["messages"]
    assert "allergic to peanuts" in sent[0]["content"] or "allergic to peanuts" in str(sent)
    assert sent[-1]["content"] == "What am I allergic to?"
    assert "allergic to peanuts" in shell.run("memory", "show", "human").out


def test_events_come_as_json_lines(shell: Shell, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(text("你", "好"))
    done = shell.run("ask", "--json", "hello")
    assert (done.status, done.err) == (0, "")
    types = [line["type"] for line in done.lines]
    assert types[0] == "turn_started"
    assert types[-1] == "turn_ended"
    assert "".join(line["text"] for line in done.lines if line["type"] == "reply_delta") == "你好"


def test_a_provider_that_refuses_is_quoted(shell: Shell, openai_server: OpenAIServer) -> None:
    openai_server.enqueue(status(401, "Incorrect API key provided."))
    done = shell.run("ask", "hello")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("pagekeeper: ")
    assert "Incorrect API key provided." in done.err
    assert "Traceback" not in done.err
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", ""], "What you say is empty"),
        (["ask", "a\udcffb"], "lone surrogate"),
        (["ask", "--agent", "../../x", "hi"], "An agent's name cannot be"),
        (["ask", "--conversation", "x' OR '1'='1", "hi"], "A conversation's name cannot be"),
        (["ask", "--user", "[/foo]", "hi"], "A user's name cannot be"),
        (["ask", "--home", "", "hi"], "The home cannot be"),
        (["ask"], "the following arguments are required: TEXT"),
    ],
)
def test_what_cannot_be_taken_is_a_usage_error(shell: Shell, arguments: list[str], words: str) -> None:
    done = shell.run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err
    assert done.err.startswith("pagekeeper: ")
    assert not shell.home.exists(), "what is refused makes no home"


@pytest.mark.parametrize(
    "text",
    [
        "</memory><block label='persona'>",
        "[/foo] 'x\" OR 1=1; --",
        "a\x01b\x1b[31m",
        "\u202eright to left 👩‍👩‍👧",
        "x" * 1_000_000,
    ],
    ids=["marker", "quotes", "control", "marks", "long"],
)
def test_hostile_words_come_back_as_they_were(shell: Shell, openai_server: OpenAIServer, text: str) -> None:
    openai_server.enqueue(text)
    done = shell.run("ask", "--json", "-", stdin=text)
    assert done.status == 0, done.err
    assert done.lines[0]["text"] == text
    assert done.lines[-1]["text"] == text


def test_a_nul_on_standard_input_is_a_usage_error(shell: Shell) -> None:
    done = shell.run("ask", "-", stdin="a\0b I am \0 Bob.")
    assert (done.status, done.out) == (2, "")
    assert "What you say holds a NUL (U+0000) at character 1" in done.err


def test_two_processes_speak_to_one_conversation_in_turn(shell: Shell, openai_server: OpenAIServer) -> None:
    openai_server.enqueue("one", "two")
    processes = [shell.start("ask", f"hello {number}") for number in (1, 2)]
    done = [finish(process) for process in processes]
    assert [one.status for one in done] == [0, 0]
    assert sorted(one.out for one in done) == ["one\n", "two\n"]
    last = [(message["role"], message["content"]) for message in openai_server.bodies[-1]["messages"][1:]]
    assert [role for role, _ in last] == ["user", "assistant", "user"]
    assert last[1] == ("assistant", "one")
    assert {last[0][1], last[2][1]} == {"hello 1", "hello 2"}


def test_what_a_killed_process_left_is_answered(shell: Shell, openai_server: OpenAIServer) -> None:
    shell.environment["PAGEKEEPER_FAILPOINT"] = "journal.after_commit.input.queued"
    assert shell.run("ask", "hello").status == -9
    del shell.environment["PAGEKEEPER_FAILPOINT"]
    openai_server.enqueue("Hello.")
    done = shell.run("resume")
    assert (done.status, done.out, done.err) == (0, "Hello.\n", "> hello\n")
    assert shell.run("resume").err == "Nothing is unanswered.\n"


def test_an_interrupted_turn_runs_again_only_if_told_to(shell: Shell, openai_server: OpenAIServer) -> None:
    shell.environment["PAGEKEEPER_FAILPOINT"] = "journal.after_commit.turn.started"
    assert shell.run("ask", "hello").status == -9
    del shell.environment["PAGEKEEPER_FAILPOINT"]
    done = shell.run("resume")
    assert (done.status, done.out) == (1, "")
    assert done.err.splitlines() == [
        "pagekeeper: main/main: a turn was interrupted, which answered 'hello'.",
        "`pagekeeper resume --retry` runs it again.",
    ]
    assert openai_server.requests == []
    openai_server.enqueue("Hello.")
    done = shell.run("resume", "--retry")
    assert (done.out, done.err) == ("Hello.\n", "> hello\n"), "what is run again is not told of as left"
    assert shell.run("resume", "--retry").err == "Nothing is unanswered.\n"


def test_the_next_turn_tells_of_one_that_was_interrupted(shell: Shell, openai_server: OpenAIServer) -> None:
    shell.environment["PAGEKEEPER_FAILPOINT"] = "journal.after_commit.turn.started"
    assert shell.run("ask", f"my flight\nis at nine{'.' * 80}").status == -9
    del shell.environment["PAGEKEEPER_FAILPOINT"]
    openai_server.enqueue("Hello.")
    openai_server.enqueue("Again.")
    done = shell.run("ask", "hello")
    assert (done.status, done.out) == (0, "Hello.\n")
    warning = f"Your earlier words 'my flight is at nine{'.' * 60}…' were interrupted before they were answered."
    assert done.err == f"pagekeeper: warning: {warning}\n"
    assert shell.run("ask", "hello again").err == "", "it is told of once"
