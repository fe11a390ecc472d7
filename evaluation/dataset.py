"""What an evaluation is made of, whichever set it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation."""

    key: str
    """The set's own id of it, unique in its conversation."""
    text: str
    speaker: str
    at: datetime | None = None
    """When; None where the set does not say."""
    session: int = 1
    """Which session; one for all where the set names none."""
    location: str | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation, in the order in which it was held."""

    name: str
    """Unique in its set."""
    said: tuple[Said, ...]
    together: str
    """Which store it is in where conversations share one."""

    @property
    def is_chat(self) -> bool:
        """Whether a user and an assistant take turns in it, as they do with the agent, and both say something."""
        roles = [said.speaker for said in self.said if said.text.strip()]
        return len(roles) == len(self.said) and roles == ["user", "assistant"] * (len(roles) // 2) and bool(roles)


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what answers it."""

    id: str
    talk: str
    text: str
    category: str
    sides: tuple[frozenset[str], ...]
    """The keys of the turns that hold the answer. More than one set, where the answer has several sides."""
    at: datetime | None = None
    """When it is asked; None where the set does not say, and then after all that was said."""
    aside: bool = False
    """It is reported, but does not count among all: those who publish figures on the set leave it out."""

    @property
    def evidence(self) -> frozenset[str]:
        """All turns that hold some of the answer; never empty."""
        return frozenset().union(*self.sides)


@dataclass(slots=True)
class Dataset:
    """Conversations and questions of one set."""

    name: str
    talks: list[Talk] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    """What could not be used and why, with how often."""

    def leave_out(self, why: str) -> None:
        """Count something that cannot be used."""
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def join(self, other: Dataset) -> None:
        """Add the conversations and questions of another file of the same set."""
        self.talks += other.talks
        self.questions += other.questions
        for why, times in other.left_out.items():
            self.left_out[why] = self.left_out.get(why, 0) + times
