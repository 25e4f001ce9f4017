"""The sample packages: they load without a warning, and give what their descriptions promise."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from bridge.tools import (
    LOCAL_SESSION,
    CancelSignal,
    Package,
    ToolResult,
    ToolRunner,
    handlers_of,
    load_package,
    load_packages,
    runnable_tools,
)

SAMPLES = Path(__file__).parents[3] / "bridge" / "demo" / "packages"
NAMES = ("catalog", "receivables", "weather")


def runner_of(name: str) -> ToolRunner:
    package = load_package(SAMPLES / name)
    return ToolRunner(runnable_tools(package, handlers_of(package)))


class Sample:
    """One package; each is called as by anybody on his own machine."""

    def __init__(self, name: str) -> None:
        self._runner = runner_of(name)

    async def call(self, tool: str, /, **arguments: Any) -> ToolResult:
        return await self._runner.call(tool, arguments, LOCAL_SESSION)

    async def structure(self, tool: str, /, **arguments: Any) -> Any:
        result = await self.call(tool, **arguments)
        assert not result.is_error, result
        assert result.structured_content is not None
        assert result.structured_content["ok"] is True
        return result.structured_content

    async def refusal(self, tool: str, /, **arguments: Any) -> str:
        result = await self.call(tool, **arguments)
        assert result.is_error
        text: str = result.content[0]["text"]
        return text


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BASCULE_RECEIVABLES_DIR", str(tmp_path / "books"))
    return tmp_path / "books" / "receivables.sqlite"


@pytest.fixture
def receivables(books: Path) -> Sample:
    return Sample("receivables")


def test_all_samples_load_side_by_side_without_a_warning() -> None:
    loaded = load_packages([SAMPLES / name for name in NAMES])
    assert loaded.failed == {}
    assert [package.name for package in loaded.packages] == list(NAMES)
    assert all(package.warnings == () for package in loaded.packages)
    assert sorted(path.name for path in SAMPLES.iterdir()) == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_says_what_it_does_to_things(name: str) -> None:
    package: Package = load_package(SAMPLES / name)
    for tool in package.tools.values():
        said = tool.annotations
        assert said.title
        assert said.read_only is not None
        assert said.destructive is not None
        assert said.read_only == (said.category == "read")


async def test_the_catalogue_is_filtered() -> None:
    catalog = Sample("catalog")
    assert (await catalog.structure("catalog_list"))["count"] == 4
    archived = await catalog.structure("catalog_list", filter="archived")
    assert [item["id"] for item in archived["items"]] == ["c-04", "c-06"]
    assert (await catalog.structure("catalog_list", filter="all"))["count"] == 6
    assert "/filter" in await catalog.refusal("catalog_list", filter="sold")


async def test_a_forecast_has_as_many_days_as_asked_for() -> None:
    weather = Sample("weather")
    assert len((await weather.structure("weather_forecast", place="Oslo"))["days"]) == 3
    week = await weather.structure("weather_forecast", place=" valparaíso ", days=7)
    assert (week["place"], week["country"], len(week["days"])) == ("Valparaíso", "Chile", 7)
    assert week["headline"] == "fog, up to 15 °C"
    assert "/days" in await weather.refusal("weather_forecast", place="Oslo", days=8)
    assert "Berlin" in await weather.refusal("weather_forecast", place="Atlantis")


async def test_every_place_that_is_listed_has_a_forecast() -> None:
    weather = Sample("weather")
    places = (await weather.structure("weather_places"))["places"]
    assert len(places) == 6
    for place in places:
        await weather.structure("weather_forecast", place=place["name"], days=7)
    found = await weather.structure("weather_places", query="GERM")
    assert [place["name"] for place in found["places"]] == ["Berlin"]


async def test_a_place_is_watched_until_the_call_is_stopped() -> None:
    runner, signal = runner_of("weather"), CancelSignal()
    arguments = {"place": "Oslo", "seconds": 60}
    calling = asyncio.create_task(
        runner.call("weather_watch", arguments, LOCAL_SESSION, signal=signal)
    )
    await asyncio.sleep(0)
    signal.cancel()
    result = await calling
    assert not result.is_error
    assert result.structured_content == {
        "ok": True,
        "place": "Oslo",
        "readings": [11],
        "stopped": True,
    }
    whole = await Sample("weather").structure("weather_watch", place="Oslo", seconds=1)
    assert (whole["readings"], whole["stopped"]) == ([11], False)
    assert "Atlantis" in await Sample("weather").refusal("weather_watch", place="Atlantis")


def test_a_forecast_has_a_card_of_its_own() -> None:
    weather = load_package(SAMPLES / "weather")
    assert [card.type for card in weather.cards] == ["weather.result"]
    assert weather.tools["weather_forecast"].ui.card_type == "weather.result"


async def test_thirteen_are_pending_and_seven_overdue_for_102600_euros(
    receivables: Sample,
) -> None:
    pending = await receivables.structure("invoices_list")
    overdue = await receivables.structure("invoices_list", status="overdue")
    assert (pending["count"], len(pending["invoices"])) == (13, 13)
    assert (overdue["count"], overdue["total"], overdue["currency"]) == (7, 102_600, "EUR")
    report = await receivables.structure("ageing_report")
    assert report["asOf"] == "2026-06-30"
    assert report["pending"] == {"count": 13, "amount": pending["total"]}
    assert report["overdue"] == {"count": 7, "amount": 102_600}


async def test_an_ageing_report_adds_up(receivables: Sample) -> None:
    report = await receivables.structure("ageing_report")
    total = report["pending"]["amount"]
    assert sum(bucket["amount"] for bucket in report["buckets"]) == total
    assert sum(client["amount"] for client in report["clients"]) == total
    clients = (await receivables.structure("clients_list"))["clients"]
    assert sum(client["open"] for client in clients) == total
    assert sum(client["overdue"] for client in clients) == 102_600
    assert clients[0]["id"] == "dahlke"


async def test_what_is_overdue_depends_on_the_day(receivables: Sample) -> None:
    early = await receivables.structure("ageing_report", asOf="2026-03-12")
    assert early["overdue"] == {"count": 0, "amount": 0}
    late = await receivables.structure("ageing_report", asOf="2026-12-31")
    assert late["overdue"] == late["pending"]
    assert "no day" in await receivables.refusal("ageing_report", asOf="2026-02-30")


async def test_invoices_come_page_by_page(receivables: Sample) -> None:
    numbers: list[str] = []
    more: dict[str, int] = {"offset": 0}
    while more:
        page = await receivables.structure("invoices_list", status="all", limit=6, **more)
        assert page["count"] == 19
        numbers += [invoice["number"] for invoice in page["invoices"]]
        more = {"offset": page["nextOffset"]} if "nextOffset" in page else {}
    assert len(numbers) == len(set(numbers)) == 19
    of_one = await receivables.structure("invoices_list", clientId="corvin")
    assert {invoice["client"] for invoice in of_one["invoices"]} == {"Corvin & Sons Ltd"}


async def test_a_payment_is_booked_once_and_stays(receivables: Sample) -> None:
    number = {"number": "INV-2026-008"}
    first = await receivables.structure("invoice_mark_paid", **number)
    assert first["invoice"]["paidAmount"] == 18_200
    # The same once more is no mistake, another payment is one.
    assert await receivables.structure("invoice_mark_paid", **number) == first
    assert "already" in await receivables.refusal(
        "invoice_mark_paid", **number, paidOn="2026-07-01"
    )
    # Another process finds it in the file.
    found = await Sample("receivables").structure("invoice_get", **number)
    assert found["invoice"]["state"] == "paid"


async def test_less_than_the_amount_needs_a_write_off(receivables: Sample) -> None:
    part = {"number": "INV-2026-010", "amount": 7_000}
    assert "500 EUR" in await receivables.refusal("invoice_mark_paid", **part)
    assert "500 EUR" in await receivables.refusal("invoice_mark_paid", **part, writeOff=False)
    before = await receivables.structure("invoice_get", number="INV-2026-010")
    assert before["invoice"]["state"] == "pending"
    paid = await receivables.structure("invoice_mark_paid", **part, writeOff=True)
    assert paid["writtenOff"] == 500
    more = {"number": "INV-2026-012", "amount": 14_401}
    assert "less than" in await receivables.refusal("invoice_mark_paid", **more, writeOff=True)


def test_a_write_off_asks_first() -> None:
    paid = load_package(SAMPLES / "receivables").tools["invoice_mark_paid"]
    assert paid.ask_on_keys == ("writeOff",)
    assert paid.annotations.is_destructive


async def test_a_reminder_is_noted_once_a_day(receivables: Sample) -> None:
    sent = await receivables.structure("invoice_remind", number="INV-2026-013", tone="firm")
    assert sent["reminders"] == 1
    assert sent["to"] == "contas@brisa.example"
    assert "overdue for 11 days" in sent["text"]
    again = await receivables.refusal("invoice_remind", number="INV-2026-013")
    assert "already" in again
    next_day = await receivables.structure(
        "invoice_remind", number="INV-2026-013", asOf="2026-07-01"
    )
    assert next_day["reminders"] == 2
    found = await receivables.structure("invoice_get", number="INV-2026-013")
    assert [each["tone"] for each in found["invoice"]["history"]] == ["firm", "friendly"]


@pytest.mark.parametrize(
    ("number", "why"),
    [("INV-2026-014", "not overdue"), ("INV-2026-001", "not overdue"), ("INV-1999-001", "no inv")],
)
async def test_there_is_nothing_to_remind_of(receivables: Sample, number: str, why: str) -> None:
    assert why in await receivables.refusal("invoice_remind", number=number)


async def test_what_looks_like_sql_is_a_value(receivables: Sample) -> None:
    wild = "x' or '1'='1"
    assert (await receivables.structure("clients_list", query=wild))["count"] == 0
    assert "/number" in await receivables.refusal("invoice_get", number=wild)


async def test_first_calls_at_once_find_one_set_of_books(receivables: Sample, books: Path) -> None:
    async with asyncio.timeout(30):
        await asyncio.gather(*(receivables.structure("ageing_report") for _ in range(8)))
    database = sqlite3.connect(books)
    try:
        assert database.execute("select count(*) from invoice").fetchone() == (19,)
    finally:
        database.close()
