"""Every conversation of this folder fails when the behaviour that it is about is broken: they can all fail."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pagekeeper.conversations.batch import find
from pagekeeper.conversations.play import play
from pagekeeper.conversations.script import Case
from pagekeeper.tests.conversations.mutations import MUTATIONS

CASES = find([str(Path(__file__).parent)])


def titles() -> list[Case]:
    """One case of each conversation: the first row of its table, or the last, which is the most demanding one."""
    return list({(case.file, case.title): case for case in CASES}.values())


def caught(case: Case) -> list[str]:
    """The mutations that a conversation says it catches."""
    named = case.document.get("catches", [])
    return [named] if isinstance(named, str) else list(named)


@pytest.mark.parametrize(
    ("case", "name"),
    [(case, name) for case in titles() for name in caught(case)],
    ids=lambda it: getattr(it, "name", it),
)
def test_a_conversation_catches_its_mutation(
    case: Case, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTATIONS[name](monkeypatch)
    outcome = asyncio.run(play(case, tmp_path / "home"))
    assert outcome.failures
    print(outcome.failures[0])


def test_every_conversation_names_a_mutation_and_every_mutation_is_named() -> None:
    assert [case.title for case in titles() if not caught(case)] == []
    assert {name for case in titles() for name in caught(case)} == MUTATIONS.keys()
    assert len(titles()) >= 40
