"""What `${...}` in a script stands for: variables when it is read, and what calls have found when it is played.

${city}                             a variable, or a name that a reply has set (`then`)
${results[-1]}                      the text of the newest call's result; results[0] is the first one's
${results[-1].id}                   the first id in it
${results[-1][0].text}              its first hit: text, id, date or label
${results[-1] ~ /key ${k} (\\S+)/}   what the parentheses match in it; values inside are taken literally
$${                                 a plain ${
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class TemplateError(Exception):
    """A template that cannot be read or filled in; the text says why."""


@dataclass(frozen=True, slots=True)
class Expression:
    """What stands between `${` and `}`."""

    parts: tuple[str | Expression, ...]

    @property
    def name(self) -> str:
        """The name, if it is nothing but one, else an empty text."""
        if len(self.parts) == 1 and isinstance(self.parts[0], str) and _NAME.fullmatch(self.parts[0].strip()):
            return self.parts[0].strip()
        return ""

    def source(self) -> tuple[str, int | None, bool, bool]:
        """What is cited: a name, or the number of a result; whether it is one of its hits, and whether all of it."""
        text = "".join(part if isinstance(part, str) else "x" for part in self.parts).strip()
        matched = _MATCH.fullmatch(text)
        cited = _RESULT.fullmatch((matched[1] if matched else text).strip())
        if cited is None:
            return (matched[1] if matched else text).strip(), None, False, matched is None
        return "", int(cited[1]), cited[2] is not None, matched is None


Parts = tuple[str | Expression, ...]

_NAME = re.compile(r"[A-Za-z_]\w*")
_RESULT = re.compile(r"results\[(-?\d+)\](?:\[(\d+)\])?(?:\.(\w+))?")
_MATCH = re.compile(r"(.*?)\s*~\s*/(.*)/", re.DOTALL)
_HIT = re.compile(r"- \[([^\]]+)\] (\d{4}-\d\d-\d\d)(?: \([^)]*\))? ([^:\n]+): ((?:.|\n  )*)")
_ID = re.compile(r"\b[a-z]{1,2}-[0-9a-z]{6,}\b")
_FIELDS = ("text", "id", "date", "label")


def parse(text: str) -> Parts:
    """The parts of a template. Raises TemplateError for a `${` that does not end."""
    parts, end = _parse(text, 0, inside=False)
    assert end == len(text)
    return parts


def _parse(text: str, start: int, *, inside: bool) -> tuple[Parts, int]:
    parts: list[str | Expression] = []
    plain, at, depth = "", start, 0
    while at < len(text):
        if text.startswith("$${", at):
            plain, at = plain + "${", at + 3
            depth += inside
        elif text.startswith("${", at):
            inner, at = _parse(text, at + 2, inside=True)
            parts += [plain, Expression(inner)] if plain else [Expression(inner)]
            plain = ""
        elif inside and text[at] == "}" and not depth:
            return tuple([*parts, plain] if plain else parts), at + 1
        else:
            depth += inside and (text[at] == "{") - (text[at] == "}")
            plain, at = plain + text[at], at + 1
    if inside:
        raise TemplateError(f"a ${{ does not end in {text[:60]!r}. Write $${{ for a plain one.")
    return tuple([*parts, plain] if plain else parts), at


def write(parts: Parts) -> str:
    """The template that has these parts."""
    return "".join(
        f"${{{write(part.parts)}}}" if isinstance(part, Expression) else part.replace("${", "$${") for part in parts
    )


def bind(text: str, variables: Mapping[str, Any]) -> Any:
    """The template with the variables filled in; a template of nothing but one is its value. Raises TemplateError."""
    parts = parse(text)
    if len(parts) == 1 and isinstance(parts[0], Expression) and parts[0].name in variables:
        value = variables[parts[0].name]
        return value.replace("${", "$${") if isinstance(value, str) else value
    return write(_bound(parts, variables))


def _bound(parts: Parts, variables: Mapping[str, Any]) -> Parts:
    out: list[str | Expression] = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif part.name in variables:
            out.append(_shown(variables[part.name]))
        else:
            out.append(Expression(_bound(part.parts, variables)))
    return tuple(out)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def names(parts: Parts) -> list[str]:
    """The names that are left in a template, those inside other expressions included."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, Expression):
            found += [part.name] if part.name else names(part.parts)
    return found


