"""Reads Chinese for what is worth keeping: each clause by itself, with whom it is of, and what it leaves unsaid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..chinese import Chinese
from ..phrasebook import phrasebook
from ..sentences import Sentence, sentences
from ..words import terms
from .chinese_plain import plain
from .chinese_subjects import ME, RELATION, Subjects, Topic
from .chinese_wishes import NICKNAME, SO, wish
from .claim import Claim, Entry, Someone
from .judging import judge
from .keeping import keeping
from .scene import Scene

_KEEP = keeping("zh")
_COMMA = re.compile(r"\s*[，,、；;—…]+\s*(?=[^\d])|\s*[：:]\s*")
_LINK = re.compile(
    r"^(?:而且|结果|于是|如今|并且|还有|另外|同时|然后|但是|不过|可是|所以|因此|但|也就是说|"
    r"也就是|也(?!许)|还(?!是|有)|且|和|只是|就是|其实|对了|哦|嗯|话说|顺便说一下|顺便|说起来|那|早)(?=.)"
)
_SAID = re.compile(
    r"^(?:我(?:之前|以前|早就|都)?(?:说过|告诉过你|跟你说过|讲过|提过)[，,]?|如我所说[，,]?|"
    r"(?:你|您)(?:也)?知道的?[，,]?|之前说过[，,]?)(?=.)"
)
_TIME_ALONE = re.compile(r"^(?:自|从|打)?(?:起|开始|以后|之后|之前|前|底|初)?$")
_NEW_PET = re.compile(
    rf"(?:[：:，,]|^)(?P<what>(?:一|两|三)[只条匹头][\u4e00-\u9fff]{{0,3}}?(?P<relation>"
    rf"{'|'.join(sorted(_KEEP.table['relations']['pet'].split(), key=len, reverse=True))}))[，,"
    rf"]?(?:名|取名|名字)?叫(?P<name>[\u4e00-\u9fff]{{1,4}}|[A-Z]\w+)"
)
_WITHOUT = re.compile(
    r"别(?:放|加|带|用)(?P<what>[\u4e00-\u9fff]{1,5})[，,][^。]*(?:我[^，。]*(?:受不了|不吃|"
    r"过敏|讨厌|不爱|不喜欢|拉肚子|吃不了)|[^，。]*我受不了)"
)
_TITLE = re.compile(r"(?:规矩|规定|规范|约定|决定|结论|原则|备忘|消息|情况|定了|是这样)$")
_FRAGMENT = re.compile(
    r"^(?:要[^，。]{1,4}到|叫(?!我)|不叫|不姓|(?:玩|住|待|"
    r"请假)[一二三四五六七八九十两几\d]+[天晚周个]|名叫|取名|名字叫|名字是|起名|因为|由于|"
    r"不用(?!.*了)|不走(?!.*了)|不是|而不是|而非|毕竟|主要是|图的是|大名|小名|跟我|[两一二三四五六七八九十\d]+(?:天|个|"
    r"只|年|周|次|小时|分钟)|[就也]?在[^，。]{1,6}$)"
)
_OLD = re.compile(r"(?:而?不是|而非|不叫|不在|不姓|不用)(?P<old>.{1,12})$")
_CAUSE = re.compile(r"^(?:因为|由于|毕竟|主要是)")
_INSTEAD = re.compile(
    r"^(?:你记错了[，,])?不是(?P<old>[^，。]{1,12})[，,](?:而)?是(?P<new>[^，。]{1,12}?)(?=[，,。]|$)"
)
_DENIES = re.compile(r"^(?:不对|不是|错了|你记错了|你搞错了|你弄错了|那是错的|这不对|那不对|记错了)")
_NEVER = re.compile(r"^我?(?:从来没|从没|没有|没|并没|并不|不是|不)")
_CORRECTS = re.compile(r"改|换|其实|更正|不是|[挪调推延提](?:迟|期|前)?[到成至]|[调转]回|^(?:我)?又")
_MET = re.compile(
    rf"(?:认识|遇到|碰到|来|多|有|请)了?(?:一?[个位名])?(?:[^，。我]{{0,6}}?(?:{RELATION}))(?P<name>[阿小老大][\u4e00-\u9fff]|[A-Z][a-z]+)$"
)
"""Somebody whom the user has met."""
_MENTION = re.compile(rf"(?:(?<=.)我(?:家)?(?:的)?|(?<=[给和跟带陪帮送教])(?=..))(?P<relation>{RELATION})")
_LISTED = re.compile(r"^我[\w]{1,8}(?:和|跟|、)[\w]{1,8}$")
_ASIDE = 5
"""Characters of a clause that 呢 makes a question of; at the end of a longer one it only softens."""
_FROM = re.compile(r"从(?P<old>[^，。]{1,12}?)(?:[改换迁转调挪搬升切跳移]|跳槽|迁移|升级)[移换]?(?:到|成|为|去|用)")
_TOMORROW = re.compile(
    r"^我?明[天早晚儿][^，。]{0,2}(?:要|得)(?!.*(?:手术|面试|考|答辩|婚|飞|搬|出差|入职|复查|体检|演出|比赛|看牙|开庭|签))"
)
"""What is to be done tomorrow, if it is no appointment."""
_BY_THE_WAY = re.compile(r"^用\s*[A-Za-z]")
"""How what is asked for is done."""
_STUCK = _KEEP.pattern("drop", "stuck")
_OVER = _KEEP.pattern("keep", "over")
_ASKS_NOT = re.compile(
    r"十几|[了着过]几[只个条位匹头]|几乎|好几|几个月|几年|几天|没多久|没什么|怎么都|什么都|哪儿都|谁都"
)
_COMMAND = re.compile(
    r"^(?:别|不要|请|帮我|麻烦|你|您|记得提醒|(?:到时候?|届时)?提醒我|推荐|给我|换个|来[个点]|再(?:来|给|写|说|讲|出|换|试|加|帮)|求你?|教|想个|写[个一]|列|算|"
    r"查|翻|做个|出个|选|看看|拜托|存个?档|备个?案|说个?事|报个?备|把(?![^，。]*[了过到成]))"
)
_EDIT = re.compile(
    r"^(?:改成|换成|改得|改为|调成|调[高低亮暗大小]|加上|删掉|去掉|缩短|放大|控制在|压缩|标题|字号)(?!.*了)"
)
"""What is to be done with the text at hand."""
_REPORTED = re.compile(
    r"^(?:听说|据说|网上|有人|论文|新闻|报道|文章|书|说明书|公告|通知|帖子|视频|资料|文档|他们|她们|人家|题目|老师课上|广告|评论)[^，。]{0,6}(?:说|写|讲|称|提到|显示|要求)"
)


class ChineseReader:
    """Reads the entries of a dialogue in order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.subjects = Subjects(scene)
        self.ear = Chinese()
        self.marks = re.compile(
            "|".join(sorted(map(re.escape, phrasebook("zh").words("question", "marks")), key=len, reverse=True))
        )

    def hear_question(self, text: str) -> None:
        """Meets those whom the assistant's question speaks of."""
        for found in re.finditer(rf"[你您](?:家)?(?:的)?(?P<relation>{RELATION})", text):
            self.subjects.meet(found["relation"])

    def read(self, text: str, entry: Entry) -> Iterator[Claim]:
        """The claims of what the user said."""
        denies = corrects = False
        before = ""
        for sentence in sentences(text):
            if before and SO.fullmatch(sentence.text):
                yield _stated(f"我希望助手以后{before}", entry, wish=True)
            before = "" if sentence.asks else sentence.text
            if _DENIES.match(sentence.text):
                denies = corrects = True
            for claim in self._sentence(sentence, entry):
                claim.denied = denies and _NEVER.match(claim.said) is not None and not claim.old
                claim.corrects = claim.corrects or corrects
                yield claim

    def _sentence(self, sentence: Sentence, entry: Entry) -> Iterator[Claim]:
        text = sentence.text
        asked = self._to_remember(text)
        if not asked and self.ear.book.fits(text, "intent", "forget") and not text.startswith(("我忘", "别忘")):
            return
        text = asked or text
        if text.startswith((*self.ear.book.words("inline", "hypothetical"), "想象", "设想")) or _REPORTED.search(text):
            return
        opened, corrects, _ = self.ear._opened(text)
        if not asked and (wished := wish(opened or text, entry)):
            yield wished
        if instead := _INSTEAD.match(text):
            yield Claim(instead["new"], instead["new"], "zh", entry, old=instead["old"], corrects=True, partial=True)
        if pet := _NEW_PET.search(text):
            self.scene.meet(Someone(pet["relation"], pet["name"], pet["relation"]))
            yield _stated(f"我养了{pet['what']}，叫{pet['name']}", entry)
        without = _WITHOUT.search(text)
        held = [_stated(f"我不吃{without['what']}", entry)] if without else []
        self._clauses(text, sentence.asks, entry, held, asked=bool(asked))
        for claim in held:
            claim.corrects = claim.corrects or corrects
            claim.asked = bool(asked)
        if asked and not held:
            held.append(Claim(asked, asked, "zh", entry, asked=True))
        yield from held

    def _to_remember(self, text: str) -> str:
        """What a sentence asks to remember; empty where it asks for nothing of the kind."""
        asked = self.ear.book.fits(text, "intent", "remember")
        what = (asked or {}).get("what", "").strip("，,：: ")
        return what if what and not what.startswith(("我吗", "吗")) and not self._asks(what) else ""

    def _clauses(self, text: str, asks: bool, entry: Entry, held: list[Claim], *, asked: bool) -> None:
        """Adds the claims of the clauses of a sentence to `held`; `asks`: it ends in a question mark."""
        pieces = [piece for piece in _COMMA.split(text) if piece]
        heading = _heading(text, pieces)
        if heading and _TITLE.search(heading):
            pieces = pieces[1:]
        topic: Topic | None = ME
        for place, piece in enumerate(pieces):
            piece = _SAID.sub("", _LINK.sub("", piece.strip()))
            more = place + 1 < len(pieces)
            if piece and more and _TIME_ALONE.match(plain(piece, entry.at.date())):
                pieces[place + 1] = piece + pieces[place + 1]
                continue
            if piece.startswith(self.ear.book.words("inline", "hypothetical")):
                break
            if not piece or (NICKNAME.match(piece) is None and ((asks and not more) or self._asks(piece))):
                continue
            if (_COMMAND.match(piece) or (not held and _EDIT.match(piece))) and not NICKNAME.match(piece):
                topic = None  # what follows without a subject is asked for as well
                continue
            if not asked and (_STUCK.search(piece) or _TOMORROW.match(piece)):
                continue
            if asks and _BY_THE_WAY.match(piece):
                continue
            last = next((one for one in reversed(held) if judge(replace(one))), None)
            if held and last is None and _FRAGMENT.match(piece):
                last = held[-1]
            if last and _FRAGMENT.match(piece) and not re.match(r"不是[^，。]*[，,]?是", piece):
                _add_fragment(last, piece)
                continue
            if place and re.match(r"^我?一?(?:吃|碰|闻|喝)[了就]", piece) and len(pieces[place - 1]) < 6:
                cause = re.sub("不行|免了|算了", "", pieces[place - 1])
                piece = cause + (piece if piece.startswith("我") else f"我{piece}")
            claim, topic = self.subjects.claim(piece, entry, topic)
            if claim is None:
                continue
            claim.heading = heading
            claim.corrects = claim.corrects or bool(_CORRECTS.search(piece))
            if replaced := _FROM.search(piece):
                claim.old = replaced["old"].strip()
            claim.hedged = _KEEP.pattern("hedge", "words").search(piece) is not None
            if last and _belongs(claim, last):
                last.more += f"，{piece}"
                continue
            if held and _leads_to(held[-1], claim):
                claim.more = f"，{held.pop().text}{claim.more}"
            held.append(claim)
            if somebody := _MET.search(piece):
                self.scene.meet(Someone("", somebody["name"], ""))
            for mention in _MENTION.finditer(piece):
                self.subjects.meet(mention["relation"])

    def _asks(self, piece: str) -> bool:
        piece = piece.removesuffix("呢") if len(piece) > _ASIDE else piece
        return self.marks.search(piece) is not None and not _ASKS_NOT.search(piece)


