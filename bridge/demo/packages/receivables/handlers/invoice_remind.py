"""Writes a reminder and notes that it was sent. Sends nothing: this is a sample."""

from __future__ import annotations

from typing import Any

from ._books import NotInBooksError, books, euros, invoice, read_day, refused

WORDS = {
    "friendly": "may we remind you of invoice {number} over {amount}, due on {due}?"
    " Should the payment be on its way, please ignore this note.",
    "firm": "invoice {number} over {amount} has been overdue for {days} days, since {due}."
    " Please pay it within a week.",
}


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Note the reminder, and return its text."""
    number, tone = arguments["number"], arguments["tone"]
    try:
        day = read_day(arguments["asOf"])
        with books() as db:
            found = invoice(db, number, day)
            if not found["daysOverdue"]:
                raise NotInBooksError(f"{number} is not overdue on {day}: there is nothing to say.")
            sent = db.execute(
                "insert or ignore into reminder values (?, ?, ?)", (number, str(day), tone)
            ).rowcount
            if not sent:
                raise NotInBooksError(f"A reminder of {number} was sent on {day} already.")
            address = db.execute(
                "select email from client where id = ?", (found["clientId"],)
            ).fetchone()["email"]
    except NotInBooksError as error:
        return refused(error)
    words = WORDS[tone].format(
        number=number,
        amount=euros(found["amount"]),
        due=found["dueOn"],
        days=found["daysOverdue"],
    )
    text = f"To: {address}\n\nDear {found['client']},\n{words}"
    return {
        "content": f"Reminder {found['reminders'] + 1} of {number} is noted.\n\n{text}",
        "structuredContent": {
            "ok": True,
            "number": number,
            "to": address,
            "text": text,
            "reminders": found["reminders"] + 1,
        },
    }