def faults(parts: Parts) -> list[str]:
    """What is wrong with the expressions of a template, names aside."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, str) or part.name:
            continue
        text = "".join(inner if isinstance(inner, str) else "x" for inner in part.parts).strip()
        matched = _MATCH.fullmatch(text)
        cited = _RESULT.fullmatch((matched[1] if matched else text).strip())
        if cited is None and not (matched and _NAME.fullmatch(matched[1].strip())):
            found.append(f"${{{write(part.parts)}}} cites nothing that there is")
        elif cited and cited[3] and cited[3] not in _FIELDS:
            found.append(f"a result has no {cited[3]!r}, but {', '.join(_FIELDS)}")
        elif matched:
            try:
                re.compile(matched[2])
            except re.error as error:
                found.append(f"/{matched[2]}/ is no regular expression: {error}")
        found += faults(part.parts)
    return found


def render(value: Any, results: Sequence[str], known: Mapping[str, str]) -> Any:
    """A value with all its templates filled in. Raises TemplateError where what is cited is not there."""
    if isinstance(value, str):
        return _text(parse(value), results, known)
    if isinstance(value, dict):
        return {key: render(child, results, known) for key, child in value.items()}
    if isinstance(value, list):
        return [render(child, results, known) for child in value]
    return value


def _text(parts: Parts, results: Sequence[str], known: Mapping[str, str]) -> str:
    return "".join(part if isinstance(part, str) else _cited(part, results, known) for part in parts)


def _cited(expression: Expression, results: Sequence[str], known: Mapping[str, str]) -> str:
    text = ""
    for part in expression.parts:
        if isinstance(part, str):
            text += part
        else:
            # A value inside is text to be found as it is; the template is not read anew, so it can say nothing else.
            value = _cited(part, results, known)
            text += re.escape(value) if "~" in text else value
    matched = _MATCH.fullmatch(text.strip())
    source = (matched[1] if matched else text).strip()
    found = _result(source, results) if source.startswith("results") else _known(source, known)
    if not matched:
        return found
    match = re.search(matched[2], found)
    if match is None:
        raise TemplateError(f"/{matched[2]}/ does not match {found[:300]!r}")
    return str(match[1] if match.re.groups else match[0])


def _known(name: str, known: Mapping[str, str]) -> str:
    if name not in known:
        raise TemplateError(f"${{{name}}} is not set yet")
    return known[name]


def _result(source: str, results: Sequence[str]) -> str:
    cited = _RESULT.fullmatch(source)
    if cited is None:
        raise TemplateError(f"${{{source}}} cites nothing that there is")
    try:
        whole = results[int(cited[1])]
    except IndexError:
        raise TemplateError(f"there is no results[{cited[1]}]: calls have given {len(results)} results") from None
    field = cited[3] or "text"
    if cited[2] is None:
        if field == "text":
            return whole
        found = _ID.search(whole)
        if field != "id" or found is None:
            raise TemplateError(f"results[{cited[1]}] has no {field}: {whole[:300]!r}")
        return found[0]
    hits = hits_in(whole)
    if int(cited[2]) >= len(hits):
        raise TemplateError(f"results[{cited[1]}] lists {len(hits)} hits, and no [{cited[2]}]: {whole[:300]!r}")
    return hits[int(cited[2])][field]


def hits_in(result: str) -> list[dict[str, str]]:
    """What a search's result lists, in order."""
    return [dict(zip(("id", "date", "label", "text"), hit, strict=True)) for hit in _HIT.findall(result)]
