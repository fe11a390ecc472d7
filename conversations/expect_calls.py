"""Comparing the calls and the events of a turn with those that are expected."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..runtime.text import counted
from .matching import Failure, closest, is_value, shown, text
from .source import Map, Place


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the turn and what came of it."""

    name: str
    arguments: str
    result: str
    failed: bool
    scripted: bool = False
    """Whether it was the script that made it, in this turn."""


def calls(wanted: Any, made: list[Called], place: Place) -> list[Failure]:
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
                out.append(
                    Failure(
                        at, f"there {'is' if len(value) == 1 else 'are'} exactly {counted(len(value), 'call')}", shows
                    )
                )
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
        if any(not is_value(value, arguments.get(name)) for name, value in wanted["with"].items()):
            return False
    return "result" not in wanted or not text("", wanted["result"], made.result, Place("", 0))


def _call_shown(one: Called) -> str:
    arguments = one.arguments if len(one.arguments) <= 200 else f"{one.arguments[:200]}…"
    return f"{one.name} {arguments}" + (" (failed)" if one.failed else "")


def _wanted_shown(wanted: Any) -> str:
    return wanted if isinstance(wanted, str) else json.dumps(wanted, ensure_ascii=False)


def events(wanted: Any, there: list[dict[str, Any]], place: Place) -> list[Failure]:
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
    return all(is_value(value, event.get(name)) for name, value in wanted.items())


def _event_shown(event: dict[str, Any]) -> str:
    detail = event.get("reason") or event.get("label") or event.get("name") or ""
    return f"{event['type']} ({detail})" if detail else str(event["type"])
