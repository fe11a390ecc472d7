"""Playing a case on its stage, step by step, until something is not as it is expected to be."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..runtime.context.tokens import TokenCounter
from ..runtime.errors import PagekeeperError
from ..runtime.stream import (
    ApprovalNeeded,
    CallFinished,
    CallStarted,
    EpochStarted,
    Recalled,
    TurnEnded,
    Warned,
    as_data,
)
from .answering import Answering
from .expect import Turn, check
from .expect_calls import Called
from .known_names import may_fail, of_turn
from .matching import Failure
from .meanwhile import Decisions, Meanwhile
from .script import Case
from .source import Map
from .stage import Stage, stage_of
from .steps import VERBS, actions
from .templates import TemplateError, render
from .user import User

TIMEOUT = 120.0
"""Seconds after which a step is taken to hang."""


@dataclass(slots=True)
class Outcome:
    """What came of a case."""

    file: str
    name: str
    failures: list[Failure] = field(default_factory=list)
    transcript: list[str] = field(default_factory=list)
    turns: int = 0
    requests: int = 0
    """How often the model was asked."""
    tokens: int = 0
    """What it was asked in all, as counted here."""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.failures


async def play(case: Case, home: Path, how: Answering | None = None, *, accepting: bool = False) -> Outcome:
    """Play a case in the new home `home`. What the script expects and does not find is in the outcome.

    A step with a failure is the last one; when `accepting`, one whose failures can be accepted is not.
    """
    outcome = Outcome(case.file, case.name)
    began = time.monotonic()
    step: Map = case.steps[0]
    try:
        async with stage_of(case, home, how or Answering()) as stage:
            player = _Player(stage, case, outcome)
            for at, step in enumerate(case.steps):
                async with asyncio.timeout(TIMEOUT):
                    await player.step(step, of_turn(case.steps, at))
                if any(not (accepting and one.accept) for one in outcome.failures):
                    break
            player.count()
            if outcome.passed and (left := stage.model.unused()):
                outcome.failures.append(Failure(case.steps[-1].place, "all that was recorded is asked for", left))
    except (PagekeeperError, TemplateError) as error:
        outcome.failures.append(Failure(step.place, f"this step can be played ({_verb(step)})", str(error)))
    except TimeoutError:
        outcome.failures.append(Failure(step.place, f"this step ends within {TIMEOUT:g} seconds", "it does not"))
    outcome.seconds = time.monotonic() - began
    return outcome


def _verb(step: Map) -> str:
    return next((verb for verb in VERBS if verb in step), "expect")


class _Player:
    """Plays the steps of one case."""

    def __init__(self, stage: Stage, case: Case, outcome: Outcome) -> None:
        self._stage = stage
        self._case = case
        self._outcome = outcome
        self._turn = Turn()
        self._user = User(stage, self._tell)

    def count(self) -> None:
        """Note what the model was asked."""
        counter, requests = TokenCounter(), self._stage.model.requests
        self._outcome.requests = len(requests)
        texts = (str(message.get("content") or "") for request in requests for message in request.messages)
        self._outcome.tokens = sum(counter.count(text) for text in texts)

    async def step(self, step: Map, of_turn: Sequence[Map]) -> None:
        """Play a step, and check what is expected after it; `of_turn` is all that is expected of its turn."""
        if "say" in step:
            await self._say(step)
        elif "resume" in step:
            await self._resume(step)
        elif "work" in step:
            await self._work(step)
        elif (verb := _verb(step)) != "expect":
            await self._user.do(verb, _refilled(step.holding({verb: step[verb]}), self._filled))
        expected = step.get("expect")
        if isinstance(expected, Map):
            self._outcome.failures += await check(self._stage, self._turn, _refilled(expected, self._filled))
        self._stage.embedder.fails = False
        if {"say", "resume"} & step.keys() and "crash" not in step.get("fault", {}):
            self._check_end(step, expected or {})
            self._check_calls(step, of_turn)

    def _filled(self, value: Any) -> Any:
        return render(value, self._stage.model.results, self._stage.model.known)

    def _tell(self, line: str) -> None:
        self._outcome.transcript.append(line)

    # -- turns ------------------------------------------------------------------------------------------------

    async def _say(self, step: Map) -> None:
        stage, fault = self._stage, dict(step.get("fault", {}))
        text = self._filled(step["say"])
        self._outcome.turns += 1
        self._tell(f"> {text}")
        if "crash" in fault:
            self._turn = Turn()
            await self._die(step, {**_plain(step), "say": text})
            return
        stage.embedder.fails = "embedder" in fault
        await self._follow(step, text, fault)

    async def _die(self, step: Map, played: dict[str, Any]) -> None:
        crash = step["fault"]["crash"]
        if wrong := await self._stage.die(played):
            self._outcome.failures.append(Failure(step.at("fault"), f"the process dies {crash}", wrong))
        self._tell(f"(the process is killed {crash}, and another one opens the home)")

    async def _work(self, step: Map) -> None:
        """Do the memory work that waits."""
        stage, fault, does = self._stage, dict(step.get("fault", {})), step.get("does")
        if "crash" in fault:
            await self._die(step, _plain(step))
            return
        stage.embedder.fails = "embedder" in fault
        stage.model.begin(does, (), fault)
        done = await stage.agent.memory.work()
        counts = ", ".join(f"{name} {count}" for name, count in sorted(done.counts.items()))
        self._tell(f"(memory work: {counts or 'nothing'}{f'; it stops: {done.error}' if done.error else ''})")
        left = stage.model.end()
        if left:
            words = f"the model is asked {_times(stage.model.asked + left)}"
            self._outcome.failures.append(Failure(step.at("does"), words, f"it was asked {_times(stage.model.asked)}"))
        if bool(done.error) != (step["work"] == "stops"):
            wanted = "memory work stops" if step["work"] == "stops" else "memory work gets through"
            self._outcome.failures.append(Failure(step.at("work"), wanted, done.error or "it gets through"))

    async def _resume(self, step: Map) -> None:
        retry = step["resume"] == "retry"
        left = await self._stage.agent.unanswered()
        answered = [one.text for one in left if retry or one.interrupted is None]
        begun = [one.text for one in left if not retry and one.interrupted is not None]
        self._tell(f"(what was left is answered: {_quoted(answered)})" if answered else "(nothing was left to answer)")
        if begun:
            self._tell(f"(the answer to {_quoted(begun)} had begun; only `resume: retry` answers it again)")
        await self._follow(step, None)

    async def _follow(self, step: Map, text: str | None, fault: dict[str, Any] | None = None) -> None:
        """Play a turn, and take its events up."""
        decisions = Decisions(step.get("approve"))
        meanwhile = self._meanwhile(step)
        stage, before = self._stage, len(self._stage.model.requests)
        does = step.get("does")
        stage.model.begin(does, step.get("summaries", ()), fault, meanwhile.do)
        turn = self._turn = Turn()
        arguments: dict[str, str] = {}
        async for event in stage.events(text, retry=step.get("resume") == "retry"):
            turn.events.append(as_data(event))
            match event:
                case Recalled(text=found):
                    turn.recalled = found
                    self._tell(f"[recalled]\n{found}")
                case CallStarted():
                    arguments[event.call_id] = event.arguments
                case ApprovalNeeded():
                    arguments[event.call_id] = event.arguments  # one that is declined does not start
                    self._tell(f"[{event.name} {event.arguments} asks whether it may run]")
                    self._tell(f"(the user says {'yes' if decisions.next(event) else 'no'})")
                    stage.agent.approve(event.call_id, decisions.newest)
                case CallFinished():
                    scripted = does is not None and any(one["type"] == "turn_started" for one in turn.events)
                    given = arguments.get(event.call_id, "")
                    if event.call_id in decisions.declined:
                        scripted = False  # it fails since the step says so
                    call = Called(event.name, given, event.result, event.error, scripted)
                    turn.calls.append(call)
                    stage.model.results.append(event.result)
                    self._tell(f"[{call.name} {call.arguments}]\n{call.result}")
                case EpochStarted(number, reason, tokens) if number > 1:
                    self._tell(f"[epoch {number}: {reason}, {tokens:,} tokens]")
                case Warned(words):
                    self._tell(f"[warning: {words}]")
                case TurnEnded():
                    turn.ended = event
                    self._tell(f"< {event.text}" + (f"\n[{event.reason}: {event.error}]" if event.error else ""))
        turn.requests = stage.model.requests[max(0, before - 1) :]
        self._outcome.failures += [*decisions.failures(step), *meanwhile.failures()]
        left = stage.model.end()
        if left and not stage.model.trouble:
            words = f"the model is asked {_times(stage.model.asked + left)}"
            unused = "1 scripted reply was" if left == 1 else f"{left} scripted replies were"
            found = f"it was asked {_times(stage.model.asked)}, so {unused} not used"
            self._outcome.failures.append(Failure(step.at("does"), words, found))

    def _meanwhile(self, step: Map) -> Meanwhile:
        """What the user does while the model answers."""

        async def do(verb: str, action: Map) -> None:
            await self._user.do(verb, _refilled(action.holding({verb: action[verb]}), self._filled))

        return Meanwhile(actions(step), do)

    def _check_end(self, step: Map, expected: dict[str, Any]) -> None:
        """A turn that fails when nobody expects it is a failure, and so is a script that could not be followed."""
        ended, trouble = self._turn.ended, self._stage.model.trouble
        usual = "cancelled" if any("cancel" in action for action in actions(step)) else "done"
        if trouble:
            self._outcome.failures.insert(0, Failure(step.place, "the script's reply can be given", trouble))
        elif ended is not None and ended.reason != usual and not {"ended", "error"} & expected.keys():
            found = f"`{ended.reason}`{f': {ended.error}' if ended.error else ''}"
            self._outcome.failures.insert(0, Failure(step.place, f"the turn ends with `{usual}`", found))

    def _check_calls(self, step: Map, of_turn: Sequence[Map]) -> None:
        """A scripted call that fails when nobody expects it is a failure; a fault has the first one fail."""
        failed = [call for call in self._turn.calls if call.scripted and call.failed]
        for call in failed["arguments" in step.get("fault", {}) :]:
            if not may_fail(call.name, of_turn):
                words = f"the call {call.name} does its work, since nothing here expects it to fail"
                self._outcome.failures.append(Failure(step.at("does"), words, call.result))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(repr(text[:200]) for text in texts)


def _plain(value: Any) -> Any:
    """The same without marks, as JSON has it."""
    return json.loads(json.dumps(value))


def _refilled(value: Any, fill: Any) -> Any:
    """A mapping with its templates filled in, which still knows its lines."""
    if isinstance(value, Map):
        return value.holding({key: _refilled(child, fill) for key, child in value.items()})
    if isinstance(value, list):
        return [_refilled(child, fill) for child in value]
    return fill(value)
