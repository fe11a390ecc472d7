"""Comparing what is there with what a script expects, and saying what is closest to it where it is not."""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..runtime.agent import LiveAgent
from ..runtime.archive.choices import Kind
from ..runtime.models.base import ModelRequest
from ..runtime.stream import TurnEnded
from .source import Map, Place, Span
from .stage import Stage

LONGEST = 600
"""Characters of what is there that a failure shows."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that was not met."""

    place: Place
    expected: str
    found: str
    closest: str = ""
    """What is most like what was expected, where it helps to see that."""
    accept: tuple[Span, str] | None = None
    """Where the expected text stands in its file, and what to write there to accept what was found."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the turn and what came of it."""

    name: str
    arguments: str
    result: str
    failed: bool
    scripted: bool = False
    """Whether it was the script that made it, in this turn."""


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
            return _calls(value, turn.calls, place)
        case "events":
            return _events(value, turn.events, place)
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


# -- texts --------------------------------------------------------------------------------------------------------


def text(what: str, wanted: Any, found: str, place: Place, *, acceptable: bool = False) -> list[Failure]:
    """Compare a text with what it is to hold, which is text, a list of texts or a check.

    `acceptable`: what is found may be written into the script in its place.
    """
    out: list[Failure] = []
    if not isinstance(wanted, dict):
        wanted, origin = {"contains": wanted}, None
    else:
        origin = wanted if isinstance(wanted, Map) else None

    def at(name: str) -> Place:
        return origin.at(name) if origin is not None else place

    for one in _several(wanted.get("contains", ())):
        if one.casefold() not in found.casefold():
            out.append(Failure(at("contains"), f"{what} holds {one!r}", shown(found), closest(one, [found])))
    for one in _several(wanted.get("not", ())):
        if one.casefold() in found.casefold():
            out.append(Failure(at("not"), f"{what} does not hold {one!r}", shown(found, around=one)))
    if "matches" in wanted and not re.search(wanted["matches"], found):
        out.append(Failure(at("matches"), f"{what} matches /{wanted['matches']}/", shown(found)))
    if "equals" in wanted and wanted["equals"].rstrip("\n") != found.rstrip("\n"):
        expected = wanted["equals"]
        span = origin.spans.get("equals") if origin is not None else None
        accept = (span, found) if span and acceptable else None
        out.append(
            Failure(at("equals"), f"{what} equals {expected!r}", shown(found), _difference(expected, found), accept)
        )
    return out


