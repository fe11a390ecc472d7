"""What the offline model reads of figures: how many, how high, how long, and which older figure they take over from."""

from __future__ import annotations

from typing import Any

import pytest

from pagekeeper.tests.runtime.models.offline.extracting.test_extracting import extract, memory


def told(*dialogue: str, **given: Any) -> list[tuple[str, str, str]]:
    """Subject, attribute and value of each operation."""
    return [(one["subject"], one["attribute"], one["value"]) for one in extract(*dialogue, **given)]


@pytest.mark.parametrize(
    ("said", "subject", "attribute", "value"),
    [
        # so many there are
        ("Our newsletter is now at 3,200 subscribers.", "newsletter", "subscribers", "3,200 subscribers"),
        ("We're now at 42 open tickets on the helpdesk board.", "helpdesk board", "open tickets", "42 open tickets"),
        ("The waiting list is down to 12 families.", "waiting list", "families", "12 families"),
        ("The orchard now has 65 trees.", "orchard", "trees", "65 trees"),
        ("Our blog has 2,900 readers.", "blog", "readers", "2,900 readers"),
        ("We have 9 servers for the booking site.", "booking site", "servers", "9 servers"),
        ("The cookbook went to the printer with 120 recipes.", "cookbook", "recipes", "120 recipes"),
        # reached
        ("The wiki has reached 900 articles.", "wiki", "articles", "900 articles"),
        (
            "The museum archive, which has grown to 7,500 photos, needs tags.",
            "museum archive",
            "photos",
            "7,500 photos",
        ),
        (
            "Given the growth of downloads of the plugin, which has passed 20,000, what now?",
            "plugin",
            "downloads",
            "20,000",
        ),
        ("How do I speed up the map, whose load time has dropped to 1.8 seconds?", "map", "load time", "1.8 seconds"),
        ("My Duolingo streak has hit 300 days.", "user", "duolingo streak", "300 days"),
        (
            "I want 5,000 euros of revenue for the stall, and I've reached 2,450 euros.",
            "stall",
            "revenue",
            "2,450 euros",
        ),
        # up from
        ("The conversion rate is 4.2%, up from 3.5%.", "user", "conversion rate", "4.2%"),
        ("Coverage of the parser module went from 58% to 71%.", "parser module", "coverage", "71%"),
        ("The team grew from 5 to 8 people.", "team", "people", "8 people"),
        # raised to
        ("They increased the upload limit to 50 MB.", "user", "upload limit", "50 MB"),
        ("The provider raised our daily quota to 2,000 mails.", "user", "limit per day", "2,000 mails"),
        ("I'm adapting the importer to the new batch limit of 750 rows.", "user", "batch limit", "750 rows"),
        ("My credit limit has been raised to 4,000 dollars.", "user", "credit limit", "4,000 dollars"),
        ("We cut the budget of the kitchen to 8,000 euros.", "kitchen", "budget", "8,000 euros"),
        ("How do I stay within the 1,500 mails/day quota of the relay?", "relay", "limit per day", "1,500 mails/day"),
        ("The importer has an error rate of 4%.", "importer", "error rate", "4%"),
    ],
)
def test_a_figure_is_read_with_what_it_is_of(said: str, subject: str, attribute: str, value: str) -> None:
    assert (subject, attribute, value) in told(said)


def test_it_is_told_as_it_stands() -> None:
    (now,) = extract("They raised our daily quota to 2,000 mails.")
    assert now["text"] == "The user's daily quota is now 2,000 mails."
    (before,) = extract("The upload limit is 25 MB.")
    assert before["text"] == "The upload limit is 25 MB."
    assert now["single"]
    assert before["single"]


@pytest.mark.parametrize(
    "said",
    [
        "What if the limit were 500?",
        "Should I increase the limit to 500?",
        "Could you raise the timeout to 60 seconds?",
        "Set the timeout to 30 seconds in the code.",
        "We need to increase the quota to 500.",
        "When the list reached 100 entries, it crashed.",
        "If it reached 100 users I would be happy.",
        "The tutorial says the limit is 100.",
        "In the example the array has grown to 10 elements.",
        "The queue is at 99% right now.",
        "The temperature has risen to 31 degrees.",
        "The build now has 3 warnings.",
        "I've hit 3 bugs.",
        "Bitcoin hit 70,000 dollars.",
        "React has reached version 19.",
        "Python's recursion limit is 1000.",
        "My friend says his channel has 500 subscribers.",
        "Her salary went up to 4,000 euros.",
        "The price is 20 euros, should I buy it?",
        "The speed of light is 300000 km/s.",
        "We are at 12 Rose Street.",
        "The train is at 9.",
        "They moved the meeting to 4.",
        "I passed 3 exams.",
    ],
)
def test_what_is_supposed_or_passes_or_is_nobodys_own_is_no_figure(said: str) -> None:
    assert told(said) == []


