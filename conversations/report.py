"""What came of conversations: for people, as JSON, and as JUnit's XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from .matching import Failure
from .play import Outcome

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def told(outcome: Outcome) -> str:
    """A conversation that failed: what was expected, what is there, and all that happened until then."""
    lines = [f"FAILED {outcome.file}: {outcome.name}"]
    for failure in outcome.failures:
        lines += _told(failure)
    lines.append("  until then:")
    lines += ["    " + line for entry in outcome.transcript for line in entry.split("\n")]
    return "\n".join(lines)


def first_failure(outcome: Outcome) -> str:
    """The first thing that was not as expected in a conversation that failed."""
    return "\n".join(_told(outcome.failures[0]))


def _told(failure: Failure) -> list[str]:
    lines = [f"  {failure.place}: expected: {failure.expected}", *_indented("there is: ", failure.found)]
    return lines + (_indented("closest: ", failure.closest) if failure.closest else [])


def _indented(head: str, text: str) -> list[str]:
    first, *rest = text.split("\n")
    return [f"    {head}{first}", *(" " * (4 + len(head)) + line for line in rest)]


def as_data(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All of it, without durations: equal runs give equal reports."""
    return {
        "passed": sum(one.passed for one in outcomes),
        "failed": sum(not one.passed for one in outcomes),
        "conversations": [_one(outcome) for outcome in outcomes],
    }


def _one(outcome: Outcome) -> dict[str, Any]:
    data: dict[str, Any] = {
        "file": outcome.file,
        "name": outcome.name,
        "passed": outcome.passed,
        "turns": outcome.turns,
        "requests": outcome.requests,
        "tokens": outcome.tokens,
    }
    if not outcome.passed:
        data["failures"] = [failure_data(failure) for failure in outcome.failures]
        data["transcript"] = outcome.transcript
    return data


def failure_data(failure: Failure) -> dict[str, Any]:
    """A failure as JSON."""
    return {
        "file": failure.place.file,
        "line": failure.place.line,
        "expected": failure.expected,
        "found": failure.found,
        "closest": failure.closest,
    }


def junit(outcomes: Sequence[Outcome]) -> str:
    """All of it as JUnit's XML, with durations, as build servers read it."""
    failed = sum(not one.passed for one in outcomes)
    seconds = sum(one.seconds for one in outcomes)
    counts = {"tests": str(len(outcomes)), "failures": str(failed), "errors": "0", "time": f"{seconds:.3f}"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "pagekeeper", **counts})
    for one in outcomes:
        named = {"classname": _xml(one.file), "name": _xml(one.name), "time": f"{one.seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", named)
        if not one.passed:
            words = "; ".join(f"{failure.place}: {failure.expected}" for failure in one.failures)
            ElementTree.SubElement(case, "failure", {"message": _xml(words)}).text = _xml(told(one))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub(lambda match: repr(match[0])[1:-1], text)
