"""The clauses of a Chinese sentence, one by one: which are claims, and which belong to the one before or after them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ..kin import RELATION
from ..words import terms
from . import chinese_turn as turn
from .chinese_lasting import durable, weighty
from .chinese_names import MET
from .chinese_plain import plain
from .chinese_subjects import ME, Subjects, Topic
from .chinese_wishes import NICKNAME
from .claim import USER, Claim, Entry, Someone
from .judging import Meaning, judge
from .keeping import keeping

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
_TAKEN = re.compile(
    r"^(?:我们?|咱们?)?把(?=[^，。]{1,10}?(?:从[^，。]+?)?[换改迁挪搬调移](?:成|到|为|去)[^，。]*)(?=.*[了从])"
)
"""What makes an object of what is changed: 把会议室换成了."""
_TIME_ALONE = re.compile(r"^(?:自|从|打)?(?:起|开始|以后|之后|之前|前|底|初)?$")
_TITLE = re.compile(r"(?:规矩|规定|规范|约定|决定|结论|原则|备忘|消息|情况|定了|是这样)$")
_FRAGMENT = re.compile(
    r"^(?:要[^，。]{1,4}到|叫(?!我)|不叫|不姓|(?:玩|住|待|"
    r"请假)[一二三四五六七八九十两几\d]+[天晚周个]|名叫|取名|名字叫|名字是|起名|因为|由于|"
    r"[^，。]{0,4}[入辞离结毕领]的[职婚业证]$|[念读][a-zà-ɏ\u4e00-\u9fff]{1,6}不[念读]|不用(?!.*了)|不走(?!.*了)|不是|而不是|而非|毕竟|主要是|图的是|大名|小名|跟我|[两一二三四五六七八九十\d]+(?:天|个|"
    r"只|年|周|次|小时|分钟)|[就也]?在[^，。]{1,6}$)"
)
_OLD = re.compile(r"(?:而?不是|而非|不叫|不在|不姓|不用)(?P<old>.{1,12})$")
_CAUSE = re.compile(r"^(?:因为|由于|毕竟|主要是)")
_CORRECTS = re.compile(r"改|换|其实|更正|不是|[挪调推延提](?:迟|期|前)?[到成至]|[调转]回|^(?:我)?又")
_FROM = re.compile(
    r"从(?P<old>[^，。]{1,12}?)(?:[改换迁转调挪搬升切跳移]|跳槽|迁移|升级)[移换]?(?:到|成|为|去|用|转)|从(?P<was>[^，。]{1,8})转(?=[^身头眼])"
)
_MENTION = re.compile(rf"(?:(?<=.)我(?:家)?(?:的)?|我说的|(?<=[给和跟带陪帮送教])(?=..))(?P<relation>{RELATION})")
_MORE = 12
"""Characters of a clause that says a little more of a thing."""
_GATHERED = frozenset(("health", "plan", "event"))
"""Of these, what follows without a subject is of the same: 要做手术，得住院五天."""
_THAT = re.compile("^[那这][套台辆只个份条间家把张](?=..)")
_LISTED = re.compile(r"^我[\w]{1,8}(?:和|跟|、)[\w]{1,8}$")
_OVER = _KEEP.pattern("keep", "over")
_EATEN = re.compile(r"^我?一?(?:吃|碰|闻|喝)[了就]")
"""What happens by something that the clause before it names: 芒果，一吃就肿."""

_TODAY = re.compile("今天|今晚|今早|今儿|中午|刚才")
_CONSUMED = re.compile("(?:就|都|又)?(?:吃|喝|看|玩|逛|点)(?!素|斋)")
"""What is done today, where the clause before says the day: 今天聚餐，吃烤鱼."""


@dataclass(slots=True)
class Clauses:
    """Reads the clauses of one sentence."""

    subjects: Subjects
    entry: Entry
    asks: bool
    """The sentence ends in a question mark."""
    asked: bool
    """The user asked for it to be remembered."""
    held: list[Claim] = field(default_factory=list)
    topic: Topic | None = ME
    passes: bool = False
    """Something of the sentence passes."""

    def read(self, text: str) -> list[Claim]:
        """The claims of a sentence."""
        if self.asked:  # 我姐的电话：158... tells what the number is
            text = re.sub(r"^([^，。：:]{2,10}(?<![是在到]))[：:]\s*(?=[\w@])", _equals, text)
        pieces = [piece for piece in _COMMA.split(text) if piece]
        heading = _heading(text, pieces)
        if heading and _TITLE.search(heading):
            pieces = pieces[1:]
        self.passes = self.asks
        for place, piece in enumerate(pieces):
            before, more = (pieces[place - 1] if place else ""), place + 1 < len(pieces)
            piece = _THAT.sub("", piece) if _OVER.search(piece) else piece
            piece = _SAID.sub("", _LINK.sub("", _TAKEN.sub("", piece).strip()))
            for mention in _MENTION.finditer(piece):
                self.subjects.meet(mention["relation"])
            if piece and more and _TIME_ALONE.match(plain(piece, self.entry.at.date())):
                pieces[place + 1] = piece + pieces[place + 1]
            elif turn.supposes(piece):
                break
            elif (
                len(piece) > 1
                and not self._of_this_turn(piece, last=not more)
                and (claim := self._claim(piece, before))
            ):
                claim.heading = heading
        if self.passes and not self.asked:
            # What is said in one breath with what passes, and is known by nothing to last, passes too.
            return [claim for claim in self.held if not _idle(claim)]
        return self.held

    def _of_this_turn(self, piece: str, *, last: bool) -> bool:
        """Whether a clause asks, requests or passes, and so claims nothing."""
        if NICKNAME.match(piece):
            return False
        if (self.asks and last) or turn.asks(piece):
            return True
        if turn.requests(piece, first=not self.held, asking=self.asks):
            self.topic, self.passes = None, True  # what follows without a subject is asked for as well
            return True
        if self.topic is None and re.match("说(?=我|他|她|家|孩)", piece):
            return True  # what the text that was asked for is to say
        remarked = turn.remarks(piece) and (self.held or not self.asked)
        if remarked or (not self.asked and turn.passes(piece)):
            self.passes = True
            return True
        return False

    def _claim(self, piece: str, before: str) -> Claim | None:
        """Holds the claim of a clause, or says it with the claim that it belongs to."""
        last = next((one for one in reversed(self.held) if judge(replace(one))), None)
        if _FRAGMENT.match(piece) and self.held and not re.match(r"不是[^，。]*[，,]?是", piece):
            _add_fragment(last or self.held[-1], piece)
            return None
        if before and _EATEN.match(piece) and len(before) < _NAMES:
            cause = re.sub("不行|免了|算了", "", before)
            piece = cause + (piece if piece.startswith("我") else f"我{piece}")
        if _TODAY.search(before) and _CONSUMED.match(piece):
            return None
        claim, self.topic = self.subjects.claim(piece, self.entry, self.topic)
        if claim is None:
            return None
        claim.corrects = claim.corrects or bool(_CORRECTS.search(piece))
        if replaced := _FROM.search(piece):
            claim.old = (replaced["old"] or replaced["was"]).strip()
        claim.hedged = _KEEP.pattern("hedge", "words").search(piece) is not None
        meaning = judge(replace(claim))
        if last and _belongs(claim, meaning, last):
            last.more += f"，{piece}"
            return None
        self.passes = self.passes or (meaning is None and not _OVER.search(piece))
        if self.held and _leads_to(self.held[-1], claim, meaning):
            claim.more = f"，{self.held.pop().text}{claim.more}"
        self.held.append(claim)
        if somebody := MET.search(piece):
            self.subjects.scene.meet(Someone("", somebody["name"], ""))
        return claim


_NAMES = 6
"""Characters of a clause that only names something."""


def _equals(found: re.Match[str]) -> str:
    return found[0] if _TITLE.search(found[1]) else f"{found[1]}是"


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


def _belongs(claim: Claim, meaning: Meaning | None, last: Claim) -> bool:
    """Whether a clause only says more of what the one before it tells, and is no fact by itself."""
    if claim.someone != last.someone and claim.someone is not None and not claim.text.endswith("的"):
        return False
    if _OVER.search(claim.text) or _OVER.search(last.text):
        return False
    if meaning is None:
        if _KEEP.pattern("keep", "negative").search(claim.said) and claim.subject == USER:
            return False
        of_same = claim.subject == last.subject != USER and len(claim.text) < _MORE
        if claim.bare and re.fullmatch(".{2,8}的", claim.text):
            return True
        if claim.bare and (_LISTED.match(claim.said) or (of_same and re.match("我(?:没有?|有|带|不)", claim.said))):
            return True
        return claim.bare and len(claim.text) <= _MORE and bool(terms(claim.text).kinds() & terms(last.text).kinds())
    told = judge(replace(last))
    again = claim.bare and told is not None and meaning.attribute == told.attribute in _GATHERED
    return meaning.by_default or again or (claim.bare and meaning.attribute == "habit")


def _leads_to(before: Claim, claim: Claim, meaning: Meaning | None) -> bool:
    """Whether a clause that is no fact by itself stands before the fact that it belongs to."""
    own = before.subject == claim.subject and not before.bare
    if own or before.more or _OVER.search(before.text) or meaning is None or meaning.by_default:
        return False
    led = judge(replace(before))
    return led is not None and led.by_default


def _idle(claim: Claim) -> bool:
    """Whether nothing says of a clause without a subject what it tells, or that it lasts."""
    meaning = judge(replace(claim))
    if not claim.bare or meaning is None or not meaning.by_default or _OVER.search(claim.text):
        return False
    return not (weighty(claim) or durable(claim, _KEEP))
