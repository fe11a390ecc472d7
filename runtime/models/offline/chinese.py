"""Hears Chinese: what each sentence does, by the templates of zh.toml."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from .acts import Act, Asked, Forget, Small, Told, add
from .ear import Ear, listed
from .naming import named, without_why
from .phrasebook import phrasebook
from .sentences import LONGEST, Sentence

_COMMA = re.compile(r"\s*[，,；;]\s*")
_HELD = (
    "因为",
    "由于",
    "所以",
    "为了",
    "因此",
    "是因为",
    "原因",
    "理由",
    "而是",
    "不是",
    "而不是",
    "否则",
    "这样",
    "才",
    "主要是",
    "图的是",
    "毕竟",
    "以便",
    "现在是",
    "现在改",
    "现在换",
    "改成",
    "改为",
    "变成",
    "换成",
)
_LINK = re.compile(r"^(?:而且|并且|还有|另外|同时|然后|但是|不过|可是|但|也|还|且|和)(?=.)")
_TAIL = re.compile(r"[，,]?(?:好吗|好不好|可以吗|行吗|知道吗|好么|哦|啊|呀|呢|啦|嘛|哈|哟)$")
_NOT_OLD = re.compile(r"^(.{2,}?)[，,]?(?:而不是|而非|不是|不再是|不再用|而不再是)([^，,]{1,40})$")
# Somebody of the user's: "我前夫叫托比".
_NAMED = re.compile(r"我([\u4e00-\u9fff]{2,4}?)(?:叫|是|姓|名叫|今年)")
# Somebody or something new, of whom what follows without a subject is said: "我养了一只狗，叫旺财".
_NEW = re.compile(
    r"(?:有|养|领养|收养|捡|买|生|认识|交|新来|来|添|娶|请|收|雇|招)(?:了|着|过|到|的)?(?:[一两二三四五六七八九十几\d]+)?"
    r"(?:[只个条位匹名头口对]|辆|台|套|部|家|间)(?![^，。]*(?:问题|想法|建议|习惯|爱好))[^。]+$"
)
_OF_ONE = (
    "今年", "住", "在", "是", "属", "姓", "来自", "出生", "生于", "毕业", "读", "学", "已婚", "未婚", "单身",
    "很", "最", "特别", "非常", "才", "刚", "身高", "体重", "对", "怕", "害怕", "老家", "从事", "做", "当", "患",
    "得了", "会", "擅长",
)  # fmt: skip
"""What a clause begins with that tells of whom was introduced, and would be another home or age of the user's."""
# And what it is called, which the user is not called by the same breath.
_CALLED = re.compile(r"(?:它|他|她)?(?:的)?(?:名字|小名|大名|名)?(?:就)?(?:叫|名叫|取名|起名|是叫)")
# A request to help, or a verb said twice ("教教我"), which asks; 妈妈, 刚刚 and the like are no verbs.
_REQUEST = re.compile(
    r"(?:请|麻烦|拜托|求求?)?[你您]?(?:帮(?:个|一?下)?忙|[帮教救陪等](?:一[帮教救陪等]|一?下)?我们?"
    r"|(?![妈爸哥姐弟妹爷奶公婆叔舅姑宝天常刚往偏])(.)\1我们?)[一下吧嘛呀啊呗啦]*"
)


