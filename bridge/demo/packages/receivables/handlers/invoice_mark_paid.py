"""Books the payment of an invoice. The same payment once more is no mistake."""

from __future__ import annotations

from typing import Any

from ._books import NotInBooksError, books, euros, invoice, read_day, refused


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Book it, and return the invoice as it is now."""
    number = arguments["number"]
    try:
        day = read_day(arguments["paidOn"])
        with books() as db:
            before = invoice(db, number, day)
            paid = arguments.get("amount", before["amount"])
            rest = before["amount"] - paid
            if before["state"] == "paid":
                if (before["paidOn"], before["paidAmount"]) != (str(day), paid):
                    raise NotInBooksError(f"{number} was paid on {before['paidOn']} already.")
            elif rest < 0:
                raise NotInBooksError(
                    f"{number} is over {euros(before['amount'])}, less than {euros(paid)}."
                )
            elif rest > 0 and not arguments.get("writeOff", False):
                raise NotInBooksError(
                    f"{euros(rest)} of {number} would remain: send writeOff true to give them up."
                )
            db.execute(
                "update invoice set paid_on = ?, paid_amount = ? where number = ?",
                (str(day), paid, number),
            )
            now = invoice(db, number, day)
    except NotInBooksError as error:
        return refused(error)
    given_up = f" {euros(rest)} were given up." if rest else ""
    return {
        "content": f"{number} is paid: {euros(paid)} on {day}.{given_up}",
        "structuredContent": {"ok": True, "invoice": now, "writtenOff": rest},
    }
