"""The command line's grammar: the global options, and the commands that the other modules add.

Global options may stand before or after the command. Where no command is named, it is `chat`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from . import agents, chat, doctor, evaluate, memory, run, talk
from .grammar import Commands, Parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; `run`, the function that carries the command out; and `parser`, the command's own grammar."""
    options: argparse.Namespace
    options, unknown = build().parse_known_args(arguments)
    if unknown:
        options.parser.refuse(unknown)
    return options


def build() -> Parser:
    """The parser of `pagekeeper`."""
    from .. import __version__

    shared = _shared()
    parser = Parser(
        prog="pagekeeper",
        description="Talk to agents that keep their own memory.",
        parents=[shared],
        allow_abbrev=False,
    )

    parser.set_defaults(run=chat.run, parser=parser)
    chat.arguments(parser)
    parser.add_argument("--version", action="version", version=f"pagekeeper {__version__}")
    commands = Commands(parser, shared)
    for module in (chat, talk, agents, memory, run, evaluate, doctor):
        module.add(commands)
    return parser


def _shared() -> Parser:
    """The global options.

    They have no defaults (nor have the options of `chat`): one that stands before the command must not be undone by
    the default of the same one after it.
    """
    shared = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = shared.add_argument_group("global options")
    group.add_argument("--home", metavar="DIR", help="where everything is kept (or PAGEKEEPER_HOME)")
    group.add_argument("--user", metavar="NAME", help="whose memory is used, where one home serves several people")
    group.add_argument("--model", metavar="NAME", help="the model that answers: offline, or any of litellm's")
    return shared
