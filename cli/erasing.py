"""`pagekeeper memory forget --erase`: shows what would be erased for good, asks, and erases it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..runtime.text import counted
from . import DONE
from .grammar import Parser, ask, confirm
from .output import note, show, show_json

if TYPE_CHECKING:
    from ..runtime.erasing.erase import Erased
    from ..runtime.erasing.survey import Erasable, Find
    from .opening import Holder

_LONGEST = 300
"""Characters of a text that a preview shows."""


def add_options(parser: Parser) -> None:
    """Add the options that make a forgetting an erasure."""
    parser.add_argument(
        "--erase", action="store_true", help="for good, out of all files of the home: nothing brings it back"
    )
    parser.add_argument(
        "--partial",
        choices=["erase", "keep", "ask"],
        help="with --erase: what to do with texts that hold a part of it, or say other things too (default: ask)",
    )
    parser.add_argument("--forks", action="store_true", help="with --erase: also from the agents forked from this one")


def check_options(options: argparse.Namespace) -> None:
    """Raise UsageError where something is said that only an erasure understands, or that it does not."""
    from ..runtime.errors import UsageError

    if not options.erase and (options.partial is not None or options.forks):
        raise UsageError("--partial and --forks go with --erase.")
    if options.erase and options.reason:
        raise UsageError("--reason does not go with --erase: what is kept of an erasure holds no words.")


async def erase(options: argparse.Namespace, agent: Holder) -> int:
    """Carry the command out."""
    found = await agent.memory.erasable(options.query, ids=options.ids or (), forks=options.forks)
    if options.json and not options.yes:
        show_json(_preview(found))
        return DONE
    if not options.yes:
        _show(found)
    _tell_what_stays(found, await agent.memory.short_ids([one.id for one in found.also]))
    if not found:
        note("Nothing says that.")
        return DONE
    partial = _decided(options, found)
    confirm(options, "Erase this for good? Nothing brings it back.")
    _tell_result(options, await agent.memory.erase(found, partial))
    return DONE


def _decided(options: argparse.Namespace, found: Erasable) -> Any:
    """What to do with what is partial, asked of a person where the options do not say."""
    if options.partial in ("erase", "keep") or not found.partial:
        return options.partial if options.partial != "ask" else None
    if options.yes:
        from ..runtime.errors import UsageError

        raise UsageError(
            f"{_texts(len(found.partial))} a part of it, or say other things too.",
            hint="Say --partial erase or --partial keep; without --yes you see them, and are asked.",
        )
    return [find.text for find in found.partial if ask(f"Erase this too? {_line(find.text)}")]


def _texts(count: int) -> str:
    return "1 text holds" if count == 1 else f"{count:,} texts hold"


def _show(found: Erasable) -> None:
    """Say what would go."""
    for text in found.chosen:
        show(f"all of: {_line(text)}")
    for find in found.finds:
        show(f"{'in part' if find.partial else 'erase'}: {_line(find.text)}  ({_places(find)})")


def _tell_what_stays(found: Erasable, shorts: Mapping[str, str]) -> None:
    for one in found.also:
        note(f"May be about it, and stays unless you name it with --id {shorts[one.id]}: {_line(one.text)}")
    for name in found.names:
        note(f"The name of {name} holds it, and stays.")
    if found.forks:
        note(f"It is also in {', '.join(found.forks)}: --forks erases it there too.")
    for file in found.files:
        note(f"The file {file} in the home holds it, and stays: delete it yourself.")


def _places(find: Find) -> str:
    return ", ".join(f"{count} × {place}" for place, count in find.places.items())


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}… ({len(flat):,} characters)"


def _preview(found: Erasable) -> dict[str, Any]:
    return {
        "chosen": found.chosen,
        "finds": [asdict(find) for find in found.finds],
        "also": [asdict(one) for one in found.also],
        "names": found.names,
        "forks": found.forks,
        "files": found.files,
    }


def _tell_result(options: argparse.Namespace, done: Erased) -> None:
    if options.json:
        counts = {name: getattr(done, name) for name in ("passages", "messages", "revisions", "recordings", "files")}
        show_json({"events": [event.id for event in done.events], **counts, "kept": [it.text for it in done.kept]})
        return
    counts = {"passage": done.passages, "message": done.messages, "recording": done.recordings}
    parts = [counted(count, noun) for noun, count in counts.items() if count]
    parts += [f"{counted(done.revisions, 'revision')} of blocks"] if done.revisions else []
    show(f"Erased from {', '.join(parts) or 'the record'}.")
    _tell_kept(done.kept)
    for file in done.files:
        note(f"The file {file} in the home still holds it: delete it yourself.")
    note("Exports and backups that were made before still hold it.")


def _tell_kept(kept: Sequence[Find]) -> None:
    for find in kept:
        note(f"Kept: {_line(find.text)}")
