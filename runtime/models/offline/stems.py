"""Words of a text and their stems: enough English morphology to find "chose" under "choose", and Chinese by character."""

from __future__ import annotations

import re
from functools import cache

_TOKEN = re.compile(r"[^\W_\u3400-\u9fff][^\W\u3400-\u9fff]*(?:[.&'/+#-]+[^\W\u3400-\u9fff]+)*[+#]*|[\u3400-\u9fff]+")
_CJK = re.compile(r"[\u3400-\u9fff]")
_IRREGULAR = """
ate eat|eaten eat|been be|began begin|begun begin|bit bite|bought buy|broke break|broken break|brought bring|built build|
came come|caught catch|children child|chose choose|chosen choose|cut cut|did do|done do|drank drink|drew draw|drove drive|
driven drive|drunk drink|fed feed|feet foot|fell fall|felt feel|flew fly|flown fly|fought fight|found find|forgot forget|
forgotten forget|froze freeze|gave give|given give|gone go|got get|gotten get|grew grow|grown grow|had have|has have|
heard hear|held hold|hid hide|hidden hide|hit hit|hurt hurt|kept keep|knew know|known know|laid lay|led lead|left leave|
lent lend|lost lose|made make|married marry|meant mean|men man|met meet|mice mouse|paid pay|people person|put put|ran run|
rang ring|ridden ride|rode ride|said say|sang sing|sat sit|saw see|seen see|sent send|set set|shot shoot|slept sleep|
sold sell|spent spend|spoke speak|spoken speak|stood stand|stolen steal|stole steal|stuck stick|swam swim|swum swim|
taken take|taught teach|teeth tooth|thought think|threw throw|told tell|took take|understood understand|was be|went go|
were be|woke wake|woken wake|women woman|won win|wore wear|worn wear|wrote write|written write|shut shut|quit quit|
became become|bred breed|cost cost|dealt deal|dug dig|hung hang|kids kid|leapt leap|learnt learn|lit light|
rose rise|risen rise|shook shake|showed show|shown show|slid slide|sought seek|split split|spread spread|swore swear|
tore tear|torn tear|wound wind|bet bet|beat beat|burnt burn|dreamt dream|fled flee|read read|wed wed|spelt spell|let let|
shrank shrink|sank sink|sprang spring|stung sting|struck strike|swept sweep|wept weep|withdrew withdraw|upset upset
"""
IRREGULAR: dict[str, str] = dict(
    (pair.split()[0], pair.split()[1]) for pair in _IRREGULAR.replace("\n", "").split("|") if pair.strip()
)
"""Past forms and odd plurals, and the word that each belongs to."""


def is_cjk(text: str) -> bool:
    """Whether `text` holds a Chinese character."""
    return _CJK.search(text) is not None


def tokens(text: str) -> list[str]:
    """Words and numbers as written, and runs of Chinese characters; a possessive 's is dropped."""
    found = (match.group() for match in _TOKEN.finditer(text.replace("’", "'")))
    return [token[:-2] if token.lower().endswith("'s") else token for token in found]


@cache
def stem(word: str) -> str:
    """What inflected forms of an English word have in common. It is compared, never shown."""
    word = word.lower()
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    word = IRREGULAR.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ed") and len(word) > 4 and not word.endswith("eed"):
        word = word[:-2]
    elif word.endswith("ing") and len(word) > 5:
        word = word[:-3]
    elif word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return word
