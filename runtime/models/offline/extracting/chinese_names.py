"""Names of people and animals in a Chinese clause: 我姐姐小安在, 班主任姓谢, 小韩是我学妹."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..kin import RELATION, RELATIONS
from .keeping import keeping

_ENDS = keeping("zh").table["subject"]["ends"]
_NAME = re.compile(rf"^(?!{_ENDS}|改|推迟|延|提前|换|定)(?P<name>[\u4e00-\u9fff]{{1,3}}?|[A-Z][a-z]+)(?={_ENDS})")
_NAMING = re.compile(
    r"^(?:的名字)?(?:叫|是|名叫|名字叫|名字是|取名|小名|小名叫|姓)(?P<name>[\u4e00-\u9fff]{1,3}|[A-Z][a-z]+)$"
)
_NO_NAME = re.compile(
    r"^[初高大小研][一二三四五六]$|[师员生家人医工了]$|[我你他的了是有在归跟和就都不没要很太]|^(?:独|双|家长|作业|成绩|脾气|学费|房子|身体|手机|电话|工资|公司|单位|生日|学校|幼儿)"
)
_DOES = re.compile(
    "[喊吵催等接拉推说讲问听看闻摸碰抱背扛搬拿放丢扔找逃躲站坐躺睡醒哭笑闹怕爱恨想忘学教练读写画唱跳跑走爬飞游骑开停修拆装洗擦扫煮炒蒸烤切"
    "买卖租借还交赚花省存送寄收发打骂带陪养种吃喝穿戴病摔瘦胖回来去出进退做当不没有嫁娶改换转调升搬戒考报]"
)
"""What begins a verb, and hardly a name."""
_TWICE = re.compile(r"(.)\1")
LEADS = re.compile(
    r"^(?:留|送|寄|给|帮|让|叫|常|陪|催|骂|管|回|走|跑|打|病|摔|瘦|胖|耳|腿|腰|眼|血|身体|工作(?!室|坊|台)|性格|脾气|退休|去世|过世|今年|明年|又|还|也|就|都|才|只|别|不"
    r"|没|很|太|好|真|挺|有点|一|想|要|得|能|会|该|已|再|先|打算|准备|计划|因为|所以|但|毕竟|反正|差不多|"
    r"基本|大概|可能|每|平时|一般|通常|总|从来|一直|最|更|比较|特别|非常|完全|住|在|去|来|买|卖|吃|喝|用|做|学|写|看|听|玩|开|养|种)"
)
"""What begins a predicate, and so is no thing and no name."""
_INTRODUCED = re.compile(
    r"^(?P<who>[^，。我你您他她它]{1,10}?)\s*(?:名字)?(?:叫|姓)\s*(?P<name>(?!做|作|什么|停)[\u4e00-\u9fff]{1,4}|[A-Z][A-Za-z]+)$"
)
_IS_MINE = re.compile(
    rf"^[^，。我]{{0,8}}?(?P<name>[\u4e00-\u9fff]{{2,3}}|[A-Z][a-z]+)(?:就是|是)我(?:们)?(?:的)?[^，。]{{0,4}}?(?P<relation>{RELATION})$"
)
MET = re.compile(
    rf"(?:认识|遇到|碰到|来|多|有|请)了?(?:一?[个位名])?(?:[^，。我]{{0,6}}?(?:{RELATION}))"
    r"(?P<name>[阿小老大][\u4e00-\u9fff]|[A-Z][a-z]+)$"
)
"""Somebody whom the user has met."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name, and what is left of the clause after it."""

    name: str
    rest: str
    only: bool = False
    """The clause does no more than to give the name."""


def named(rest: str) -> Named:
    """The name of who is spoken of in what follows the word for them, if there is one: 小安在 after 我姐姐."""
    found = _NAME.match(rest)
    name = found["name"] if found else ""
    if not found and not _NAMING.match(rest) and re.fullmatch(r"[\u4e00-\u9fff]{2,3}|[A-Z][a-z]+", rest):
        name = rest
    if name and (_NO_NAME.search(name) or _acts(name) or name in RELATIONS or LEADS.match(name)):
        name = ""
    left = rest[len(name) :]
    naming = _NAMING.match(left)
    if naming and not _NO_NAME.search(naming["name"]):
        return Named(naming["name"], left, only=True)
    return Named(name, left)


def introduced(piece: str) -> tuple[str, str] | None:
    """Who somebody is, and the name: 新来的 PM 叫 Vivian."""
    found = _INTRODUCED.match(piece)
    return (found["who"].removesuffix("的"), found["name"]) if found else None


def is_mine(piece: str) -> tuple[str, str] | None:
    """A name, and what its bearer is to the user: 小韩是我学妹."""
    found = _IS_MINE.match(piece)
    return (found["name"], found["relation"]) if found and not re.search("[这那谁]", found["name"]) else None


def _acts(name: str) -> bool:
    return _DOES.match(name) is not None and _TWICE.match(name) is None
