"""The pytest plugin that comes with the package: `*.conversation.yaml` are tests, and agents are fixtures.

    async def test_it_keeps_the_name(pagekeeper_agent, pagekeeper_model):
        pagekeeper_model.enqueue(call("core_memory_append", label="human", content="Ada"), "Hello, Ada.")
        async with pagekeeper_agent() as agent:
            await agent.send("I'm Ada.")
            await assert_block(agent, "human", contains="Ada", revision=2)

Every pytest of an environment in which the package is installed imports this module, so it imports nothing else until
there is a conversation, or a test that asks for one of the fixtures.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import SUFFIX

if TYPE_CHECKING:
    from ..assembly import Agent
    from ..runtime.clock import ManualClock
    from ..runtime.models.scripted import ScriptedModel
    from .play import Outcome
    from .script import Case

OpenAgent = Callable[..., "AbstractAsyncContextManager[Agent]"]
"""Takes the options of `Agent.open`, and opens the agent as it does."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--pagekeeper-model NAME`."""
    group = parser.getgroup("pagekeeper", "scripted conversations")
    words = "the model that answers where a conversation does not name one (default: offline)"
    group.addoption("--pagekeeper-model", metavar="NAME", default=None, help=words)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of conversations."""
    if file_path.name.endswith(SUFFIX):
        file: pytest.Collector = ConversationFile.from_parent(parent, path=file_path)
        return file
    return None


class ConversationFile(pytest.File):
    """A file of conversations; each of them, with each row of its table, is a test."""

    def collect(self) -> Iterable[pytest.Item]:
        """The conversations. A mistake in the file fails its collection, and tells file and line."""
        from ..runtime.errors import ScriptMistake
        from .script import load

        try:
            cases = load(self.path)
        except ScriptMistake as error:
            raise self.CollectError(str(error)) from None
        return [Conversation.from_parent(self, name=case.name, case=case) for case in cases]


class ConversationFailed(Exception):
    """A conversation in which something was not as expected."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome


class Conversation(pytest.Item):
    """One conversation, played in a home of its own."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self._case = case

    def runtest(self) -> None:
        """Play it."""
        from .answering import Answering
        from .play import play

        with tempfile.TemporaryDirectory(prefix="pagekeeper-test-") as folder:
            model = self.config.getoption("--pagekeeper-model")
            outcome = asyncio.run(play(self._case, Path(folder) / "home", Answering(model)))
        if not outcome.passed:
            raise ConversationFailed(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and is not there, and what happened until then; a fault of ours with its trace."""
        if isinstance(excinfo.value, ConversationFailed):
            from .report import told

            return told(excinfo.value.outcome)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, self._case.document.at("title").line - 1, self.name


@pytest.fixture
def pagekeeper_home(tmp_path: Path) -> Path:
    """A home for the agents of this test; agents that are opened one after the other are those of a restart."""
    return tmp_path / "pagekeeper-home"


@pytest.fixture
def pagekeeper_clock() -> ManualClock:
    """A clock that stands still at 2026-01-01 09:00 UTC until `advance(timedelta(...))` moves it."""
    from ..runtime.clock import ManualClock

    return ManualClock()


@pytest.fixture
def pagekeeper_model() -> ScriptedModel:
    """A model that says what it is told to: `enqueue(replies)`; `requests` is what it was asked."""
    from ..runtime.models.scripted import ScriptedModel

    return ScriptedModel()


@pytest.fixture
def pagekeeper_agent(
    pagekeeper_home: Path, pagekeeper_clock: ManualClock, pagekeeper_model: ScriptedModel
) -> OpenAgent:
    """`async with pagekeeper_agent() as agent:` opens an agent in that home, with that clock and that model.

    It takes the options of `Agent.open`, by which another model, other blocks and so on are given.
    """
    from ..assembly import Agent
    from ..runtime.ids import CountingIds

    usual = {
        "home": pagekeeper_home,
        "clock": pagekeeper_clock,
        "model": pagekeeper_model,
        "ids": CountingIds(),
        "timezone": "UTC",
    }
    return lambda *name, **options: Agent.open(*name, **{**usual, **options})
