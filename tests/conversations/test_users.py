"""What the user does in a script besides talking: decides on calls, acts in a turn, goes back, forks."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.conversations.script import load
from pagekeeper.runtime.errors import ScriptMistake
from pagekeeper.tests.conversations.playing import failures, outcomes, write

PAY = "agent: {tools: [{name: pay, description: Pays., parameters: {bill: string}, returns: Paid., approve: ask}]}"


def test_calls_that_ask_run_or_do_not_as_the_user_decides(tmp_path: Path) -> None:
    script = f"""
        title: x
        {PAY}
        steps:
          - say: Pay the plumber.
            approve: true
            does: [{{call: pay, with: {{bill: plumber}}}}, "It says: ${{results[-1]}}"]
            expect:
              reply: Paid
              events: [approval_needed, {{type: call_finished, error: false}}]
          - say: Pay them all.
            approve: [false, true]
            does:
              - calls:
                  - {{call: pay, with: {{bill: a}}}}
                  - {{call: pay, with: {{bill: b}}}}
                  - {{call: pay, with: {{bill: c}}}}
              - "${{results[-3]}} ${{results[-2]}}"
            expect:
              reply: [The user declined, Paid]
              calls:
                exactly: [{{name: pay, with: {{bill: a}}, failed: true, result: declined}}, pay, pay]
        """
    [outcome] = outcomes(tmp_path, script)
    assert outcome.failures == []
    asked = [line for line in outcome.transcript if "asks" in line or line.startswith("(")]
    assert asked == [
        '[pay {"bill": "plumber"} asks whether it may run]',
        "(the user says yes)",
        '[pay {"bill": "a"} asks whether it may run]',
        "(the user says no)",
        '[pay {"bill": "b"} asks whether it may run]',
        "(the user says yes)",
        '[pay {"bill": "c"} asks whether it may run]',
        "(the user says yes)",
    ]


@pytest.mark.parametrize(
    ("approve", "calls", "failure"),
    [
        ("", 1, (4, "the step says whether pay may run: `approve: true` or `approve: false`")),
        ("approve: true\n  ", 0, (5, "a call asks")),
        ("approve: [true, false]\n  ", 1, (5, "2 calls ask whether they may run")),
    ],
)
def test_a_decision_that_lacks_or_is_not_asked_for_is_a_failure(
    tmp_path: Path, approve: str, calls: int, failure: tuple[int, str]
) -> None:
    made = ", ".join(["{call: pay, with: {bill: a}}"] * calls + ["Done."])
    script = f"title: x\n{PAY}\nsteps:\n- say: Pay.\n  {approve}does: [{made}]\n"
    assert [one[:2] for one in failures(tmp_path, script)] == [failure]


def test_a_call_that_asks_is_decided_on_in_a_process_that_is_killed(tmp_path: Path) -> None:
    script = f"""
        title: x
        {PAY}
        steps:
          - say: Pay.
            approve: true
            does: [{{call: pay, with: {{bill: a}}}}, Done.]
            fault: {{crash: after call.started}}
          - say: Is it paid?
            does: [I cannot tell.]
            expect: {{calls: [{{name: pay, result: outcome unknown}}]}}
        """
    assert failures(tmp_path, script) == []


def test_a_turn_is_stopped_in_the_middle_of_the_reply(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - say: Tell me of the harbour.
            does: [The harbour is old and full of boats.]
            meanwhile: {cancel: true}
            expect: {ended: cancelled, events: {none: [warned]}, log: [{query: harbour, finds: The harbour is old}]}
          - say: Tell me of the lighthouse and of its keeper.
            meanwhile: {cancel: true}
          - say: Go on.
            does: [Well.]
            expect: {request: {contains: "assistant: The harbour is old", not: full of boats}}
        """
    [outcome] = outcomes(tmp_path, script)
    assert outcome.failures == []
    assert "(the user stops the turn)" in outcome.transcript


def test_the_user_acts_while_the_model_answers(tmp_path: Path) -> None:
    script = """
        title: x
        agent: {blocks: {human: "Name: Ada", plans: {value: none, description: what is planned}}}
        steps:
          - say: Plan the summer.
            does:
              - {text: I make a plan now., call: core_memory_rethink, with: {label: plans, new_value: The lake.}}
              - {call: core_memory_append, with: {label: human, content: Likes lakes.}}
              - Done.
            meanwhile:
              - {edit: {block: plans, rethink: The sea.}}
              - {request: 2, insert: The lake is closed in June.}
              - {request: 2, edit: {block: human, append: Likes the sea.}}
            expect:
              calls: [{name: core_memory_rethink, failed: true, result: The sea}, core_memory_append]
              blocks: {plans: {equals: The sea., revision: 2}, human: [Likes lakes, Likes the sea]}
              archive: [{query: lake in June, finds: closed}]
              request: [memory_update, Likes the sea.]
          - say: Forget the sea.
            does: [{call: core_memory_list}, Well.]
            meanwhile: {forget: {query: the sea, holding: Likes the sea}}
            expect: {blocks: {human: {not: sea, contains: lakes}}}
        """
    [outcome] = outcomes(tmp_path, script)
    assert outcome.failures == [], outcome.transcript


def test_what_the_user_was_to_do_later_in_a_turn_that_ended_is_a_failure(tmp_path: Path) -> None:
    script = "title: x\nsteps:\n- say: hi\n  does: [a]\n  meanwhile:\n  - {request: 2, insert: b}\n"
    assert failures(tmp_path, script) == [(6, "the model is asked at least 2 times", "the turn ended before that")]


