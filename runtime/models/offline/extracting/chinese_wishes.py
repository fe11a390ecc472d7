"""How the assistant is to answer from now on, as Chinese says it: 以后都用中文回答我."""

from __future__ import annotations

import re
from itertools import takewhile

from .claim import Claim, Entry

_STANDING = re.compile(
    r"以后|今后|从现在起|从今天起|从今以后|往后|每次|一直|永远|始终|默认|总是|一律|都用|不要再|别再|我(?:更)?喜欢这样|都这样"
)
STANDING = re.compile(
    r"^(?:[你您]?请?(?:以后|今后|往后|从现在起|从今天起|从今以后|每次|默认|始终))[，,]?(?!我|咱|他|"
    r"她|例会|会议|站会)(?=[^，。]*(?:别|不要|都|请|用|给我|加|带|回答|回复|写|叫|称呼))|"
    r"^(?=[^，。我]{1,6}(?:都|一律)(?:给我)?(?:用|按|写)[^，。]*$)(?=.*给我)"
)
_BESIDES = re.compile(
    r"(?:就|只|控制在|不超过|最多|直接|[也都]?(?:别|不要|不用))(?!行|好|可以)|[一二三四五六七八九十百千\d]+[个]?[字行段句条点]"
)
"""What says more of how it is to be."""
_CASE = re.compile(
    r"^(?!我的|.*了$)(?:当|[你您]?(?:给|跟|和|对|帮))?我(?P<case>要?[^，。]{1,8})(?:的时候|时)[，,]?(?:就|请|你)?(?P<what>(?:别|不要|不用|请|先|用|直接|只|加|按|要|得|都|最好|尽量).+)$"
)
_ONCE = re.compile(r"这次|这一次|这回|这一回|这句|这段|这篇|这条|这一条|本次|刚才|上面")
_WISH = re.compile(
    r"(?:你|您|请|麻烦|希望你)?(?:都|要|就|能|可以)?(?P<what>(?:用|别|不要|不用|少|多|先|只|"
    r"直接)?[^，。]{0,12}?(?:回答|回复|答复|称呼|叫我|跟我说|和我说|写代码|说话|给我|举例|"
    r"解释|表情|废话|客套|加注释|列表|用中文|用英文|简短|简洁|详细)[^，。]*)"
)
_MANNER = re.compile(
    r"^(?:你|您|请|麻烦你?|希望你)?(?P<what>(?:回答|回复|答复|解释|讲解|讲东西|讲题|讲代码|给我?代码|写代码|给例子|说话|举例子?|"
    r"称呼|聊天|跟我说话|和我说话|给建议|提建议)(?:的时候|时|里面?|中|问题(?:的时候|时)?|我)?[，,]?"
    r"(?:(?:都|要|请|尽量|最好|能)*(?:别|不要|不用|少|多|只|先)|都|尽量)[^，。]+)"
)
SO = re.compile(r"(?:以后|每次|今后|往后)(?:也|就)?都?(?:这样|这么来|按这个来?|照这个来?|如此)(?:吧|哈|就行)?")
"""Wishes that what was said before it holds from now on."""
_EVERY = re.compile(r"(?:^|[，,])(?P<what>(?:请|你)?(?:别|不要|不用)(?:每次|老是?|总是?|动不动|一上来)[^，。我他她]+)$")
_ALL = re.compile(
    r"^(?:代码示例|代码|示例|例子|回答|答案|图表|单位|日期|时间|数字|金额|报价)(?:都|一律|统一)(?:给|用|按|写|换|以)(?!了)[^，。我]*$"
)
_AND_SO = re.compile(rf"[，,]{SO.pattern}$")
NICKNAME = re.compile(
    r"^(?:你|您|大家|可以|就|以后|直接|请|都)*(?:叫|喊|"
    r"称呼)我(?P<name>[^，。]{1,8}?)(?:就行了?|就好了?|吧|即可|就可以了?)?$"
)


def wish(text: str, entry: Entry) -> Claim | None:
    """The wish that a sentence is, if it is one."""
    if _ONCE.search(text) or NICKNAME.match(text) or SO.fullmatch(text):
        return None
    if so := _AND_SO.search(text):
        return _stated(f"以后{text[: so.start()]}", entry)
    if STANDING.match(text):
        first, *more = re.split(r"[，,。]", STANDING.sub("", text))
        besides = "".join(f"，{piece}" for piece in takewhile(_BESIDES.match, more))
        return _stated(f"以后{first.removeprefix('请').removeprefix('你')}{besides}", entry)
    if case := _CASE.match(text):
        return _stated(f"在我{case['case']}的时候{re.split(r'[，,。]', case['what'])[0]}", entry)
    if manner := _MANNER.match(text):
        return _stated(f"以后{manner['what']}", entry)
    if _ALL.match(text):
        return _stated(f"以后{text}", entry)
    if every := _EVERY.search(text):
        return _stated(f"以后{every['what']}", entry)
    found = _WISH.search(text)
    if not found or not _STANDING.search(text) or text.startswith("我"):
        return None
    return _stated(f"以后{re.split(r'[，,。]', found['what'])[0]}", entry)


def _stated(what: str, entry: Entry) -> Claim:
    stated = f"我希望助手{what}"
    return Claim(stated, stated, "zh", entry, wish=True)
