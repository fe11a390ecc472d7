"""The offline model understands what people tell and ask in their own words: see paraphrases/README.md."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from pagekeeper.assembly import Agent, Home
from pagekeeper.runtime.chosen import OFFLINE
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.stream import ApprovalNeeded, TurnEnded

FOLDER = Path(__file__).parent / "paraphrases"
ENOUGH = 0.8
LONGEST = 400
"""Characters of an answer. Reciting everything is not answering."""


@dataclass(frozen=True, slots=True)
class Case:
    """What one user says and asks; paraphrases/README.md explains the fields."""

    subject: str
    tell: list[str]
    ask: str
    expect: list[str | list[str]]
    reject: list[str] = field(default_factory=list)
    correct: str | None = None
    before_ask: str | None = None
    before_expect: list[str | list[str]] = field(default_factory=list)
    forget: str | None = None
    gone: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Miss:
    """An answer that is not as it must be, and what it would have to be."""

    case: Case
    asked: str
    answer: str
    wanted: str

    def __str__(self) -> str:
        told = " / ".join([*self.case.tell, *filter(None, [self.case.correct])])
        return f"{self.case.subject}: {told} | {self.asked} | {self.answer!r} | {self.wanted}"


@dataclass(slots=True)
class Person:
    """A user with an agent of their own, who begins a new conversation whenever they come back."""

    name: str
    home: Home
    clock: ManualClock
    visits: int = 0

    async def say(self, *messages: str) -> str:
        """Say the messages in a new conversation a day later; the reply to the last one."""
        self.visits += 1
        self.clock.advance(timedelta(days=1))
        reply = ""
        conversation = f"{self.name}-{self.visits}"
        async with Agent.open(
            self.name, home=self.home, model=OFFLINE, user=self.name, conversation=conversation, timezone="UTC"
        ) as agent:
            for message in messages:
                self.clock.advance(timedelta(minutes=1))
                async for event in agent.stream(message):
                    if isinstance(event, ApprovalNeeded):
                        agent.approve(event.call_id, True)
                    elif isinstance(event, TurnEnded):
                        assert event.reason == "done", event
                        reply = event.text
        return reply


@pytest.fixture
async def home(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Home]:
    home = Home.open(tmp_path / "home", clock=clock)
    yield home
    await home.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_paraphrases_are_understood(language: str, home: Home, clock: ManualClock) -> None:
    cases = [Case(**case) for case in tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))["case"]]
    misses = [await judge(case, Person(f"{language}-{at}", home, clock)) for at, case in enumerate(cases)]
    missed = [str(miss) for miss in misses if miss is not None]
    print(f"\n{language}: {len(cases) - len(missed)} of {len(cases)}", *missed, sep="\n")
    assert len(cases) - len(missed) >= ENOUGH * len(cases), "\n".join(missed)


async def judge(case: Case, person: Person) -> Miss | None:
    """The first answer that is not as it must be."""
    await person.say(*case.tell)
    if case.correct is not None:
        await person.say(case.correct)
    answer = await person.say(case.ask)
    if not is_right(answer, case.expect, case.reject):
        return Miss(case, case.ask, answer, f"expected {case.expect}, not {case.reject}")
    if case.before_ask is not None:
        answer = await person.say(case.before_ask)
        if not is_right(answer, case.before_expect, []):
            return Miss(case, case.before_ask, answer, f"expected {case.before_expect}")
    if case.forget is not None:
        await person.say(case.forget)
        answer = await person.say(case.ask)
        if not is_right(answer, [], case.gone):
            return Miss(case, f"{case.forget} {case.ask}", answer, f"not {case.gone}")
    return None


def is_right(answer: str, expect: list[str | list[str]], reject: list[str]) -> bool:
    """All that is expected is in the answer, and nothing that is rejected; it is no recital."""
    said = answer.casefold()
    wanted = [[one] if isinstance(one, str) else one for one in expect]
    return (
        len(answer) <= LONGEST
        and all(any(word.casefold() in said for word in words) for words in wanted)
        and not any(word.casefold() in said for word in reject)
    )
