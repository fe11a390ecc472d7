"""Who and what a dialogue speaks of, so that "she", "her" and a bare name find their person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..stems import is_cjk
from .claim import Someone
from .keeping import keeping
from .revising import Memory


@dataclass(slots=True)
class Scene:
    """The people, animals and things that were named so far, the last one last."""

    people: list[Someone] = field(default_factory=list)
    place: str = ""
    """The place that was named last."""
    here: str = ""
    """The place that the messages before this one spoke of last."""
    product: str = ""
    """The tool that was named last."""
    things: set[str] = field(default_factory=set)
    """What memories are of that is nobody: projects, servers."""
    asked: str = ""
    """What the assistant said last."""
    before: str = ""
    """The sentence before."""
    thing: str = ""
    """The thing that the message spoke of last."""
    antecedent: str = ""
    """The last word of weight that was said."""

    def meet(self, someone: Someone) -> Someone:
        """Somebody is spoken of: who is known by relation or name already is the same one, and now the last."""
        old = next((known for known in reversed(self.people) if _same(known, someone)), None)
        if old:
            self.people.remove(old)
            someone = Someone(someone.relation or old.relation, someone.name or old.name, someone.of or old.of)
        self.people.append(someone)
        return someone

    def known(self, name: str) -> Someone | None:
        """Who goes by `name`, now the last one spoken of."""
        found = next(
            (one for one in reversed(self.people) if one.name and one.name.split()[0] == name.split()[0]), None
        )
        return self.meet(found) if found else None

    def phrase(self) -> str:
        """How the user would name who was spoken of last: "my sister Ana"; empty for nobody."""
        if not self.people:
            return ""
        last = self.people[-1]
        if not last.relation or (last.name and last.relation in ("pet", "family")):
            return last.name
        return f"my {last.of or last.relation}{' ' if last.name else ''}{last.name}"

    def subject(self, someone: Someone) -> str:
        """The subject of what is said of somebody: "user's sister Ana"."""
        if not someone.relation:
            return someone.name
        return f"user's {someone.relation} {someone.name}".strip()

    def remember(self, memories: Iterable[Memory]) -> None:
        """Meets the animals and people that memories name as the user's own: "The user has a cat named Pixel"."""
        table = keeping("en").relations
        for memory in memories:
            if memory.attribute in _OF_PEOPLE and re.fullmatch(r"[A-Z][\w-]+", memory.subject):
                self.people.insert(0, Someone("", memory.subject))
            elif memory.subject and not memory.subject.lower().startswith("user"):
                self.things.update(memory.subject.split())
            if memory.attribute not in ("partner", "pet", "child", "family", "friend"):
                continue
            words = re.findall(r"[\w'-]+", memory.text)
            relation = next((word.lower() for word in words if word.lower() in table), memory.attribute)
            name = next((word for word in re.findall(r"[\w'-]+", memory.value) if word[:1].isupper()), "")
            if is_cjk(memory.text):
                relation = next((word for word in keeping("zh").relations if word in memory.text), "")
                bare = memory.value.replace(relation, "，") if relation else memory.value
                name = next(
                    (
                        part
                        for part in re.split(r"[，,、的]|一[只条个位]", bare)
                        if 2 <= len(part) <= 3 and part != relation
                    ),
                    "",
                )
            if name:
                self.people.insert(0, Someone(relation, name, relation))

    def recall(self, subjects: Iterable[str], relations: Iterable[str]) -> None:
        """Meets those whom memories are of: "user's sister Ana"."""
        words = set(relations)
        for subject in subjects:
            parts = subject.removeprefix("user's ").removeprefix("the user's ").split()
            if subject.lower().startswith(("user's ", "the user's ")) and parts and parts[0] in words:
                self.people.insert(0, Someone(parts[0], " ".join(parts[1:]), parts[0]))


_OF_PEOPLE = frozenset(
    ("job", "home", "workplace", "birthday", "age", "child", "partner", "shift", "education", "taste")
)
"""What is told of people, and hardly of things."""


def _same(one: Someone, other: Someone) -> bool:
    if one.name and other.name:
        return one.name == other.name
    return bool(one.relation) and one.relation == other.relation
