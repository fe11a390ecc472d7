"""What can happen in a step of a script, and what is wrong with one beyond its shape."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from .source import Map, Mistake, Seq

VERBS = (
    *("say", "wait", "restart", "resume", "switch"),
    *("work", "rule", "edit", "insert", "import", "forget", "rewind", "fork", "include"),
)
"""What can happen in a step."""
MEANWHILE = ("edit", "insert", "forget", "cancel")
"""What the user can do in the middle of a turn."""
TIMES = ("event_time", "valid_from", "valid_to")
"""Of a passage that a step archives."""
OPERATIONS = ("append", "replace", "rethink", "create", "delete", "undo")

_TURNS = ("say", "resume")
_BESIDE = {
    **dict.fromkeys(("approve", "meanwhile"), _TURNS),
    "does": (*_TURNS, "work"),
    "summaries": ("say",),
    "fault": ("say", "work"),
    "with": ("include",),
}
"""Keys of a step, and those beside which they may stand."""


def replies(step: Map) -> Sequence[Map]:
    """The replies of the model that are more than text."""
    does = step.get("does", [])
    return [one for one in does if isinstance(one, Map)] if isinstance(does, list) else []


def check(step: Map, said: bool) -> list[Mistake]:
    """What is wrong with a step that has the right shape; `said` tells whether there was a turn until then."""
    found: list[Mistake] = []
    verbs = [verb for verb in VERBS if verb in step]
    if len(verbs) > 1:
        found.append(Mistake(step.at(verbs[1]), f"a step is one of {' and '.join(verbs)}.", "Make two steps of it."))
    if not verbs and "expect" not in step:
        found.append(Mistake(step.place, "nothing happens in this step.", f"There are {', '.join(VERBS)}, expect."))
    for key, beside in _BESIDE.items():
        if key in step and not any(verb in step for verb in beside):
            where = " or ".join(f"`{verb}`" for verb in beside)
            found.append(Mistake(step.at(key), f"`{key}` stands beside {where} only."))
    if "${" not in step.get("import", "${") and not seen_from(step, "import").exists():
        found.append(Mistake(step.at("import"), f"there is no file {seen_from(step, 'import')}."))
    found += _change(step)
    for action in actions(step):
        if sum(key in action for key in MEANWHILE) != 1:
            found.append(Mistake(action.place, f"the user does one of {', '.join(MEANWHILE)} here."))
        found += _change(action)
    if "meanwhile" in step and "crash" in step.get("fault", {}):
        found.append(Mistake(step.at("meanwhile"), "`meanwhile` and a crash are not for the same turn."))
    if isinstance(back := step.get("rewind"), Map) and ("turns" in back) == ("undo" in back):
        found.append(Mistake(step.at("rewind"), "a rewind goes back by `turns`, or is an `undo`."))
    if isinstance(fault := step.get("fault"), Map) and not fault.keys() & {"error", "arguments", "embedder", "crash"}:
        found.append(Mistake(step.at("fault"), "this fault is none.", "There are error, arguments, embedder, crash."))
    for reply in replies(step):
        found += _reply(reply)
    if isinstance(expect := step.get("expect"), Map):
        found += _patterns(expect)
        turn = [key for key in ("reply", "ended", "error", "calls", "recalled", "request", "events") if key in expect]
        if turn and not said:
            found.append(Mistake(expect.at(turn[0]), f"`{turn[0]}` is of a turn, and nothing was said yet."))
    return found


def _change(step: Map) -> list[Mistake]:
    """What is wrong with a change of memory by the user."""
    made = step.get("insert")
    found = [one for name in TIMES for one in check_time(made, name)] if isinstance(made, Map) else []
    return found + (_edit(step["edit"]) if isinstance(step.get("edit"), Map) else [])


def actions(step: Map) -> list[Map]:
    """What the user does while the model answers in this step."""
    said = step.get("meanwhile", [])
    return [said] if isinstance(said, Map) else list(said)


def seen_from(step: Map, key: str) -> Path:
    """The path that a key of a step holds, as it is seen from the file that the step stands in."""
    return Path(step.at(key).file).parent / str(step[key])


def _edit(edit: Map) -> list[Mistake]:
    made = [key for key in OPERATIONS if key in edit]
    if len(made) != 1:
        return [Mistake(edit.place, "an edit is one of " + ", ".join(OPERATIONS) + ".")]
    if ("replace" in edit) != ("by" in edit):
        return [Mistake(edit.place, "`replace` and `by` stand together: the old text, and the new.")]
    return []


def _reply(reply: Map) -> list[Mistake]:
    found: list[Mistake] = []
    if not reply.keys() & {"text", "call", "calls", "error"}:
        return [Mistake(reply.place, "a reply is text, a call, calls or an error.")]
    if "call" in reply and "calls" in reply:
        found.append(Mistake(reply.at("calls"), "a reply has either `call` or `calls`."))
    for key in ("with", "raw"):
        if key in reply and "call" not in reply:
            found.append(Mistake(reply.at(key), f"`{key}` stands beside `call` only."))
    for call in [reply, *reply.get("calls", ())]:
        if "with" in call and "raw" in call:
            found.append(Mistake(call.at("raw"), "a call has its arguments either in `with` or in `raw`."))
    return found


def _patterns(value: Any) -> list[Mistake]:
    """Regular expressions that are none."""
    found: list[Mistake] = []
    for key, child in value.items() if isinstance(value, Map) else enumerate(value):
        if key == "matches" and isinstance(child, str):
            try:
                re.compile(child)
            except re.error as error:
                found.append(Mistake(value.at(key), f"{child!r} is no regular expression: {error}."))
        elif isinstance(child, Map | Seq):
            found += _patterns(child)
    return found


def check_time(where: Map, key: str) -> list[Mistake]:
    """What is wrong with a time, if there is one at this key."""
    try:
        datetime.fromisoformat(where.get(key, "2026-01-01"))
    except ValueError:
        return [Mistake(where.at(key), f"{where[key]!r} is no time.", "Write it as 2026-01-31 09:00.")]
    return []
