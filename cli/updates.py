"""`pagekeeper eval updates`: what memory work makes of what was said anew."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import Any

from ..runtime.text import counted
from . import DONE
from .grammar import Commands, json_option
from .output import progress, show, show_json, show_table, show_work, tell_steps, write_lines, writing

_ABOUT = """\
PATH is a chat of BEAM, as it is published, or a folder of them. Each chat is held again turn by turn, memory work goes
through it every 20 turns, and then each question about what was updated is put to the ordinary search. Counted are the
questions of which both sides, the older and the newer one, are among ten results; and of those the ones where the
newer side is told to count: by memory, if a memory of it in force is found that one of the older side has given way
to; by its figure, if the search marks the older side as having a newer one, which needs no memory work. Use the global
option --model for another model than the home's.
"""


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `eval`."""
    parser = group.command(
        "updates",
        "what memory work makes of what BEAM's chats say anew, and what it costs",
        run=lambda it: asyncio.run(_run(it)),
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    parser.add_argument("path", metavar="PATH", help="a chat, or a folder of chats, as they are published")
    parser.add_argument("--save", metavar="FILE", help="write each question and what came of it, as JSON lines")
    parser.add_argument(
        "--keep-home", metavar="DIR", help="make the home here, and leave it (default: a temporary one)"
    )
    json_option(parser, "as JSON")


async def _run(options: argparse.Namespace) -> int:
    from ..evaluation import updates
    from ..evaluation.find import find
    from ..runtime.home import new_folder
    from .opening import place

    dataset = updates.about_updates(find(Path(options.path)))
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(writing(options.save)) if options.save else None
        folder = stack.enter_context(new_folder(options.keep_home, "pagekeeper-updates-"))
        tell = stack.enter_context(progress())
        told = partial(tell_steps, tell, dataset.name)
        outcome = await updates.run(dataset, folder / "home", place(options).settings, told)
        if out is not None:
            write_lines(out, updates.each_question(outcome))
    summary = updates.summary(outcome)
    if options.json:
        show_json(summary)
    else:
        _show(summary)
    return DONE


def _show(summary: dict[str, Any]) -> None:
    parts = (counted(summary[key], key.removesuffix("s")) for key in ("conversations", "turns", "questions"))
    show(f"{summary['dataset']} with {summary['model']}: {', '.join(parts)}; embedder {summary['embedder']}")
    show("")
    rows = [
        ("both sides within 10", "found"),
        ("and the newer one is told to count", "newer_told"),
        ("  by memory", "by_memory"),
        ("  by its figure", "by_figure"),
    ]
    show_table(["", "questions"], [[words, str(summary[key])] for words, key in rows])
    show("")
    show("Memories: " + (", ".join(f"{count:,} {status}" for status, count in summary["memories"].items()) or "none"))
    show_work(summary)
