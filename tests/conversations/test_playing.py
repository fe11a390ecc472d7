"""What a script can have happen, and what it can expect: each expectation is met, and is missed when it should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.tests.conversations.playing import failures, outcomes, write


def test_faults_restarts_and_a_crash(tmp_path: Path) -> None:
    script = r"""
        title: everything that can happen
        agent:
          clock: 2026-03-01 08:00
          timezone: Asia/Shanghai
          blocks: {human: "Name: Bo", plans: {value: none, description: what is planned}}
          tools:
            - {name: weather, description: Tells the weather., parameters: {city: string}, returns: [Rain., Sun.]}
            - {name: mail, description: Sends a mail., fails: There is no network.}
        steps:
          - say: hello
            fault: {error: unavailable}
            expect: {ended: error, error: overloaded}
          - say: Please note that I like tea.
            does:
              - {call: core_memory_append, raw: '{"label": "human", "content": '}
              - {call: core_memory_append, with: {label: human, content: Likes tea.}}
              - Noted.
            expect:
              calls: {exactly: [{name: core_memory_append, failed: true}, core_memory_append]}
              blocks: {human: {equals: "Name: Bo\nLikes tea.", revision: 2, resident: true}}
              context: {prefix: kept, tokens: {at_most: 9000}, sections: {core: {at_most: 400}}}
              events: [{type: call_finished, error: true}, turn_ended]
          - say: How is the weather?
            does:
              - calls: [{call: weather, with: {city: Rome}}, {call: weather, with: {city: Oslo}}, {call: mail}]
              - "First: ${results[-3]} then ${results[-2]}"
            expect:
              reply: [Rain, Sun]
              calls: {any_order: [{name: mail, failed: true}, {name: weather, with: {city: Oslo}, result: Sun}]}
          - say: I moved to Braga.
            does: [{call: archival_insert, with: {content: The user moved to Braga.}}, ok]
            fault: {crash: after model.replied}
          - resume: retry
            does: [{text: "It is kept: ${results[-1]}"}]
            expect: {calls: [archival_insert], events: [call_finished, turn_ended]}
          - restart: true
            expect: {archive: [{query: Braga, finds: moved to Braga, at: 1}], log: [{query: weather, finds: weather}]}
          - say: And the day?
            does: [{calls: [{call: core_memory_list, with: {}}], then: {seen: "${results[-1] ~ /hu(man)/}"}}, "${seen}"]
            expect: {reply: {equals: man}, request: Sunday}
          - wait: 3 days
          - edit: {block: human, replace: Bo, by: Bob}
          - say: What is my name?
            expect: {reply: Bob, request: [memory_update, "Wednesday, 2026-03-04"]}
          - edit: {block: human, undo: true}
            expect: {blocks: {human: {not: Bob}}}
          - edit: {block: plans, delete: true}
            expect: {blocks: {plans: {absent: true}}}
          - insert: {text: Ada likes jasmine tea., kind: insight, tags: [tea], event_time: "2026-01-02"}
            expect: {archive: [{query: jasmine, finds: jasmine}, {query: the moon landing, nothing: true}]}
          - forget: tea
            expect: {blocks: {human: {not: tea}}, archive: [{query: jasmine tea, not: jasmine}]}
          - switch: {conversation: other}
          - say: hi
            expect: {request: {not: tea}, context: {prefix: new, epoch: 1}, counters: {compactions: 0}}
          - switch: {user: someone else}
            expect: {log: [{query: weather, nothing: true}]}
        """
    [outcome] = outcomes(tmp_path, script)
    assert not outcome.failures, outcome.transcript
    assert outcome.turns == 7


WRONG = [
    ("reply: Marguerite", "the reply holds 'Marguerite'"),
    ("reply: {not: ada}", "the reply does not hold 'ada'"),
    ("reply: {equals: nothing}", "the reply equals 'nothing'"),
    ("reply: {matches: '^x'}", "the reply matches /^x/"),
    ("ended: error", "the turn ends with `error`"),
    ("error: bad", "the turn's error holds 'bad'"),
    ("recalled: tea", "what is recalled holds 'tea'"),
    ("request: Zanzibar", "the newest request holds 'Zanzibar'"),
    ("calls: [archival_search]", "there is, in this order, the call archival_search"),
    ("calls: {any_order: [core_memory_append, core_memory_append]}", "there is the call core_memory_append"),
    ("calls: {exactly: []}", "there are exactly 0 calls"),
    ("calls: {none: true}", "there is no such call"),
    ("calls: {none: [core_memory_append]}", "there is no such call"),
    ("calls: [{name: core_memory_append, with: {label: persona}}]", "there is, in this order, the call"),
    ("calls: [{name: core_memory_append, result: Refused}]", "there is, in this order, the call"),
    ("calls: [{name: core_memory_append, failed: true}]", "there is, in this order, the call"),
    ("blocks: {humans: a}", "there is a block 'humans'"),
    ("blocks: {human: {absent: true}}", "there is no block 'human'"),
    ("blocks: {human: {revision: 7}}", "the revision of block 'human' is 7"),
    ("blocks: {human: {resident: false}}", "block 'human' is not in view"),
    ("blocks: {human: {not: Ada}}", "block 'human' does not hold 'Ada'"),
    ("archive: [{query: tea, finds: tea}]", "a search of the archive for 'tea' finds 'tea'"),
    ("log: [{query: Ada, finds: Ada, at: 9}]", "at rank 9"),
    ("log: [{query: Ada, not: Ada}]", "does not find 'Ada'"),
    ("log: [{query: 'my name is Ada', nothing: true}]", "finds nothing"),
    ("context: {tokens: {at_most: 10}}", "the window's use in tokens is at most 10"),
    ("context: {sections: {core: {at_least: 9999}}}", "the section core in tokens is at least 9,999"),
    ("context: {prefix: new}", "a request begins anew"),
    ("context: {epoch: 5}", "the window's epoch is 5"),
    ("counters: {faults: {at_least: 1}}", "the counter faults is at least 1"),
    ("events: [turn_ended, turn_started]", "there is, in this order, the event turn_started"),
    ("events: {none: [turn_ended]}", "there is no such event"),
]


@pytest.mark.parametrize(("expect", "words"), WRONG)
def test_what_is_not_so_is_told_with_its_line(tmp_path: Path, expect: str, words: str) -> None:
    script = f"title: x\nsteps:\n- say: Hello, my name is Ada.\n  expect:\n    {expect}\n"
    [(line, expected, found)] = failures(tmp_path, script)
    assert line == 5
    assert words in expected
    assert found


def test_a_name_that_replies_set_begins_with_the_value_of_the_table(tmp_path: Path) -> None:
    script = r"""
        title: follow
        parameters: [{at: a, steps: 2}, {at: b, steps: 1}]
        steps:
          - insert: a leads to b
          - insert: b leads to c
          - say: "Where does ${at} lead in the end?"
            does:
              - call: archival_search
                with: {query: "${at} leads to"}
                then: {at: "${results[-1] ~ /${at} leads to (\\w)/}"}
                repeat: ${steps}
              - "To ${at}, in ${steps} steps."
            expect: {reply: {contains: to c}}
        """
    assert failures(tmp_path, script) == []


def test_what_the_user_forgets_can_be_chosen(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - insert: Bo's salary is 4,200 euros.
          - insert: Bo's office is in room 12.
          - forget: {query: "Bo's salary", holding: "4,200"}
            expect: {archive: [{query: Bo, not: salary}, {query: Bo's office, finds: room 12}]}
          - forget: a thing that nobody said
        """
    [(line, _, found)] = failures(tmp_path, script)
    assert (line, "nothing to forget" in found) == (8, True)


