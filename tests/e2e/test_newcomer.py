"""A newcomer's first talk with the offline model: every sentence in a process of its own, all against one home."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.tests.support.openai_server import OpenAIServer
from pagekeeper.tests.support.processes import Shell

Talk = tuple[tuple[str, list[str], list[str]], ...]
"""What is said, the words that the answer must hold, and those that it must not."""

ENGLISH: Talk = (
    ("Hi, I'm Ada and I'm allergic to peanuts.", ["peanuts"], []),
    ("We decided to use PostgreSQL because we need JSONB.", ["PostgreSQL"], []),
    ("What am I allergic to?", ["peanuts"], []),
    ("Which database did we choose and why?", ["PostgreSQL", "JSONB"], []),
    ("Actually we moved to MySQL last week.", ["MySQL"], []),
    ("Which database do we use now?", ["MySQL"], []),
    ("Which database did we use before?", ["PostgreSQL"], []),
    ("Forget that I'm allergic to peanuts.", [], []),
    ("What am I allergic to?", [], ["peanut"]),
    ("Which database do we use now?", ["MySQL"], ["peanut"]),
)
CHINESE: Talk = (
    ("我叫小林，不吃香菜。", ["香菜"], []),
    ("我们决定用PostgreSQL，因为需要JSONB。", ["PostgreSQL"], []),
    ("我不吃什么？", ["香菜"], []),
    ("我们选了哪个数据库，为什么？", ["PostgreSQL", "JSONB"], []),
    ("其实我们上周换成了MySQL。", ["MySQL"], []),
    ("我们现在用哪个数据库？", ["MySQL"], []),
    ("我们以前用的是哪个数据库？", ["PostgreSQL"], []),
    ("忘掉我不吃香菜这件事。", [], []),
    ("我不吃什么？", [], ["香菜"]),
)


@pytest.mark.parametrize(("talk", "secret"), [(ENGLISH, "peanut"), (CHINESE, "香菜")], ids=["english", "chinese"])
def test_a_newcomers_talk(
    tmp_path: Path,
    openai_server: OpenAIServer,
    talk: Talk,
    secret: str,
) -> None:
    shell = Shell(tmp_path / "home")
    for said, expected, unwanted in talk:
        done = shell.run("ask", said)
        assert done.status == 0, done.err
        for word in expected:
            assert word in done.out, f"{said!r} was answered with {done.out!r}"
        for word in unwanted:
            assert word not in done.out, f"{said!r} was answered with {done.out!r}"
    assert secret not in shell.run("memory", "search", secret).out
    history = shell.run("memory", "history").out
    assert secret in history
    assert "forgotten" in history
    # Whatever model comes next is told nothing of it, in this conversation or in a new one.
    for conversation in ("main", "other"):
        model = ("--model", "openai/test", "--conversation", conversation)
        environment = {"PAGEKEEPER_API_BASE": openai_server.url, "OPENAI_API_KEY": "sk-test"}
        assert Shell(shell.home, environment).run("ask", *model, "hello").out == "ok\n"
    assert len(openai_server.bodies) == 2
    for body in openai_server.bodies:
        assert secret not in str(body)
