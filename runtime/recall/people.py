"""Of whom words speak: people by what they are to the user ("my sister Ana"), and names."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..archive.stopwords import STOPWORDS


def words_of(text: str) -> frozenset[str]:
    """The words that `text` lists."""
    return frozenset(text.split())


SHE = words_of(
    "sister mother mom mum mama wife daughter girlfriend aunt grandmother grandma granny niece fiancee stepmother "
    "stepsister landlady 姐姐 妹妹 妈妈 母亲 妻子 老婆 女儿 女朋友 奶奶 外婆 姑姑 阿姨 姨妈 嫂子 婆婆 岳母"
)
HE = words_of(
    "brother father dad papa husband son boyfriend uncle grandfather grandpa nephew fiance stepfather stepbrother "
    "哥哥 弟弟 爸爸 父亲 丈夫 老公 儿子 男朋友 爷爷 外公 叔叔 舅舅 姐夫 岳父 公公"
)
_EITHER = words_of(
    "partner friend boss manager colleague coworker cousin child kid parent neighbour neighbor landlord roommate "
    "flatmate teacher doctor dentist therapist lawyer coach mentor client assistant spouse twin dog cat puppy kitten "
    "parrot horse rabbit 朋友 同事 老板 经理 医生 老师 邻居 房东 室友 同学 教练 客户 "
    "表弟 表哥 表姐 表妹 孩子 狗 猫"
)
_ALL = SHE | HE | _EITHER
_ENGLISH = "|".join(sorted((word for word in _ALL if word.isascii()), key=len, reverse=True))
_CHINESE = "|".join(sorted((word for word in _ALL if not word.isascii()), key=len, reverse=True))

_WORD = r"[A-Z]\w*(?:['’-][A-Z]\w+)*"
_NAME = rf"{_WORD}(?: {_WORD}){{0,2}}"
_PERSON = re.compile(
    rf"\b(?i:(?P<who>{_ENGLISH}))s?(?:,? (?i:is called |is named |named |called )?(?P<name>{_NAME}))?\b"
)
_PERSON_ZH = re.compile(rf"(?P<who>{_CHINESE})(?:叫(?P<name>[\u4e00-\u9fff]{{1,3}}|[A-Z]\w+)|(?P<latin>[A-Z]\w+))?")
_CAPITAL = re.compile(_NAME)
_NO_NAMES = words_of(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december english chinese yes no ok okay sure noted hello hi hey thanks thank please "
    "sorry today tomorrow yesterday remember forget tell actually maybe also everything nothing let got done great "
    "good well and but"
)
MOST = 3


def people(text: str, unlike: Collection[str] = ()) -> list[str]:
    """People as `text` names them, each with the name that stands beside it, but for those who are of `unlike`."""
    out: dict[str, None] = {}
    for found in [*_PERSON.finditer(text), *_PERSON_ZH.finditer(text)]:
        who = found["who"].lower()
        name = found["name"] or found.groupdict().get("latin") or ""
        if who not in unlike:
            out[f"{who} {name}".strip()] = None
    return list(out)[:MOST]


def names(text: str) -> list[str]:
    """The names in `text`: capitalised words. The first word of a sentence is one where no other word looks like it."""
    out: dict[str, None] = {}
    for found in _CAPITAL.finditer(text):
        words = found[0].split()
        begins = not text[: found.start()].strip() or text[: found.start()].rstrip()[-1] in '.!?。！？:\n"“-'
        # "Did Bob ..." begins a sentence with a word that is no name.
        while words and (_plain(words[0]) in STOPWORDS or _plain(words[0]) in _NO_NAMES):
            words.pop(0)
            begins = False
        if words and (not begins or not _is_word(words[0])):
            out[" ".join(words)] = None
    return list(out)[:MOST]


def _plain(word: str) -> str:
    return word.lower().replace("'", "").replace("’", "")


def _is_word(word: str) -> bool:
    """Whether a capitalised word that begins a sentence is likely no name: it has an ending that words have."""
    return re.search(r"(?:ing|ed|ly|s|tion|ment|ness|er)$", word) is not None or len(word) < 2
