"""Which of two results gives the newer figure for what is asked; and that nothing else is taken for one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pagekeeper.runtime.archive.lines import line
from pagekeeper.runtime.archive.query import Query
from pagekeeper.runtime.archive.ranking.figures import newer
from pagekeeper.tests.support.archives import Home, scope

DAY = datetime(2026, 3, 1, tzinfo=UTC)
SERVERS = "How many servers does the shop run on?"
TWELVE = "The shop runs on 12 servers."


def marked(question: str, *texts: str) -> dict[int, int]:
    """`newer` of texts that were said a day after another."""
    return newer(question, [(text, (DAY + timedelta(days=n), 0)) for n, text in enumerate(texts)])


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        (SERVERS, TWELVE, "The shop is on 15 servers now."),
        (
            "What is the monthly quota of the mail service?",
            "The mail service has a quota of 1,000 mails.",
            "They raised the monthly quota of the mail service to 1,500 mails.",
        ),
        (
            "How high is the error rate of the importer?",
            "The importer's error rate is 4%.",
            "The importer: error rate 2.5 %!",
        ),
        (
            "How many reviewers read the second draft?",
            "So far 9 reviewers read the second draft.",
            "The reviewers who read the draft have grown to 14, hooray.",
        ),
        ("厨房装修的预算是多少？", "厨房装修的预算是5000元。", "厨房装修的预算改成8000元了。"),
    ],
)
def test_the_older_of_two_figures_is_marked(question: str, old: str, new: str) -> None:
    assert marked(question, old, new) == {0: 1}
    assert newer(question, [(old, (DAY, 7)), (new, (DAY, 9))]) == {0: 1}, "in one talk the place tells"
    assert newer(question, [(old, (DAY, 7)), (new, (DAY, 7))]) == {}, "neither is newer"


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        (
            "How many servers does the shop run on?",
            "The shop runs on 12 servers.",
            "Again: the shop runs on 12 servers.",
        ),
        (SERVERS, TWELVE, "The shop opened 15 branches."),
        (SERVERS, TWELVE, "The bakery bought 15 servers."),
        (
            "When does the shop move its servers?",
            "The shop moves its servers on 12 May.",
            "The shop moved its servers on May 15.",
        ),
        ("Which release does the shop run on?", "The shop runs on release 1.2.3.", "The shop runs on release 1.3.0."),
        (
            "Since when does the shop run on servers?",
            "The shop runs on servers since 2019.",
            "The shop runs on servers since 2021.",
        ),
        ("hello", "I have 2 cats.", "I have 3 cats."),
        ("", "The shop runs on 12 servers.", "The shop is on 15 servers now."),
    ],
)
def test_the_same_another_unit_another_matter_a_date_or_a_version_is_none(question: str, old: str, new: str) -> None:
    assert marked(question, old, new) == {}


def test_of_several_the_newest_counts() -> None:
    texts = [f"The shop runs on {count} servers." for count in (12, 15, 18)]
    assert marked("How many servers does the shop run on?", *texts) == {0: 2, 1: 2}


async def test_results_tell_it(tmp_path: object) -> None:
    home = Home(tmp_path)  # type: ignore[arg-type]
    try:
        async with home.archive() as archive:
            old, new = await home.say(scope(), "The shop runs on 12 servers.", "The shop is on 15 servers now.")
            hits = await archive.search(Query(scope(), "How many servers does the shop run on?"))
            assert {hit.id: hit.newer for hit in hits} == {old: new, new: None}
            told = {hit.id: line(hit, scope().timezone) for hit in hits}
            assert f"user, newer figure in {new[:8]}:" in told[old]
    finally:
        home.journal.close()
