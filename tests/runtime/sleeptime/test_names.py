"""One name for each subject, whatever it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.sleeptime.names import aliases_of, canonical, named
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import answer, model_of, operation


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        (None, "user"),
        ("The user", "user"),
        ("user's sister Marit", "marit"),
        ("the user's little sister Marit", "marit"),
        ("user's 表弟 阿伟", "阿伟"),
        ("Marit", "marit"),
        ("user's sister", "sister"),
        ("Otter's database", "otter's database"),
        ("project Kiln", "kiln"),
    ],
)
def test_who_is_meant(subject: str | None, name: str) -> None:
    assert canonical(subject) == name


def test_a_role_is_named_once_its_name_is_known() -> None:
    aliases = aliases_of(
        ["user's sister Marit", "user's friend Bo", "user's friend Cy", None, "Ana's boss Max"],
        [{"subject": "user", "relation": "partner", "object": "Ilias"}],
    )
    assert aliases == {"sister": "Marit", "partner": "Ilias"}
    assert named("user's sister", aliases) == "user's sister Marit"
    assert named("user's friend", aliases) == "user's friend", "there are two"
    assert named("sister", aliases) == "sister", "not said to be the user's own"
    assert named(None, aliases) is None


async def test_what_is_told_of_one_by_two_names_is_told_of_one(tmp_path: Path) -> None:
    def lives(subject: str, city: str) -> str:
        about: dict[str, Any] = {"subject": subject, "attribute": "home", "value": city, "single": True}
        return answer(operation(f"{subject} lives in {city}.", **about))

    said = [("user's sister Marit", "Lisbon"), ("Marit", "Antwerp"), ("user's sister", "Bruges")]
    model = model_of(*["Hm."] * 3, extracts=[lives(*one) for one in said])
    async with open_agent(tmp_path, model, embedder=HashEmbedder()) as agent:
        counts = []
        for subject, city in said:
            await agent.send(f"{subject}: {city}")
            counts.append((await agent.memory.work()).counts)
        assert counts == [{"added": 1}, {"superseded": 1}, {"superseded": 1}]
        hits = await agent.memory.search("lives in", tables=("passage",))
        assert [hit.text for hit in hits] == ["user's sister lives in Bruges."]
