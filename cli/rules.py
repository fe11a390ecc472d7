"""`pagekeeper memory rules`: standing rules that memory work proposes, and the user's decision on them."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from . import DONE
from .grammar import Commands, agent_option, json_option
from .opening import existing_holder
from .output import note, show, show_json

if TYPE_CHECKING:
    from ..runtime.sleeptime.rules import Rule

_SAID = {"accept": "It holds: ", "reject": "Rejected, and not proposed again: ", "drop": "It holds no longer: "}
_ABOUT = """\
What happens again and again may become a rule that the agent keeps to. Memory work proposes it, with what shows it, and
nothing holds before you accept it: then it stands in the block `rules`. A rule that you reject, or accept and later
drop, is not proposed again; `accept` brings it back.
"""


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `memory`."""
    parser = group.command("rules", "standing rules: list them, decide on them", run=lambda it: asyncio.run(_run(it)))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    agent_option(parser)
    decide = "|".join(_SAID)
    parser.add_argument(
        "decision", metavar=decide, nargs="?", choices=tuple(_SAID), help="what to do with one (default: list all)"
    )
    parser.add_argument("id", metavar="ID", nargs="?", help="of the rule")
    json_option(parser, "as JSON")


async def _run(options: argparse.Namespace) -> int:
    from ..runtime.errors import UsageError

    if options.decision is not None and options.id is None:
        raise UsageError(f"Say which rule to {options.decision}.", hint="`pagekeeper memory rules` lists them by id.")
    async with existing_holder(options) as agent:
        memory = agent.memory
        decide = {"accept": memory.accept_rule, "reject": memory.reject_rule, "drop": memory.drop_rule}
        if options.decision is None:
            found = await memory.rules()
        else:
            found = [await decide[options.decision](options.id)]
    if options.json:
        show_json([_json(one) for one in found] if options.decision is None else _json(found[0]))
    elif options.decision is not None:
        show(f"{_SAID[options.decision]}{found[0].text}")
    else:
        _list(found)
    return DONE


def _list(rules: list[Rule]) -> None:
    for one in rules:
        show(f"{one.short}  {'holds' if one.accepted else f'proposed, sure by {one.confidence:.0%}'}: {one.text}")
        for text in one.evidence if not one.accepted else ():
            show(f"    since {' '.join(text.split())}")
    if any(not one.accepted for one in rules):
        note("`pagekeeper memory rules accept|reject ID` decides.")
    elif not rules:
        note("There are none.")


def _json(one: Rule) -> dict[str, Any]:
    return {
        "id": one.id,
        "short": one.short,
        "text": one.text,
        "accepted": one.accepted,
        "confidence": one.confidence,
        "evidence": list(one.evidence),
        "since": one.since.isoformat(),
    }
