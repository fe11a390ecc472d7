"""Reads Chinese for what is worth keeping: sentence by sentence, and each clause of one by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile

from ..chinese import Chinese
from ..kin import PET, RELATION
from ..sentences import Sentence, sentences
from . import chinese_turn as turn
from .chinese_clauses import Clauses
from .chinese_short import in_full, told_across
from .chinese_subjects import Subjects
from .chinese_wishes import SO, STANDING, wish
from .claim import Claim, Entry, Someone
from .scene import Scene

_NEW_PET = re.compile(
    rf"(?:[：:，,]|^)(?P<what>(?:一|两|三)[只条匹头][\u4e00-\u9fff]{{0,3}}?(?P<relation>{PET}))[，,]?"
    r"(?:名|取名|名字)?叫(?P<name>[\u4e00-\u9fff]{1,4}|[A-Z]\w+)"
)
_WITHOUT = re.compile(
    r"别(?:放|加|带|用)(?P<what>[\u4e00-\u9fff]{1,5})[，,][^。]*(?:我[^，。]*(?:受不了|不吃|"
    r"过敏|讨厌|不爱|不喜欢|拉肚子|吃不了)|[^，。]*我受不了)"
)
_INSTEAD = re.compile(
    r"^(?:[^，。]{0,6}[，,])?不是(?P<old>[^，。]{1,12})[，,](?:而)?是(?P<new>[^，。]{1,12}?)(?=[，,。]|$)"
)
_DENIES = re.compile(
    r"^(?:[哎诶唉呃啊额哦嗯]呀?[，,]?)?(?:不对|不是|错了|你记错了|你搞错了|你弄错了|那是错的|这不对|那不对|记错了)"
)
_NEVER = re.compile(r"^我?(?:从来没|从没|没有|没|并没|并不|不是|不)")


class ChineseReader:
    """Reads the entries of a dialogue in order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.subjects = Subjects(scene)
        self.ear = Chinese()

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
        if turn.supposes(text) or turn.reports(text) or turn.jokes(text):
            return
        opened, corrects, _ = self.ear._opened(text)
        if not asked and (wished := wish(opened or text, entry)):
            yield wished
            if STANDING.match(opened or text):
                pieces = re.split("[，,]", opened or text)[1:]
                text = "，".join(dropwhile(lambda piece: piece in wished.text, pieces))  # the rest it says itself
        if instead := _INSTEAD.match(text):
            old, new = instead["old"], instead["new"]
            if old[-1] in new:  # 不是十五号，是二十五号交房
                new = new[: new.index(old[-1]) + 1]
            yield Claim(new, new, "zh", entry, old=old, corrects=True, partial=True)
        if pet := _NEW_PET.search(text):
            self.scene.meet(Someone(pet["relation"], pet["name"], pet["relation"]))
            yield _stated(f"我养了{pet['what']}，叫{pet['name']}", entry)
        without = _WITHOUT.search(text)
        held = [_stated(f"我不吃{without['what']}", entry)] if without else []
        text = in_full(text, self.scene.asked)
        for claim, (start, end) in list(told_across(text, entry, self.scene)):
            held.append(claim)
            text = f"{text[:start]}{'，' * (end - start)}{text[end:]}"
        held = Clauses(self.subjects, entry, sentence.asks, bool(asked), held).read(text)
        for claim in held:
            claim.corrects = claim.corrects or corrects
            claim.asked = bool(asked)
        if asked and not held:
            held.append(Claim(asked, asked, "zh", entry, asked=True))
        yield from held

    def _to_remember(self, text: str) -> str:
        """What a sentence asks to remember; empty where it asks for nothing of the kind."""
        asked = self.ear.book.fits(text, "intent", "remember")
        what = re.sub("^来[：:，,]", "", (asked or {}).get("what", "").strip("，,：: "))
        return what if what and not what.startswith(("我吗", "吗")) and not turn.asks(what) else ""


def _stated(text: str, entry: Entry, *, wish: bool = False) -> Claim:
    return Claim(text, text, "zh", entry, wish=wish)
