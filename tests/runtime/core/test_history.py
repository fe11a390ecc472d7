"""Block history, diff and undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.core.blocks import Block, find_block
from pagekeeper.runtime.core.edit import Append, Author, Create, Delete, Operation, Rethink, Settings, apply_edit
from pagekeeper.runtime.core.history import alike, difference, history, labels_of, undo
from pagekeeper.runtime.directory import create_agent
from pagekeeper.runtime.errors import EditRefused, NotFound
from pagekeeper.runtime.ids import CountingIds
from pagekeeper.runtime.journal.journal import Journal, Transaction


class Bench:
    """One agent's block `notes`, edited by its user."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.agent = journal.write_now(lambda transaction: create_agent(transaction, "ada"))

    def edit(self, *operations: Operation) -> None:
        def work(transaction: Transaction) -> None:
            for operation in operations:
                apply_edit(transaction, self.agent, "me", "notes", operation, Author("user"))

        self.journal.write_now(work)

    def undo(self) -> str | None:
        self.journal.write_now(lambda tx: undo(tx, self.agent, "me", "notes", Author("user")))
        return self.value()

    def block(self) -> Block | None:
        return self.journal.read_now(lambda connection: find_block(connection, self.agent, "me", "notes"))

    def value(self) -> str | None:
        block = self.block()
        return block.value if block else None


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    journal = Journal.open(tmp_path, clock=ManualClock(), ids=CountingIds())
    yield Bench(journal)
    journal.close()


def test_undo_goes_back_step_by_step(bench: Bench) -> None:
    bench.edit(Create("", "one"), Append("two"), Append("三"))
    assert bench.value() == "one\ntwo\n三"
    assert [bench.undo(), bench.undo(), bench.undo()] == ["one\ntwo", "one", None]
    with pytest.raises(EditRefused, match="have been undone"):
        bench.undo()


def test_a_new_edit_after_an_undo_is_the_next_to_be_undone(bench: Bench) -> None:
    bench.edit(Create("", "one"), Append("two"))
    assert bench.undo() == "one"
    bench.edit(Append("three"))
    assert [bench.undo(), bench.undo()] == ["one", None]


def test_a_delete_and_a_setting_are_undone(bench: Bench) -> None:
    bench.edit(Create("about", "one", limit=10, pinned=True), Settings(limit=20), Delete())
    assert bench.value() is None
    assert bench.undo() == "one"

    def limit() -> int:
        block = bench.journal.read_now(lambda connection: find_block(connection, bench.agent, "me", "notes"))
        assert block is not None
        assert block.pinned
        return block.limit

    assert limit() == 20
    bench.undo()
    assert limit() == 10


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([Delete()], id="deleted"),
        pytest.param([Rethink("short")], id="rewritten"),
        pytest.param([Settings("else", 30, read_only=False, pinned=False)], id="set"),
        pytest.param([Settings(limit=40), Rethink("short"), Delete()], id="all of these"),
    ],
)
def test_what_broke_its_limit_comes_back_as_it_was(bench: Bench, edits: list[Operation]) -> None:
    bench.edit(Create("about", "</memory> <b> [red]hi 你好", read_only=True, pinned=True), Settings(limit=5))
    was = bench.block()
    bench.edit(*edits)
    for _ in edits:
        bench.undo()
    now = bench.block()
    assert was is not None
    assert now is not None
    assert alike(now, was)
    assert bench.undo() == was.value, "and further back"
    assert bench.undo() is None


def test_history_tells_every_version_and_who_wrote_it(bench: Bench) -> None:
    bench.edit(Create("", "one"), Rethink("two"), Delete(), Create("", "three"))
    versions = bench.journal.read_now(lambda connection: history(connection, bench.agent, "me", "notes"))
    assert [(v.block.revision, v.block.value, v.gone) for v in versions] == [
        (1, "one", False),
        (2, "two", True),
        (3, "three", False),
    ]
    assert [v.began.type for v in versions] == ["block.created", "block.edited", "block.created"]
    assert bench.journal.read_now(lambda connection: labels_of(connection, bench.agent, "me")) == ["notes"]


def test_another_users_block_is_not_there(bench: Bench) -> None:
    bench.edit(Create("", "mine", per_user=True))
    with pytest.raises(NotFound):
        bench.journal.read_now(lambda connection: history(connection, bench.agent, "you", "notes"))


def test_a_difference_is_a_unified_diff(bench: Bench) -> None:
    bench.edit(Create("", "a\nb\nc"), Rethink("a\nB\nc"))
    versions = bench.journal.read_now(lambda connection: history(connection, bench.agent, "me", "notes"))
    shown = difference(versions[0].block, versions[1].block).splitlines()
    assert shown == ["--- notes revision 1", "+++ notes revision 2", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert difference(None, versions[0].block).splitlines()[-3:] == ["+a", "+b", "+c"]
    assert difference(versions[0].block, versions[0].block) == ""