def _several(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def shown(found: str, around: str = "") -> str:
    """A text as a failure shows it: the part of a long one that matters."""
    if not found:
        return "nothing"
    if len(found) <= LONGEST:
        return repr(found)
    middle = max(found.casefold().find(around.casefold()), 0) if around else 0
    start = max(0, middle - LONGEST // 2)
    return f"{'… ' if start else ''}{found[start : start + LONGEST]!r} … ({len(found):,} characters)"


def closest(wanted: str, texts: Iterable[str]) -> str:
    """The line that is most like `wanted`; empty where none is like it."""
    lines = [line.strip() for one in texts for line in re.split(r"\n|(?<=[.!?。！？])\s*", one) if line.strip()][:2000]
    best, ratio = "", 0.4
    for line in lines:
        matcher = difflib.SequenceMatcher(None, wanted.casefold(), line.casefold(), autojunk=False)
        if matcher.real_quick_ratio() > ratio and (own := matcher.ratio()) > ratio:
            best, ratio = line, own
    return best[:300]


def _difference(expected: str, found: str) -> str:
    """Where two texts part."""
    same = next((n for n, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), None)
    at = min(len(expected), len(found)) if same is None else same
    return f"they part at character {at + 1}: {expected[at : at + 60]!r} there, {found[at : at + 60]!r} here"


def number(what: str, wanted: Any, found: int, place: Place) -> list[Failure]:
    """Compare a number with what it is to be: a number, or bounds."""
    low, high = (wanted.get("at_least"), wanted.get("at_most")) if isinstance(wanted, dict) else (wanted, wanted)
    if (low is None or found >= low) and (high is None or found <= high):
        return []
    bounds = (
        f"{wanted:,}"
        if isinstance(wanted, int)
        else " and ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in wanted.items())
    )
    return [Failure(place, f"{what} is {bounds}", f"{found:,}")]


# -- calls and events ---------------------------------------------------------------------------------------------


def _calls(wanted: Any, made: list[Called], place: Place) -> list[Failure]:
    rules = wanted if isinstance(wanted, dict) else {"in_order": wanted}
    shows = "; ".join(_call_shown(one) for one in made) or "no calls"
    out: list[Failure] = []
    for rule, value in rules.items():
        at = wanted.at(rule) if isinstance(wanted, Map) else place
        if rule == "none":
            unwanted = [one for one in made if value is True or (value is not False and one.name in value)]
            if unwanted:
                out.append(Failure(at, "there is no such call", "; ".join(map(_call_shown, unwanted))))
        elif rule == "any_order":
            left = list(made)
            for one in value:
                found = next((call for call in left if _is_call(one, call)), None)
                if found is None:
                    out.append(Failure(at, f"there is the call {_wanted_shown(one)}", shows, _like_call(one, made)))
                else:
                    left.remove(found)
        else:
            missing = _first_missing(value, made, _is_call)
            if missing is not None:
                words = f"there is, in this order, the call {_wanted_shown(missing)}"
                out.append(Failure(at, words, shows, _like_call(missing, made)))
            if rule == "exactly" and not out and len(made) != len(value):
                out.append(Failure(at, f"there are exactly {len(value)} calls", shows))
    return out


def _first_missing(wanted: Sequence[Any], there: Sequence[Any], same: Callable[[Any, Any], bool]) -> Any:
    """The first that is wanted and does not come after the ones before it; None where all do."""
    start = 0
    for one in wanted:
        place = next((at for at in range(start, len(there)) if same(one, there[at])), None)
        if place is None:
            return one
        start = place + 1
    return None


def _like_call(wanted: Any, made: list[Called]) -> str:
    """The call of the same tool, with what came of it."""
    name = wanted if isinstance(wanted, str) else wanted["name"]
    found = [f"{_call_shown(one)} -> {shown(one.result)}" for one in made if one.name == name]
    return found[0] if found else closest(name, [one.name for one in made])


def _is_call(wanted: Any, made: Called) -> bool:
    if isinstance(wanted, str):
        return made.name == wanted
    if made.name != wanted["name"] or wanted.get("failed", made.failed) != made.failed:
        return False
    if "with" in wanted:
        try:
            arguments = json.loads(made.arguments)
        except ValueError:
            return False
        if any(not _is_value(value, arguments.get(name)) for name, value in wanted["with"].items()):
            return False
    return "result" not in wanted or not text("", wanted["result"], made.result, Place("", 0))


def _is_value(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, dict) and wanted.keys() <= {"contains", "not", "matches", "equals"}:
        return isinstance(found, str) and not text("", wanted, found, Place("", 0))
    return bool(wanted == found)


def _call_shown(one: Called) -> str:
    arguments = one.arguments if len(one.arguments) <= 200 else f"{one.arguments[:200]}…"
    return f"{one.name} {arguments}" + (" (failed)" if one.failed else "")


def _wanted_shown(wanted: Any) -> str:
    return wanted if isinstance(wanted, str) else json.dumps(wanted, ensure_ascii=False)


def _events(wanted: Any, there: list[dict[str, Any]], place: Place) -> list[Failure]:
    rules = wanted if isinstance(wanted, dict) else {"in_order": wanted}
    shows = ", ".join(_event_shown(one) for one in there if one["type"] not in ("reply_delta", "step_started"))
    out: list[Failure] = []
    for rule, value in rules.items():
        at = wanted.at(rule) if isinstance(wanted, Map) else place
        if rule == "none":
            found = [one for one in there if any(_is_event(unwanted, one) for unwanted in value)]
            out += [Failure(at, "there is no such event", _event_shown(one)) for one in found[:1]]
        else:
            missing = _first_missing(value, there, _is_event)
            if missing is not None:
                out.append(Failure(at, f"there is, in this order, the event {_wanted_shown(missing)}", shows))
    return out


def _is_event(wanted: Any, event: dict[str, Any]) -> bool:
    if isinstance(wanted, str):
        return bool(event["type"] == wanted)
    return all(_is_value(value, event.get(name)) for name, value in wanted.items())


def _event_shown(event: dict[str, Any]) -> str:
    detail = event.get("reason") or event.get("label") or event.get("name") or ""
    return f"{event['type']} ({detail})" if detail else str(event["type"])


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
    for one in _several(wanted.get("finds", ())):
        ranks = [n for n, hit in enumerate(hits, 1) if one.casefold() in hit.text.casefold()]
        if not ranks:
            near = closest(one, [hit.text for hit in hits])
            out.append(Failure(wanted.at("finds"), f"{asked} finds {one!r}", listed, near))
        elif "at" in wanted and wanted["at"] not in ranks:
            words = f"{asked} finds {one!r} at rank {wanted['at']}"
            out.append(Failure(wanted.at("at"), words, f"it is at rank {ranks[0]}:\n{listed}"))
    for one in _several(wanted.get("not", ())):
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
