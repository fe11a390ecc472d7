"""Whether a text that is proposed as a memory is an instruction to the assistant: by how its sentences begin.

A memory says what is so, in the third person. What begins with a noun phrase ("The user wants answers in French.")
always passes, whatever follows; so does what is merely no whole sentence ("Likes tea."). Turned away is what tells the
assistant what to do, since it may come from a text that the user pasted, and would be shown again and again.
"""

from __future__ import annotations

import re
from typing import Literal

Instruction = Literal["override", "order"]
"""An override would have the assistant drop its instructions; an order tells it how to behave."""

_SENTENCES = re.compile(r"(?<=[.!?。！？])[\"'”’」』)）]*\s*|\n+")
_OPENING = re.compile(r"^[\s\"'“‘「『(（\[*#>\-]+")

_POLITE = r"(?:(?:please|kindly|now|important|system|note|assistant|attention)\b[,:;.!]*\s*)*"
_OVERRIDE = re.compile(
    rf"{_POLITE}(?:ignore|disregard|forget|override|bypass|discard)\s+(?:\w+\s+){{0,4}}?"
    r"(?:previous|prior|above|earlier|preceding|former|system|safety|original|your)\s+(?:\w+\s+){0,2}?"
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|constraints?)\b",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(
    rf"{_POLITE}(?:from now on,?\s+)?you\s+(?:must|should|shall|ought to|need to|have to|are to|are now|are not to|"
    r"may not|may only|can only|can't|cannot|will now|will always|will never|always|never|do not|don't)\b",
    re.IGNORECASE,
)
# Verbs that have the assistant as their subject; none of them is also a participle ("Never been to Japan.").
_ACT = (
    r"(?:reply|respond|answer|say|tell|speak|write|print|output|mention|reveal|disclose|ask|use|call|address|greet|act|"
    r"behave|pretend|be|include|begin|start|end|add|avoid|keep|give|show|send|execute|follow|obey|ignore|treat|assume|"
    r"remember|forget|refuse|comply|translate|summari[sz]e|format|sign|apologi[sz]e|provide|explain|recommend|suggest|"
    r"check|confirm|make|do|stop|repeat|cite|quote|refer|praise|favou?r|promote|advertise|prefer|support|defend|insult|"
    r"critici[sz]e|deny|lie|hide|agree|disagree|trust|believe|accept|reject|allow|offer|sell|buy|pay|transfer|"
    r"forward|link|click|visit|open|close|save|store|delete|remove|replace|search|browse|download|install|upload|post|"
    r"share|warn|remind|thank|acknowledge|consult|list|sort|number|capitali[sz]e|abbreviate|shorten|verify|"
    r"wait|help|compliment|flatter|encourage|discourage|interrupt|correct|change|convert|round|convince|persuade)"
)
_EMPHATIC = re.compile(
    r"(?:(?:important|system|note|assistant|attention)\b[,:;.!]*\s*)*"
    r"(?:please|kindly|always|never|do not|don't|from now on,?|be sure to|make sure to|make sure that you|remember to|"
    rf"in future,?|in the future,?)(?:\s+(?:please|always|never|do not|don't|only))*\s+{_ACT}\b(?!-)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?:(?:important|system|note|assistant|attention)\b[,:;.!]+\s*)*(?:"
    r"(?:reply|respond|answer)\s+(?:only|always|in|with|as|briefly|shortly|me|him|her|them|the user|every|all|"
    r"to (?:me|the user|every|all|any))\b|"
    r"speak\s+(?:only|in|to the user|to me|like)\b|pretend\s+(?:to be|that|you)\b|"
    r"(?:act|behave)\s+(?:as|like)\b|obey\b|comply with\b|refrain from\b|"
    r"(?:tell|remind|ask|warn|call|address|greet|show|give)\s+(?:the user|me)\b|"
    r"(?:stop|avoid)\s+(?:saying|using|asking|mentioning|calling|repeating|telling|writing)\b|"
    r"(?:output|print|say)\s+(?:only|nothing)\b)",
    re.IGNORECASE,
)

# 请假, 别墅 and the like begin nouns.
_POLITE_ZH = r"(?:请(?![假求客柬帖])|务必|现在|重要[：:，,]|系统[：:，,]|注意[：:，,])*"
_OVERRIDE_ZH = re.compile(
    rf"{_POLITE_ZH}(?:你|您)?(?:必须|要|应该)?(?:忽略|无视|忘记|忘掉|不要理会|不用理会|别理会|抛开|绕过)(?!了|过)"
    r"[^。！？，,]{0,8}(?:之前|以前|以上|上面|上述|先前|前面|此前|所有|一切|任何|系统|原来)[^。！？，,]{0,8}"
    r"(?:指令|指示|提示词?|规则|设定|命令|要求|限制)"
)
_SECOND_PERSON_ZH = re.compile(
    rf"{_POLITE_ZH}(?:从现在(?:起|开始)|以后|今后)?[，,]?(?:你|您)"
    r"(?:必须|应该|应当|要|得|不得|不能|不可以|不要|不许|只能|务必|一定要|需要|永远|总是|始终|现在是)"
)
_ADDRESS_ZH = (
    r"(?:[用以](?!户)[^，。,]{1,12}|对(?:用户|我)[^，。,]{0,4}|向(?:用户|我)|[把将][^，。,]{1,10}|"
    r"在[^，。,]{1,10}|都|再|只){0,3}"
)
_ACT_ZH = (
    r"(?:回答|称呼|透露|泄露|提及|提到|扮演|假装|输出|告诉(?:用户|我)|"
    r"(?:回复|回应|答复)(?=$|[。！!，,]|我|用户|所有|每|任何|时))"
)
_EMPHATIC_ZH = re.compile(
    r"(?:(?:请(?![假求客柬帖])|务必|必须|一定要|永远|始终|总是|从现在(?:起|开始)|从今(?:以后|往后)|以后|今后|不要|不许|不得|"
    r"禁止|切勿|绝不要|别(?![墅人的处名家克针扭]))[，,]?(?:你|您)?(?:要|都|再)*)+"
    rf"{_ADDRESS_ZH}{_ACT_ZH}"
)
_PLAIN_ZH = re.compile(
    r"[用以](?!户)[^，。,的]{1,10}(?:回答|回复|答复)(?:我|用户)?(?:的)?(?:所有|一切)?(?:问题)?[。！!.]?\s*$"
)


def instruction(text: str) -> Instruction | None:
    """What `text` would have the assistant do, by how its sentences begin; None where it is no instruction.

    An override is looked for in all of its sentences, an order in the first, which says what kind of text it is.
    """
    sentences = [_OPENING.sub("", one) for one in _SENTENCES.split(text)]
    sentences = [one for one in sentences if one]
    if any(_OVERRIDE.match(one) or _OVERRIDE_ZH.match(one) for one in sentences):
        return "override"
    orders = (_SECOND_PERSON, _EMPHATIC, _PLAIN, _SECOND_PERSON_ZH, _EMPHATIC_ZH, _PLAIN_ZH)
    return "order" if sentences and any(order.match(sentences[0]) for order in orders) else None
