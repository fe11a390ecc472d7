"""What a tool is: a name, a JSON schema, what it affects, and an async function.

A tool's function takes a `CallContext` and the validated arguments. It returns one of

- a string, or a list of parts (runtime/context/parts.py): the result;
- a `Commit`: a function that makes the tool's changes inside the journal's transaction, and returns the result. The
  loop commits its changes and the result together, so a crash leaves both or neither. Slow work (embedding) is done
  before it is returned.

It raises ToolError (or EditRefused) for what the model should be told; then nothing is changed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .archive.archive import Archive
    from .clock import Clock
    from .context.parts import Part
    from .core.memory import CoreMemory
    from .journal.journal import Journal, Transaction
    from .scope import Scope

Effects = Literal["none", "memory", "external"]


@dataclass(frozen=True, slots=True)
class Applied:
    """What a Commit did: the parts of the call's result, and what it means for the paging of core memory."""

    parts: list[Part]
    used: dict[str, int] = field(default_factory=dict)
    """The blocks that the call touched, with the revision it shows of each."""
    released: tuple[str, ...] = ()
    """The blocks that it paged out."""
    counts: dict[str, int] = field(default_factory=dict)
    """What to add to the conversation's counters."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Changes to be made in the journal's transaction, together with the call's result."""

    apply: Callable[[Transaction], Applied]


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool knows of the call that runs it."""

    call_id: str
    turn: str
    step: int
    scope: Scope
    core: CoreMemory
    """Core memory as this conversation sees it."""
    archive: Archive
    journal: Journal
    clock: Clock


Result = str | list[Any] | Commit
Function = Callable[..., Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One function that the model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of an object: the arguments by name."""
    run: Function
    """`async def run(context: CallContext, **arguments)`"""
    effects: Effects = "external"
    """`none`: it only reads. `memory`: it changes the agent's memory, through a Commit. `external`: anything else."""
    idempotent: bool = False
    """An external tool that may run again after a crash; it should use `context.call_id` as its key."""
    timeout: float = 60.0
    """Seconds until it is stopped and the model is told so."""
    approve: Literal["never", "ask"] = "never"
    """`ask`: a person decides before each run."""

    def schema(self) -> dict[str, Any]:
        """The tool in the OpenAI format, as models are told of it."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}
