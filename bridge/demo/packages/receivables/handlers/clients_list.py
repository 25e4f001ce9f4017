"""Lists clients and what they owe."""

from __future__ import annotations

from typing import Any

from ._books import NotInBooksError, books, euros, invoices, read_day, refused


async def handle(arguments: dict[str, Any], session: object, call: object) -> dict[str, Any]:
    """Return the clients that fit, the largest overdue sum first."""
    wanted = arguments.get("query", "").casefold()
    try:
        day = read_day(arguments["asOf"])
    except NotInBooksError as error:
        return refused(error)
    with books() as db:
        rows = db.execute("select id, name, email from client order by id").fetchall()
        every = invoices(db, day)
    clients = []
    for row in rows:
        if wanted not in f"{row['id']}\n{row['name']}".casefold():
            continue
        owed = [i for i in every if i["clientId"] == row["id"] and i["state"] == "pending"]
        clients.append(
            {
                "id": row["id"],
                "name": row["name"],
                "email": row["email"],
                "pending": len(owed),
                "open": sum(i["amount"] for i in owed),
                "overdue": sum(i["amount"] for i in owed if i["daysOverdue"]),
            }
        )
    clients.sort(key=lambda client: -client["overdue"])
    lines = [
        f"{c['id']}  {c['name']}: {euros(c['open'])} open, {euros(c['overdue'])} overdue"
        for c in clients
    ]
    return {
        "content": "\n".join([f"{len(clients)} clients", *lines]),
        "structuredContent": {"ok": True, "count": len(clients), "clients": clients},
    }
