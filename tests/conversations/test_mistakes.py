"""Mistakes in a script are told with file, line and what was expected, before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.conversations import shape
from pagekeeper.conversations.script import load
from pagekeeper.runtime.errors import ScriptMistake
from pagekeeper.tests.conversations.playing import write

MISTAKES = [
    ("steps:\n- say: hi\n", 1, "lacks `title`"),
    ("title: x\nsteps:\n- say: hi\n  expct: {reply: a}\n", 4, "no key `expct` in `steps`. Did you mean 'expect'?"),
    ("title: x\nsteps:\n- say: 42\n", 3, "`say` is 42; expected text. Put it in quotes."),
    ("title: x\nsteps: []\n", 2, "`steps` holds too little"),
    ("title: x\nsteps:\n- say: hi\n  wait: 3 days\n", 4, "a step is one of say and wait"),
    ("title: x\nsteps:\n- wait: soon\n", 3, "`wait` is 'soon'; expected a length of time"),
    ("title: x\nsteps:\n- {}\n", 3, "`steps` holds too little"),
    ("title: x\nsteps:\n- restart: true\n  does: [a]\n", 4, "`does` stands beside `say` or `resume` only"),
    ("title: x\nsteps:\n- expect: {reply: a}\n", 3, "nothing was said yet"),
    ("title: x\nsteps:\n- say: hi\n  expect: {reply: {matches: '('}}\n", 4, "'(' is no regular expression"),
    ("title: x\nsteps:\n- say: ${who}\nvariables: {whom: a}\n", 3, "no variable `who`. Did you mean 'whom'?"),
    ("title: x\nsteps:\n- say: hi ${who\n", 3, "does not end"),
    ("title: x\nsteps:\n- say: hi\n  does: [{text: '${results[0].body}'}]\n", 4, "no 'body'"),
    ("title: x\nagent: {timezone: Mars/Olympus}\nsteps:\n- say: hi\n", 2, "no time zone 'Mars/Olympus'"),
    ("title: x\nagent: {clock: noon}\nsteps:\n- say: hi\n", 2, "'noon' is no time"),
    ("title: x\nagent: {window: 10}\nsteps:\n- say: hi\n", 2, "must be at least 1024"),
    ("title: x\nsteps:\n- insert: {text: a, event_time: May}\n", 3, "'May' is no time"),
    ("title: x\nsteps:\n- edit: {block: human}\n", 3, "`edit` holds too little"),
    ("title: x\nsteps:\n- edit: {block: human, replace: a}\n", 3, "`replace` and `by` stand together"),
    ("title: x\nsteps:\n- say: hi\n  fault: {error: sleepy}\n", 4, "expected a kind of error"),
    ("title: x\nsteps:\n- say: hi\n  fault: {times: 2}\n", 4, "this fault is none"),
    ("title: x\nsteps:\n- say: hi\n  does: [{with: {a: 1}}]\n", 4, "a reply is text, a call, calls or an error"),
    ("title: x\nsteps:\n- include: none.yaml\n", 3, "there is no file"),
    ("title: x\nextends: none.yaml\nsteps:\n- say: hi\n", 2, "there is no file"),
    ("title: x\nparameters: [1]\nsteps:\n- say: hi\n", 2, "expected a row of names"),
    ("title: x\ntitle: y\nsteps:\n- say: hi\n", 2, "twice; it is in line 1 already"),
    ("title: x\nsteps:\n- say: note: this\n", 3, "this is not YAML"),
    (
        "title: x\nsteps:\n- say: hi\n---\ntitle: x\nsteps:\n- say: hi\n",
        5,
        "the title of the conversation in line 1 too",
    ),
    ("- say: hi\n", 1, "expected a conversation"),
    ("", 1, "there is no conversation here"),
    ("title: x\nsteps:\n- say: hi\n  expect: {blocks: {human: {holds: a}}}\n", 4, "no key `holds` in `human`"),
]


@pytest.mark.parametrize(("text", "line", "words"), MISTAKES)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    first = str(raised.value).split("\n")[0]
    assert first.startswith(f"{path}:{line}: ")
    assert words in first


def test_all_mistakes_of_a_file_are_told_once_and_in_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """\
        title: x
        parameters: [{n: 1}, {n: 2}]
        steps:
          - sya: "${n}"
          - wait: a while
        """,
    )
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    assert [line.split(" ")[0] for line in str(raised.value).split("\n")] == [f"{path}:4:", f"{path}:5:"]


def test_a_mistake_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    write(tmp_path, "- say: hi\n- sya: ho\n", "more.yaml")
    path = write(tmp_path, "title: x\nsteps:\n- include: more.yaml\n")
    with pytest.raises(ScriptMistake, match=r"more\.yaml:2: there is no key `sya`"):
        load(path)
    write(tmp_path, "- include: more.yaml\n", "more.yaml")
    with pytest.raises(ScriptMistake, match="includes itself"):
        load(path)


@pytest.mark.parametrize(
    ("does", "expect"),
    [
        ("[It is Porto.]", "porto"),
        ("It is Porto.", "{contains: [Porto]}"),
        ("[{text: 'It is ${city}.'}]", "Porto"),
        ("[It is Porto.]", "{equals: It is Porto.}"),
        ("[It is Porto.]", "{matches: 'P\\w+o'}"),
        ("[{call: archival_search, with: {query: x}}, 'Porto: ${results[-1]}']", "Porto"),
    ],
)
def test_a_script_cannot_contain_its_own_answer(tmp_path: Path, does: str, expect: str) -> None:
    text = (
        f"title: x\nvariables: {{city: Porto}}\nsteps:\n- say: Where?\n  does: {does}\n- expect: {{reply: {expect}}}\n"
    )
    with pytest.raises(ScriptMistake, match=r":6: the script contains its own answer: .*Cite what a call found"):
        load(write(tmp_path, text))


def test_what_a_call_writes_and_what_it_found_may_be_expected(tmp_path: Path) -> None:
    text = """\
        title: x
        steps:
          - say: I live in Porto.
            does: [{call: core_memory_append, with: {label: human, content: Porto}}, 'Noted: ${results[-1]}']
            expect: {reply: Porto, blocks: {human: Porto}}
        """
    assert len(load(write(tmp_path, text))) == 1


def test_yaml_words_are_text_as_people_mean_them(tmp_path: Path) -> None:
    path = write(tmp_path, "title: no\nsteps:\n- say: yes\n- say: 2026-01-31\n")
    [case] = load(path)
    assert [case.title, *(step["say"] for step in case.steps)] == ["no", "yes", "2026-01-31"]


def test_the_published_schema_is_one_and_describes_what_editors_show() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(shape.schema())
    assert shape.schema()["$id"]
    for rule in (shape.schema(), *shape.schema()["$defs"].values()):
        assert rule["title"]
        for name, child in rule.get("properties", {}).items():
            assert "title" in child or "$ref" in child, name
