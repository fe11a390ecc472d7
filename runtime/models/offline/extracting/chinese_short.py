"""Says in full what Chinese talk says shortly: 闲鱼淘了台相机 is 我买了台相机, and 家里两只猫 is 我家有两只猫."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..kin import PET, RELATION, RELATIONS, any_of
from .claim import Claim, Entry, Someone
from .scene import Scene

_START = r"(?P<start>^|[，,])"
_ILLS = (
    "痛风|糖尿病|高血压|高血脂|脂肪肝|胃炎|胃溃疡|肾结石|胆结石|甲亢|甲减|乳糖不耐受?|哮喘|鼻炎|颈椎病|腰突|腰椎间盘突出|湿疹|荨麻疹"
    "|贫血|偏头痛|肠炎|胃病"
)
_WHOSE = rf"(?P<who>我(?:们)?(?:家)?(?:的)?(?:{RELATION})?)"
_WENT = "(?:现在|后来|已经|又)*(?:去|到|回|搬到|搬去|换到|换去|调到|调去|转到|跳到|跳去)了?"
_TO = "[^，,。了]{2,12}?(?=[，,]|了?$)"
_FULL: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(short), full)
    for short, full in (
        (
            rf"{_START}我?(?:前[两几]天|上周|昨天)?在?(?:(?:闲鱼|二手|网上|淘宝|拼多多|跳蚤市场|旧货市场)上?)?"
            r"(?:淘|收(?=了)|入手|拿下|败)了?(?=[一二两]?[台辆部把套架])",
            r"\g<start>我买了",
        ),
        (
            r"(?<![没再要想手能帮])搬(?![家出走离进新东砖完来不了到去回过起运货办我动开下上])"
            r"(?=[\u4e00-\u9fff]{2,3}(?<![书箱桌床柜椅货机])(?:了|住了)(?:[，,]|$))",
            "搬到",
        ),
        (
            rf"{_START}(?P<what>烟|酒|咖啡|奶茶|肉|糖|游戏)(?:现在|最近)?又(?P<verb>[抽喝吃打])(?:上|起来)了",
            r"\g<start>我又\g<verb>上\g<what>了",
        ),
        (rf"{_START}(?:我家|家里|我家里)(?=[一两俩三四五六\d]+[只条个口](?!月))", r"\g<start>我家有"),
        (
            rf"^(?P<ill>{_ILLS})(?:又?犯了)?[，,](?=[^。]*(?:戒|忌|不能|不让|医生|大夫|我))",
            r"我有\g<ill>，",
        ),
        (
            rf"{_START}(?:(?:医生|大夫)(?:说|让|嘱咐|交代)?我?)?(?P<what>[^，,。我]{{1,12}}?)(?:全|统统)?都?(?:得|要|必须)(?P<verb>戒|忌口|忌)(?:了|掉)?(?=[，,]|$)",
            r"\g<start>我必须\g<verb>\g<what>",
        ),
        (
            rf"{_WHOSE}(?:早就|已经)?不在(?P<old>[^，,。]{{2,8}}?)(?:干|上班|工作|做事?|待|呆)了[，,]{_WENT}(?P<new>{_TO})",
            r"\g<who>从\g<old>跳槽到\g<new>",
        ),
        (
            rf"{_WHOSE}(?:早就|已经)?不在(?P<old>[^，,。]{{2,4}}?)(?:住|待)?了[，,]{_WENT}(?P<new>{_TO})",
            r"\g<who>从\g<old>搬到\g<new>",
        ),
        (
            r"(?P<what>编辑器|数据库|框架|浏览器|系统|IDE)(?:从[^，,。]{1,10})?(?:换|改)(?:成|到|用)?了?\s*(?=[A-Za-z])",
            r"\g<what>换成 ",
        ),
        ("刚?生完(?!气)", "生了"),
        (rf"{_START}家住", r"\g<start>我家住"),
        ("我家[那这](?:位|口子)", "我爱人"),
        (r"又?回去(?=[开跑做当干教送卖][^，,。]{1,6}了?(?:[，,]|$))", "又"),
    )
)
_ARE_FROM = re.compile(r"[你您](?:是|老家是?)[\u4e00-\u9fff]{2,4}人")
_IS_FROM = re.compile(r"(?P<i>我(?:老家)?是)(?P<place>[\u4e00-\u9fff]{2,3})的(?=[，,]|$)")
_MOVED = re.compile(r"搬[^。]*从(?P<old>[\u4e00-\u9fff]{2,4})到(?P<new>[\u4e00-\u9fff]{2,3}?)(?=这|[，,]|$)")
_HAS_MOVED = re.compile(
    r"(?:^|[，,])我?们?(?P<when>[^，,。我他她]{0,6}(?:前|后|底|初|[月周年号天上]))?(?:就|才|刚|已经)?搬(?:到|去)?"
    r"(?P<place>[\u4e00-\u9fff]{2,3})(?<![书箱桌床柜椅货机家去来走])(?:了|住了)(?=[，,]|$)"
)
_OTHER = re.compile(
    rf"我(?:们)?(?:的)?(?:又?换(?P<relation>{RELATION})|(?P<whose>{RELATION})换人)了[，,]"
    r"(?:现在|如今|新的?|这回)*(?:是|跟着?|归|由|换成)了?(?:个|一个)?(?P<who>[^，,。]{2,8}?)(?:管|带|负责)?(?=[，,]|$)"
)
_ADOPTED = re.compile(
    r"(?:^|[，,])[^，,。]{0,6}?(?:捡|抱|领养|收养|领|接)(?:了|回来?|到)+(?P<many>[一两三])?(?P<measure>[只条])"
    rf"(?:(?![^，,。]*(?:{PET}))[^，,。]{{0,6}}|[^，,。]{{0,3}}(?P<kind>{PET})(?=[，,][^，,。]*的[，,]))"
    r"(?:[，,](?P<look>[^，,。我]{1,4}的))?[，,]"
    r"(?:我?(?:给它)?(?:取名|起名|名字|就)*叫)(?P<name>[\u4e00-\u9fff]{1,4}?|[A-Z]\w+)了?(?=[，,]|$)"
)
_RESUMED = re.compile(
    r"(?:^|[，,])我?(?:从[^，,。我]{1,6}?起?|最近|现在|这两天)?又(?:开始)?(?P<verb>[喝抽吃])(?:上|起来)(?P<what>[^，,。]{0,4}?)了"
    r"(?P<more>(?:[，,][^，,。我]{1,8}白[^，,。]{1,3})?[，,](?P<much>(?:每天|天天|一天)[^，,。]+))?(?=[，,]|$)"
)
"""What somebody does again who had given it up."""
_NUMBER = re.compile(
    r"[换改]了?个?(?P<what>手机号?码?|电话号?码?|微信号?|邮箱)了?[，,](?:[^。]*?[，,])?(?:现在|新)的?(?:号码?)?(?:是|用)?\s*"
    r"(?P<value>[\w@.-]{5,})"
)
_WHO = any_of(word for word, group in RELATIONS.items() if group == "colleague" and len(word) > 1)
_BOUND = re.compile(
    rf"(?:^|[，,])我?们?(?:{_WHO})(?:说|要求|让我?|催|通知)[，,]?[^，,。]{{2,10}}?(?:之?前|以?前)?(?:就|必须|一定)?要"
    r"(?:看到?|收到?|拿到?|见到?|出|定)(?P<what>[^，,。]{1,10})(?=[，,]|$)"
)
"""What somebody whom the user answers to wants to see by a day."""


def in_full(text: str, asked: str) -> str:
    """A sentence with what is said shortly said in full; `asked` is what the assistant said before it."""
    if _ARE_FROM.search(asked):
        text = _IS_FROM.sub(r"\g<i>\g<place>人", text)
    for short, full in _FULL:
        text = short.sub(full, text)
    return text


def told_across(text: str, entry: Entry, scene: Scene) -> Iterator[tuple[Claim, tuple[int, int]]]:
    """What several clauses tell together, and where in `text` they stand."""
    if moved := _MOVED.search(text):
        whole = f"我从{moved['old']}搬到{moved['new']}"
        yield Claim(whole, whole, "zh", entry, old=moved["old"]), moved.span()
    elif (moved := _HAS_MOVED.search(text)) and moved["when"]:
        place = moved["place"]
        yield Claim(f"我{moved['when']}搬到{place}了", f"我搬到{place}", "zh", entry), moved.span()
    if other := _OTHER.search(text):
        relation = other["relation"] or other["whose"]
        scene.meet(Someone(relation, "", relation))
        whole = f"我的{relation}现在是{other['who']}"
        claim = Claim(whole, whole, "zh", entry, naming=other["who"], introduces=relation, corrects=True)
        yield claim, other.span()
    if pet := _ADOPTED.search(text):
        kind = pet["kind"] or "宠物"
        scene.meet(Someone(kind, pet["name"], kind))
        whole = f"我养了{pet['many'] or '一'}{pet['measure']}{pet['look'] or ''}{kind}，叫{pet['name']}"
        yield Claim(whole, whole, "zh", entry), pet.span()
    if number := _NUMBER.search(text):
        whole = f"我的{number['what']}是{number['value']}"
        yield Claim(whole, whole, "zh", entry, corrects=True), number.span()
    if again := _RESUMED.search(text):
        whole = f"我又{again['verb']}上{again['what']}了"
        more = f"，{again['much']}" if again["much"] else ""
        yield Claim(whole, f"我{again['verb']}上{again['what']}", "zh", entry, more=more), again.span()
    if bound := _BOUND.search(text):
        whole = bound[0].strip("，,")
        yield Claim(whole, f"我得交{bound['what']}", "zh", entry), bound.span()
