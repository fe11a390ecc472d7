"""A script cannot contain its own answer: what is expected of a reply must not be words that the script has the model
say. It says them in the reply itself, through a variable or a name (`then`) that the reply cites, or through a call
whose result only gives back what the call was given.

What a search found (`${results[-1][0].text}`), and what the runtime or a tool made of a call, may be expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .source import Map, Mistake, Place
from .templates import TemplateError, parse

_HINT = "Cite what a search found, as in ${results[-1][0].text}, or expect it of a block, the archive or the request."
_FINDING = ("archival_search", "conversation_search", "memory_forget")
"""Tools that list what there is: one of their hits is found, whatever was asked."""
_ENDS = ("\x02", "\x03")
"""What stands before and after a text that is to be the whole of another; no script can hold it."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A piece of text that is there when the conversation is played: a result, or a part of one."""

    words: tuple[str, ...]
    """What the call was given by the script, which its result may only give back; nothing where it was found."""
    origin: str
    """What is cited, to know it again."""


Pieces = list[str | Cited]


def check(steps: Sequence[Any], first: Mapping[str, str]) -> list[Mistake]:
    """The expectations of replies that the script's own words would meet; `first` is what names are at first."""
    script, found = _Script(first), list[Mistake]()
    for step in steps:
        if "say" in step or "resume" in step:
            script.turn(step)
        expected = step.get("expect")
        if script.replies and isinstance(expected, Map) and "reply" in expected:
            found += _met(script, expected["reply"], expected.at("reply"))
    return found


class _Script:
    """What a script says, in the order in which it is played."""

    def __init__(self, first: Mapping[str, str]) -> None:
        self.replies: list[Pieces] = []
        """The texts of the newest turn's replies."""
        self._known: dict[str, Pieces] = {name: [value] for name, value in first.items()}
        self._results: list[tuple[str, tuple[str, ...]] | None] = []
        """Of each call its tool and what it was given; None stands for any number of calls, of this script or not."""
        self._said: list[str] = []
        """What any call was given until now."""

    def turn(self, step: Map) -> None:
        """Take up what a step has the model do."""
        self.replies = []
        does = step.get("does")
        for reply in [does] if isinstance(does, str) else does or ():
            for _ in range(reply.get("repeat", 1) if isinstance(reply, Map) else 1):
                self._reply(reply)
        if does is None or step.keys() & {"fault", "meanwhile"}:
            self._results.append(None)

    def _reply(self, reply: Any) -> None:
        text = reply if isinstance(reply, str) else reply.get("text", "")
        self.replies += [self.pieces(text)] if text else []
        if isinstance(reply, Map):
            for call in [*reply.get("calls", ()), *([reply] if "call" in reply else [])]:
                words = tuple(dict.fromkeys(self._words([call["call"], call.get("with", {}), call.get("raw", "")])))
                self._results.append((call["call"], words))
                self._said += words
            for name, value in reply.get("then", {}).items():
                self._known[name] = self.pieces(value)

    def _words(self, value: Any) -> Iterable[str]:
        """The script's own words in what a call is given."""
        if isinstance(value, dict | list):
            for one in value.values() if isinstance(value, dict) else value:
                yield from self._words(one)
        else:
            for piece in self.pieces(str(value)):
                yield from [piece] if isinstance(piece, str) else piece.words

    def pieces(self, text: str) -> Pieces:
        """A template as what stands in it word for word, names filled in, and what it cites."""
        try:
            parts = parse(text)
        except TemplateError:
            return []  # it is told of elsewhere
        out: Pieces = []
        for part in parts:
            for piece in [part] if isinstance(part, str) else self._cited(*part.source()):
                if out and isinstance(piece, str) and isinstance(out[-1], str):
                    out[-1] += piece
                else:
                    out.append(piece)
        return out

    def _cited(self, name: str, result: int | None, hit: bool, whole: bool) -> Pieces:
        if result is not None:
            return [self._result(result, hit)]
        known = self._known.get(name, [])
        if whole:
            return known
        # A part of what a name holds, as an expression picks it: it may be any of its words.
        words = [word for it in known for word in ([it] if isinstance(it, str) else it.words)]
        return [Cited(tuple(words), f"a part of {name}")]

    def _result(self, index: int, hit: bool) -> Cited:
        where = index if index >= 0 else len(self._results) + index
        on_the_way = self._results[: where + 1] if index >= 0 else self._results[max(where, 0) :]
        if None in on_the_way:
            # Which call it is shows only when it is played, so it may be any.
            return Cited(() if hit else tuple(dict.fromkeys(self._said)), f"{index} {hit} of {len(self._results)}")
        made = self._results[where] if 0 <= where < len(self._results) else None
        tool, words = made or ("", ())
        return Cited(() if hit and tool in _FINDING else words, f"{where} {hit}")


