"""A Chinese clause without what only says when and how, by which it is judged: 上周三终于搬到青岛了 is 搬到青岛."""

from __future__ import annotations

import re
from datetime import date

from ....when import stretches
from .keeping import keeping

_SUBJECT = keeping("zh").table["subject"]
_ADVERBS = re.compile(_SUBJECT["adverbs"])
_FIRST = re.compile(rf"^(?P<who>我们?)?(?:{_SUBJECT['adverbs']}|{_SUBJECT['small_adverbs']})+(?=.)")
_YEARS = re.compile(r"^(?:从)?\d{4}\s*年?\s*(?:到|至|[-–~～])\s*\d{4}\s*年(?:间|期间)?")
_CLOCK = re.compile(
    r"^(?:的?(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里))?"
    r"(?:[\d一二两三四五六七八九十:：]+点(?:半|[\d一二三四五六七八九十]+分)?钟?)?(?=.)"
)
_LEADING = re.compile(
    r"^(?:业余时间|空闲时间?|闲暇时|闲的时候|下班后|每(?:年|月|周|天)(?:[一二三四五六七八九十\d]+月)?|下了班|周末|平日|"
    r"平时|白天|晚上|夜里|早上|没事时?|有空时?|到时候|今后|(?:最近|近|这|那|头|前)(?:[一二两三几]|好几)?(?:年|个?月|阵子?|"
    r"周|个星期|段时间|学期)(?:开始|起|以来)?)(?=[^，。]{2,})"
)
_AFTER_DATE = re.compile(
    r"^(?:就|才|都|也)(?=从|在|搬|离|去)|^(?:到|至|-|—|~|～)(?:[\d一二三四五六七八九十]+[号日])?|"
    r"^(?:之前|以前|前(?!夫|妻|端|台|男|女)|之后|以后|后(?!端|台|天)|期间|左右|底|初|末|中旬|最后一周|起|开始)"
)
_SINCE = re.compile(r"(?:自|从|打)?(?:起|开始)(?=吃素|用|住|在|做|学|上|练|戒|不)|^我(?:自|从)(?=开始|起)")
_SINCE_FIRST = re.compile(
    r"^(我?)(?:自|从|打)?(?:起|开始|以来|之前|以前|之后|期间|左右|后(?=搬|去|到|开|换|改|回|就|才))(?:就|都|要(?=交|完成|提交))?(?=.)"
)
_DAYTIME = re.compile(r"^我(?:白天|晚上|夜里|早上|下午|自己)(?=做|开|写|修|当|教|在|画|弹)")
_PART = re.compile(r"^(我?)(?:底|初|中旬|末)(?=.)")
_HERE = re.compile(
    r"^(我们?)(?:那个(?=[\u4e00-\u9fff]{2})|这(?:边|儿|里|人|个(?=[\u4e00-\u9fff]{2,5}?(?:每|都|一律|叫|是))|[一两几]年|[一两几]个月|半年|些年|阵子|段时间|学期))(?=.)"
)
_PARTICLES = re.compile(r"(?:了|啦|呢|哦|啊|呀|嘛|哈|的|吧)+$")
_RANGE = re.compile(r"每$|从[^，。]*到$")


def untimed(piece: str, today: date) -> str:
    """`piece` without the date and the time of day that it begins with."""
    piece = _YEARS.sub("", piece)
    while found := next((one for one in stretches(piece, today) if one.start == 0), None):
        piece = _AFTER_DATE.sub("", piece[found.end :])
    return _LEADING.sub("", _CLOCK.sub("", piece))


def plain(said: str, today: date) -> str:
    """`said` without the words of its dates and without adverbs."""
    for one in reversed(stretches(said, today)):
        if not _RANGE.search(said[: one.start]) and not re.match(r"到|至", said[one.end :]):
            said = said[: one.start] + said[one.end :]
    said = _HERE.sub(r"\1", said)
    said = _SINCE.sub(lambda found: "我" if found[0].startswith("我") else "", said)
    said = _SINCE_FIRST.sub(lambda found: found[1] + ("要" if found[0].endswith("要") else ""), said)
    said = _PART.sub(r"\1", _DAYTIME.sub("我", said))
    said = _ADVERBS.sub("", _FIRST.sub(lambda found: found["who"] or "", said))
    return _PARTICLES.sub(
        lambda found: "的" if found[0] == "的" and said.endswith(("生的", "岁的")) else "", said
    ).strip()
