"""A newcomer's transcript, in both languages, with the calls that it takes."""

from __future__ import annotations

from pagekeeper.runtime.models.offline import OfflineModel
from pagekeeper.tests.support.bench import Bench


def names(bench: Bench) -> list[str]:
    return [name for name, _, _ in bench.calls]


def test_in_english() -> None:
    bench = Bench(OfflineModel())
    assert "Ada" in bench.say("Hi, I'm Ada and I'm allergic to peanuts.")
    assert bench.human.split("\n")[1:] == ["The user's name is Ada.", "The user is allergic to peanuts."]
    assert "PostgreSQL" in bench.say("We decided to use PostgreSQL because we need JSONB.")
    assert "archival_insert" in names(bench)
    bench.fresh()

    assert "peanuts" in bench.say("What am I allergic to?")
    answer = bench.say("Which database did we choose and why?")
    assert "PostgreSQL" in answer
    assert "JSONB" in answer
    assert f"[{bench.passages[0].id}]" in answer
    bench.say("Actually we moved to MySQL last week.")
    assert "archival_update" in names(bench)
    answer = bench.say("Which database do we use now?")
    assert "MySQL" in answer
    assert "PostgreSQL" not in answer
    assert "PostgreSQL" in bench.say("What did we use before?")

    confirmed = bench.say("Forget that I'm allergic to peanuts.")
    assert "peanut" not in confirmed
    forgets = [arguments for name, arguments, _ in bench.calls if name == "memory_forget"]
    assert [sorted(one) for one in forgets] == [["query", "reason"], ["ids", "reason"]]
    assert all("peanut" not in one["reason"] for one in forgets)
    bench.requests.clear()
    assert "peanut" not in bench.say("What am I allergic to?")
    assert "Ada" in bench.say("What's my name?")
    bench.fresh()
    assert "peanut" not in bench.say("What am I allergic to?")
    assert all(b"peanut" not in request.canonical() for request in bench.requests)


def test_in_chinese() -> None:
    bench = Bench(OfflineModel())
    assert "小林" in bench.say("我叫小林，不吃香菜。")
    assert bench.human.split("\n")[1:] == ["用户叫小林。", "用户不吃香菜。"]
    bench.say("我们决定用 PostgreSQL，因为需要 JSONB。")
    bench.fresh()

    assert "香菜" in bench.say("我不吃什么？")
    answer = bench.say("我们选了哪个数据库，为什么？")
    assert "PostgreSQL" in answer
    assert "JSONB" in answer
    bench.say("其实我们上周换成了 MySQL。")
    answer = bench.say("我们现在用哪个数据库？")
    assert "MySQL" in answer
    assert "PostgreSQL" not in answer
    assert "PostgreSQL" in bench.say("之前用的是什么？")

    assert "香菜" not in bench.say("忘掉我不吃香菜这件事。")
    bench.requests.clear()
    bench.fresh()
    assert "香菜" not in bench.say("我不吃什么？")
    assert "小林" in bench.say("我叫什么名字？")
    assert all("香菜".encode() not in request.canonical() for request in bench.requests)
