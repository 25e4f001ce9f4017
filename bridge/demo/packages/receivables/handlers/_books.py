"""The books: clients, invoices and reminders in a file of SQLite, made when it is first asked for.

The file is `receivables.sqlite` in the directory that BASCULE_RECEIVABLES_DIR names; without it
the books are in a temporary directory, and gone with the process. Each use opens the file anew and
is one transaction. Sums are whole euros. Knows no tool.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path
from typing import Any

DIRECTORY_VARIABLE = "BASCULE_RECEIVABLES_DIR"
_SCHEMA = """
create table client (id text primary key, name text not null, email text not null);
create table invoice (
  number text primary key, client_id text not null references client, issued_on text not null,
  due_on text not null, amount integer not null, paid_on text, paid_amount integer
);
create table reminder (
  number text not null references invoice, sent_on text not null, tone text not null,
  primary key (number, sent_on)
);
"""
CLIENTS = (
    ("aldern", "Aldern Bridges AG", "accounts@aldern.example"),
    ("brisa", "Brisa Portuária Lda", "contas@brisa.example"),
    ("corvin", "Corvin & Sons Ltd", "ledger@corvin.example"),
    ("dahlke", "Dahlke Schleusenbau GmbH", "buchhaltung@dahlke.example"),
    ("elvbro", "Elvbro AS", "faktura@elvbro.example"),
    ("fontane", "Fontane Écluses SARL", "compta@fontane.example"),
)
INVOICES = (
    # number, client, issued, due, amount, paid on; thirteen are pending.
    ("INV-2026-001", "corvin", "2026-01-08", "2026-02-07", 6200, "2026-02-03"),
    ("INV-2026-002", "aldern", "2026-01-15", "2026-02-14", 11400, "2026-02-16"),
    ("INV-2026-003", "brisa", "2026-01-22", "2026-02-21", 4800, "2026-02-20"),
    ("INV-2026-004", "dahlke", "2026-02-10", "2026-03-12", 24800, None),
    ("INV-2026-005", "fontane", "2026-02-16", "2026-03-18", 7900, "2026-03-15"),
    ("INV-2026-006", "brisa", "2026-02-26", "2026-03-28", 9800, None),
    ("INV-2026-007", "elvbro", "2026-03-09", "2026-04-08", 13600, "2026-04-07"),
    ("INV-2026-008", "dahlke", "2026-03-21", "2026-04-20", 18200, None),
    ("INV-2026-009", "aldern", "2026-04-05", "2026-05-05", 15600, None),
    ("INV-2026-010", "corvin", "2026-04-18", "2026-05-18", 7500, None),
    ("INV-2026-011", "elvbro", "2026-04-28", "2026-05-28", 5100, "2026-05-27"),
    ("INV-2026-012", "fontane", "2026-05-09", "2026-06-08", 14400, None),
    ("INV-2026-013", "brisa", "2026-05-20", "2026-06-19", 12300, None),
    ("INV-2026-014", "aldern", "2026-06-02", "2026-07-02", 31000, None),
    ("INV-2026-015", "corvin", "2026-06-08", "2026-07-08", 8600, None),
    ("INV-2026-016", "elvbro", "2026-06-11", "2026-07-11", 5400, None),
    ("INV-2026-017", "dahlke", "2026-06-16", "2026-07-16", 12750, None),
    ("INV-2026-018", "fontane", "2026-06-22", "2026-07-22", 3950, None),
    ("INV-2026-019", "elvbro", "2026-06-26", "2026-07-26", 19300, None),
)
REMINDERS = (
    ("INV-2026-004", "2026-03-26", "friendly"),
    ("INV-2026-004", "2026-05-04", "firm"),
    ("INV-2026-006", "2026-04-13", "friendly"),
    ("INV-2026-008", "2026-05-04", "friendly"),
)
_INVOICE = """
select number, client_id, client.name as client, issued_on, due_on, amount, paid_on, paid_amount,
  (select count(*) from reminder where reminder.number = invoice.number) as reminders
from invoice join client on client.id = client_id
"""


class NotInBooksError(Exception):
    """What was asked for is not there, or cannot be done. The message is for whoever called."""


@contextmanager
def books() -> Iterator[sqlite3.Connection]:
    """Open the books for one transaction: kept where nothing is raised, else undone."""
    with closing(sqlite3.connect(_directory() / "receivables.sqlite", isolation_level=None)) as db:
        db.row_factory = sqlite3.Row
        # Taken at once: two calls may be the first to find the file empty.
        db.execute("begin immediate")
        try:
            if db.execute("select count(*) from sqlite_master").fetchone()[0] == 0:
                _fill(db)
            yield db
        except BaseException:
            db.rollback()
            raise
        db.commit()


def read_day(text: str) -> date:
    """Read a day. Raises `NotInBooksError` for one that no calendar has."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotInBooksError(f"{text} is no day of the calendar.") from None


def invoices(db: sqlite3.Connection, day: date, client: str | None = None) -> list[dict[str, Any]]:
    """Return all invoices, or those of a client, the earliest due first."""
    where = "" if client is None else " where client_id = :client"
    rows = db.execute(f"{_INVOICE}{where} order by due_on, number", {"client": client})
    return [_told(row, day) for row in rows]


def invoice(db: sqlite3.Connection, number: str, day: date) -> dict[str, Any]:
    """Return one invoice. Raises `NotInBooksError`."""
    row = db.execute(f"{_INVOICE} where number = ?", (number,)).fetchone()
    if row is None:
        raise NotInBooksError(f"There is no invoice {number}; invoices_list has their numbers.")
    return _told(row, day)


def euros(amount: int) -> str:
    """Write a sum for people."""
    return f"{amount:,} EUR"


def refused(error: NotInBooksError) -> dict[str, Any]:
    """Return the result of a call that cannot be done."""
    return {
        "content": str(error),
        "structuredContent": {"ok": False, "message": str(error)},
        "isError": True,
    }


def _told(row: sqlite3.Row, day: date) -> dict[str, Any]:
    paid = row["paid_on"] is not None
    late = 0 if paid else max(0, (day - date.fromisoformat(row["due_on"])).days)
    told = {
        "number": row["number"],
        "clientId": row["client_id"],
        "client": row["client"],
        "issuedOn": row["issued_on"],
        "dueOn": row["due_on"],
        "amount": row["amount"],
        "state": "paid" if paid else "pending",
        "daysOverdue": late,
        "reminders": row["reminders"],
    }
    if paid:
        told |= {"paidOn": row["paid_on"], "paidAmount": row["paid_amount"]}
    return told


def _directory() -> Path:
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        directory = Path(named)
        directory.mkdir(parents=True, exist_ok=True)
        return directory
    global _temporary  # noqa: PLW0603 - one for the process, made when it is needed
    if _temporary is None:
        _temporary = Path(tempfile.mkdtemp(prefix="bascule-receivables-"))
        atexit.register(shutil.rmtree, _temporary, ignore_errors=True)
    return _temporary


_temporary: Path | None = None


def _fill(db: sqlite3.Connection) -> None:
    for statement in _SCHEMA.split(";\n"):
        db.execute(statement)
    db.executemany("insert into client values (?, ?, ?)", CLIENTS)
    db.executemany(
        "insert into invoice values (?, ?, ?, ?, ?, ?, ?)",
        [(*row, None if row[-1] is None else row[-2]) for row in INVOICES],
    )
    db.executemany("insert into reminder values (?, ?, ?)", REMINDERS)