class Chinese(Ear):
    """Reads a message in Chinese."""

    language = "zh"
    longest_small = 60
    marks = " ，,、：:。.！!~～—-"
    informing = "你知道吗"
    from_to = re.compile(r"从([^，,]{1,30}?)((?:改|换|搬|迁移|迁|转|切换|变|跳槽|升级|调|挪)[成到为去回用].+)$")

    def hear(self, sentence: Sentence, before: Act | None) -> list[Act]:
        """What `sentence` does; `before` is what the one before it in the message did."""
        text = sentence.text
        small = self._small(text)
        if small:
            return [small]
        remembered = self._remember(text, self.corrects)
        text, corrects, informs = self._opened(text)
        corrects, self.corrects = corrects or self.corrects, False
        if not text:
            self.corrects = corrects
            return [] if corrects else [Small("heard", "zh")]
        small = self._small(text)
        if small and not corrects:
            return [small]
        remembered = remembered or self._remember(text, corrects)
        if remembered and not (sentence.asks and self._marked(text)):
            return remembered
        forget = self._forget(text)
        if forget:
            return [forget]
        early = self._statement(text, early=True)
        if early and not self._marked(text):
            return [self._told(text, corrects, early)]
        asks = sentence.asks and not informs
        if asks or self._asks(text):
            return [self._question(text)]
        return self._tell(text, corrects, before)

    # ---- small talk and openers

    def _without_gaps(self, text: str) -> str:
        return re.sub(r"[，,\s]", "", text)

    def _opener(self, text: str, which: str) -> int:
        # A mark ends it, or a subject follows.
        best = 0
        for opener in self.book.words("openers", which):
            if len(opener) > best and text.startswith(opener):
                rest = text[len(opener) :]
                if not rest or rest[0] in self.marks or (len(opener) > 1 and rest.startswith(("我", "咱"))):
                    best = len(opener)
        return best

    # ---- remember, forget, ask

    def _remember(self, text: str, corrects: bool) -> list[Act] | None:
        found = self.book.fits(text[:LONGEST], "intent", "remember")
        what = (found or {}).get("what", "").strip(self.marks)
        if not what or what in ("我", "吗") or self._marked(what.removesuffix("吗")) or what.endswith(("吗", "么")):
            return None
        return self._tell(what + text[LONGEST:], corrects, None, explicit=True) or None

    def _forget(self, text: str) -> Forget | None:
        if text.startswith(("我忘", "别忘", "不要忘", "我不记得", "我总忘")):
            return None
        found = self.book.fits(text[:LONGEST], "intent", "forget")
        found = found or self.book.fits(without_why(text[:LONGEST]), "intent", "forget")
        if found is None:
            return None
        what = named(found["what"])
        for _ in range(3):
            for pattern in self.book.patterns("intent", "forget_tail"):
                what = re.sub(rf"{pattern.source()}$", "", what) or what
        what = what.strip(self.marks).removesuffix("的")
        return self._to_forget(what)

    def _marked(self, text: str) -> bool:
        """Whether a question's word stands in `text`."""
        return _marks().search(text) is not None

    def _asks(self, text: str) -> bool:
        return self._marked(text) or (len(text) < 30 and self.book.about(text) != "")

    def _question(self, text: str) -> Asked:
        asked = re.sub(r"^[，,\s]+", "", text)
        while True:
            end = max((m.end() for p in _prefixes() if (m := p.match(asked))), default=0)
            if not end or len(asked) - end < 2:
                break
            asked = asked[end:].lstrip(self.marks)
        plain = re.sub(r"[，,\s]", "", asked)
        previous, current = listed("zh", "question", "previous"), listed("zh", "question", "current")
        about = self.book.about(plain) or self.book.about(previous.sub("", current.sub("", plain)))
        return Asked(asked, "zh", about, previous.search(asked) is not None, current.search(asked) is not None)

    # ---- statements

    def _tell(self, text: str, corrects: bool, before: Act | None, *, explicit: bool = False) -> list[Act]:
        text = _TAIL.sub("", text).strip(self.marks)
        if not text:
            return [Small("heard", "zh")]
        if not explicit:
            if text.startswith(self.book.words("inline", "hypothetical")):
                return [Small("confused", "zh")]
            if self.book.fits(text, "chatter", "says") is not None:
                return [Small("heard", "zh")]
        acts: list[Act] = []
        for clause in self._clauses(text):
            act = self._one(clause, corrects, acts[-1] if acts else before, explicit or bool(acts))
            if act:
                add(acts, act)
        return acts

    def _clauses(self, text: str) -> list[str]:
        """The clauses that stand on their own; one without a subject takes the user's, if the one before had it."""
        if len(text) > LONGEST:
            return [text]
        pieces = _COMMA.split(text)
        marks = _COMMA.findall(text)
        clauses = [pieces[0]]
        held = pieces[0].startswith(_HELD) or self._inline("ended").search(pieces[0]) is not None
        for mark, piece in zip(marks, pieces[1:], strict=True):
            if not piece:
                continue
            bare = _LINK.sub("", piece)
            mine = self._mine(clauses[-1])
            own = bare.startswith(self.book.words("chatter", "subjects"))
            goes_on = mine and bare.startswith(self.book.words("chatter", "predicates")) and not bare.startswith(_HELD)
            # Of whom it goes on: 我养了一只狗，叫旺财 does not name the user.
            goes_on = goes_on and not _of_the_new(clauses[-1], bare)
            if not held and not piece.startswith(_HELD) and len(bare) > 2 and len(clauses[-1]) > 2 and (own or goes_on):
                clauses.append(bare if own else f"我{bare}")
            else:
                clauses[-1] += mark + piece
            # What replaces goes with what it replaces: 我不学瑞典语了，改学丹麦语.
            held = held or piece.startswith(_HELD) or self._inline("ended").search(clauses[-1]) is not None
        return clauses

    def _mine(self, clause: str) -> bool:
        """Whether the clause is about the user, not about somebody of the user's."""
        if re.match(
            r"(?:我们|咱们|我的|我家|我(?:妈|爸|姐|妹|哥|弟|老|爷|奶|儿|女|妻|丈|同|朋|外|男|太|先生|媳|孩|表|堂|婆|公公|岳))",
            clause,
        ):
            return False
        named = _NAMED.match(clause)
        if named and not named[1].startswith(self.book.words("chatter", "predicates")):
            return False
        return clause.startswith(("我", "咱", "本人", "俺", *self.book.words("chatter", "predicates")))

    def _one(self, text: str, corrects: bool, before: Act | None, explicit: bool) -> Act | None:
        text = re.sub(r"^(?:但是|不过|可是|但|而且|另外|所以)(?=我|咱|现在)", "", text)
        partial = self._partial(text, corrects)
        if partial:
            return partial
        if text.startswith(self.book.words("chatter", "pronouns")) and not explicit:
            if isinstance(before, Told):
                return replace(before, text=f"{before.text}。{text}", whole="")
            return Small("confused", "zh")
        if isinstance(before, Told) and _of_the_new(before.text, text):
            return replace(before, text=f"{before.text}，{text}", whole="")
        if not explicit:
            if _REQUEST.fullmatch(text):
                return Small("confused", "zh")
            if text.startswith(self.book.words("chatter", "commands")) and "的话" not in text:
                return Small("confused", "zh")
            if text.startswith(("你", "您")) and "叫我" not in text and "称呼我" not in text:
                return Small("heard", "zh")
        if (
            not re.search(r"我|咱|本人|俺", text)
            and text.startswith(self.book.words("chatter", "predicates"))
            and self._statement("我" + text)
        ):
            text = "我" + text
        if len(text) < 3 and not explicit:
            return Small("confused", "zh")
        return self._clause(text, corrects)

    def _partial(self, text: str, corrects: bool) -> Told | None:
        """A correction that names only the new value."""
        if len(text) > 40 or text.startswith(("我们", "咱", "我的", "我对", "我在", "我叫", "我住", "我喜欢", "我养")):
            return None
        found = self.book.fits(text, "ellipsis", "says")
        if found and (corrects or "old" in found) and not re.match(r"我|咱", found["new"]):
            return Told(found["new"], "zh", corrects=True, old=found.get("old", ""), partial=True)
        if (
            corrects
            and len(text) <= 6
            and not text.startswith(("我", "咱"))
            and not text.startswith(self.book.words("chatter", "predicates"))
        ):
            return Told(text, "zh", corrects=True, partial=True)
        return None

    def _replaced(self, text: str) -> tuple[str, str] | None:
        found = _NOT_OLD.match(text)
        return (found[1], found[2]) if found and found[1] not in ("我", "我们", "这") else None

    def _of_user(self, text: str) -> bool:
        return text.startswith("我") and not text.startswith("我们")

    def _set_aside(self, text: str) -> bool:
        return text.startswith(("我们", "咱们"))


def _of_the_new(clause: str, following: str) -> bool:
    """Whether what follows is said of whom a clause introduced, or names somebody whom it speaks of."""
    if following.startswith(phrasebook("zh").words("chatter", "subjects")):
        return False
    if _CALLED.match(following):
        return re.match(r"(?:我|咱|本人|俺)?(?:是|今年|来自|姓|住|在|做|从事|毕业|从)(?!.*[只条])", clause) is None
    return _NEW.search(clause) is not None and following.startswith(_OF_ONE)


@cache
def _prefixes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern.source()) for pattern in phrasebook("zh").patterns("question", "prefix"))


@cache
def _marks() -> re.Pattern[str]:
    words = phrasebook("zh").words("question", "marks")
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))
