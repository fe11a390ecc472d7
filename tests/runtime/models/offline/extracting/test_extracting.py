"""What the offline model extracts from dialogues: what is kept, of whom, since when, and in place of what."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pagekeeper.evaluation import extraction
from pagekeeper.evaluation.labelled import load
from pagekeeper.runtime.models.base import ModelRequest
from pagekeeper.runtime.models.offline import OfflineModel
from pagekeeper.runtime.models.offline.model import respond
from pagekeeper.runtime.sleeptime.operations import SCHEMA, read_all

HERE = Path(__file__).parent
SETS = Path(__file__).parents[4] / "extraction"
NOW = "2026-03-18T10:00"  # a Wednesday
VALID = Draft202012Validator(SCHEMA)


def extract(*dialogue: str, memories: list[dict[str, Any]] | None = None, now: str = NOW) -> list[dict[str, Any]]:
    """The operations for a dialogue, in which `a:` opens what the assistant said."""
    entries = [
        {"n": n, "speaker": "assistant", "at": now, "text": text[2:]}
        if text.startswith("a:")
        else {"n": n, "speaker": "user", "at": now, "text": text}
        for n, text in enumerate(dialogue, 1)
    ]
    asked = {"now": now, "memories": memories or [], "dialogue": entries}
    messages = ({"role": "system", "content": ""}, {"role": "user", "content": json.dumps(asked)})
    reply = respond(ModelRequest(messages=messages, purpose="extract", schema=SCHEMA))
    data = json.loads(reply.text)
    VALID.validate(data)
    operations: list[dict[str, Any]] = data["operations"]
    assert read_all(data).faults == read_all(data).clamped == []
    return operations


def one(*dialogue: str, **given: Any) -> dict[str, Any]:
    (operation,) = extract(*dialogue, **given)
    return operation


def memory(text: str, attribute: str, value: str, subject: str = "user", id: str = "p-1") -> dict[str, Any]:
    return {
        "id": id, "text": text, "kind": "fact", "subject": subject, "attribute": attribute, "value": value,
        "status": "active",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "subject", "attribute"),
    [
        ("我的女儿叫小雨，今年六岁。", "user's 女儿 小雨", "age"),
        ("我的猫叫豆豆，最怕打雷。", "user's 猫 豆豆", "trait"),
    ],
)
def test_what_follows_a_name_without_a_subject_is_said_of_whom_was_named(
    said: str, subject: str, attribute: str
) -> None:
    naming, about = extract(said)
    assert naming["subject"] == "user"
    assert (about["subject"], about["attribute"]) == (subject, attribute)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("我奶奶耳背，打电话得用喊的。", "用户奶奶耳背，打电话得用喊的。"),
        ("天天闻着香味醒，我们住在面包店楼上。", "用户住在面包店楼上，用户天天闻着香味醒。"),
        ("从来不碰猪肉，我们全家都是回族。", "用户从来不碰猪肉，用户全家都是回族。"),
    ],
)
def test_what_is_no_fact_by_itself_is_said_with_the_fact_beside_it(said: str, text: str) -> None:
    assert one(said)["text"] == text


@pytest.mark.parametrize(
    "said", ["这杯拿铁太甜了，下次少糖。", "语气再客气一点，结尾加个祝福。", "周报写了一半，有点卡。"]
)
def test_what_is_said_in_one_breath_with_what_passes_passes_too(said: str) -> None:
    assert extract(said) == []


@pytest.mark.parametrize(
    ("said", "text", "attribute", "value"),
    [
        ("烟戒了快三个月了。", "用户抽烟。", "habit", "抽烟"),
        ("健身卡没再续。", "用户在力健健身房有会员卡。", "has", "力健健身房会员卡"),
        ("车卖了。", "用户有一辆思域。", "has", "思域"),
    ],
)
def test_a_chinese_ending_finds_its_memory_by_the_words_that_both_share(
    said: str, text: str, attribute: str, value: str
) -> None:
    ended = one(said, memories=[memory(text, attribute, value)])
    assert (ended["op"], ended["id"]) == ("clear", "p-1")


@pytest.mark.parametrize(
    ("file", "language", "precision", "recall"),
    [
        (HERE / "dialogues.yaml", "en", 0.95, 0.87),
        (HERE / "dialogues.yaml", "zh", 0.95, 0.94),
        (SETS / "dev.yaml", "en", 0.95, 0.95),
        (SETS / "dev.yaml", "zh", 0.95, 0.95),
    ],
)
def test_the_sets_to_tune_on(file: Path, language: str, precision: float, recall: float) -> None:
    cases = [case for case in load(file) if case.language == language]
    figures = extraction.figures(asyncio.run(extraction.run(cases, OfflineModel())))
    assert figures["precision"] >= precision
    assert figures["recall"] >= recall


@pytest.mark.parametrize(
    ("said", "text", "subject", "attribute"),
    [
        ("I work at Kiln.", "The user works at Kiln.", "user", "workplace"),
        ("My sister Ana works at Kiln.", "The user's sister Ana works at Kiln.", "user's sister Ana", "workplace"),
        ("I'm allergic to sesame.", "The user is allergic to sesame.", "user", "allergy"),
        ("We use tabs, and our database is PostgreSQL.", "The user's database is PostgreSQL.", "database", "database"),
        ("I no longer eat meat.", "The user no longer eats meat.", "user", "diet"),
        ("Is this safe? I'm diabetic.", "The user is diabetic.", "user", "health"),
        ("What can I bake, since I'm vegan?", "The user is vegan.", "user", "diet"),
        ("我在青岛工作。", "用户在青岛工作。", "user", "workplace"),
        ("我妹妹小雨在读博。", "用户妹妹小雨在读博。", "user's 妹妹 小雨", "education"),
        ("我对芒果过敏，推荐个甜品？", "用户对芒果过敏。", "user", "allergy"),
    ],
)
def test_what_is_kept_is_declarative_and_in_the_users_language(
    said: str, text: str, subject: str, attribute: str
) -> None:
    found = {operation["text"]: operation for operation in extract(said)}
    assert (found[text]["subject"], found[text]["attribute"]) == (subject, attribute)


@pytest.mark.parametrize(
    "said",
    [
        "I'm tired.",
        "Fixed it, the tests pass now.",
        "What is the capital of Peru?",
        "If I lived in Spain I'd sleep every afternoon.",
        "Answer in French this time.",
        "Make this shorter: I live in Bonn and I work as a baker.",
        'He said "I am allergic to cats and I live in York".',
        "```\nname = 'Ana'\n```",
        "In this scene Marco, a widower from Trieste, meets Lena.",
        "Pretend I'm a pirate. I live on a ship.",
        "我好困。",
        "改完了，测试都通过了。",
        "把这句翻成英文：我是素食者，住在三楼。",
        "要是我有一百万，就去大理开客栈。",
        "这次用文言文回答。",
    ],
)
def test_what_passes_or_is_not_the_users_own_is_not_kept(said: str) -> None:
    assert extract(said) == []


def test_the_assistants_words_are_not_kept() -> None:
    assert extract("a:As you live in Bergen, and I love hostas, try ferns.", "Hm ok.") == []


@pytest.mark.parametrize(
    ("asked", "answer", "text"),
    [
        ("What's your sister's name?", "Ana.", "The user's sister's name is Ana."),
        ("Where do you live?", "In Porto", "The user lives in Porto."),
        ("Are you vegetarian?", "Yes", "The user is vegetarian."),
        ("Do you eat fish?", "No, never", "The user does not eat fish."),
        ("So you live in Oslo?", "No, in Bergen", "The user lives in Bergen."),
        ("您做什么工作？", "裁缝", "用户做裁缝。"),
        ("您妹妹叫什么名字？", "安娜", "用户妹妹叫安娜。"),
    ],
)
def test_a_short_answer_is_completed_by_its_question(asked: str, answer: str, text: str) -> None:
    operation = one(f"a:{asked}", answer)
    assert operation["text"] == text
    assert operation["from"] == [1, 2]


@pytest.mark.parametrize(
    ("said", "key", "time", "text"),
    [
        ("I ran a marathon yesterday.", "event_time", "2026-03-17", "The user ran a marathon on 2026-03-17."),
        ("I moved to Porto last Friday.", "valid_from", "2026-03-13", "The user moved to Porto on Friday 2026-03-13."),
        ("My dentist appointment is next Tuesday at 3pm.", "event_time", "2026-03-24T15:00", ""),
        ("I've been vegan since January.", "valid_from", "2026-01-01", "The user has been vegan since January 2026."),
        ("I'm on antibiotics until Friday.", "valid_to", "2026-03-20", ""),
        ("I started at Kiln three weeks ago.", "event_time", "2026-02-25", ""),
        ("I live in Turin since 2020.", "valid_from", "2020-01-01", "The user lives in Turin since 2020."),
        ("上周三我搬到了青岛。", "valid_from", "2026-03-11", "2026年3月11日（周三）用户搬到了青岛。"),
        ("我打算明年三月考注册会计师。", "event_time", "2027-03-01", "用户打算2027年3月考注册会计师。"),
        ("昨天第一次跑完半程马拉松！", "event_time", "2026-03-17", "用户2026年3月17日第一次跑完半程马拉松。"),
    ],
)
def test_times_are_absolute(said: str, key: str, time: str, text: str) -> None:
    operation = one(said)
    assert operation[key] == time
    assert text in ("", operation["text"])


def test_times_are_reckoned_from_the_message() -> None:
    assert one("I ran a marathon yesterday.", now="2025-01-01T08:00")["event_time"] == "2024-12-31"


def test_identity_is_permanent_and_weighs_more_than_tastes() -> None:
    name, taste = one("My name is Ana."), one("I love figs.")
    assert (name.get("permanent"), taste.get("permanent")) == (True, None)
    assert one("I'm allergic to nuts.")["importance"] > taste["importance"]


def test_what_is_doubted_is_marked() -> None:
    sure, doubted = one("I live in Porto."), one("I think I'm allergic to kiwi.")
    assert (sure["explicit"], sure["confidence"]) == (True, 0.9)
    assert (doubted["explicit"], doubted["confidence"]) == (False, 0.5)


def test_people_come_with_relations() -> None:
    assert one("My sister Ana works at Kiln.")["relations"] == [
        {"subject": "user", "relation": "sister", "object": "Ana"},
        {"subject": "Ana", "relation": "works at", "object": "Kiln"},
    ]


def test_an_event_is_an_episode_and_a_state_a_fact() -> None:
    assert one("I won the village chess tournament yesterday.")["kind"] == "episode"
    assert one("I play chess.")["kind"] == "fact"


def test_whoever_is_spoken_of_is_found_again() -> None:
    found = extract("My brother Piet lives in Leuven. He is a vet.", "Piet's birthday is 4 May.")
    assert [operation["subject"] for operation in found] == ["user's brother Piet"] * 3


def test_a_name_and_what_it_names_are_one() -> None:
    assert one("We got a dog! Her name is Biscuit.")["text"] == "The user got a dog named Biscuit."


HOME = memory("The user lives in Ghent.", "home", "Ghent")


@pytest.mark.parametrize(
    ("said", "known", "op"),
    [
        ("I moved to Porto.", HOME, "update"),
        ("No, I live in Bruges, not Ghent.", HOME, "update"),
        ("That's wrong, I never lived in Ghent.", HOME, "delete"),
        ("I sold the Skoda.", memory("The user has a Skoda.", "has", "Skoda"), "clear"),
        ("I no longer have a car.", memory("The user has a Skoda Octavia.", "has", "a Skoda Octavia"), "clear"),
        ("Tom and I broke up.", memory("The user's boyfriend is Tom.", "partner", "Tom"), "clear"),
        ("I don't go to the gym anymore.", memory("The user goes to the gym.", "habit", "gym"), "clear"),
        ("I'm not allergic to nuts.", memory("The user is allergic to nuts.", "allergy", "nuts"), "delete"),
        ("我从华润跳槽到中粮了。", memory("用户在华润工作。", "employer", "华润"), "update"),
        ("我和小林分手了。", memory("用户的女朋友是小林。", "partner", "小林"), "clear"),
        ("不对，我从来没在上海住过。", memory("用户住在上海。", "home", "上海"), "delete"),
    ],
)
def test_memories_are_revised(said: str, known: dict[str, Any], op: str) -> None:
    operation = one(said, memories=[known])
    assert (operation["op"], operation["id"]) == (op, "p-1")


def test_a_brothers_home_is_not_a_sisters() -> None:
    known = memory("The user's sister lives in Bonn.", "home", "Bonn", "user's sister")
    assert one("My brother lives in Cologne.", memories=[known])["op"] == "add"
    assert one("My sister moved to Cologne.", memories=[known])["op"] == "update"


def test_what_is_known_is_not_told_again() -> None:
    assert extract("As I told you, I live in Ghent.", memories=[HOME]) == []


def test_what_takes_the_place_of_the_old_is_one_operation() -> None:
    known = memory("The user is a waiter.", "job", "waiter")
    operation = one("I'm not a waiter anymore, I've become a tram driver.", memories=[known])
    assert (operation["op"], operation["id"], operation["value"]) == ("update", "p-1", "tram driver")


def test_lasting_wishes_are_rules_and_are_worded_as_facts() -> None:
    operation = one("From now on, answer in Dutch.")
    assert (operation["attribute"], operation["text"]) == ("rule", "The user wants the assistant to answer in Dutch.")


@pytest.mark.parametrize(
    "text", ["", "no json", "[1, 2]", '{"dialogue": [3, null]}', '{"dialogue": "x", "memories": 5}']
)
def test_a_request_that_cannot_be_read_yields_nothing(text: str) -> None:
    reply = respond(ModelRequest(messages=({"role": "user", "content": text},), purpose="extract"))
    assert json.loads(reply.text) == {"operations": []}


@settings(deadline=None)  # the first call reads the tables
@given(st.lists(st.text(max_size=120), max_size=3))
def test_any_words_yield_valid_operations(texts: list[str]) -> None:
    extract(*texts, memories=[HOME])


def test_it_is_a_pure_function_of_the_request() -> None:
    assert extract("I moved to Porto yesterday.") == extract("I moved to Porto yesterday.")


@pytest.mark.parametrize(
    "said",
    [
        ["My password is hunter2, please don't remember it."],
        ["Don't remember this:\nmy PIN is 1234."],
        ["I got a raise, but keep that off the record."],
        ["I live in Oslo.", "a:Noted.", "Don't save that, please."],
        ["Please don't remember that I live in Oslo."],
        ["我的密码是abc123，别记住。"],
        ["我住在杭州。这个不用记。"],
        ["请不要记住我的生日是5月3日。"],
    ],
)
def test_what_the_user_asks_not_to_remember_is_not_kept(said: list[str]) -> None:
    assert extract(*said) == []
    kept = one("I live with my sister in Ghent.", *said)
    assert "Ghent" in kept["text"]


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("I weigh 78 kg now.", memory("The user weighs 80 kg.", "weight", "80 kg")),
        ("我的体重是70公斤。", memory("用户体重72公斤。", "weight", "72公斤")),
        ("I am not allergic to anything.", memory("The user is allergic to nuts.", "allergy", "nuts")),
        ("我对什么都不过敏。", memory("用户对花生过敏。", "allergy", "花生")),
    ],
)
def test_what_can_only_be_one_way_takes_the_place_of_the_other(said: str, held: dict[str, Any]) -> None:
    changed = one(said, memories=[held])
    assert (changed["op"], changed["id"], changed["attribute"]) == ("update", "p-1", held["attribute"])


def test_who_resigned_works_there_no_more() -> None:
    over, new = extract("我辞职了，现在当老师。", memories=[memory("用户在医院当护士。", "workplace", "医院")])
    assert (over["op"], over["id"]) == ("clear", "p-1")
    assert (new["op"], new["attribute"], new["value"]) == ("add", "job", "老师")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I used to smoke but I stopped in 2020.", "The user used to smoke until 2020."),
        ("I used to smoke, but then I quit last year.", "The user used to smoke until 2025."),
        ("我体重70公斤。", "用户的体重70公斤。"),
    ],
)
def test_what_stands_in_two_clauses_is_told_whole(said: str, text: str) -> None:
    assert one(said)["text"] == text
