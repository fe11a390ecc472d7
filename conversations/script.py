"""From files to cases: variables and tables filled in, other files included, mistakes found before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from . import known_names, own_words, shape
from .source import Map, Mistake, Place, Seq, read, refuse
from .steps import check as check_step
from .steps import check_time, replies
from .templates import TemplateError, bind, faults, names, parse


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation to play: a document, with the values of one row of its table."""

    file: str
    title: str
    row: str
    """The name of the row; empty where there is no table."""
    document: Map
    steps: list[Map]
    first: dict[str, str]
    """Names that replies set, with the values that they have before."""

    @property
    def name(self) -> str:
        """What it is called beside the others of its file."""
        return f"{self.title} [{self.row}]" if self.row else self.title

    @property
    def agent(self) -> Map:
        """The agent's set-up."""
        found = self.document.get("agent")
        return found if isinstance(found, Map) else self.document.holding({})


def load(path: Path) -> list[Case]:
    """The cases of a file. Raises ScriptMistake, which tells of every mistake with file and line."""
    documents = read(path)
    if not documents:
        raise refuse([Mistake(Place(str(path), 1), "there is no conversation here.", "Start with `title:`.")])
    cases: list[Case] = []
    mistakes: list[Mistake] = []
    for document in documents:
        found = shape.check(document, getattr(document, "place", Place(str(path), 1))) if _lists(document) else []
        if not isinstance(document, Map) or found:
            mistakes += found or shape.check(document, Place(str(path), 1))
            continue
        for row in document.get("parameters") or [None]:
            case, wrong = _case(path, document, row)
            mistakes += wrong
            cases += [case] if case is not None else []
    seen: dict[str, Place] = {}
    for case in cases:
        if case.name in seen and not mistakes:
            words = f"{case.name!r} is the title of the conversation in line {seen[case.name].line} too."
            mistakes.append(Mistake(case.document.at("title"), words))
        seen.setdefault(case.name, case.document.at("title"))
    if mistakes:
        raise refuse(mistakes)
    return cases


def _lists(document: Any) -> bool:
    """Whether the table and the variables are not what they must be; the rest is checked once they are filled in."""
    if not isinstance(document, Map):
        return True
    rows, variables = document.get("parameters", []), document.get("variables", {})
    return (
        not isinstance(variables, Map | dict)
        or not isinstance(rows, list)
        or any(not isinstance(row, Map) for row in rows)
    )


def _case(path: Path, document: Map, row: Map | None) -> tuple[Case | None, list[Mistake]]:
    mistakes: list[Mistake] = []
    base = _base(path, document, mistakes)
    given = {**base.get("variables", {}), **document.get("variables", {}), **(row or {})}
    # What a reply sets (`then`) changes while the conversation is played: its variable is what it is at first.
    changing = _set_later(document)
    variables = {name: value for name, value in given.items() if name not in changing}
    whole = document.holding({**document, "agent": _merged(base.get("agent"), document.get("agent"))})
    if whole["agent"] is None:
        del whole["agent"]
    raw = whole.get("steps")
    steps = _expanded(path, raw, variables, mistakes, (path,)) if isinstance(raw, Seq) else raw
    rest = {key: value for key, value in whole.items() if key not in ("steps", "variables", "parameters", "title")}
    bound = document.holding(_bound(document.holding(rest), variables, mistakes, document.place))
    bound.update({key: document[key] for key in ("variables", "parameters", "title") if key in document})
    if "steps" in document:
        bound["steps"] = steps
    mistakes += shape.check(bound, document.place)
    if mistakes:
        return None, mistakes
    name = str(row.get("name", ", ".join(str(value) for value in row.values()))) if row else ""
    first = {key: str(value) for key, value in given.items() if key in changing}
    case = Case(str(path), str(bound["title"]), name, bound, list(bound["steps"]), first)
    mistakes += _names(case, row, given) + own_words.check(case.steps, case.first) + _agent(case)
    mistakes += known_names.check(case.steps, case.agent.get("tools", ()))
    said = False
    for step in case.steps:
        said = said or "say" in step or "resume" in step
        mistakes += check_step(step, said)
    return case, mistakes


def _set_later(value: Any) -> set[str]:
    """The names that replies set."""
    if isinstance(value, Map):
        own = value.get("then")
        return (set(own) if isinstance(own, Map) else set()).union(*map(_set_later, value.values()))
    return set().union(*map(_set_later, value)) if isinstance(value, Seq) else set()


def _base(path: Path, document: Map, mistakes: list[Mistake]) -> Map:
    """The file that a document starts from; empty where there is none."""
    empty = document.holding({})
    if not isinstance(document.get("extends"), str):
        return empty
    place = document.at("extends")
    target = path.parent / document["extends"]
    if not target.is_file():
        mistakes.append(Mistake(place, f"there is no file {target}."))
        return empty
    found = read(target)
    if len(found) != 1 or not isinstance(found[0], Map):
        mistakes.append(Mistake(place, f"{target} is not one mapping with `agent` and `variables`."))
        return empty
    base: Map = found[0]
    for key in base.keys() - {"agent", "variables"}:
        mistakes.append(Mistake(base.at(key), f"there is no key `{key}` here.", "There are agent, variables."))
    wrong = [key for key in ("agent", "variables") if not isinstance(base.get(key, base), Map)]
    mistakes += [Mistake(base.at(key), f"`{key}` is no mapping.") for key in wrong]
    # What its agent holds is checked with what the document adds to it.
    return base.holding({key: value for key, value in base.items() if key not in wrong})