@pytest.mark.parametrize(
    ("said", "attribute"),
    [("My son is 7 now.", "age"), ("We have 3 kids.", "trait"), ("We went to 3 concerts in May.", "event")],
)
def test_what_is_known_otherwise_stays_what_it_is(said: str, attribute: str) -> None:
    assert [one["attribute"] for one in extract(said)] == [attribute]


OLD = [
    ("The error rate of the importer is 4%.", "importer", "error rate", "4%", "The importer's error rate is now 2.5%."),
    ("The wiki has 650 articles.", "wiki", "articles", "650 articles", "The wiki has reached 900 articles."),
    ("The user has 9 servers for the booking site.", "booking site", "servers", "9 servers", "We have 14 servers now."),
    ("The user's quota is 1,500 mails per day.", "user", "limit per day", "1,500 mails per day",
     "They raised our daily quota to 2,000 mails."),
    ("The load time of the map is 1.8 seconds.", "map", "load time", "1.8 seconds",
     "I like the map, whose load time has dropped to 900 ms."),
    ("Test coverage of the parser module is 58%.", "parser module", "test coverage", "58%",
     "The unit test coverage for the parser went up to 71%."),
    ("The spring issue went to press with 80 pages and 9 poems designed.", "spring issue", "pages", "80 pages",
     "The number of pages designed for the magazine has grown to 96."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subject", "attribute", "value", "said"), OLD)
def test_a_newer_figure_takes_the_place_of_the_older_one(
    text: str, subject: str, attribute: str, value: str, said: str
) -> None:
    one = next(one for one in extract(said, memories=[memory(text, attribute, value, subject)]) if "id" in one)
    assert (one["op"], one["id"], one["subject"], one["attribute"]) == ("update", "p-1", subject, attribute)


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value", "said"),
    [
        ("The upload limit is 25 MB.", "user", "upload limit", "25 MB", "They increased the download limit to 50 MB."),
        ("The wiki has 650 articles.", "wiki", "articles", "650 articles", "The wiki now has 12 editors."),
        ("The podcast has 650 fans.", "podcast", "fans", "650 fans", "Our newsletter has reached 900 fans."),
        ("The hall's budget is 900 euros.", "hall", "budget", "900 euros", "The shed's budget went up to 80 euros."),
        ("The SMS quota is 500 texts.", "user", "SMS limit", "500 texts", "The mail quota rose to 900 mails."),
        ("The unit coverage is 58%.", "user", "unit coverage", "58%", "Integration coverage rose to 71%."),
        ("The song has 3 verses.", "song", "verses", "3 verses", "The number of stops on the tour has grown to 9."),
    ],
)  # fmt: skip
def test_a_figure_of_something_else_stands_beside_it(
    text: str, subject: str, attribute: str, value: str, said: str
) -> None:
    operations = extract(said, memories=[memory(text, attribute, value, subject)])
    assert operations
    assert [one["op"] for one in operations] == ["add"] * len(operations)


def test_a_figure_that_is_known_is_not_told_again_and_one_of_two_is_not_guessed() -> None:
    limits = [
        memory("The upload limit is 25 MB.", "upload limit", "25 MB"),
        memory("The export limit is 60 MB.", "export limit", "60 MB", id="p-2"),
    ]
    assert extract("The upload limit is 25 MB.", memories=limits) == []
    (one,) = extract("They raised the limit to 75 MB.", memories=limits)
    assert one["op"] == "add"


def test_of_two_figures_in_one_talk_the_newer_tells_of_the_same() -> None:
    older, newer = extract("We have 9 servers for the booking site.", "a:Good.", "We now have 14 servers.")
    assert (older["subject"], older["attribute"]) == (newer["subject"], newer["attribute"])
    assert newer["op"] == "add"
