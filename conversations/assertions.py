"""Assertions on an agent's memory, for tests in Python; they say what a script's expectations say."""

from __future__ import annotations

from collections.abc import Sequence

from ..runtime.agent import LiveAgent
from . import expect
from .matching import Failure
from .source import Map, Place

Texts = str | Sequence[str]

_NOWHERE = Place("", 0)


async def assert_block(
    agent: LiveAgent,
    label: str,
    *,
    contains: Texts = (),
    lacks: Texts = (),
    equals: str | None = None,
    revision: int | None = None,
    resident: bool | None = None,
) -> None:
    """Raise AssertionError unless the block is there, and is so; capitals matter in `equals` alone."""
    rules = {"contains": contains, "not": lacks, "equals": equals, "revision": revision, "resident": resident}
    given = Map({name: value for name, value in rules.items() if value is not None}, _NOWHERE)
    _raise(await expect.block(agent, label, given, _NOWHERE))


async def assert_no_block(agent: LiveAgent, label: str) -> None:
    """Raise AssertionError if the agent has such a block."""
    _raise(await expect.block(agent, label, Map({"absent": True}, _NOWHERE), _NOWHERE))


async def assert_archived(agent: LiveAgent, query: str, finds: Texts = (), *, at: int | None = None) -> None:
    """Raise AssertionError unless a search of the archive finds these texts, `at` that rank if it is given."""
    wanted = {"query": query, "finds": finds} | ({} if at is None else {"at": at})
    _raise(await expect.search(agent, Map(wanted, _NOWHERE), "passage"))


async def assert_not_archived(agent: LiveAgent, query: str, lacks: Texts) -> None:
    """Raise AssertionError if a search of the archive finds one of these texts."""
    _raise(await expect.search(agent, Map({"query": query, "not": lacks}, _NOWHERE), "passage"))


async def assert_logged(agent: LiveAgent, query: str, finds: Texts) -> None:
    """Raise AssertionError unless a search of the conversation log finds these texts."""
    _raise(await expect.search(agent, Map({"query": query, "finds": finds}, _NOWHERE), "message"))


def _raise(failures: list[Failure]) -> None:
    if failures:
        lines = [f"expected: {one.expected}\nthere is: {one.found}" for one in failures]
        lines += [f"closest: {one.closest}" for one in failures if one.closest]
        raise AssertionError("\n".join(lines))
