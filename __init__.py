"""Pagekeeper: a runtime for agents that keep their own memory.

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
    from pagekeeper.runtime.clock import Clock as Clock
    from pagekeeper.runtime.clock import ManualClock as ManualClock
    from pagekeeper.runtime.clock import SystemClock as SystemClock
    from pagekeeper.runtime.core.blocks import BlockSpec as BlockSpec
    from pagekeeper.runtime.errors import PagekeeperError as PagekeeperError
    from pagekeeper.runtime.errors import ToolError as ToolError
    from pagekeeper.runtime.host_tool import tool as tool
    from pagekeeper.runtime.ids import CountingIds as CountingIds
    from pagekeeper.runtime.models.base import Model as Model
    from pagekeeper.runtime.models.base import RequestedCall as RequestedCall
    from pagekeeper.runtime.models.scripted import ScriptedModel as ScriptedModel
    from pagekeeper.runtime.models.scripted import call as call
    from pagekeeper.runtime.tool import CallContext as CallContext
    from pagekeeper.runtime.tool import Tool as Tool

__version__ = "0.1.0"

_HOMES = {
    "Agent": "pagekeeper.assembly",
    "Home": "pagekeeper.assembly",
    "BlockSpec": "pagekeeper.runtime.core.blocks",
    "RequestedCall": "pagekeeper.runtime.models.base",
    "ScriptedModel": "pagekeeper.runtime.models.scripted",
    "call": "pagekeeper.runtime.models.scripted",
    "CallContext": "pagekeeper.runtime.tool",
    "Clock": "pagekeeper.runtime.clock",
    "CountingIds": "pagekeeper.runtime.ids",
    "ManualClock": "pagekeeper.runtime.clock",
    "Model": "pagekeeper.runtime.models.base",
    "PagekeeperError": "pagekeeper.runtime.errors",
    "SystemClock": "pagekeeper.runtime.clock",
    "Tool": "pagekeeper.runtime.tool",
    "ToolError": "pagekeeper.runtime.errors",
    "tool": "pagekeeper.runtime.host_tool",
}

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