def _stated(text: str, entry: Entry, *, wish: bool = False) -> Claim:
    return Claim(text, text, "zh", entry, wish=wish)


def _heading(text: str, pieces: list[str]) -> str:
    """What stands before a colon as a heading: 规矩：..."""
    headed = len(pieces) > 1 and re.match(r"^.{2,10}[：:]", text) and not re.search(r"[我他她]", pieces[0][1:])
    return pieces[0] if headed else ""


def _add_fragment(last: Claim, piece: str) -> None:
    """Says with a claim what follows it as part of it: its old value, its reason, a name, how long."""
    if last.old == "" and (old := _OLD.match(piece)):
        last.old, last.corrects = old["old"], True
    elif not _CAUSE.match(piece) or re.search(r"用|选|决定", last.said):
        last.text += f"，{piece}"
        last.said = f"{last.said}，{piece}" if re.match(r"叫|名|取|起|大名|小名", piece) else last.said


def _leads_to(before: Claim, claim: Claim) -> bool:
    """Whether a clause that is no fact by itself stands before the fact that it belongs to."""
    own = before.subject == claim.subject and not before.bare
    if own or _OVER.search(before.text) or before.more:
        return False
    led, fact = judge(replace(before)), judge(replace(claim))
    return led is not None and led.by_default and fact is not None and not fact.by_default


def _belongs(claim: Claim, last: Claim) -> bool:
    """Whether a clause only says more of what the one before it tells, and is no fact by itself."""
    if claim.someone != last.someone and claim.someone is not None and not claim.text.endswith("的"):
        return False
    if _OVER.search(claim.text) or _OVER.search(last.text):
        return False
    meaning = judge(replace(claim))
    if meaning is None:
        if claim.bare and _LISTED.match(claim.said):
            return True
        return claim.bare and len(claim.text) < 14 and bool(terms(claim.text).kinds() & terms(last.text).kinds())
    return meaning.by_default or (claim.bare and meaning.attribute == "habit")
