"""Reports what is open by how long it has been overdue."""

from __future__ import annotations

from typing import Any

from ._books import NotInBooksError, books, euros, invoices, read_day, refused

BUCKETS: tuple[tuple[str, str, int | None], ...] = (
    ("notDue", "not due", 0),
    ("upTo30", "1 to 30 days", 30),
    ("upTo60", "31 to 60 days", 60),
    ("upTo90", "61 to 90 days", 90),
    ("over90", "over 90 days", None),
)


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return the report."""
    try:
        day = read_day(arguments["asOf"])
    except NotInBooksError as error:
        return refused(error)
    with books() as db:
        pending = [each for each in invoices(db, day) if each["state"] == "pending"]
    late = [each for each in pending if each["daysOverdue"]]
    buckets: list[dict[str, Any]] = [
        {"key": key, "label": label, **_sums([i for i in pending if _bucket(i) == key])}
        for key, label, _ in BUCKETS
    ]
    clients = []
    for client in sorted({each["client"] for each in pending}):
        owed = [each for each in pending if each["client"] == client]
        by_age = {
            key: _sums([i for i in owed if _bucket(i) == key])["amount"] for key, *_ in BUCKETS
        }
        clients.append({"client": client, **by_age, "amount": _sums(owed)["amount"]})
    overdue = _sums(late)
    headline = (
        f"As of {day}, {len(pending)} invoices are pending, {euros(_sums(pending)['amount'])} in"
        f" all; {overdue['count']} of them are overdue, {euros(overdue['amount'])} together."
    )
    lines = [f"{b['label']}: {b['count']} invoices, {euros(b['amount'])}" for b in buckets]
    return {
        "content": "\n".join([headline, *lines]),
        "structuredContent": {
            "ok": True,
            "asOf": arguments["asOf"],
            "currency": "EUR",
            "pending": _sums(pending),
            "overdue": overdue,
            "buckets": buckets,
            "clients": clients,
        },
    }


def _bucket(invoice: dict[str, Any]) -> str:
    days = invoice["daysOverdue"]
    return next(key for key, _, most in BUCKETS if most is None or days <= most)


def _sums(invoices: list[dict[str, Any]]) -> dict[str, int]:
    return {"count": len(invoices), "amount": sum(each["amount"] for each in invoices)}
