"""What /status tells, in both of its forms."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.python.support.bridge_fixture import ORIGIN, RunningBridge, running_bridge
from tests.python.support.raw_http import connection
from tests.python.support.scripted_page import ScriptedPage, echo


async def samples(bridge: RunningBridge, accept: str) -> dict[str, float]:
    async with connection(bridge.port) as opened:
        headers = [*bridge.headers(page=False), ("Accept", accept)]
        answer = await opened.ask("GET", "/status", headers)
    assert (answer.header("Content-Type") or "").startswith("text/plain; version=0.0.4")
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


async def test_the_status_tells_the_attachment_and_the_queue() -> None:
    async with running_bridge() as bridge:
        empty = await bridge.status()
        assert (empty["attached"], empty["app"], empty["pageState"]) == (False, None, None)
        page = ScriptedPage(bridge)
        page.client = await bridge.attach("Notes")
        calls = [asyncio.create_task(bridge.rpc({"id": n})) for n in range(2)]
        await bridge.until(lambda s: s["queue"]["queued"] == 2)
        status = await bridge.status()
        assert (status["attached"], status["app"], status["origin"]) == (True, "Notes", ORIGIN)
        assert status["queue"] == {"queued": 2, "leased": 0, "maximum": 64}
        for item in await page.poll():
            await page.respond(item, await echo(item))
        await asyncio.gather(*calls)
        counters = (await bridge.status())["counters"]
        assert (counters["accepted"], counters["answered"], counters["polls"]) == (2, 2, 1)


async def test_prometheus_gets_its_text_format() -> None:
    async with running_bridge() as bridge:
        await bridge.attach()
        call = asyncio.create_task(bridge.rpc({"id": 1}))
        await bridge.until(lambda s: s["queue"]["queued"] == 1)
        for accept in ("text/plain", "application/openmetrics-text;version=1,text/plain;q=0.5,*/*"):
            found = await samples(bridge, accept)
            assert found["bascule_attached"] == 1
            assert found["bascule_queued_requests"] == 1
            assert found["bascule_outstanding_requests_maximum"] == 64
            assert found["bascule_events_totalaccepted"] == 1
        call.cancel()


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/plain, application/json", ""])
async def test_everybody_else_gets_json(accept: str) -> None:
    async with running_bridge() as bridge, connection(bridge.port) as opened:
        headers = [*bridge.headers(page=False), ("Accept", accept)]
        answer = await opened.ask("GET", "/status", headers)
        assert answer.header("Content-Type") == "application/json"
        assert answer.json()["attached"] is False


async def test_the_status_carries_no_secret() -> None:
    async with running_bridge() as bridge:
        client = await bridge.attach()
        text = str(await bridge.status()) + str(await samples(bridge, "text/plain"))
        assert bridge.token not in text
        assert client not in text
