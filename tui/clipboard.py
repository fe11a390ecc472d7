"""Copying without a mouse, by whichever route this machine has; and saying which route it was.

A tool of the desktop is the surest. Over SSH there is none that reaches the reader's own desktop, so the text goes
through tmux or the terminal itself (OSC 52), which may refuse without a word; the answer says so.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Route:
    """A command that takes the text on its standard input; without one, the terminal is asked (OSC 52)."""

    name: str
    command: tuple[str, ...] = ()


TERMINAL = Route("the terminal (OSC 52)")

_TOOLS = {
    "pbcopy": ("pbcopy",),
    "wl-copy": ("wl-copy",),
    "xclip": ("xclip", "-selection", "clipboard"),
    "xsel": ("xsel", "--clipboard", "--input"),
    "clip.exe": ("clip.exe",),
}


def routes(
    environment: Mapping[str, str],
    platform: str = sys.platform,
    which: Callable[[str], str | None] = shutil.which,
) -> list[Route]:
    """The routes to try, best first; the last one is the terminal, which is always there."""
    names: list[str] = []
    if not (environment.get("SSH_CONNECTION") or environment.get("SSH_TTY")):
        if platform == "darwin":
            names.append("pbcopy")
        if environment.get("WAYLAND_DISPLAY"):
            names.append("wl-copy")
        if environment.get("DISPLAY"):
            names += ["xclip", "xsel"]
        if environment.get("WSL_DISTRO_NAME"):
            names.append("clip.exe")
    found = [Route(name, _TOOLS[name]) for name in names if which(name)]
    if environment.get("TMUX") and which("tmux"):
        found.append(Route("tmux", ("tmux", "load-buffer", "-w", "-")))
    return [*found, TERMINAL]


async def copy(text: str, ways: list[Route], to_terminal: Callable[[str], None]) -> Route:
    """Copy `text` by the first of `ways` that works, and say which it was."""
    data = text.encode("utf-8", "replace")
    for way in ways:
        if not way.command:
            to_terminal(data.decode())
            return way
        if await _runs(way.command, data):
            return way
    to_terminal(data.decode())
    return TERMINAL


async def _runs(command: tuple[str, ...], data: bytes) -> bool:
    """Whether the command took the text. It gets two seconds; some stay in the background, so no output is read."""
    null = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=null, stderr=null
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(data), 2)
    except (TimeoutError, BrokenPipeError, ConnectionResetError):
        if process.returncode is None:
            process.kill()
        return False
    return process.returncode == 0
