"""What the user does with words: tells something, asks, asks to forget, or talks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .phrasebook import Language


@dataclass(frozen=True, slots=True)
class Told:
    """Something to remember, in the user's own person."""

    text: str
    """The sentence, without what opened it."""
    language: Language
    attribute: str = ""
    """What it tells, e.g. `home`; empty where no template says."""
    value: str = ""
    single: bool = False
    """There is one value of the attribute, so that this one replaces another."""
    keep: Literal["core", "archive"] = "archive"
    tags: tuple[str, ...] = ()
    corrects: bool = False
    """It takes the place of something that was said before."""
    surely: bool = False
    """It says so plainly: "no, ...", "we switched to ...", and not only "I sold ..."."""
    changes: bool = False
    """It says that something was exchanged ("switched to"), or that what was said before is wrong ("actually")."""
    ended: bool = False
    """It says that something is over ("no longer")."""
    old: str = ""
    """The value that it names as the old one."""
    whole: str = ""
    """The sentence with the old value still in it, for where there turns out to be none."""
    partial: bool = False
    """`text` is no more than the new value: "No, walnuts."."""

    @property
    def joint(self) -> str:
        """What stands between two sentences that belong together."""
        return ". " if self.language == "en" else "。"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about what was told."""

    text: str
    language: Language
    about: str = ""
    """Words that stand for it, where its own words do not say what it is about."""
    previous: bool = False
    current: bool = False
    context: str = ""
    """The question before it, where it goes on from that."""


@dataclass(frozen=True, slots=True)
class Forget:
    """A request to forget `what`; `last` is what was told last."""

    what: str
    language: Language
    which: Literal["what", "last", "all"] = "what"


@dataclass(frozen=True, slots=True)
class Small:
    """Talk that nothing is kept of: a greeting, thanks, a question about the assistant ..."""

    kind: Literal["greeting", "thanks", "bye", "identity", "everything", "heard", "confused", "unkept"]
    language: Language


Act = Told | Asked | Forget | Small


def _joined(act: Told) -> tuple[str, ...]:
    return (act.text + act.joint, f"{act.text}，")


def add(acts: list[Act], act: Act) -> None:
    """Appends `act`; where it goes on from the last one ("My sister is Ana. She lives in Rome."), it replaces that."""
    if acts and isinstance(act, Told) and isinstance(acts[-1], Told) and act.text.startswith(_joined(acts[-1])):
        acts.pop()
    acts.append(act)
