"""Many conversations: found, chosen, played one after the other or side by side, each in a home of its own."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from ..runtime.errors import ScriptMistake, UsageError
from ..runtime.home import new_folder
from . import SUFFIX
from .answering import Answering
from .play import Outcome, play
from .script import Case, load

Tell = Callable[[int, int, Outcome], None]
"""Told after each conversation: how many have been played, of how many, and what came of it."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How conversations are played."""

    model: str | None = None
    """What answers where neither a step nor the script names what does."""
    everywhere: bool = False
    """Whether it answers where a script names another one too."""
    instructions: str | None = None
    """In place of those that the scripts give their agents."""
    record: Path | None = None
    """The folder into which what the models answer is recorded, in a cassette for each case."""
    replay: Path | None = None
    """The folder of such cassettes, which answer in place of the models."""
    jobs: int = 1
    """Processes that play side by side."""
    keep: Path | None = None
    """Where the homes stay; they are temporary if it is None."""
    accepting: bool = False
    """Whether replies that are not as expected are to be accepted, so that the conversation goes on."""


def find(paths: Sequence[str]) -> list[Case]:
    """The cases of these files, and of the `*.conversation.yaml` in these folders.

    Raises ScriptMistake, which tells of the mistakes in all of them, and UsageError where there is nothing.
    """
    files: list[Path] = []
    for name in paths:
        path = Path(name)
        found = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"There is no *{SUFFIX} in {name}.")
        files += [one for one in found if one not in files]
    cases, mistakes = [], []
    for file in files:
        try:
            cases += load(file)
        except ScriptMistake as error:
            mistakes.append(str(error))
    if mistakes:
        raise ScriptMistake("\n".join(mistakes))
    return cases


def choose(cases: list[Case], word: str) -> list[Case]:
    """Those whose file or name holds `word`. Raises UsageError where there are none."""
    chosen = [case for case in cases if word.casefold() in f"{case.file}: {case.name}".casefold()]
    if not chosen:
        raise UsageError(f"None of {len(cases)} conversations has {word!r} in its file's name or its title.")
    return chosen


def run(cases: Sequence[Case], manner: Manner, tell: Tell) -> list[Outcome]:
    """Play the cases; what came of them is in their order, whichever ended first.

    Raises UsageError where cassettes or homes cannot be where they are to be.
    """
    if manner.replay is not None and not manner.replay.is_dir():
        raise UsageError(f"There is no folder {manner.replay} to play back from.", hint="--record DIR makes one.")
    if manner.record or manner.replay:
        _check_cassettes(cases)
    with _homes(cases, manner.keep) as homes:
        if manner.jobs == 1:
            outcomes = []
            for case, home in zip(cases, homes, strict=True):
                outcomes.append(_play(case, home, manner))
                tell(len(outcomes), len(cases), outcomes[-1])
            return outcomes
        # Spawned, not forked: the archive's libraries have threads of their own.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(manner.jobs, len(cases)), mp_context=context) as pool:
            pairs = zip(cases, homes, strict=True)
            waiting = [pool.submit(_play, case, home, manner) for case, home in pairs]
            for done, future in enumerate(as_completed(waiting), 1):
                tell(done, len(cases), future.result())
            return [future.result() for future in waiting]


def _play(case: Case, home: Path, manner: Manner) -> Outcome:
    record, replay = (folder / _cassette(case) if folder else None for folder in (manner.record, manner.replay))
    how = Answering(manner.model, manner.everywhere, manner.instructions, record, replay)
    return asyncio.run(play(case, home, how, accepting=manner.accepting))


def _cassette(case: Case) -> str:
    return f"{slug(Path(case.file).name.removesuffix(SUFFIX))}-{slug(case.name)}.jsonl"


def _check_cassettes(cases: Sequence[Case]) -> None:
    """Raise UsageError where two cases would have the same cassette."""
    seen: dict[str, Case] = {}
    for case in cases:
        other = seen.setdefault(_cassette(case), case)
        if other is not case:
            words = f"{other.file}: {other.name!r} and {case.file}: {case.name!r} would share the cassette"
            raise UsageError(f"{words} {_cassette(case)}.", hint="Give one of them another title.")


@contextlib.contextmanager
def _homes(cases: Sequence[Case], keep: Path | None) -> Iterator[list[Path]]:
    """A folder for each case. Raises UsageError where they are to be kept in one that holds something."""
    with new_folder(keep, "pagekeeper-run-") as folder:
        yield [folder / f"{number:03d}-{slug(case.name)}" for number, case in enumerate(cases, 1)]


def slug(name: str) -> str:
    """A name as a part of a path."""
    return re.sub(r"\W+", "-", name).strip("-")[:60]