def _merged(base: Any, own: Any) -> Any:
    """An agent's set-up upon another one: what is named in both is its own, and blocks are joined."""
    if not isinstance(base, Map) or not isinstance(own, Map):
        return own if own is not None else base
    out = _joined(base, own)
    if isinstance(base.get("blocks"), Map) and isinstance(own.get("blocks"), Map):
        out["blocks"] = _joined(base["blocks"], own["blocks"])
    return out


def _joined(base: Map, own: Map) -> Map:
    return Map({**base, **own}, own.place, {**base.places, **own.places}, own.spans)


def _expanded(
    path: Path, steps: Seq, variables: Mapping[str, Any], mistakes: list[Mistake], inside: tuple[Path, ...]
) -> Seq:
    """The steps with variables filled in, and with those of other files in the place of `include`."""
    out: list[Any] = []
    places: list[Place] = []
    for number, step in enumerate(steps):
        bound = _bound(step, variables, mistakes, steps.at(number))
        if isinstance(bound, Map) and isinstance(bound.get("include"), str):
            mistakes += shape.check(bound, bound.place, "step") + check_step(bound, True)
            more = _included(path, bound, variables, mistakes, inside)
            out += more
            places += more.places
        else:
            out.append(bound)
            places.append(steps.at(number))
    return Seq(out, steps.place, places)


def _included(
    path: Path, step: Map, variables: Mapping[str, Any], mistakes: list[Mistake], inside: tuple[Path, ...]
) -> Seq:
    target = path.parent / step["include"]
    place = step.at("include")
    left = Seq([step], place, [step.place])
    if target.resolve() in [one.resolve() for one in inside]:
        mistakes.append(Mistake(place, f"{target} includes itself."))
        return left
    if not target.is_file():
        mistakes.append(Mistake(place, f"there is no file {target}."))
        return left
    found = read(target)
    if len(found) != 1 or not isinstance(found[0], Seq):
        mistakes.append(Mistake(place, f"{target} is not one list of steps."))
        return left
    given = step.get("with") if isinstance(step.get("with"), Map) else {}
    return _expanded(target, found[0], {**variables, **(given or {})}, mistakes, (*inside, target))


def _bound(value: Any, variables: Mapping[str, Any], mistakes: list[Mistake], place: Place) -> Any:
    """A value, which stands at `place`, with its variables filled in."""
    if isinstance(value, Map):
        values = {key: _bound(child, variables, mistakes, value.at(key)) for key, child in value.items()}
        # What is not there word for word cannot be written anew.
        spans = {key: span for key, span in value.spans.items() if "${" not in str(value.get(key, "${"))}
        return Map(values, value.place, value.places, spans)
    if isinstance(value, Seq):
        items = (_bound(child, variables, mistakes, value.at(at)) for at, child in enumerate(value))
        return Seq(items, value.place, value.places)
    if not isinstance(value, str) or "${" not in value:
        return value
    try:
        bound = bind(value, variables)
        if isinstance(bound, str):
            mistakes += [Mistake(place, f"{words}.") for words in faults(parse(bound))]
        return bound
    except TemplateError as error:
        mistakes.append(Mistake(place, str(error)))
        return value.replace("${", "$${")


def _names(case: Case, row: Map | None, given: Mapping[str, Any]) -> list[Mistake]:
    """Names in templates that nothing sets; where other rows of the table set them, it is the row that is wrong."""
    set_later = {name for step in case.steps for reply in replies(step) for name in reply.get("then", ())}
    others = [one for one in case.document.get("parameters", ()) if one is not row]
    found: list[Mistake] = []

    def look(value: Any, place: Place) -> None:
        if isinstance(value, Map):
            for key, child in value.items():
                look(child, value.at(key))
        elif isinstance(value, Seq):
            for at, child in enumerate(value):
                look(child, value.at(at))
        elif isinstance(value, str) and "${" in value:
            for name in names(parse(value)):
                if name in set_later:
                    continue
                if row is not None and any(name in other for other in others):
                    hint = shape.suggestion(name, [key for key in row if any(key not in other for other in others)])
                    found.append(Mistake(row.place, f"this row has no `{name}`, which others have.", hint))
                else:
                    hint = shape.suggestion(name, sorted({*set_later, *given})) or "Write $${ for a plain ${."
                    found.append(Mistake(place, f"there is no variable `{name}`.", hint))

    for step in case.steps:
        look(step, step.place)
    look(case.agent, case.agent.place)
    return found


def _agent(case: Case) -> list[Mistake]:
    agent, found = case.agent, []
    try:
        ZoneInfo(agent.get("timezone", "UTC"))
    except (OSError, ValueError, KeyError):
        found.append(Mistake(agent.at("timezone"), f"there is no time zone {agent['timezone']!r}."))
    found += check_time(agent, "clock")
    for tool in agent.get("tools", ()):
        if ("returns" in tool) == ("fails" in tool):
            found.append(Mistake(tool.place, "a tool has either `returns` or `fails`."))
    return found
