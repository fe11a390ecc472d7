"""The one table of what can be asked of the app: slash commands, palette and help are made from it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol


class Memory(Protocol):
    """What the app does with the agent's memory. Each takes the words behind the command."""

    async def search(self, words: str) -> None: ...
    async def forget(self, words: str) -> None: ...
    async def erase(self, words: str) -> None: ...
    async def history(self, words: str) -> None: ...
    async def why(self, words: str) -> None: ...
    async def rules(self, words: str) -> None: ...
    async def disputes(self, words: str) -> None: ...
    async def work(self, words: str) -> None: ...
    async def undo(self, words: str) -> None: ...


class View(Protocol):
    """What it does with what is on the screen, and with the reply under way."""

    async def help(self, words: str) -> None: ...
    async def copy(self, words: str) -> None: ...
    async def blocks(self, words: str) -> None: ...
    async def context(self, words: str) -> None: ...
    async def resume(self, words: str) -> None: ...
    async def calls(self, words: str) -> None: ...
    async def stop(self, words: str) -> None: ...
    async def theme(self, words: str) -> None: ...


class Actions(Protocol):
    """The app."""

    @property
    def memory(self) -> Memory: ...

    @property
    def view(self) -> View: ...

    async def leave(self, words: str) -> None: ...


@dataclass(frozen=True)
class Command:
    """One command. `usage` names what may stand behind it; `key` does the same without typing it."""

    name: str
    about: str
    run: Callable[[Actions, str], Awaitable[None]]
    usage: str = ""
    key: str = ""

    @property
    def needs_word(self) -> bool:
        return bool(self.usage) and not self.usage.startswith("[")

    def refused(self, words: str) -> str:
        """Why these words cannot stand behind it; empty where they can. What it needs it asks for itself."""
        if not words or self.needs_word:
            return ""
        if not self.usage:
            return f"/{self.name} takes nothing behind it: {self.about}."
        one = self.usage.strip("[]")
        return "" if not one.islower() or words == one else f"Behind /{self.name} stands {one}, or nothing."

    @property
    def full(self) -> str:
        return f"/{self.name} {self.usage}".rstrip()


UNDOES = "take back a block's newest change, or a forgetting"
UNDOABLE = "LABEL|EVENT"
"""A block's label, or the event that forgot something: its id or its number."""

RULES = "[DECISION ID]"
"""Accept, reject or drop, and the rule."""

COMMANDS = (
    Command("help", "keys and commands", lambda app, words: app.view.help(words), key="f1"),
    Command("copy", "copy the last reply, or all", lambda app, words: app.view.copy(words), "[all]"),
    Command("memory", "show or hide the blocks", lambda app, words: app.view.blocks(words), key="ctrl+b"),
    Command("search", "find what was noted and said", lambda app, words: app.memory.search(words), "WORDS"),
    Command("why", "where a memory comes from", lambda app, words: app.memory.why(words), "ID"),
    Command("history", "what changed in a block", lambda app, words: app.memory.history(words), "LABEL"),
    Command("undo", UNDOES, lambda app, words: app.memory.undo(words), UNDOABLE),
    Command("forget", "choose what to forget", lambda app, words: app.memory.forget(words), "WORDS"),
    Command("erase", "forget for good, out of every file", lambda app, words: app.memory.erase(words), "WORDS"),
    Command("disputes", "decide between memories that clash", lambda app, words: app.memory.disputes(words)),
    Command("rules", "standing rules; accept, reject or drop one", lambda app, words: app.memory.rules(words), RULES),
    Command("work", "do the memory work that waits, now", lambda app, words: app.memory.work(words)),
    Command("context", "what the model's window holds", lambda app, words: app.view.context(words)),
    Command("calls", "open or close all tool calls", lambda app, words: app.view.calls(words), key="ctrl+o"),
    Command("stop", "stop the reply", lambda app, words: app.view.stop(words), key="escape"),
    Command("resume", "answer what was left unanswered", lambda app, words: app.view.resume(words), "[retry]"),
    Command("theme", "switch between dark and light", lambda app, words: app.view.theme(words)),
    Command("quit", "leave; the conversation stays", lambda app, words: app.leave(words), key="ctrl+q"),
)

KEYS = (
    ("enter", "send"),
    ("ctrl+j", "new line"),
    ("up, down", "what was typed before (from the top line)"),
    ("pageup, pagedown", "scroll the conversation"),
    ("tab", "go to conversation, blocks, input"),
    ("up, down, enter, y", "there: choose, open or close, copy"),
    ("ctrl+c", "copy selection, or clear input, or stop the reply; twice: quit"),
    ("ctrl+p", "all commands"),
)
"""Keys that are no commands."""

_COMMAND = re.compile(r"/([a-z]*)(?:\s+(.*))?", re.DOTALL)


def parse(text: str) -> tuple[str, str] | None:
    """The name and the words of a slash command; None where `text` is something to say.

    What only begins with a slash (a path, or `/` behind a space) is something to say.
    """
    match = _COMMAND.fullmatch(text.rstrip())
    return (match[1], (match[2] or "").strip()) if match else None


def find(name: str) -> Command | None:
    """The command of this name, or the only one that begins so."""
    exact = [command for command in COMMANDS if command.name == name]
    close = exact or [command for command in COMMANDS if name and command.name.startswith(name)]
    return close[0] if len(close) == 1 else None


def unknown(name: str) -> str:
    """What is said of a name that is no command's, with the nearest that is."""
    near = get_close_matches(name, [command.name for command in COMMANDS], 1)
    about = f"Did you mean /{near[0]}?" if near else "See /help."
    return f"There is no command /{name}. {about} Put a space before it to send it."


def completions(text: str) -> list[Command]:
    """The commands that `text`, the beginning of one, may become."""
    if not text.startswith("/") or not re.fullmatch(r"/[a-z]*", text):
        return []
    return [command for command in COMMANDS if command.name.startswith(text[1:])]


def complete(found: list[Command]) -> str:
    """As much as the names of these commands have in common."""
    full = found[0].name
    while not all(command.name.startswith(full) for command in found):
        full = full[:-1]
    return f"/{full} " if len(found) == 1 and found[0].usage else f"/{full}"
