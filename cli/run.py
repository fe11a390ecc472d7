"""`pagekeeper run`: play scripted conversations, and check what the agent says and what it remembers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..runtime.text import counted
from . import DONE, FAILED
from .grammar import Commands, count, json_option
from .output import note, progress, reading, show, show_json, show_table, writing

if TYPE_CHECKING:
    from ..conversations.batch import Manner
    from ..conversations.play import Outcome
    from ..conversations.script import Case


def add(commands: Commands) -> None:
    """Add the grammar of this command."""
    parser = commands.command("run", "play scripted conversations, and check replies and memory", run=_run)
    parser.add_argument("scripts", metavar="SCRIPT", nargs="+", help="a file, or a folder of *.conversation.yaml")
    parser.add_argument("-k", metavar="WORD", dest="word", help="only those with WORD in the file's name or the title")
    parser.add_argument("--jobs", metavar="N", type=count, default=1, help="play N side by side (default: 1)")
    parser.add_argument("--junit", metavar="FILE", help="also write a report as JUnit's XML")
    parser.add_argument("--keep-home", metavar="DIR", help="make the homes in DIR, and leave them to be looked into")
    cassettes = parser.add_mutually_exclusive_group()
    cassettes.add_argument("--record", metavar="DIR", help="write what the model answers into cassettes in DIR")
    cassettes.add_argument("--replay", metavar="DIR", help="answer from the cassettes in DIR: no model, no network")
    parser.add_argument("--compare", metavar="MODEL", action="append", help="play with this model too, and compare")
    parser.add_argument("--prompt", metavar="FILE", action="append", help="compare these instructions of the agent too")
    parser.add_argument(
        "--repeat", metavar="N", type=count, default=1, help="when comparing: N times each (default: 1)"
    )
    parser.add_argument("--update", action="store_true", help="write replies that differ into the scripts' `equals`")
    json_option(parser, "as JSON, without durations: equal runs print equal bytes")


def _run(options: argparse.Namespace) -> int:
    from ..conversations import batch, report
    from ..conversations.accept import accept
    from ..runtime.errors import UsageError

    for name, instead in (("home", "--keep-home says where it is made"), ("user", "a script's `agent` names the user")):
        if hasattr(options, name):
            raise UsageError(f"Each conversation has a home of its own, so there is no --{name}: {instead}.")
    cases = batch.find(options.scripts)
    if options.word:
        cases = batch.choose(cases, options.word)
    keep = Path(options.keep_home) if options.keep_home else None
    record, replay = (Path(folder) if folder else None for folder in (options.record, options.replay))
    model = getattr(options, "model", None)
    manner = batch.Manner(model, record=record, replay=replay, jobs=options.jobs, keep=keep, accepting=options.update)
    if options.compare or options.prompt:
        if keep or record or replay or options.update or options.junit:
            raise UsageError("A comparison prints a table, and leaves nothing behind.", hint="Run them one by one.")
        return _compare(options, cases, manner)
    if options.repeat > 1:
        raise UsageError("--repeat is for comparing.", hint="Name models with --compare.")
    with progress() as tell:
        outcomes = batch.run(cases, manner, partial(_tell, tell))
    if options.update:
        accepted = accept(outcomes)
        for file, replies in accepted.replies.items():
            note(f"{file}: {counted(replies, 'new reply').replace('replys', 'replies')} accepted")
        for where, why in accepted.refused.items():
            note(f"{where}: the reply is not accepted: {why}")
    if options.junit:
        with writing(options.junit) as out:
            out.write(report.junit(outcomes))
    failed = [outcome for outcome in outcomes if not outcome.passed]
    if options.json:
        show_json(report.as_data(outcomes))
    else:
        for outcome in failed:
            show(report.told(outcome) + "\n")
        show(f"{counted(len(outcomes), 'conversation')}: {len(outcomes) - len(failed)} passed, {len(failed)} failed")
    if keep:
        note(f"The homes are in {keep}; `pagekeeper --home {keep}/HOME` opens one.")
    return FAILED if failed else DONE


def _tell(tell: Callable[[str], None], done: int, of: int, outcome: Outcome) -> None:
    """Say how far it is."""
    tell(f"{done:,} of {of:,} conversations; {'passed' if outcome.passed else 'FAILED'}: {outcome.name}")


def _compare(options: argparse.Namespace, cases: list[Case], manner: Manner) -> int:
    """The table of models and prompts."""
    from ..conversations.compare import EACH, HEADS, compare, told

    prompts = [("", "")]
    for name in options.prompt or ():
        with reading(name) as file:
            prompts.append((name, file.read()))
    models = list(dict.fromkeys([*([manner.model] if manner.model else []), *(options.compare or ())])) or ["offline"]
    with progress() as tell:
        arms = list(compare(cases, manner, models, prompts, options.repeat, partial(_tell, tell)))
    if options.json:
        show_json([arm.as_data() for arm in arms])
    else:
        again = options.repeat > 1
        rows = [[*arm.row().values(), f"{arm.seconds:.1f}", *(arm.spread() if again else ())] for arm in arms]
        show_table([*HEADS, "seconds", *(EACH if again else ())], rows)
        for words in filter(None, map(told, arms)):
            show(f"\n{words}")
    return DONE if all(outcome.passed for arm in arms for outcome in arm.outcomes) else FAILED
