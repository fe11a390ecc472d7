"""What `${...}` stands for."""

from __future__ import annotations

import pytest

from pagekeeper.conversations.templates import TemplateError, bind, faults, names, parse, render

LISTED = (
    "- [p-000001] 2026-01-02 (score 1.00) fact: key a, value b\n- [m-000002] 2026-01-03 (weak, score 0.10) user: 你好"
)


def test_variables_are_filled_in_and_keep_their_type() -> None:
    assert bind("${n}", {"n": 3}) == 3
    assert bind("${n} of ${m}", {"n": 3, "m": True}) == "3 of true"
    assert bind("${results[-1] ~ /key ${k} (x)/}", {"k": "小"}) == "${results[-1] ~ /key 小 (x)/}"
    assert bind("${later} $${plain}", {"n": 1}) == "${later} $${plain}"


def test_what_a_variable_holds_is_text_and_no_template() -> None:
    assert render(bind("<${it}>", {"it": "${results[0]}"}), [], {}) == "<${results[0]}>"
    assert render(bind("${it}", {"it": "${results[0]}"}), [], {}) == "${results[0]}"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("${results[-1][0].text}", "key a, value b"),
        ("${results[-1][1].id}: ${results[-1][1].text}", "m-000002: 你好"),
        ("${results[0][1].date} ${results[0][1].label}", "2026-01-03 user"),
        ("${results[-1].id}", "p-000001"),
        ("${results[-1] ~ /key ${k}, value (\\w{1,3})/}", "b"),
        ("${results[-1][0] ~ /value \\w/}", "value b"),
        ("$${results[-1]} ${k}", "${results[-1]} a"),
    ],
)
def test_what_calls_found_is_cited(template: str, text: str) -> None:
    assert not faults(parse(template))
    assert render({"x": [template]}, [LISTED], {"k": "a"}) == {"x": [text]}


def test_a_value_inside_an_expression_is_taken_literally() -> None:
    assert render("${results[0] ~ /${k} (.)/}", ["a.b 1 axb 2"], {"k": "a.b"}) == "1"
    with pytest.raises(TemplateError, match="does not match"):
        render("${results[0] ~ /${k}/}", ["axb"], {"k": "a.b"})


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("${results[3]}", "no results\\[3\\]: calls have given 1"),
        ("${results[-1][7]}", "lists 2 hits, and no \\[7\\]"),
        ("${results[-1].date}", "has no date"),
        ("${later}", "is not set yet"),
    ],
)
def test_what_is_not_there_is_told(template: str, words: str) -> None:
    with pytest.raises(TemplateError, match=words):
        render(template, [LISTED], {})


def test_faults_are_found_before_anything_runs() -> None:
    assert "cites nothing" in faults(parse("${result[0]}"))[0]
    assert "no 'body'" in faults(parse("${results[0][0].body}"))[0]
    assert "no regular expression" in faults(parse("${results[0] ~ /(/}"))[0]
    assert names(parse("${a} ${results[0] ~ /${b}/}")) == ["a", "b"]
    with pytest.raises(TemplateError, match="does not end"):
        parse("so ${much")
