"""Mistakes in a script are told with file, line and what was expected, before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagekeeper.conversations import shape
from pagekeeper.conversations.script import load
from pagekeeper.conversations.source import read
from pagekeeper.runtime.errors import ScriptMistake
from pagekeeper.tests.conversations.playing import write

MISTAKES = [
    ("steps:\n- say: hi\n", 1, "lacks `title`"),
    ("title: x\nsteps:\n- say: hi\n  expct: {reply: a}\n", 4, "no key `expct` in `steps`. Did you mean 'expect'?"),
    ("title: x\nsteps:\n- say: 42\n", 3, "`say` is 42; expected text. Put it in quotes."),
    ("title: x\nsteps: []\n", 2, "`steps` holds too little"),
    ("title: x\nsteps:\n- say: hi\n  wait: 3 days\n", 4, "a step is one of say and wait"),
    ("title: x\nsteps:\n- wait: soon\n", 3, "`wait` is 'soon'; expected a length of time"),
    ("title: x\nsteps:\n- wait: 3\n", 3, "`wait` is 3; expected a length of time. Time passes: `3 days`"),
    ("title: x\nsteps:\n- crash: after turn.ended\n", 3, "no key `crash` in `steps`. It stands in `fault`."),
    ("title: x\nsteps:\n- say: a\n  does: {text: b}\n", 4, "Make a list of it: `does: [{...}]`."),
    ("title: x\nsteps:\n- user: a\n", 3, "no key `user` in `steps`. It stands in `switch`."),
    ("title: x\nsteps:\n- {}\n", 3, "`steps` holds too little"),
    ("title: x\nsteps:\n- restart: true\n  does: [a]\n", 4, "`does` stands beside `say` or `resume` or `work` only"),
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
    ("title: x\nsteps:\n- say: a\n- import: nothere.md\n", 4, "nothere.md."),
    ("title: x\nvariables: {it: nothere}\nsteps:\n- import: '${it}.md'\n", 4, "nothere.md."),
    ("title: x\nvariables: {n: two}\nsteps:\n- say: a\n  does: [{text: a, repeat: '${n}'}]\n", 5, "`repeat` is 'two'"),
    ("title: x\nsteps:\n- say: a\n  does: [{text: a, repeat: '${n}', then: {n: a}}]\n", 4, "`repeat` is '${n}'"),
    ("title: x\nparameters:\n- {a: b}\n- {c: d}\nsteps:\n- say: ${a}\n", 4, "this row has no `a`, which others have."),
    (
        "title: x\nparameters: [{a1: b},\n {a: d}]\nsteps:\n- say: ${a}\n",
        2,
        "no `a`, which others have. Did you mean 'a1'?",
    ),
    ("title: x\nparameters: [{a1: b}, {a1: c}]\nsteps:\n- say: ${a}\n", 4, "no variable `a`. Did you mean 'a1'?"),
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

TURN = (
    "title: x\nagent: {tools: [{name: pay, description: Pays., parameters: {bill: string}, returns: Paid.}]}\nsteps:\n"
)
NAMES = [
    ("expect: {calls: [core_memory_apend]}", "no tool `core_memory_apend`. Did you mean 'core_memory_append'?"),
    ("expect: {calls: {none: [archival_serach]}}", "no tool `archival_serach`. Did you mean 'archival_search'?"),
    ("expect: {calls: {exactly: [{name: payy}]}}", "no tool `payy`. Did you mean 'pay'?"),
    ("expect: {calls: [{name: pay, with: {bil: a}}]}", "pay has no argument `bil`. Did you mean 'bill'?"),
    ("expect: {events: [epoch_start]}", "no event `epoch_start`. Did you mean 'epoch_started'?"),
    ("expect: {events: {none: [{type: warning}]}}", "no event `warning`. Did you mean 'warned'?"),
    ("expect: {events: [{type: warned, words: x}]}", "warned has no field `words`. There are text."),
    ("fault: {crash: after turn.start}", "no event `turn.start` in the journal. Did you mean 'turn.started'?"),
    (
        "does: [{call: archival_serach, with: {query: a}}]",
        "no tool `archival_serach`. Did you mean 'archival_search'? If",
    ),
    ("does: [{call: archival_search, with: {qery: a}}]", "this call fails: archival_search was called wrongly"),
    ("does: [{calls: [{call: pay}]}]", "'bill' is missing. If it is to fail, expect that: `calls: [{name: pay, fail"),
    ("does: [{call: payy, raw: '{'}]", "no tool `payy`"),
    ("does: [{call: pay, with: {bill: '${results[0]}', sum: 3}}]", "no argument 'sum'"),
]


@pytest.mark.parametrize(("what", "words"), NAMES)
def test_a_name_that_nothing_has_is_a_mistake(tmp_path: Path, what: str, words: str) -> None:
    path = write(tmp_path, f"{TURN}- say: hi\n  {what}\n")
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    [told] = str(raised.value).split("\n")
    assert told.startswith(f"{path}:5: ")
    assert words in told


@pytest.mark.parametrize(
    "step",
    [
        "does: [{call: fly, with: {to: a}}, no]\n  expect: {calls: [{name: fly, failed: true}]}",
        "does: [{call: fly}, no]\n- expect: {calls: {exactly: [{name: fly, result: There is no tool}]}}",
        "does: [{call: fly}, no]\n- expect: {events: [{type: call_finished, name: fly, error: true}]}",
        "does: [{call: memory_insert, with: {label: human, new_str: a}}]\n  expect: {calls: [memory_insert]}",
        "does: [{call: archival_search, with: {query: a, kind: '${results[0]}', limit: 3}}]",
        "does: [{call: pay, raw: '{'}]\n  expect: {calls: {none: [archival_memory_search, core_memory_list]}}",
        "expect: {calls: [{name: core_memory_append, with: {block_label: human, content: a}}]}",
        "expect: {events: [{type: turn_ended, reason: done}, warned]}",
    ],
)
def test_names_that_there_are_and_calls_that_are_to_fail_are_none(tmp_path: Path, step: str) -> None:
    assert load(write(tmp_path, f"{TURN}- say: hi\n  {step}\n"))


def test_a_tool_of_the_script_is_one_that_an_agent_can_have(tmp_path: Path) -> None:
    tools = "[{name: a b, description: d, returns: x},\n {name: archival_search, description: d, returns: x}]"
    path = write(tmp_path, f"title: x\nagent:\n tools: {tools}\nsteps:\n- say: hi\n")
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    first, second = str(raised.value).split("\n")
    assert first.startswith(f"{path}:3: The tool 'a b' cannot be made")
    assert second == f"{path}:4: there is a tool 'archival_search' already. Rename this one."


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
        # through names
        ("[{call: core_memory_list, then: {it: Porto}}, 'It is ${it}.']", "Porto"),
        ("[{call: core_memory_list, then: {it: Por}}, 'It is ${it}to.']", "Porto"),
        ("[{call: core_memory_list, then: {it: '${city}', so: '${it}!'}}, 'It is ${so}']", "{equals: It is Porto!}"),
        ("[{call: core_memory_list, then: {it: 'so Porto', so: '${it ~ /P.*/}'}}, '${so}']", "Porto"),
        ("['It is ${later}.', {text: a, then: {later: b}}]", "It is Porto"),
        # through what a call gives back
        ("[{call: core_memory_append, with: {label: human, content: Porto}}, 'Noted: ${results[-1]}']", "Porto"),
        ("[{call: core_memory_append, with: {label: human, content: in Porto}}, '${results[-1].text}']", "porto"),
        ("[{call: core_memory_append, with: {label: human, content: Porto}}, 'So ${results[0]}.']", "so porto."),
        (
            "[{call: core_memory_append, with: {label: human, content: a 里斯本 b}}, '${results[-1] ~ /.斯./}']",
            "里斯本",
        ),
        ("[{call: core_memory_append, raw: '{\"content\": \"Porto\"}'}, '${results[-1]}']", "{matches: P\\w+o}"),
        ("[{call: echo, with: {a: Porto}, then: {it: '${results[-1]}'}}, '${it}']", "{equals: Porto}"),
        ("[{call: echo, with: {a: Porto}}, {call: echo, with: {a: '${results[-1]}'}}, '${results[-1]}']", "Porto"),
        ("[{call: echo, with: {a: '- [p-000001] 2026-01-01 fact: Porto'}}, '${results[-1][0].text}']", "Porto"),
        ("[{call: archival_search, with: {query: Porto}}, '${results[-1]}']", "Porto"),
        # by expecting what is cited of what cites it
        ("[{call: archival_search, with: {query: x}}, '${results[-1]}']", "'${results[-1]}'"),
        ("[{call: core_memory_list, then: {it: '${results[-1]}'}}, '${it}']", "'${it}'"),
    ],
)
def test_a_script_cannot_contain_its_own_answer(tmp_path: Path, does: str, expect: str) -> None:
    text = (
        "title: x\nagent: {tools: [{name: echo, description: d, parameters: {a: string}, returns: b}]}\n"
        f"variables: {{city: Porto, later: Porto}}\nsteps:\n- say: Where?\n  does: {does}\n"
        f"- expect: {{calls: {{any_order: []}}, reply: {expect}}}\n"
    )
    with pytest.raises(ScriptMistake, match=r":7: the script contains its own answer: .*Cite what a search found"):
        load(write(tmp_path, text))


def test_a_call_that_may_be_any_of_the_script_is_taken_to_be_the_one_that_gives_back(tmp_path: Path) -> None:
    noted = "- say: I live there.\n  does: [{call: core_memory_append, with: {label: human, content: Porto}}, Noted.]\n"
    asked = "- say: Where?\n  does: ['${results[-1]}']\n  expect: {reply: Porto}\n"
    text = f"title: x\nsteps:\n{noted}- say: hello\n{asked}"
    with pytest.raises(ScriptMistake, match=r":8: the script contains its own answer"):
        load(write(tmp_path, text))


@pytest.mark.parametrize(
    ("does", "expect"),
    [
        # what was found, though what asked for it or an earlier call has the word
        ("[{call: archival_search, with: {query: Porto}}, '${results[-1][0].text}']", "Porto"),
        (
            "[{call: archival_insert, with: {content: Porto}}, {call: core_memory_list}, 'So ${results[-1]}']",
            "Porto",
        ),
        ("[{call: archival_search, with: {query: x}, then: {it: '${results[-1] ~ /in (\\w+)/}'}}, '${it}']", "Porto"),
        # what the runtime, or a tool, made of a call
        ("[{call: core_memory_append, with: {label: human, content: Porto}}, '${results[-1]}']", "revision 1 to 2"),
        ("[{call: ask, with: {a: b}}, 'It says ${results[-1]}']", "{equals: It says Porto}"),
        # neither by half a word, nor over what was found in between
        ("[{call: ask, with: {a: Ports}}, 'In ${results[-1]}o']", "In Porto"),
        ("[{call: archival_search, with: {query: x}}, 'Por${results[-1]}to']", "Porto"),
    ],
)
def test_what_a_call_found_and_what_was_made_of_it_may_be_expected(tmp_path: Path, does: str, expect: str) -> None:
    text = (
        "title: x\nagent: {tools: [{name: ask, description: d, parameters: {a: string}, returns: Porto}]}\n"
        f"steps:\n- say: Where?\n  does: {does}\n  expect: {{reply: {expect}, blocks: {{human: Porto}}}}\n"
    )
    assert len(load(write(tmp_path, text))) == 1


def test_yaml_words_are_text_as_people_mean_them(tmp_path: Path) -> None:
    path = write(tmp_path, "title: no\nsteps:\n- say: yes\n- say: 2026-01-31\n")
    [case] = load(path)
    assert [case.title, *(step["say"] for step in case.steps)] == ["no", "yes", "2026-01-31"]


def test_a_file_that_is_extended_is_checked_once(tmp_path: Path) -> None:
    path = write(tmp_path, "title: x\nextends: base.yaml\nsteps:\n- say: hi\n")
    base = write(tmp_path, "agent:\n  windwo: 9000\n  blocks: {human: 3}\nvariables: [a]\ntools: []\n", "base.yaml")
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    assert str(raised.value).split("\n") == [
        f"{base}:2: there is no key `windwo` in `agent`. Did you mean 'window'?",
        f"{base}:3: `human` is 3; expected text, or a block's settings. Put it in quotes.",
        f"{base}:4: `variables` is no mapping.",
        f"{base}:5: there is no key `tools` here. There are agent, variables.",
    ]
    base.write_text("variables: {who: Ada}\n", encoding="utf-8")
    write(tmp_path, "title: x\nextends: base.yaml\nsteps:\n- say: ${woh}\n")
    with pytest.raises(ScriptMistake, match=r"no variable `woh`. Did you mean 'who'\?"):
        load(path)


def test_a_path_in_an_included_file_is_seen_from_there(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "cat.md").write_text("The cat is called Miso.\n", encoding="utf-8")
    write(tmp_path, "- import: cat.md\n- import: dog.md\n", "sub/steps.yaml")
    path = write(tmp_path, "title: x\nsteps:\n- include: sub/steps.yaml\n")
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    sub = tmp_path / "sub"
    assert str(raised.value) == f"{sub}/steps.yaml:2: there is no file {sub}/dog.md."


def test_an_editor_takes_what_the_shipped_scripts_say() -> None:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(shape.schema())
    for path in sorted(Path(__file__).parent.glob("*.conversation.yaml")):
        for document in read(path):
            assert [error.message for error in validator.iter_errors(document)] == []


def test_a_variable_may_stand_for_whatever_is_no_text() -> None:
    plain: list[str] = []

    def look(rule: Any, filled: bool, name: str) -> None:
        if isinstance(rule, list):
            for one in rule:
                look(one, filled, name)
        elif isinstance(rule, dict):
            filled = filled or shape.FILLED in rule.get("anyOf", ())
            kinds = rule.get("type", [])
            scalars = {"integer", "boolean"} & {*([kinds] if isinstance(kinds, str) else kinds)}
            if (scalars or rule.keys() & {"enum", "const", "pattern"}) and not filled:
                plain.append(name)
            for key, child in rule.items():
                look(child, filled and key == "anyOf", f"{name}.{key}")

    look({**shape.schema(), "$defs": {**shape.schema()["$defs"], "filled": {}}}, False, "")
    # A row's and a variable's own values are what the others stand for.
    assert {name.rsplit(".", 1)[0] for name in plain} == {
        ".properties.variables",
        ".properties.parameters.items",
        ".$defs.step.properties.with",
    }


def test_the_published_schema_is_one_and_describes_what_editors_show() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(shape.schema())
    assert shape.schema()["$id"]
    for rule in (shape.schema(), *shape.schema()["$defs"].values()):
        assert rule["title"]
        for name, child in rule.get("properties", {}).items():
            assert "title" in child or "$ref" in child, name
