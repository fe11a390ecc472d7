"""`pagekeeper eval diary`: a month of talk, lived day by day, and then asked about."""

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
PATH is the folder of a diary (diary.yaml, and hops.yaml where there is one; tests/diary/ is one). Each turn of it goes
through an agent, memory work is done each night, and at the end every question is asked in a conversation of its own.
A question is answered if the reply says what it must and nothing that it must not; `found` says the same of the best
result of a search. Use the global option --model for another model than the home's.
"""


def add(group: Commands) -> None:
    """Add the grammar of this command to the group `eval`."""
    parser = group.command(
        "diary",
        "what is known at the end of a month of talk, and was on any day of it",
        run=lambda it: asyncio.run(_run(it)),
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    parser.add_argument("path", metavar="PATH", help="the folder of a diary")
    parser.add_argument("--save", metavar="FILE", help="write each question and what came of it, as JSON lines")
    parser.add_argument("--keep-home", metavar="DIR", help="live it in a home here, and leave that")
    json_option(parser, "as JSON")


async def _run(options: argparse.Namespace) -> int:
    from ..evaluation import diary
    from ..runtime.home import new_folder
    from .opening import place

    month = diary.load(Path(options.path))
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(writing(options.save)) if options.save else None
        folder = stack.enter_context(new_folder(options.keep_home, "pagekeeper-diary-"))
        tell = stack.enter_context(progress())
        lived = await diary.live(month, folder / "home", place(options).settings, partial(tell_steps, tell, "diary"))
        if out is not None:
            write_lines(out, diary.each_question(lived))
    summary = diary.summary(lived)
    if options.json:
        show_json(summary)
    else:
        _show(summary)
    return DONE


def _show(summary: dict[str, Any]) -> None:
    show(f"A month with {summary['model']}: {counted(summary['memories'], 'memory', 'memories')} in force at its end.")
    show("")
    heads = ("questions", "answered", "found", "either")
    rows = [[kind, *(str(one[head]) for head in heads)] for kind, one in summary["kinds"].items()]
    show_table(["", *heads], rows)
    show("")
    show(f"Memories that say what another one says: {summary['duplicates']}")
    show_work(summary)
