"""Names that a script uses and that nothing has: of a tool, an argument, an event or a field of one.

A misspelt name in `none: [...]` would be met for ever, and a misspelt call would fail unseen; so both are mistakes. A
call that is to fail is one whose failure the step expects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..assembly import MEMORY_TOOLS
from ..runtime.arguments import validate
from ..runtime.errors import ConfigError, ToolError
from ..runtime.host_tool import check_tool
from ..runtime.tool import Tool
from ..tools.aliases import OTHER_NAMES, rename
from . import events
from .host_tool import host_tool
from .shape import suggestion
from .source import Map, Mistake, Place, Seq


def check(steps: Sequence[Map], host: Sequence[Map]) -> list[Mistake]:
    """The names in these steps that nothing has; `host` are the tools that the script describes."""
    tools = {tool.name: tool for tool in MEMORY_TOOLS}
    found: list[Mistake] = []
    for made in host:
        if made["name"] in tools:
            found.append(Mistake(made.at("name"), f"there is a tool {made['name']!r} already.", "Rename this one."))
            continue
        try:
            tools[made["name"]] = check_tool(host_tool(made, {}))
        except ConfigError as error:
            found.append(Mistake(made.place, str(error)))
    known = _Known(tools, [call for step in steps for call in calls_of(step)])
    for at, step in enumerate(steps):
        expected = of_turn(steps, at)
        for call in calls_of(step):
            if not may_fail(call["call"], expected):
                found += known.call(call)
        found += _crash(step.get("fault", {}))
        if isinstance(step.get("expect"), Map):
            found += [*known.expected(step["expect"]), *_events(step["expect"])]
    return found


def calls_of(step: Map) -> Iterator[Map]:
    """The calls that a step scripts."""
    replies = step.get("does", ())
    for reply in replies if isinstance(replies, list) else ():
        if isinstance(reply, Map):
            yield from ([reply] if "call" in reply else [])
            yield from reply.get("calls", ())


def of_turn(steps: Sequence[Map], at: int) -> list[Map]:
    """What is expected of the turn that the step at this place plays: there, and until the next turn."""
    out = []
    for step in [steps[at], *steps[at + 1 :]]:
        if step is not steps[at] and step.keys() & {"say", "resume"}:
            break
        out += [step["expect"]] if isinstance(step.get("expect"), Map) else []
    return out


def may_fail(name: str, expected: Sequence[Map]) -> bool:
    """Whether a call of this tool may fail: what is expected speaks of its failure, or of its result."""
    calls = [call for one in expected for call in _listed(one.get("calls"), "none") if isinstance(call, Map)]
    finished = [event for one in expected for event in _listed(one.get("events"), "none") if isinstance(event, Map)]
    return any(call["name"] == name and (call.get("failed") or "result" in call) for call in calls) or any(
        event["type"] == "call_finished" and event.get("error") and event.get("name", name) == name
        for event in finished
    )


def _listed(rules: Any, but: str = "") -> Iterator[Any]:
    """What a list, or the lists of a check, name."""
    for value in [rules] if isinstance(rules, Seq) else [it for key, it in (rules or {}).items() if key != but]:
        yield from value if isinstance(value, Seq) else ()


class _Known:
    """The tools that there are, and what a script says of them."""

    def __init__(self, tools: dict[str, Tool], calls: Sequence[Map]) -> None:
        self._tools = tools
        self._said: dict[str, set[str]] = {}
        """By the tools that the script itself calls: the arguments that it gives them."""
        for call in calls:
            self._said.setdefault(call["call"], set()).update(call.get("with", ()))

    def call(self, call: Map) -> list[Mistake]:
        """What is wrong with a call that is not to fail."""
        given, name = call.get("with", {}), call["call"]
        if "${" in name:
            return []
        key = "with" if given else "call"
        try:
            ours, arguments = (name, {}) if "raw" in call else rename(name, dict(given), self._tools)
            if ours not in self._tools:
                if ours not in OTHER_NAMES:
                    return [_unknown(call.at("call"), name, self._tools, _IF_MEANT.format(name))]
            elif "raw" not in call:
                validate(arguments, _open(self._tools[ours].parameters, arguments), ours)
        except ToolError as error:
            return [Mistake(call.at(key), f"this call fails: {error.message}", _IF_MEANT.format(name))]
        return []

    def expected(self, expect: Map) -> Iterator[Mistake]:
        """What is wrong with the calls that are expected."""
        rules = expect.get("calls")
        names = {*self._tools, *OTHER_NAMES, *self._said}
        for value in [rules] if isinstance(rules, Seq) else (rules or {}).values():
            for at, wanted in enumerate(value if isinstance(value, Seq) else ()):
                name = wanted["name"] if isinstance(wanted, Map) else wanted
                if name not in names and "${" not in name:
                    yield _unknown(value.at(at), name, self._tools)
                elif isinstance(wanted, Map) and name in self._tools and isinstance(wanted.get("with"), Map):
                    yield from self._arguments(name, wanted["with"])

    def _arguments(self, name: str, given: Map) -> Iterator[Mistake]:
        known = self._tools[name].parameters.get("properties", {})
        for key in given:
            renamed = rename(name, {key: ""}, self._tools)[1]
            if not renamed.keys() <= known.keys() and key not in self._said.get(name, ()):
                yield Mistake(given.at(key), f"{name} has no argument `{key}`.", suggestion(key, list(known)))


_IF_MEANT = "If it is to fail, expect that: `calls: [{{name: {}, failed: true}}]`."


def _unknown(place: Place, name: str, tools: dict[str, Tool], more: str = "") -> Mistake:
    hint = suggestion(name, list(tools))
    return Mistake(place, f"there is no tool `{name}`.", f"{hint} {more}".strip())


def _open(parameters: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool's schema that takes anything where a template stands: it is filled in when the call is made."""
    properties = parameters.get("properties", {})
    free: dict[str, Any] = {key: {} for key, value in arguments.items() if "${" in str(value) and key in properties}
    return {**parameters, "properties": {**properties, **free}}


def _crash(fault: Any) -> Iterator[Mistake]:
    """An event of the journal, at which a process is to be killed."""
    if "crash" in fault:
        name = fault["crash"].split()[1]
        if name not in events.JOURNAL:
            words = f"there is no event `{name}` in the journal."
            yield Mistake(fault.at("crash"), words, suggestion(name, list(events.JOURNAL)))


def _events(expect: Map) -> Iterator[Mistake]:
    """Events of the stream, and their fields."""
    rules = expect.get("events")
    for value in [rules] if isinstance(rules, Seq) else (rules or {}).values():
        for at, wanted in enumerate(value):
            name = wanted["type"] if isinstance(wanted, Map) else wanted
            if name not in events.STREAM:
                yield Mistake(value.at(at), f"there is no event `{name}`.", suggestion(name, list(events.STREAM)))
            elif isinstance(wanted, Map):
                fields = events.STREAM[name]
                for key in wanted.keys() - {"type", *fields}:
                    yield Mistake(wanted.at(key), f"{name} has no field `{key}`.", suggestion(key, list(fields)))
