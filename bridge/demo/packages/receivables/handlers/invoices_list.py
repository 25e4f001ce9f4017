"""Lists invoices by their state and client, a page at a time."""

from __future__ import annotations

from typing import Any

from ._books import NotInBooksError, books, euros, invoices, read_day, refused


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return the invoices that fit, with their count and sum."""
    status, offset = arguments["status"], arguments["offset"]
    try:
        day = read_day(arguments["asOf"])
    except NotInBooksError as error:
        return refused(error)
    with books() as db:
        every = invoices(db, day, arguments.get("clientId"))
    found = [each for each in every if _fits(each, status)]
    total = sum(each["amount"] for each in found)
    page = found[offset : offset + arguments["limit"]]
    more = {"nextOffset": offset + len(page)} if offset + len(page) < len(found) else {}
    which = "" if status == "all" else f"{status} "
    headline = f"{len(found)} {which}invoices, {euros(total)} in all, as of {day}"
    return {
        "content": "\n".join([headline, *map(_line, page)]),
        "structuredContent": {
            "ok": True,
            "asOf": arguments["asOf"],
            "count": len(found),
            "total": total,
            "currency": "EUR",
            "invoices": page,
            **more,
        },
    }


def _fits(invoice: dict[str, Any], status: str) -> bool:
    if status == "overdue":
        return bool(invoice["daysOverdue"] > 0)
    return status in {"all", invoice["state"]}


def _line(invoice: dict[str, Any]) -> str:
    late = invoice["daysOverdue"]
    state = f"{late} days overdue" if late else invoice["state"]
    return (
        f"{invoice['number']}  {invoice['client']}  {euros(invoice['amount'])},"
        f" due {invoice['dueOn']} ({state})"
    )