def test_a_turn_that_fails_unasked_is_a_failure(tmp_path: Path) -> None:
    script = "title: x\nsteps:\n- say: hi\n  fault: {error: timeout, words: so slow}\n"
    assert failures(tmp_path, script) == [(3, "the turn ends with `done`", "`error`: so slow")]


def test_a_script_that_cannot_go_on_is_a_failure(tmp_path: Path) -> None:
    [(line, _, found)] = failures(tmp_path, "title: x\nsteps:\n- say: hi\n  does: ['${results[-1]}']\n")
    assert (line, found) == (3, "there is no results[-1]: calls have given 0 results")
    other = tmp_path / "other"
    other.mkdir()
    [(line, expected, found)] = failures(other, "title: y\nsteps:\n- say: hi\n  does:\n  - a\n  - b\n")
    assert (line, expected) == (4, "the model is asked 2 times")
    assert found == "it was asked once, so 1 scripted reply was not used"


def test_a_scripted_call_that_fails_is_a_failure_unless_it_is_to_fail(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - say: I like tea.
            does:
              - {call: core_memory_append, with: {label: humann, content: Likes tea.}}
              - Noted.
        """
    [(line, expected, found)] = failures(tmp_path, script)
    assert (line, expected) == (5, "the call core_memory_append does its work, since nothing here expects it to fail")
    assert "no block 'humann'" in found
    for expect in (
        "calls: [{name: core_memory_append, failed: true}]",
        "calls: [{name: core_memory_append, result: no block}]",
        "events: [{type: call_finished, error: true}]",
    ):
        folder = tmp_path / expect[:5] / expect[-10:-5].strip(" {}[]")
        folder.mkdir(parents=True)
        assert not failures(folder, f"{script.rstrip()}\n          - expect: {{{expect}}}\n")


def test_a_crash_that_does_not_come_is_a_failure(tmp_path: Path) -> None:
    script = "title: x\nsteps:\n- say: hi\n  does: [hello]\n  fault: {crash: after call.result}\n"
    [(line, expected, found)] = failures(tmp_path, script)
    assert (line, expected) == (5, "the process dies after call.result")
    assert "without a 'call.result' to be killed at" in found


def test_a_resume_says_what_it_answered(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - resume: true
          - say: first
            fault: {crash: after input.queued}
          - resume: true
          - say: second
            does: [Hello.]
            fault: {crash: after turn.started}
          - resume: true
          - resume: retry
            does: [Well.]
            expect: {reply: nothing of this}
        """
    [outcome] = outcomes(tmp_path, script)
    told = [line for line in outcome.transcript if line.startswith("(")]
    killed = "(the process is killed after {}, and another one opens the home)"
    assert told == [
        "(nothing was left to answer)",
        killed.format("input.queued"),
        "(what was left is answered: 'first')",
        killed.format("turn.started"),
        "(nothing was left to answer)",
        "(the answer to 'second' had begun; only `resume: retry` answers it again)",
        "(what was left is answered: 'second')",
    ]


def test_how_a_turn_ended_is_told_without_a_stray_space(tmp_path: Path) -> None:
    [(_, _, found)] = failures(tmp_path, "title: x\nsteps:\n- say: hi\n  expect: {ended: error}\n")
    assert found == "`done`"


def test_an_embedder_that_fails_costs_no_words(tmp_path: Path) -> None:
    script = """
        title: x
        steps:
          - say: Keep that the cat is called Miso.
            does: [{call: archival_insert, with: {content: The cat is called Miso.}}, Kept.]
            fault: {embedder: true}
            expect: {archive: [{query: Miso, finds: Miso}]}
        """
    assert not failures(tmp_path, script)


def test_tables_variables_and_included_steps(tmp_path: Path) -> None:
    write(tmp_path, "- say: My name is ${who}.\n", "hello.yaml")
    write(tmp_path, "agent: {user: u, blocks: {notes: '${note}'}}\nvariables: {note: n, who: nobody}\n", "base.yaml")
    script = """
        title: x
        extends: base.yaml
        agent: {blocks: {more: m}}
        variables: {note: own}
        parameters:
          - {name: English, who: Ada}
          - {who: 小林}
        steps:
          - include: hello.yaml
            expect: {blocks: {human: "${who}", notes: {equals: own}, more: m}}
          - include: hello.yaml
            with: {who: Grace}
          - say: What is my name?
            expect: {reply: Grace}
        """
    played = outcomes(tmp_path, script)
    assert [one.name for one in played] == ["x [English]", "x [小林]"]
    assert [one.failures for one in played] == [[], []]
