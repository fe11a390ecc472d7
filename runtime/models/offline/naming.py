"""What a request to forget names, without what is said around it: why it should go, and that it was told."""

from __future__ import annotations

import re

_ALL_OF_IT = r"(?<!what )(?<!thing )(?<!all )(?<!one )"
"""Not behind these: "everything I told you" names what it is about by that."""
_AROUND = re.compile(
    rf"[,;.]? *{_ALL_OF_IT}\b(?:(?:that|which) )?{_ALL_OF_IT}I(?: have| had)? (?:told|mentioned|said|gave|showed) "
    r"(?:to )?you(?: about| of)?(?: (?:before|earlier|yesterday|today|just now|the other day))?(?=[,;.]|$)|"
    r"(?:,? \b(?:again|please|will you|would you|ok|okay|thanks|thank you))+(?=[,;.]|$)",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"[,;.]+ *(?:please,? )?(?:because|since|it|he|she|they|that|this|I|we|you|no|not|bad|sorry|my mistake|too|never|"
    r"better|nobody|somebody|someone)\b.*$|"
    r" because\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_AROUND_ZH = re.compile(
    r"^(?:我)?(?:刚才|刚刚|之前|以前|昨天|今天)?(?:跟你|对你|和你|给你|告诉)?(?:你)?(?:说|讲|提|告诉)(?:过|到)?(?:你)?(?:的|关于)+"
)
_ALL_OF_ZH = re.compile(r"(?<=[^我])的(?:一切|全部|所有(?:事情?|信息|内容)?)$")
_WHY_ZH = re.compile(
    r"[，,。；]+(?:因为|不该|不应该|我不|他|她|它|这|那|算了|谢谢|拜托|麻烦|好吗|不好意思|对不起|别人|免得|省得|怕).*$",
    re.DOTALL,
)


def named(what: str) -> str:
    """What is named by the words `what` of a request to forget."""
    short = _WHY_ZH.sub("", _WHY.sub("", what))
    short = _ALL_OF_ZH.sub("", short)
    short = _AROUND_ZH.sub("", _AROUND.sub("", short)).strip(" ,;.，。；")
    return short or what


def without_why(text: str) -> str:
    """A request without the reason at its end, if it gives one."""
    return _WHY_ZH.sub("", text)