def test_what_the_user_cannot_do_in_a_turn_is_a_failure_of_its_own(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - say: hi
            does: [hello there]
            meanwhile: {edit: {block: nothing, append: a}}
            expect: {reply: {not: nothing}, ended: done}
        """
    [(line, expected, found)] = failures(tmp_path, script)
    assert (line, expected) == (6, "the user can do this (edit)")
    assert "There is no block 'nothing'" in found


def test_the_user_goes_back_undoes_it_and_forks(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - say: My name is Ada.
          - say: My cat is called Miso.
            expect: {blocks: {human: [Ada, Miso]}}
          - rewind: 1
            expect: {blocks: {human: {contains: Ada, not: Miso}}}
          - say: What is my cat called?
            expect: {reply: {not: Miso}, request: {not: My cat is called Miso}}
          - rewind: {turns: 2}
            expect: {blocks: {human: {not: Ada}}}
          - rewind: {undo: true}
            expect: {blocks: {human: Ada}}
          - insert: The cat is called Miso.
          - fork: twin
          - say: What is my name?
            expect: {reply: Ada, archive: [{query: cat, finds: Miso}]}
          - edit: {block: human, rethink: "Name: Grace"}
          - switch: {agent: main}
            expect: {blocks: {human: {contains: Ada, not: Grace}}}
          - fork: {name: earlier, turns: 1}
            expect: {log: [{query: what is my cat called, nothing: true}]}
          - switch: {agent: twin}
            expect: {blocks: {human: Grace}}
        """
    [outcome] = outcomes(tmp_path, script)
    assert outcome.failures == [], outcome.transcript
    assert [line for line in outcome.transcript if line.startswith("(the user")][:3] == [
        "(the user goes back by 1 turn)",
        "(the user goes back by 2 turns)",
        "(the user undoes the rewind)",
    ]


def test_messages_of_one_conversation_go_back_alone(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - say: The code is 4711.
            does: [{call: core_memory_append, with: {label: human, content: "Code: 4711"}}, Noted.]
          - rewind: {turns: 1, conversation: true}
            expect: {blocks: {human: "4711"}}
          - say: hello
            does: [Hello.]
            expect: {request: {not: The code is 4711}}
        """
    assert failures(tmp_path, script) == []


@pytest.mark.parametrize(
    ("steps", "line", "words"),
    [
        ("- rewind: 0", 3, "`rewind` is 0; it must be at least 1"),
        ("- rewind: {}", 3, "`rewind` holds too little"),
        ("- rewind: {turns: 1, undo: true}", 3, "a rewind goes back by `turns`, or is an `undo`"),
        ("- rewind: {conversation: true}", 3, "a rewind goes back by `turns`, or is an `undo`"),
        ("- fork: {turns: 1}", 3, "`fork` lacks `name`"),
        ("- restart: true\n  approve: true", 4, "`approve` stands beside `say` or `resume` only"),
        ("- say: a\n  meanwhile: {request: 2}", 4, "the user does one of edit, insert, forget, cancel here"),
        ("- say: a\n  meanwhile: [{edit: {block: human}}]", 4, "`edit` holds too little"),
        ("- say: a\n  meanwhile: {edit: {block: human, by: a}}", 4, "an edit is one of append"),
        ("- say: a\n  meanwhile: {canel: true}", 4, "no key `canel` in `meanwhile`. Did you mean 'cancel'?"),
        ("- say: a\n  fault: {crash: after turn.started}\n  meanwhile: {cancel: true}", 5, "are not for the same turn"),
    ],
)
def test_mistakes(tmp_path: Path, steps: str, line: int, words: str) -> None:
    path = write(tmp_path, f"title: x\nsteps:\n{steps}\n")
    with pytest.raises(ScriptMistake) as raised:
        load(path)
    assert str(raised.value).split("\n")[0].startswith(f"{path}:{line}: ")
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("rewind: 1", "There is no turn to go back"),
        ("rewind: {undo: true}", "Nothing was rewound"),
        ("fork: main", "There is an agent 'main' already"),
    ],
)
def test_what_cannot_be_done_is_a_failure(tmp_path: Path, step: str, words: str) -> None:
    [(line, _, found)] = failures(tmp_path, f"title: x\nsteps:\n- {step}\n")
    assert line == 3
    assert words in found


# -- memory work ------------------------------------------------------------------------------------------------------

WISHES = "\n".join(
    f"- insert: {{text: The user asked for a {it} answer., kind: episode}}" for it in ("short", "brief", "concise")
)


@pytest.mark.parametrize(
    ("step", "found"),
    [
        ("work: true", []),
        ("work: stops", [(6, "memory work stops", "it gets through")]),
        ("work: true\n  fault: {error: refused}", [(6, "memory work gets through", "The key is not valid.")]),
        ("work: stops\n  fault: {error: refused}", []),
        ("work: stops\n  does: No idea.", []),
        (
            'work: true\n  does: [\'{"insights": [], "rules": []}\', More.]',
            [(7, "the model is asked 2 times", "it was asked once")],
        ),
        ("work: true\n- rule: {accept: short}", []),
        ("rule: {reject: short}", [(6, "this step can be played (rule)", "No standing rules hold 'short'.")]),
    ],
)
def test_memory_work_gets_through_or_stops_as_the_step_says(
    tmp_path: Path, step: str, found: list[tuple[int, str, str]]
) -> None:
    assert failures(tmp_path, f"title: x\nsteps:\n{WISHES}\n- {step}\n") == found


def test_memory_work_is_told_and_can_be_killed(tmp_path: Path) -> None:
    steps = "- work: true\n  fault: {crash: before sleep.consolidated}\n- work: true\n"
    [outcome] = outcomes(tmp_path, f"title: x\nsteps:\n{WISHES}\n{steps}")
    assert outcome.failures == []
    assert outcome.transcript[-2:] == [
        "(the process is killed before sleep.consolidated, and another one opens the home)",
        "(memory work: rules proposed 1)",
    ]