def _met(script: _Script, expected: Any, place: Place) -> list[Mistake]:
    if not isinstance(expected, Map):
        expected = Map({"contains": expected}, place)
    found: list[Mistake] = []
    for rule in ("contains", "equals"):
        for text in _texts(expected.get(rule, [])):
            wanted = script.pieces(text)
            if any(_said(reply, wanted, whole=rule == "equals") for reply in script.replies):
                found.append(_mistake(expected.at(rule), text))
    pattern = expected.get("matches", "")
    if pattern and any(_found(pattern, text) for reply in script.replies for text in _own(reply)):
        found.append(_mistake(expected.at("matches"), pattern))
    return found


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]


def _own(reply: Pieces) -> list[str]:
    return [word for it in reply for word in ([it] if isinstance(it, str) else it.words)]


def _found(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return False  # it is told of elsewhere


def _said(reply: Pieces, wanted: Pieces, *, whole: bool) -> bool:
    """Whether the reply holds, or is, what is wanted whatever was found."""
    cited = [piece for piece in wanted if isinstance(piece, Cited)]
    if cited:
        return any(isinstance(piece, Cited) and piece.origin in [it.origin for it in cited] for piece in reply)
    text = "".join(piece for piece in wanted if isinstance(piece, str)).strip()
    if not text:
        return False
    if not whole:
        return _holds([piece.casefold() if isinstance(piece, str) else piece for piece in reply], text.casefold())
    first, *rest = reply
    bare: Pieces = [first.lstrip() if isinstance(first, str) else first, *rest]
    if isinstance(bare[-1], str):
        bare[-1] = bare[-1].rstrip()
    return _holds([_ENDS[0], *bare, _ENDS[1]], f"{_ENDS[0]}{text}{_ENDS[1]}")


def _holds(reply: Pieces, wanted: str) -> bool:
    """Whether `wanted` stands in the reply, put together from its words and from what results may give back."""
    reached = {0}
    """How much of it may stand where a piece begins."""
    for piece in reply:
        ahead = {0}
        for start in reached:
            rest = wanted[start:]
            for count in _begins(piece, rest) if start else _within(piece, rest):
                ahead.add(start + count)
        if len(wanted) in ahead:
            return True
        reached = ahead
    return False


def _begins(piece: str | Cited, rest: str) -> Iterable[int]:
    """How many characters of `rest` the piece may be, or `rest` of it."""
    if isinstance(piece, Cited):
        return _given_back(piece.words, rest)
    return [len(rest)] if piece.startswith(rest) else [len(piece)] if rest.startswith(piece) else []


def _within(piece: str | Cited, wanted: str) -> Iterable[int]:
    """How many characters of `wanted` the piece may end with; all of them may stand anywhere in it."""
    if isinstance(piece, Cited):
        held = any(wanted.casefold() in word.casefold() for word in piece.words)
        return [len(wanted)] if held else _given_back(piece.words, wanted)
    if wanted in piece:
        return [len(wanted)]
    return [count for count in range(1, min(len(piece) + 1, len(wanted))) if piece.endswith(wanted[:count])]


def _given_back(words: Sequence[str], rest: str) -> list[int]:
    """How many characters of `rest` are words that a result may give back; a part of a word is none."""
    return [
        count
        for count in range(1, len(rest) + 1)
        if rest[:count].strip()
        and any(re.search(rf"(?i)(?<![A-Za-z0-9]){re.escape(rest[:count])}(?![A-Za-z0-9])", word) for word in words)
    ]


def _mistake(place: Place, text: str) -> Mistake:
    return Mistake(place, f"the script contains its own answer: {text!r} is text that its own `does` brings in.", _HINT)
