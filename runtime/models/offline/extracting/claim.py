"""What a clause of the user's claims, before it is judged and dated."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ..phrasebook import Language

if TYPE_CHECKING:
    from .figure import Figure

USER = "user"


@dataclass(slots=True)
class Entry:
    """One entry of the dialogue."""

    number: int
    speaker: str
    at: datetime
    """Local time, without an offset."""
    text: str


@dataclass(frozen=True, slots=True)
class Someone:
    """A person or animal of the user's."""

    relation: str
    """`sister`; empty for somebody who is only named."""
    name: str = ""
    of: str = ""
    """The words of the relation as the user said them: "little sister"."""


@dataclass(slots=True)
class Claim:
    """One clause, by itself: whom it is of, and how sure."""

    text: str
    """As it is noted, still in the user's own person."""
    said: str
    """The same of the user, in the first person, by which it is judged: "My sister Ana works here": "I work here"."""
    language: Language
    entry: Entry
    subject: str = USER
    someone: Someone | None = None
    heading: str = ""
    """What stood before it as a heading: "Team rule: ..."."""
    asked: bool = False
    """The user asked for it to be remembered."""
    wish: bool = False
    """It is how the assistant is to answer from now on."""
    hedged: bool = False
    corrects: bool = False
    ended: bool = False
    consequence: bool = False
    """It only follows from what was said before it: "..., so I read these on my break"."""
    old: str = ""
    """The value that it names as the old one."""
    partial: bool = False
    """`text` is no more than a new value: "No, walnuts."."""
    denied: bool = False
    """It says that something was never so."""
    bare: bool = False
    """It stood without a subject, and takes that of the clause before it."""
    loose: bool = False
    """It begins with a thing that nothing knows, so that only the clause before it says whose that is."""
    introduces: str = ""
    """The relation of somebody whom it brings in without a name: "dog" in "We got a dog"."""
    naming: str = ""
    """The name that it gives somebody, where it does no more."""
    placed: bool = False
    """Its subject and attribute are those by which it is told again."""
    whole: bool = False
    """It is a sentence as it stands, and counts only where no clause of it is known to tell something, or to pass."""
    read: bool = False
    """It was judged to tell something, or to pass."""
    vetoed: bool = False
    """It was judged to pass."""
    ours: bool = False
    """It goes on from a statement of the user's: "our CI runs on Buildkite, and deploys are manual"."""
    nested: tuple[str, str, str] | None = None
    """Who is what to whom besides the user: "Marit's boyfriend Joost" tells (Marit, boyfriend, Joost)."""
    more: str = ""
    """What is said along with it and is no fact by itself: its reason, its circumstances."""
    figure: Figure | None = None
    """It tells this, and was read for nothing else."""
    sentence: int = 0
    """The number of the sentence of its message that it was read from."""
    rests_on: list[int] = field(default_factory=list)
    """The numbers of the entries that it comes from."""
