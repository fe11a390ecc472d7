"""The offline model forgets what is meant, whatever is said around it, and asks back rather than forget another."""

from __future__ import annotations

import pytest

from pagekeeper.runtime.models.offline import OfflineModel
from pagekeeper.runtime.models.offline.naming import named
from pagekeeper.tests.support.bench import Bench


def told(*turns: str) -> Bench:
    bench = Bench(OfflineModel())
    for turn in turns:
        bench.say(turn)
    return bench


@pytest.mark.parametrize(
    ("what", "short"),
    [
        ("the gate code that I told you about, she may see it", "the gate code"),
        ("key of the shed again, please, not good", "key of the shed"),
        ("my shoe size because nobody needs it", "my shoe size"),
        ("what I told you", "what I told you"),
        ("the last thing I told you", "the last thing I told you"),
        ("everything I told you", "everything I told you"),
        ("that I sing, swim and run", "that I sing, swim and run"),
        ("我跟你说过的柜子密码", "柜子密码"),
        ("柜子密码，免得别人看到", "柜子密码"),
        ("我前男友的一切", "我前男友"),
        ("我的一切", "我的一切"),
        ("我住在哪里", "我住在哪里"),
    ],
)
def test_why_and_that_it_was_told_name_nothing(what: str, short: str) -> None:
    assert named(what) == short


@pytest.mark.parametrize(
    ("first", "second", "wish", "gone", "kept"),
    [
        (
            "My locker code is 4711.",
            "My gate code is 8822.",
            "Forget that code of my gate again, please, bad idea.",
            "8822",
            "4711",
        ),
        (
            "Olga's name day is on 9 June.",
            "I'm getting Olga a kite for it, as a name day gift.",
            "Forget the name day gift for Olga that I told you about, she may read this.",
            "kite",
            "9 June",
        ),
        (
            "My coach is called Bram.",
            "Bram was arrested last week.",
            "Please forget what I told you about my coach being in trouble, it wasn't mine to tell.",
            "arrested",
            "called Bram",
        ),
        (
            "我保险柜的密码是4711。",
            "我手机的号码是600 555。",
            "把我说的保险柜密码删掉吧，不该说的。",
            "4711",
            "600 555",
        ),
        (
            "小马的生日是五月三号。",
            "我打算送小马一台相机当生日礼物。",
            "忘掉我跟你说过的给小马的生日礼物。",
            "相机",
            "五月三号",
        ),
    ],
)
def test_what_is_named_is_forgotten_and_what_is_near_it_stays(
    first: str, second: str, wish: str, gone: str, kept: str
) -> None:
    bench = told(first, second, wish)
    assert gone not in bench.memory()
    assert kept in bench.memory()


@pytest.mark.parametrize(
    ("known", "wish"),
    [
        ("Olga's birthday is on 9 June.", "Forget the birthday present for Olga, she may read this."),
        ("小马的生日是五月三号。", "忘掉我跟你说过的给小马的生日礼物，免得他看到。"),
    ],
)
def test_where_only_something_near_is_known_it_is_shown_and_stays(known: str, wish: str) -> None:
    bench = told(known, wish)
    assert not [name for name, _, _ in bench.calls if name == "memory_forget"]
    value = "9 June" if known.isascii() else "五月三号"
    assert value in bench.memory()
    assert value in bench.say(wish)


@pytest.mark.parametrize(
    ("known", "wish"),
    [
        ("My coach is called Bram, he likes tea.", "Forget what I told you about my coach being ill."),
        ("The gate code is 8822.", "Forget that code of the shed."),
        ("我手机的密码是600 555。", "把我说的自行车密码删掉吧，不该说的。"),
    ],
)
def test_what_was_never_told_takes_nothing_else_along(known: str, wish: str) -> None:
    bench = told(known)
    before = bench.memory()
    bench.say(wish)
    assert bench.memory() == before
