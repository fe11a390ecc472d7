"""The steps from each schema of the journal to the next: step n brings the tables of schema n - 1 to those of n.

A step runs in the transaction in which the journal is opened. It is written in SQL of its own and never changed once
released: `tables` goes on to say what the newest schema is. What a step fills in must be what the folds make of the
same events (`doctor` compares them), so a new column of a state table gets the same default in `tables`.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, text

Step = Callable[[Connection], None]


def _columns(connection: Connection, table: str) -> set[str]:
    return {row.name for row in connection.execute(text(f"PRAGMA table_info({table})"))}


def _run(connection: Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(text(statement))


def _to_2(connection: Connection) -> None:
    """Development builds gained columns and indexes under the number 1; add those that are missing."""
    epochs = _columns(connection, "epochs")
    for name, kind in (("lead", "INTEGER"), ("cut", "INTEGER"), ("bare", "INTEGER"), ("date", "VARCHAR")):
        if name not in epochs:
            empty = "0" if kind == "INTEGER" else "''"
            _run(connection, f"ALTER TABLE epochs ADD COLUMN {name} {kind} NOT NULL DEFAULT {empty}")
    if "forgot" not in _columns(connection, "withheld"):
        _give_forgettings_rows(connection)
    _run(
        connection,
        "DROP INDEX IF EXISTS messages_current",
        "DROP INDEX IF EXISTS inputs_queued",
        "DROP INDEX IF EXISTS blocks_current",
        "DROP INDEX IF EXISTS blocks_history",
        "CREATE INDEX inputs_queued ON inputs (conversation, state, seq) WHERE state = 'queued'",
        'CREATE INDEX blocks_current ON blocks (stream, label, "user") WHERE to_seq IS NULL',
        'CREATE INDEX blocks_history ON blocks (label, revision, stream, "user")',
        "CREATE INDEX IF NOT EXISTS conversations_by_id ON conversations (id)",
        "CREATE INDEX IF NOT EXISTS inputs_in_order ON inputs (conversation, seq)",
        "CREATE INDEX IF NOT EXISTS messages_by_turn ON messages (turn)",
        "CREATE INDEX IF NOT EXISTS messages_in_order ON messages (conversation, ordinal)",
        "CREATE INDEX IF NOT EXISTS turns_broken ON turns (stream) WHERE ended_seq IS NULL OR reason = 'interrupted'",
        "CREATE INDEX IF NOT EXISTS withheld_by_event ON withheld (event)",
        "CREATE INDEX IF NOT EXISTS withheld_forgettings ON withheld (stream, forgot) WHERE kind = 'forgetting'",
    )


def _give_forgettings_rows(connection: Connection) -> None:
    """Let what is withheld know the number of its forgetting, which gets a row of its own before the others."""
    restored = (
        "SELECT min(r.seq) FROM events r WHERE r.stream = f.stream AND r.type = 'memory.restored' "
        "AND json_extract(r.payload, '$.forgot') = f.id"
    )
    _run(
        connection,
        "ALTER TABLE withheld ADD COLUMN forgot INTEGER NOT NULL DEFAULT 0",
        "UPDATE withheld SET forgot = (SELECT seq FROM events WHERE events.id = withheld.event)",
        "INSERT INTO withheld (stream, kind, item, event, forgot, from_seq, to_seq) "
        f"SELECT f.stream, 'forgetting', f.id, f.id, f.seq, f.seq, ({restored}) "
        "FROM events f WHERE f.type = 'memory.forgotten'",
        # In the order in which folding the events writes them.
        "CREATE TEMP TABLE in_order AS SELECT w.* FROM withheld w JOIN events e ON e.stream = w.stream "
        'AND e.seq = w.from_seq ORDER BY e."row", w.kind <> \'forgetting\', w."row"',
        "DELETE FROM withheld",
        "INSERT INTO withheld (stream, kind, item, part, event, forgot, from_seq, to_seq) "
        "SELECT stream, kind, item, part, event, forgot, from_seq, to_seq FROM in_order ORDER BY rowid",
        "DROP TABLE in_order",
    )


def _to_3(connection: Connection) -> None:
    """What a passage says of whom, how it is known and used; and how far the memory work is."""
    text_columns = ("subject VARCHAR", "attribute VARCHAR", "value TEXT", "disputes VARCHAR", "used_at VARCHAR")
    flags = ("single BOOLEAN NOT NULL DEFAULT 0", "permanent BOOLEAN NOT NULL DEFAULT 0")
    lists = ("relations JSON NOT NULL DEFAULT '[]'", "evidence JSON NOT NULL DEFAULT '[]'")
    _run(
        connection,
        *(
            f"ALTER TABLE passages ADD COLUMN {column}"
            for column in (*text_columns, "retired_at VARCHAR", *flags, "basis VARCHAR NOT NULL DEFAULT ''", *lists)
        ),
        "UPDATE passages SET retired_at = (SELECT min(e.at) FROM events e, json_each(e.payload, '$.ids') gone "
        "WHERE e.type = 'passage.retired' AND e.stream = passages.stream AND gone.value = passages.id) "
        "WHERE status = 'retired'",
        'CREATE INDEX passages_about ON passages (stream, "user", attribute) WHERE to_seq IS NULL',
        "CREATE INDEX passages_disputing ON passages (disputes) WHERE to_seq IS NULL AND disputes IS NOT NULL",
        'CREATE TABLE sleep ("row" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, stream VARCHAR NOT NULL, '
        '"user" VARCHAR NOT NULL, cursors JSON NOT NULL, failures INTEGER NOT NULL, error TEXT NOT NULL, '
        "at VARCHAR NOT NULL, consolidated INTEGER NOT NULL DEFAULT 0, reflected INTEGER NOT NULL DEFAULT 0, "
        "from_seq INTEGER NOT NULL, to_seq INTEGER)",
        'CREATE INDEX sleep_current ON sleep (stream, "user") WHERE to_seq IS NULL',
    )


def _to_4(connection: Connection) -> None:
    """Apps keep a memory as agents do."""
    _run(connection, "ALTER TABLE agents ADD COLUMN kind VARCHAR NOT NULL DEFAULT 'agent'")


STEPS: dict[int, Step] = {2: _to_2, 3: _to_3, 4: _to_4}
"""By the number that each leads to."""
