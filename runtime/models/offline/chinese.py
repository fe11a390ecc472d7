"""Hears Chinese: what each sentence does, by the templates of zh.toml."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Literal

from .acts import Act, Asked, Forget, Small, Told, add
from .naming import named, without_why
from .phrasebook import Phrasebook, Statement, phrasebook
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
_FROM_TO = re.compile(r"从([^，,]{1,30}?)((?:改|换|搬|迁移|迁|转|切换|变|跳槽|升级|调|挪)[成到为去回用].+)$")
# Somebody of the user's: "我前夫叫托比".
_NAMED = re.compile(r"我([\u4e00-\u9fff]{2,4}?)(?:叫|是|姓|名叫|今年)")
# A request to help, or a verb said twice ("教教我"), which asks; 妈妈, 刚刚 and the like are no verbs.
_REQUEST = re.compile(
    r"(?:请|麻烦|拜托|求求?)?[你您]?(?:帮(?:个|一?下)?忙|[帮教救陪等](?:一[帮教救陪等]|一?下)?我们?"
    r"|(?![妈爸哥姐弟妹爷奶公婆叔舅姑宝天常刚往偏])(.)\1我们?)[一下吧嘛呀啊呗啦]*"
)
_PUNCTUATION = " ，,、：:。.！!~～—-"


class Chinese:
    """Reads one message, sentence by sentence; what was said before in it matters to the next."""

    def __init__(self) -> None:
        self.book: Phrasebook = phrasebook("zh")
        self.corrects = False
        """A sentence that only announced a correction came before."""

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

    def told(self, text: str) -> Told:
        """What a single clause tells, by the first template that fits it."""
        return self._told(text, False, self._statement(text))

    # ---- small talk and openers

    def _small(self, text: str) -> Small | None:
        plain = re.sub(r"[，,\s]", "", text)
        kind: Literal["greeting", "thanks", "bye", "identity", "everything"]
        for kind in ("greeting", "thanks", "bye", "identity", "everything"):
            if len(plain) <= 60 and self.book.fits(plain, "intent", kind) is not None:
                return Small(kind, "zh")
        return None

    def _opened(self, text: str) -> tuple[str, bool, bool]:
        """`text` without its openers; whether one announced a correction; whether one was "你知道吗"."""
        corrects = informs = False
        while text:
            plain, fix = self._opener(text, "plain"), self._opener(text, "correction")
            length = max(plain, fix)
            if not length:
                break
            corrects = corrects or fix >= plain
            informs = informs or text.startswith("你知道吗")
            text = text[length:].lstrip(_PUNCTUATION)
        return text, corrects, informs

    def _opener(self, text: str, which: str) -> int:
        """How many characters the longest opener takes: one that a mark ends, or that a subject follows."""
        best = 0
        for opener in self.book.words("openers", which):
            if len(opener) > best and text.startswith(opener):
                rest = text[len(opener) :]
                if not rest or rest[0] in _PUNCTUATION or (len(opener) > 1 and rest.startswith(("我", "咱"))):
                    best = len(opener)
        return best

    # ---- remember, forget, ask

    def _remember(self, text: str, corrects: bool) -> list[Act] | None:
        found = self.book.fits(text[:LONGEST], "intent", "remember")
        what = (found or {}).get("what", "").strip(_PUNCTUATION)
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
        what = what.strip(_PUNCTUATION).removesuffix("的")
        if self.book.fits(what, "intent", "forget_all") is not None:
            return Forget(what, "zh", "all")
        if self.book.fits(what, "intent", "forget_last") is not None:
            return Forget(what, "zh", "last")
        return Forget(what, "zh")

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
            asked = asked[end:].lstrip(_PUNCTUATION)
        plain = re.sub(r"[，,\s]", "", asked)
        about = self.book.about(plain) or self.book.about(_cues("previous").sub("", _cues("current").sub("", plain)))
        return Asked(
            asked, "zh", about, _cues("previous").search(asked) is not None, _cues("current").search(asked) is not None
        )

    # ---- statements

    def _tell(self, text: str, corrects: bool, before: Act | None, *, explicit: bool = False) -> list[Act]:
        text = _TAIL.sub("", text).strip(_PUNCTUATION)
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
        held = pieces[0].startswith(_HELD) or _inline("ended").search(pieces[0]) is not None
        for mark, piece in zip(marks, pieces[1:], strict=True):
            if not piece:
                continue
            bare = _LINK.sub("", piece)
            mine = self._mine(clauses[-1])
            own = bare.startswith(self.book.words("chatter", "subjects"))
            goes_on = mine and bare.startswith(self.book.words("chatter", "predicates")) and not bare.startswith(_HELD)
            if not held and not piece.startswith(_HELD) and len(bare) > 2 and len(clauses[-1]) > 2 and (own or goes_on):
                clauses.append(bare if own else f"我{bare}")
            else:
                clauses[-1] += mark + piece
            # What replaces goes with what it replaces: 我不学瑞典语了，改学丹麦语.
            held = held or piece.startswith(_HELD) or _inline("ended").search(clauses[-1]) is not None
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
        return self._told(text, corrects, self._statement(text))

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

    def _statement(self, text: str, *, early: bool = False) -> tuple[Statement, dict[str, str]] | None:
        plain = text[:LONGEST]
        for statement in self.book.statements:
            if early and not statement.early:
                continue
            for pattern in statement.patterns:
                found = pattern.match(plain)
                if found is not None:
                    return statement, found
        return None

    def _told(self, text: str, corrects: bool, fit: tuple[Statement, dict[str, str]] | None) -> Told:
        changes = corrects or _inline("changes").search(text) is not None
        surely = changes or _inline("correction").search(text) is not None
        inline = surely or _inline("replaces").search(text) is not None
        past = _inline("past").search(text) is not None
        ended = _inline("ended").search(text) is not None
        whole, old = text, ""
        replaced = _NOT_OLD.match(text)
        if replaced and replaced[1] not in ("我", "我们", "这"):
            text, old = replaced[1], replaced[2]
        elif moved := _FROM_TO.search(text):
            old = moved[1]
            text = text[: moved.start()] + moved[2] if inline else text
        if fit is None:
            tags = ("about user",) if text.startswith("我") and not text.startswith("我们") else ()
            return Told(
                text,
                "zh",
                keep="archive",
                corrects=(corrects or inline) and not past,
                surely=surely,
                changes=changes,
                ended=ended,
                old=old,
                whole=whole,
                tags=tags,
            )
        statement, fields = fit
        attribute = statement.attribute.format(**{"thing": "", **fields}).strip()
        if statement.rewrite:
            text = whole = statement.rewrite.format(all=text, **fields)
        corrects = (corrects or inline or statement.correction) and not past
        keep = "archive" if past or text.startswith(("我们", "咱们")) else statement.keep
        return Told(
            text,
            "zh",
            attribute,
            fields.get("value", ""),
            single=statement.single and not past,
            keep=keep,
            tags=statement.tags,
            corrects=corrects,
            surely=surely,
            changes=changes,
            ended=ended,
            old=old or fields.get("old", ""),
            whole=whole,
        )


@cache
def _prefixes() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern.source()) for pattern in phrasebook("zh").patterns("question", "prefix"))


@cache
def _inline(which: str) -> re.Pattern[str]:
    return re.compile("|".join(phrasebook("zh").words("inline", which)))


@cache
def _marks() -> re.Pattern[str]:
    words = phrasebook("zh").words("question", "marks")
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


@cache
def _cues(which: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, phrasebook("zh").words("question", which))))
