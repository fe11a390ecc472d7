"""What the commands' grammar is built from: commands, groups of commands, and options that several of them share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any, NoReturn

from . import USAGE
from .output import complain, safe

Run = Callable[[argparse.Namespace], int]
"""Carries a command out, and returns its exit status."""


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that complains as all of Pagekeeper does."""

    def error(self, message: str) -> NoReturn:
        complain(message, f"`{self.prog} --help` shows what can be said.")
        raise SystemExit(USAGE)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """An option that there is not is refused before its value could be taken for a command or a text."""
        if unknown := list(self._unknown(args or ())):
            self.refuse(unknown)
        return super().parse_known_args(args, namespace)

    def _unknown(self, arguments: Sequence[str]) -> Iterator[str]:
        """The options among the arguments, up to a command, that this parser does not have."""
        value = False
        for one in arguments:
            if one in ("--", "--help", "--version", "-h"):
                return
            if one.startswith("--") and " " not in one:  # what has a space is a text, as argparse takes it
                name, given, _ = one.partition("=")
                action = self._option_string_actions.get(name)
                if action is None:
                    yield one
                value = action is not None and not given and action.nargs != 0
            elif value or self._subparsers is None:
                value = False
            else:
                return

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            if near := get_close_matches(str(value), [str(one) for one in action.choices or ()], 1):
                error.message += f". Did you mean {near[0]}?"
            raise

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Complain of arguments that this command does not have."""
        near = [get_close_matches(one.partition("=")[0], self._option_string_actions, 1) for one in unknown]
        meant = " ".join(f"Did you mean {found[0]}?" for found in near if found)
        self.error(f"unrecognized arguments: {' '.join(unknown)}{'. ' if meant else ''}{meant}")


class Commands:
    """The commands below `pagekeeper` or below one of its groups. Each has the global options too."""

    def __init__(self, parser: Parser, shared: Parser, title: str = "commands") -> None:
        self._shared = shared
        self._below = parser.add_subparsers(title=title, metavar="COMMAND", parser_class=Parser)

    def command(self, name: str, help: str, *, run: Run) -> Parser:
        """Add a command; its arguments are added to what is returned."""
        parser = self._add(name, help)
        parser.set_defaults(run=run, parser=parser)
        return parser

    def group(self, name: str, help: str) -> Commands:
        """Add a group of commands. Said alone, it shows its help."""
        parser = self._add(name, help)

        def incomplete(_: argparse.Namespace) -> int:
            parser.print_help(sys.stderr)
            return USAGE

        parser.set_defaults(run=incomplete, parser=parser)
        return Commands(parser, self._shared)

    def _add(self, name: str, help: str) -> Parser:
        described = f"{help[0].upper()}{help[1:]}."
        parser: Parser = self._below.add_parser(
            name, help=help, description=described, parents=[self._shared], allow_abbrev=False
        )
        return parser


def agent_option(parser: argparse._ActionsContainer) -> None:
    """Let the command be about one agent."""
    parser.add_argument("--agent", metavar="NAME", default=argparse.SUPPRESS, help="which agent (default: main)")


def conversation_option(parser: Parser, help: str = "which conversation (default: main)") -> None:
    """Let the command be about one conversation."""
    parser.add_argument("--conversation", metavar="NAME", default=argparse.SUPPRESS, help=help)


def json_option(parser: argparse._ActionsContainer, help: str) -> None:
    """Let the command print JSON."""
    parser.add_argument("--json", action="store_true", help=help)


def day(text: str) -> date:
    """The type of an option that takes a day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no day; write it as 2026-01-31") from None


def whole(text: str) -> int:
    """The type of an option that takes a whole number, such as that of an event or a revision."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a whole number") from None


def count(text: str) -> int:
    """The type of an option that takes how many there may be, at least one."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a number from 1 up")
    return number


def confirm_option(parser: Parser) -> None:
    """Let the command be carried out without asking."""
    parser.add_argument("--yes", action="store_true", help="do not ask first")


def confirm(options: argparse.Namespace, question: str) -> None:
    """Ask a person at the terminal. Raises UsageError where the answer is no, or nobody is there to ask."""
    from ..runtime.errors import UsageError

    if not options.yes and not ask(question):
        raise UsageError("Nothing was changed.")


def ask(question: str) -> bool:
    """A person's answer, yes or no. Raises UsageError where nobody is there to ask."""
    from ..runtime.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("This needs a yes, and nobody is at the terminal.", hint="Say --yes.")
    print(f"{safe(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
