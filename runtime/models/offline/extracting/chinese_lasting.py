"""Whether a Chinese clause that no facet knows tells something that lasts: a state, a habit, a possession, a rule or a
plan of somebody. What is of this hour, of this turn, or in progress passes."""

from __future__ import annotations

import re
from datetime import timedelta

from ....when import stretches
from ..words import terms
from .claim import USER, Claim
from .keeping import Keeping, keeping
from .passing import dated, own_name

_CHANGED = re.compile("换成|改[成报学练喝吃做用养种坐骑开住走穿看听停存]|转[去做]|调[去到]")
_SHORTEST = 3
"""Characters of a clause that tells something, 我 among them: 我嘴挑."""
_NOUN = re.compile("我(?:[和跟与][^，。我差]{1,4}|老家|家|公司|学校|单位|那边|这边|名字|生日|手机|电话)")
_SETTLED = re.compile(r"[了已从周号月点年\d]")
_SOLID = re.compile(r"[\d一二三四五六七八九十百千]|(?<!全)是|叫|姓|归|属|期|密码|只|[A-Za-z]{2}|了")
_STATED = 5
"""Characters of a clause that states something without a word by which it is known to last."""
_FIRM = re.compile(
    r"[\dA-Za-z]|[二三四五六七八九十百千万]|每|天天|平时|周[一二三四五六日末]|从小|一直|常年|天生|遗传|[这那]边|[炎症病肿痒]|起[红疹]|[主辅]修|了[^，。]|冬泳|[晨夜]跑|骑行|健身|钓鱼|瑜伽|太极|书法|摄影|徒步"
)
"""A sign that a clause tells a fact, although nothing knows the thing that it is of."""
_ASPECT = re.compile("(?<!不)了|(?<![跟有])着")
_DAY = re.compile(
    r"(?<![\d月第])(?:[一二三]?十[一二三四五六七八九]?|\d{1,2})号(?=[前之要交去到我出截开上飞走搬考面]|$)"
)
"""A day of the month by itself, that is of no line, house or thing."""
_PLAN = 5
"""Characters of a clause that tells what is to happen on a day."""


def lasts(claim: Claim, *, past: bool) -> bool:
    """Whether `claim` is worth keeping although nothing knows what it tells."""
    tables, text, said = keeping("zh"), claim.text, claim.said
    if claim.consequence or claim.hedged or len(said) < _SHORTEST or _NOUN.fullmatch(said):
        return False
    if tables.pattern("drop", "stuck").search(text) or (claim.loose and not past and not _FIRM.search(text)):
        return False
    often = tables.pattern("keep", "often").search(text) is not None
    ahead = _ahead(claim)
    if tables.pattern("drop", "fleeting").search(text) and not often and not ahead:
        return False
    if (claim.bare or (claim.subject != USER and claim.someone is None)) and tables.pattern("drop", "exclaimed").search(
        text
    ):
        return False
    if tables.pattern("drop", "faint").search(said) and not often:
        return False
    small = tables.pattern("drop", "small").search(said) is not None
    if ahead and not small and len(said) >= _PLAN:
        return True
    if claim.subject != USER and tables.pattern("keep", "settled").search(said) and _SETTLED.search(text):
        return True
    if tables.pattern("keep", "lived").search(said) and not small:
        return not tables.pattern("drop", "deictic").search(text)
    if past and tables.pattern("drop", "deictic").search(text):
        return False
    if past:
        return _ceased(claim, tables) or (dated(claim, beyond_today=True) and not small) or _gained(claim, tables)
    if claim.someone is not None and claim.bare:
        return durable(claim, tables)
    if claim.someone is not None:
        return bool(claim.someone.relation) or own_name(claim.someone.name) or len(claim.someone.name) > 1
    if claim.subject == USER and not claim.bare and said.startswith("我"):
        wills = tables.pattern("drop", "wills").search(said) and not (often or durable(claim, tables))
        return not wills and tables.pattern("keep", "own_verb").search(said) is not None
    return durable(claim, tables) or (claim.subject == USER and _unmarked(claim, tables))


def weighty(claim: Claim) -> bool:
    """Whether it names a day that is neither yesterday, today nor tomorrow, or tells of something gained."""
    tables, today = keeping("zh"), claim.entry.at.date()
    found = stretches(claim.text, today)
    if any(abs(one.day - today) > timedelta(days=1) for one in found):
        return True
    return any(tables.pattern("keep", name).search(claim.said) for name in ("lived", "gained"))


def solid(claim: Claim) -> bool:
    """Whether what a clause tells of a thing is more than how it is doing: a number, a day, a place, a name, a rule."""
    tables = keeping("zh")
    if any(tables.pattern("drop", name).search(claim.text) for name in ("stuck", "fleeting", "exclaimed")):
        return False
    return bool(durable(claim, tables) or tables.pattern("keep", "settled").search(claim.said) or dated(claim)) or (
        _SOLID.search(claim.text) is not None
    )


def durable(claim: Claim, tables: Keeping) -> bool:
    """Whether it says by its shape that it is so for long."""
    return any(tables.pattern("keep", "durable").search(one) is not None for one in (claim.text, claim.said))


def _unmarked(claim: Claim, tables: Keeping) -> bool:
    """Whether it stands in no aspect, and without a will or a pointing word: what Chinese says so of a subject is a
    state or a habit of it. (了, 过 and 着 mark what is done, was once, or is going on.)"""
    if len(claim.said) < _STATED or _ASPECT.search(claim.said):
        return False
    return not any(tables.pattern("drop", name).search(claim.text) for name in ("deictic", "intends"))


def _ceased(claim: Claim, tables: Keeping) -> bool:
    """Whether the user says of themselves that they do something no more."""
    own = claim.subject == USER and not claim.bare and tables.pattern("keep", "over").search(claim.text)
    return bool(own) and not tables.pattern("drop", "ceased_now").search(claim.said)


def _gained(claim: Claim, tables: Keeping) -> bool:
    """Whether it tells of something done that leaves the user with something: a thing, a place, a skill, a past."""
    if terms(claim.said).kinds() & {"food", "drink", "eat"}:
        return False
    return (not claim.bare or _CHANGED.search(claim.said) is not None) and tables.pattern("keep", "gained").search(
        claim.said
    ) is not None


def _ahead(claim: Claim) -> bool:
    """Whether it names a day after tomorrow."""
    today = claim.entry.at.date()
    found = stretches(claim.text, today, ahead=True)
    later = any(one.day > today + timedelta(days=1) for one in found) or _DAY.search(claim.text)
    return bool(later) and not re.search("自从?|以来", claim.text)
