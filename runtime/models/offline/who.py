"""Who is meant: a question about "my sister" is one about Marit too, where memory tells that she is called that."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from .acts import Asked
from .items import Item
from .kin import NICKNAME, RELATION

_ROLE = re.compile(r"\b(?:my|our) (?P<role>[a-z][a-z-]+)(?=\W|$)")
_ROLE_ZH = re.compile(
    rf"(?:我|我们|咱)家?的?(?P<role>{RELATION}|[\u4e00-\u9fff]{{2,3}}?)(?=[住在叫是的有多几什哪谁做工养喜])"
)
_NAME = r"(?P<name>(?:[A-Z]['’])?[A-Z][\w-]*\w)"
_TOLD = r"\b(?:[Tt]he user['’]s|[Mm]y|[Oo]ur) (?:[a-z-]+ )?ROLE,? (?:is (?:called|named) |named |called )?" + _NAME
_GOT = (
    r"\b(?:[Tt]he user|[Ww]e|I)\b[^.]*? (?:an?|the) (?:[a-z-]+ ){0,2}?ROLE\b[^.]*?"
    r"(?:\b(?:named|called)|, (?:his|her|its) name is) " + _NAME
)
"""The same of whom the user got: "We adopted a dog from the shelter named Fig"."""
_TOLD_ZH = rf"(?:用户|我)家?的?ROLE(?:叫|是)?(?P<name>{NICKNAME})"
"""Where a memory tells the name of who is the user's ROLE."""


def by_name(asked: Asked, items: Iterable[Item]) -> Asked | None:
    """The question with the name in the place of what somebody is to the user; None where no name is told."""
    texts = [item.text for item in items]
    for pattern, told in ((_ROLE, _TOLD), (_ROLE, _GOT), (_ROLE_ZH, _TOLD_ZH)):
        for found in pattern.finditer(asked.text):
            name = _first(re.compile(told.replace("ROLE", re.escape(found["role"]))), texts)
            if name:
                return replace(asked, text=asked.text[: found.start()] + name + asked.text[found.end() :])
    return None


def _first(told: re.Pattern[str], texts: list[str]) -> str | None:
    """The name that all of the texts which tell one agree on."""
    names = {found["name"] for text in texts for found in told.finditer(text)}
    return next(iter(names)) if len(names) == 1 else None
