"""Pagekeeper: a runtime for agents that keep their own memory.

    async with Agent.open("ada", home=..., model="openai/gpt-4o") as agent:
        async for event in agent.stream("hello"):
            ...

The public names are listed in `__all__`, and each is imported when it is first used, so that `import pagekeeper` costs
nothing. They are imported by the package's full name: pytest reads this one file by its path, where a relative import
would fail. All other files import relatively.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pagekeeper.assembly import Agent as Agent
    from pagekeeper.assembly import Home as Home
    from pagekeeper.assembly import Memory as Memory
    from pagekeeper.conversations.assertions import assert_archived as assert_archived
    from pagekeeper.conversations.assertions import assert_block as assert_block
    from pagekeeper.conversations.assertions import assert_logged as assert_logged
    from pagekeeper.conversations.assertions import assert_no_block as assert_no_block
    from pagekeeper.conversations.assertions import assert_not_archived as assert_not_archived
    from pagekeeper.runtime.clock import Clock as Clock
    from pagekeeper.runtime.clock import ManualClock as ManualClock
    from pagekeeper.runtime.clock import SystemClock as SystemClock
    from pagekeeper.runtime.core.blocks import Block as Block
    from pagekeeper.runtime.core.blocks import BlockSpec as BlockSpec
    from pagekeeper.runtime.core.edit import Append as Append
    from pagekeeper.runtime.core.edit import Create as Create
    from pagekeeper.runtime.core.edit import Delete as Delete
    from pagekeeper.runtime.core.edit import Replace as Replace
    from pagekeeper.runtime.core.edit import Rethink as Rethink
    from pagekeeper.runtime.errors import ConfigError as ConfigError
    from pagekeeper.runtime.errors import EditRefused as EditRefused
    from pagekeeper.runtime.errors import HomeError as HomeError
    from pagekeeper.runtime.errors import ModelError as ModelError
    from pagekeeper.runtime.errors import NotFound as NotFound
    from pagekeeper.runtime.errors import PagekeeperError as PagekeeperError
    from pagekeeper.runtime.errors import ToolError as ToolError
    from pagekeeper.runtime.errors import UsageError as UsageError
    from pagekeeper.runtime.host_tool import tool as tool
    from pagekeeper.runtime.ids import CountingIds as CountingIds
    from pagekeeper.runtime.ids import Ids as Ids
    from pagekeeper.runtime.ids import RandomIds as RandomIds
    from pagekeeper.runtime.models.base import Model as Model
    from pagekeeper.runtime.models.base import ModelReply as ModelReply
    from pagekeeper.runtime.models.base import ModelRequest as ModelRequest
    from pagekeeper.runtime.models.base import RequestedCall as RequestedCall
    from pagekeeper.runtime.models.base import Usage as Usage
    from pagekeeper.runtime.models.litellm_model import LitellmModel as LitellmModel
    from pagekeeper.runtime.models.scripted import Gate as Gate
    from pagekeeper.runtime.models.scripted import ScriptedModel as ScriptedModel
    from pagekeeper.runtime.models.scripted import call as call
    from pagekeeper.runtime.stream import ApprovalNeeded as ApprovalNeeded
    from pagekeeper.runtime.stream import BlockChanged as BlockChanged
    from pagekeeper.runtime.stream import CallFinished as CallFinished
    from pagekeeper.runtime.stream import CallStarted as CallStarted
    from pagekeeper.runtime.stream import Cited as Cited
    from pagekeeper.runtime.stream import EpochStarted as EpochStarted
    from pagekeeper.runtime.stream import ReasoningShown as ReasoningShown
    from pagekeeper.runtime.stream import Recalled as Recalled
    from pagekeeper.runtime.stream import ReplyDelta as ReplyDelta
    from pagekeeper.runtime.stream import RetryScheduled as RetryScheduled
    from pagekeeper.runtime.stream import StepStarted as StepStarted
    from pagekeeper.runtime.stream import StreamEvent as StreamEvent
    from pagekeeper.runtime.stream import TurnEnded as TurnEnded
    from pagekeeper.runtime.stream import TurnStarted as TurnStarted
    from pagekeeper.runtime.stream import Warned as Warned
    from pagekeeper.runtime.tool import CallContext as CallContext
    from pagekeeper.runtime.tool import Commit as Commit
    from pagekeeper.runtime.tool import Tool as Tool

__version__ = "0.1.0"

_MODULES = {
    "assembly": ["Agent", "Home", "Memory"],
    "conversations.assertions": [
        "assert_archived",
        "assert_block",
        "assert_logged",
        "assert_no_block",
        "assert_not_archived",
    ],
    "runtime.clock": ["Clock", "ManualClock", "SystemClock"],
    "runtime.core.blocks": ["Block", "BlockSpec"],
    "runtime.core.edit": ["Append", "Create", "Delete", "Replace", "Rethink"],
    "runtime.errors": [
        "ConfigError",
        "EditRefused",
        "HomeError",
        "ModelError",
        "NotFound",
        "PagekeeperError",
        "ToolError",
        "UsageError",
    ],
    "runtime.host_tool": ["tool"],
    "runtime.ids": ["CountingIds", "Ids", "RandomIds"],
    "runtime.models.base": ["Model", "ModelReply", "ModelRequest", "RequestedCall", "Usage"],
    "runtime.models.litellm_model": ["LitellmModel"],
    "runtime.models.scripted": ["Gate", "ScriptedModel", "call"],
    "runtime.stream": [
        "ApprovalNeeded",
        "BlockChanged",
        "CallFinished",
        "CallStarted",
        "Cited",
        "EpochStarted",
        "ReasoningShown",
        "Recalled",
        "ReplyDelta",
        "RetryScheduled",
        "StepStarted",
        "StreamEvent",
        "TurnEnded",
        "TurnStarted",
        "Warned",
    ],
    "runtime.tool": ["CallContext", "Commit", "Tool"],
}
_HOMES = {name: f"pagekeeper.{module}" for module, names in _MODULES.items() for name in names}

__all__ = [
    "__version__",
    *_HOMES,
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pagekeeper' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
