"""A prepared statement does what SQLAlchemy does with it, on a connection of SQLAlchemy's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    bindparam,
    create_engine,
    insert,
    select,
    update,
)

from pagekeeper.runtime.journal.statement import Statement

TABLE = Table(
    "things",
    MetaData(),
    Column("row", Integer, primary_key=True, autoincrement=True),
    Column("name", String),
    Column("user", String),
    Column("data", JSON),
    Column("done", Boolean),
    Column("bytes", LargeBinary),
    Column("count", Integer, nullable=False, default=7),
)

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with create_engine("sqlite://").connect() as connection:
        TABLE.create(connection)
        yield connection


THINGS = {
    "name": st.none() | st.text(st.characters(codec="utf-8")),
    "user": st.text(st.characters(codec="utf-8")),
    "data": JSONS,
    "done": st.none() | st.booleans(),
    "bytes": st.none() | st.binary(),
}


@given(thing=st.fixed_dictionaries(THINGS), other=st.fixed_dictionaries(THINGS))
def test_values_come_back_as_they_went_in_and_as_sqlalchemy_has_them(
    connection: Connection, thing: dict[str, Any], other: dict[str, Any]
) -> None:
    add = Statement(insert(TABLE), tuple(thing))
    assert add.change(connection, thing) == 1
    query = select(TABLE).order_by(TABLE.c.row.desc()).limit(1)
    row = Statement(query).one(connection, {})
    assert {name: getattr(row, name) for name in thing} == thing
    assert tuple(row) == tuple(connection.execute(query).one())

    alter = Statement(update(TABLE).where(TABLE.c.row == bindparam("its_row")), tuple(other))
    assert alter.change(connection, {**other, "its_row": row.row}) == 1
    assert alter.change(connection, {**other, "its_row": -1}) == 0
    row = Statement(query).one(connection, {})
    assert {name: getattr(row, name) for name in other} == other


def test_only_the_columns_that_are_named_change(connection: Connection) -> None:
    Statement(insert(TABLE), ("name", "data")).change(connection, {"name": "a", "data": [1]})
    newest = Statement(select(TABLE).order_by(TABLE.c.row.desc()).limit(1))
    row = newest.one(connection, {})
    assert (row.name, row.user, row.data, row.done) == ("a", None, [1], None)
    rename = Statement(update(TABLE).where(TABLE.c.row == bindparam("its_row")), ("name",))
    rename.change(connection, {"name": "b", "its_row": row.row})
    row = newest.one(connection, {})
    assert (row.name, row.data) == ("b", [1])


def test_a_column_that_is_not_named_has_its_default(connection: Connection) -> None:
    Statement(insert(TABLE), ("name",)).change(connection, {"name": "a"})
    newest = Statement(select(TABLE).order_by(TABLE.c.row.desc()).limit(1))
    assert newest.one(connection, {}).count == 7
    Statement(insert(TABLE), ("name", "count")).change(connection, {"name": "a", "count": 0})
    assert newest.one(connection, {}).count == 0


def test_nothing_found_is_none_and_a_missing_value_is_refused(connection: Connection) -> None:
    by_name = Statement(select(TABLE.c.row).where(TABLE.c.name == bindparam("name")))
    assert by_name.one(connection, {"name": "nobody's"}) is None
    assert by_name.all(connection, {"name": "nobody's"}) == []
    with pytest.raises(KeyError):
        by_name.all(connection, {})


def test_it_is_compiled_once_for_each_home_that_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents of several homes in one process take turns, and their statements are the same ones."""
    statement = insert(TABLE)
    made: list[object] = []
    compile_it = type(statement).compile

    def compiled(self: Any, *args: Any, **options: Any) -> Any:
        made.append(options["dialect"])
        return compile_it(self, *args, **options)

    add = Statement(statement, ("name",))
    with create_engine("sqlite://").connect() as one, create_engine("sqlite://").connect() as two:
        for each in (one, two):
            TABLE.create(each)
        monkeypatch.setattr(type(statement), "compile", compiled)
        for _ in range(3):
            for each in (one, two):
                add.change(each, {"name": "a"})
        assert made == [one.dialect, two.dialect]
