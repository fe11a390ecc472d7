"""Comparing what is there after a step with what a script expects."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass, field
from typing import Any

from ..runtime.agent import LiveAgent
from ..runtime.archive.choices import Kind
from ..runtime.models.base import ModelRequest
from ..runtime.stream import TurnEnded
from .expect_calls import Called, calls, events
from .matching import Failure, closest, number, several, shown, text
from .source import Map, Place
from .stage import Stage


@dataclass(slots=True)
class Turn:
    """What came of the newest turn."""

    ended: TurnEnded | None = None
    calls: list[Called] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    recalled: str = ""
    requests: list[ModelRequest] = field(default_factory=list)
    """Those of the turn, with the last one before it at the front if there is one."""


async def check(stage: Stage, turn: Turn, expected: Map) -> list[Failure]:
    """The expectations that are not met, in the order in which they are written."""
    out: list[Failure] = []
    for key, value in expected.items():
        out += await _check(stage, turn, key, value, expected.at(key))
    return out


async def _check(stage: Stage, turn: Turn, key: str, value: Any, place: Place) -> list[Failure]:
    ended = turn.ended or TurnEnded("", "done", "")
    match key:
        case "reply":
            return text("the reply", value, ended.text, place, acceptable=True)
        case "error":
            return text("the turn's error", value, ended.error, place)
        case "recalled":
            return text("what is recalled", value, turn.recalled, place)
        case "request":
            return text("the newest request", value, request_text(turn), place)
        case "ended":
            met = value == ended.reason
            return (
                []
                if met
                else [Failure(place, f"the turn ends with `{value}`", f"`{ended.reason}` {ended.error}".rstrip())]
            )
        case "calls":
            return calls(value, turn.calls, place)
        case "events":
            return events(value, turn.events, place)
        case "blocks":
            return [one for label in value for one in await block(stage.agent, label, value[label], value.at(label))]
        case "archive":
            return [one for wanted in value for one in await search(stage.agent, wanted, "passage")]
        case "log":
            return [one for wanted in value for one in await search(stage.agent, wanted, "message")]
        case "context":
            return await _context(stage, turn, value)
        case "counters":
            counters = await stage.agent.memory.counters()
            return [
                failure
                for name, bound in value.items()
                for failure in number(f"the counter {name}", bound, counters.get(name, 0), value.at(name))
            ]
    raise AssertionError(key)


# -- memory -------------------------------------------------------------------------------------------------------


async def block(agent: LiveAgent, label: str, rules: Any, place: Place) -> list[Failure]:
    """Compare a block with what is written of it at `place`."""
    blocks = {block.label: block for block in await agent.memory.blocks()}
    there = blocks.get(label)
    absent = isinstance(rules, dict) and "absent" in rules
    if absent or there is None:
        if absent == (there is None):
            return []
        expected = f"there is {'no' if absent else 'a'} block {label!r}"
        near = difflib.get_close_matches(label, blocks, 1)
        found = shown(there.value) if there else f"blocks {', '.join(blocks)}"
        return [Failure(place, expected, found, near[0] if near else "")]
    out = text(f"block {label!r}", rules, there.value, place)
    if isinstance(rules, Map):
        if "revision" in rules:
            out += number(f"the revision of block {label!r}", rules["revision"], there.revision, rules.at("revision"))
        if "resident" in rules:
            view = await agent.context.resident()
            if (label in view) != rules["resident"]:
                words = f"block {label!r} is {'' if rules['resident'] else 'not '}in view"
                out.append(Failure(rules.at("resident"), words, f"in view are {', '.join(sorted(view))}"))
    return out


async def search(agent: LiveAgent, wanted: Map, table: Kind) -> list[Failure]:
    """Compare what a search finds in a table of the archive with what it is to find."""
    status = (wanted.get("status", "active"),) if table == "passage" else ("active",)
    limit = wanted.get("limit", 10)
    hits = await agent.memory.search(wanted["query"], tables=(table,), statuses=status, limit=limit)
    where = "archive" if table == "passage" else "log"
    asked = f"a search of the {where} for {wanted['query']!r}"
    listed = "\n".join(f"{n}. {'(weak) ' if hit.weak else ''}{hit.text[:200]}" for n, hit in enumerate(hits, 1))
    listed = listed or "nothing"
    out: list[Failure] = []
    for one in several(wanted.get("finds", ())):
        ranks = [n for n, hit in enumerate(hits, 1) if one.casefold() in hit.text.casefold()]
        if not ranks:
            near = closest(one, [hit.text for hit in hits])
            out.append(Failure(wanted.at("finds"), f"{asked} finds {one!r}", listed, near))
        elif "at" in wanted and wanted["at"] not in ranks:
            words = f"{asked} finds {one!r} at rank {wanted['at']}"
            out.append(Failure(wanted.at("at"), words, f"it is at rank {ranks[0]}:\n{listed}"))
    for one in several(wanted.get("not", ())):
        if any(one.casefold() in hit.text.casefold() for hit in hits):
            out.append(Failure(wanted.at("not"), f"{asked} does not find {one!r}", listed))
    if "nothing" in wanted and any(not hit.weak for hit in hits):
        out.append(Failure(wanted.at("nothing"), f"{asked} finds nothing", listed))
    return out


# -- the window ---------------------------------------------------------------------------------------------------


async def _context(stage: Stage, turn: Turn, wanted: Map) -> list[Failure]:
    overview = await stage.agent.context.overview()
    out: list[Failure] = []
    if "tokens" in wanted:
        out += number("the window's use in tokens", wanted["tokens"], overview.used, wanted.at("tokens"))
    if "epoch" in wanted:
        out += number("the window's epoch", wanted["epoch"], overview.epoch, wanted.at("epoch"))
    sections, sizes = wanted.get("sections"), dict(overview.sections)
    if isinstance(sections, Map):
        for name, bound in sections.items():
            out += number(f"the section {name} in tokens", bound, sizes[name], sections.at(name))
    if "prefix" in wanted:
        broken = _parted(turn.requests)
        if wanted["prefix"] == "kept" and broken:
            out.append(Failure(wanted.at("prefix"), "every request extends the one before it", broken))
        if wanted["prefix"] == "new" and not broken:
            out.append(Failure(wanted.at("prefix"), "a request begins anew", "each extends the one before it"))
    return out


def _parted(requests: list[ModelRequest]) -> str:
    """Where a request does not extend the one before it; empty where all do."""
    for before, after in itertools.pairwise(requests):
        if before.tools != after.tools:
            return "the tools are others"
        for place, message in enumerate(before.messages):
            if place >= len(after.messages):
                return f"message {place + 1} is gone"
            if message != after.messages[place]:
                return f"message {place + 1} ({message['role']}) is another"
    return ""


def request_text(turn: Turn) -> str:
    """All that the model was told in the newest request, but for the tools."""
    if not turn.requests:
        return ""
    lines = []
    for message in turn.requests[-1].messages:
        lines.append(f"{message['role']}: {message.get('content') or ''}")
        lines += [f"call: {call['function']}" for call in message.get("tool_calls", ())]
    return "\n".join(lines)
