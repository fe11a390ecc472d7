"""What is kept by default and what passes, and what a clause is of: statements heard alone, none of them in"
" the sets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pagekeeper.runtime.models.base import ModelRequest
from pagekeeper.runtime.models.offline.model import respond

NOW = "2026-03-18T10:00"  # a Wednesday


def extract(*said: str, memories: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    entries = [{"n": n, "speaker": "user", "at": NOW, "text": text} for n, text in enumerate(said, 1)]
    asked = {"now": NOW, "memories": memories or [], "dialogue": entries}
    messages = ({"role": "system", "content": ""}, {"role": "user", "content": json.dumps(asked)})
    operations: list[dict[str, Any]] = json.loads(respond(ModelRequest(messages, purpose="extract")).text)["operations"]
    return operations


def told(*said: str) -> dict[tuple[str, str], str]:
    """The values by whom and what they tell."""
    return {(one["subject"], one["attribute"]): one["value"] for one in extract(*said) if one["op"] == "add"}


@pytest.mark.parametrize(
    ("said", "attribute", "value"),
    [
        ("We switched from SQLite to MySQL.", "database", "MySQL"),
        ("It's sesame that I can't have.", "avoids", "sesame"),
        ("Our car failed its MOT, it is a blue Skoda Fabia.", "has", "blue Skoda Fabia"),
        ("My son Ben is five.", "age", "five"),
        ("Our son Ben started at Elm Primary last week.", "education", "Elm Primary"),
        ("外婆改到十二月来了。", "plan", "我外婆改到十二月来了"),
    ],
)
def test_one_thing_is_told_in_many_ways(said: str, attribute: str, value: str) -> None:
    assert (attribute, value) in {(one["attribute"], one["value"]) for one in extract(said)}


def test_who_went_to_a_place_is_meant_by_she_and_not_the_place() -> None:
    found = extract("News from Petra: she moved to Gouda yesterday.", "She's a glazier at the Elm Works there.")
    assert {one["subject"] for one in found} == {"Petra"}


def test_what_went_to_the_scrapyard_is_over_though_nothing_else_is_kept_of_it() -> None:
    van = {"id": "p-1", "text": "The user's van is a green Renault Kangoo.", "subject": "van", "attribute": "has"}
    known = {**van, "value": "green Renault Kangoo", "kind": "fact", "status": "active"}
    (over,) = extract("The Renault went to the scrapyard this morning.", memories=[known])
    assert (over["op"], over["id"]) == ("clear", "p-1")


def test_who_left_one_workplace_keeps_the_next() -> None:
    new = {"id": "p-1", "text": "The user starts at Kestrel Maps on 30 March.", "subject": "user", "kind": "fact"}
    last = {"id": "p-2", "text": "The user's last day at Elm Works is the 18th.", "subject": "last day at Elm Works"}
    known: list[dict[str, Any]] = [
        {**new, "attribute": "workplace", "value": "Kestrel Maps", "single": True, "status": "active"},
        {**last, "attribute": "last day at elm works", "value": "18th", "kind": "fact", "status": "active"},
    ]
    assert all(one.get("id") != "p-1" for one in extract("I've left Elm Works for good.", memories=known))


@pytest.mark.parametrize(
    "said",
    [
        "Heron is written in Rust.",
        "Heron is under the MIT licence.",
        "Heron's tests run on a server in Oslo.",
        "Biscuit's vet is Dr Lund, in Ghent.",
        "Petra and Anders have split up.",
        "They gave me a Framework laptop for work.",
        "I've got the optician on Friday at four.",
        "At Kestrel all contracts are kept in a binder called Ledger.",
        "The fan of my Thinkstation rattles badly, what could that be?",
        "I planted an apple tree by the fence.",
        "Petra wants to sell her boat.",
        "Anders is coming to Ghent on 2 April.",
        "My neighbour Olga has a key to our cellar.",
        "My landlord, Mr Vos, lives upstairs.",
        "Heron is a birdwatching app.",
        "I'm buying Petra a kayak, as a wedding present.",
        "I'm drinking wine again.",
        "I'm vegan again.",
        "Rehearsal rule: no phones.",
        "Dad's retiring in June.",
        "Never schedule anything for me on Monday mornings.",
        "I'm the only one at work who speaks Basque.",
        "体检报告出来了，空腹血糖5.9。",
        "我外公八十八岁了。",
    ],
)
def test_what_is_said_of_somebody_or_of_something_named_or_owned_is_kept(said: str) -> None:
    assert extract(said)


@pytest.mark.parametrize(
    "said",
    [
        "migrated 60%",
        "migrated all of it",
        "adding the constraint now",
        "moving day",
        "movers are here",
        "taxi is outside",
        "12 ms, down from 900",
        "KeyError: database is locked",
        "I'm so tired.",
        "It's raining again.",
        "It's been one of those days.",
        "The second one sounds good.",
        "My tea went cold.",
        "I rewrote the loop.",
        "Lemon tart it is.",
        "Zero rows lost.",
        "The build is green.",
        "Good Friday, no work.",
        "Biscuit is asleep on my foot.",
        "Petra is late.",
        "Olga just texted.",
        "I'm off to the shops.",
        "I haven't read the article.",
        "My eyes are tired.",
        "Give me three names for a boat.",
        "Could Heron be faster?",
        "If I moved to Oslo I'd buy skis.",
        "As the saying goes, time flies.",
        "Haha, brilliant.",
        "好累啊。",
        "改到一半了。",
        "到时候提醒我买花。",
        "外面下雨了。",
        "这个不错。",
    ],
)
def test_what_passes_is_not_kept(said: str) -> None:
    assert extract(said) == []


@pytest.mark.parametrize(
    ("said", "subject", "attribute", "value"),
    [
        ("Heron's database is MariaDB, nothing special.", "Heron", "database", "MariaDB"),
        ("Heron's database is MariaDB again.", "Heron", "database", "MariaDB"),
        ("We've switched Heron's database to SQLite, for speed.", "Heron", "database", "SQLite"),
        ("We moved Heron's repository to Codeberg.", "Heron", "repository", "Codeberg"),
        ("Heron keeps its data in SQLite from today.", "Heron", "database", "SQLite"),
        ("The Heron call is on Mondays at 18:00.", "Heron call", "schedule", "Mondays at 18:00"),
        ("Our Heron call moves to Fridays at 9:15.", "Heron call", "schedule", "Fridays at 9:15"),
        ("Every Monday at 18:00 Petra and I have our Heron call.", "Heron call", "schedule", "every Monday at 18:00"),
        ("The Heron release is planned for 9 April.", "Heron release", "deadline", "9 April"),
        ("We've put off the Heron release to 20 May.", "Heron release", "deadline", "20 May"),
        ("The Oslo trip has moved to June.", "Oslo trip", "plan", "June"),
        ("My boss is called Ulla.", "user", "manager", "Ulla"),
        ("My manager is Ulla.", "user", "manager", "Ulla"),
        ("I work at Casa Roja as a pastry chef, since 2021.", "user", "workplace", "Casa Roja"),
        ("I work at Casa Roja as a pastry chef, since 2021.", "user", "job", "pastry chef"),
        ("I start at Kestrel Maps on 30 March, as an editor.", "user", "workplace", "Kestrel Maps"),
        ("I moved to Helix this week.", "user", "editor", "Helix"),
        ("I'm back on VS Code.", "user", "editor", "VS Code"),
        ("I'm vegetarian.", "user", "diet", "vegetarian"),
        ("From today I'm vegan.", "user", "diet", "vegan"),
        ("I get up at half past five.", "user", "getting up", "half past five"),
        ("Please keep your answers short, I read on a watch.", "length of answers", "rule", "short"),
        ("You can give me longer answers from now on.", "length of answers", "rule", "longer"),
        ("Fine, short answers again, please, from now on.", "length of answers", "rule", "short"),
        ("Remember: the code of our bike shed is 4410.", "bike shed", "code", "4410"),
        ("The bike shed's code was changed, remember the new one: 8123.", "bike shed", "code", "8123"),
        ("My choir rehearses on Mondays.", "choir", "schedule", "Mondays"),
    ],
)
def test_a_fact_has_the_same_place_however_it_is_told(said: str, subject: str, attribute: str, value: str) -> None:
    assert told(said)[subject, attribute] == value


def test_a_pronoun_stands_for_whoever_the_turn_before_was_about() -> None:
    found = told("My partner Anders is a nurse.", "He works night shifts.")
    assert found["user's partner Anders", "shift"] == "night shifts"
    assert told("Petra's got a new post: she is at the Kestrel Archive now.")["Petra", "workplace"] == "Kestrel Archive"
    assert told("Petra lives in Ghent.", "She's a sound engineer.")["Petra", "job"] == "sound engineer"


def test_somebody_elses_people_are_known_by_name() -> None:
    operations = extract("My sister Olga lives in Oslo.", "Her boyfriend Jan is a baker.")
    assert told("My sister Olga lives in Oslo.", "Her boyfriend Jan is a baker.")["Jan", "job"] == "baker"
    relations = [relation for one in operations for relation in one.get("relations", [])]
    assert {"subject": "Olga", "relation": "boyfriend", "object": "Jan"} in relations


@pytest.mark.parametrize(
    ("said", "subject", "attribute", "value"),
    [
        ("We sold the Panda.", "user", "has", "Panda"),
        ("I've cancelled my subscription to El Faro.", "user", "subscription", "El Faro"),
        ("I've left Casa Roja for good.", "user", "workplace", "Casa Roja"),
        ("Petra and Anders have split up.", "Petra", "partner", "Anders"),
        ("I'm drinking coffee again.", "user", "avoids", "coffee"),
    ],
)
def test_what_is_over_is_ended(said: str, subject: str, attribute: str, value: str) -> None:
    (clear,) = (one for one in extract(said) if one["op"] == "clear")
    assert (clear["subject"], clear["attribute"], clear["value"]) == (subject, attribute, value)


def test_a_plan_that_is_cancelled_is_ended_by_its_id() -> None:
    plan = {
        "id": "p-1", "text": "The user is off to Elba on 25 April.", "kind": "fact", "subject": "user",
        "attribute": "plan", "value": "Elba", "status": "active",
    }  # fmt: skip
    (operation,) = extract("Elba is cancelled, I can't take days off.", memories=[plan])
    assert (operation["op"], operation["id"]) == ("clear", "p-1")


def test_what_is_agreed_for_a_day_holds_from_when_it_is_said() -> None:
    (operation,) = extract("The Heron release is planned for 9 April.")
    assert (operation["event_time"], operation["valid_from"]) == ("2026-04-09", NOW)
    assert operation["single"]


def known(text: str, attribute: str, value: str, subject: str = "user") -> dict[str, Any]:
    return {
        "id": "p-1", "text": text, "kind": "fact", "subject": subject, "attribute": attribute, "value": value,
        "status": "active",
    }  # fmt: skip


def test_the_agents_own_note_of_a_message_does_not_stand_in_its_way() -> None:
    note = {"id": "p-1", "text": "Heron's database is MariaDB, nothing special.", "kind": "fact", "status": "active"}
    written_over = {**note, "subject": "Heron", "attribute": "database"}
    for memory in (note, written_over):
        (operation,) = extract("Heron's database is MariaDB, nothing special.", memories=[memory])
        assert (operation["op"], operation["subject"], operation["value"]) == ("add", "Heron", "MariaDB")


def test_what_is_told_of_one_thing_takes_the_place_of_nothing_told_of_another() -> None:
    call = known("The Heron call is on Mondays at 18:00.", "schedule", "Mondays at 18:00", "Heron call")
    (operation,) = extract("We moved Heron's repository to Codeberg.", memories=[call])
    assert (operation["op"], operation["subject"], operation["attribute"]) == ("add", "Heron", "repository")
    home = known("The user lives in Ghent.", "home", "Ghent")
    (operation,) = extract("I moved to Helix this week.", memories=[home])
    assert (operation["op"], operation["attribute"]) == ("add", "editor")


def test_leaving_the_old_job_ends_no_new_one() -> None:
    new = known("The user starts at Kestrel Maps on 30 March.", "workplace", "Kestrel Maps")
    told_event, clear = extract("So that was it, I've left Casa Roja for good.", memories=[new])
    assert (told_event["op"], told_event["attribute"]) == ("add", "event")
    assert (clear["op"], clear["value"], clear.get("id")) == ("clear", "Casa Roja", None)


def test_his_is_whose_name_was_said_last() -> None:
    petra = known("Petra is a sound engineer.", "job", "sound engineer", "Petra")
    found = extract("My partner Anders loves figs.", "Petra is a mother! Her son Ole was born today.", memories=[petra])
    relations = [relation for one in found for relation in one.get("relations", [])]
    assert {"subject": "Petra", "relation": "son", "object": "Ole"} in relations


def test_what_is_refused_is_no_new_value() -> None:
    waking = known("The user gets up at half past six.", "getting up", "half past six")
    assert extract("nah, won't send it", memories=[waking]) == []


def test_a_message_in_two_languages_can_be_read() -> None:
    assert isinstance(extract("I moved 到 Bonn yesterday.", "我妈妈 lives in Bonn, 她 is 70."), list)
