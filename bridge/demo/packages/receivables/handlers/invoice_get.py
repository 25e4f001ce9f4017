"""Shows one invoice, with the reminders that were sent."""

from __future__ import annotations

from typing import Any

from ._books import NotInBooksError, books, euros, invoice, read_day, refused


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return the invoice."""
    number = arguments["number"]
    try:
        with books() as db:
            found = invoice(db, number, read_day(arguments["asOf"]))
            sent = db.execute(
                "select sent_on, tone from reminder where number = ? order by sent_on", (number,)
            ).fetchall()
    except NotInBooksError as error:
        return refused(error)
    late = f", {found['daysOverdue']} days overdue" if found["daysOverdue"] else ""
    lines = [
        f"{number}: {euros(found['amount'])} of {found['client']}, {found['state']}{late}.",
        f"Issued {found['issuedOn']}, due {found['dueOn']}.",
    ]
    if found["state"] == "paid":
        lines.append(f"{euros(found['paidAmount'])} were paid on {found['paidOn']}.")
    lines += [f"Reminded on {row['sent_on']} ({row['tone']})." for row in sent]
    history = [{"sentOn": row["sent_on"], "tone": row["tone"]} for row in sent]
    return {
        "content": "\n".join(lines),
        "structuredContent": {"ok": True, "invoice": {**found, "history": history}},
    }
