"""What is known of calls on a terminal's channel when either end is killed."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from bridge.client.async_bridge_connection import AsyncBridgeConnection
from bridge.client.bridge_address import BridgeAddress
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import Outcome
from bridge.servers.bridge_process import BridgeEndpoint, StopRequest
from tests.python.support.bridge_fixture import RunningBridge, running_bridge
from tests.python.support.channel_page import opened_channel
from tests.python.support.command_line import ORIGIN, bridge_command
from tests.python.support.fake_bridge import PATIENCE_SECONDS

REQUEST = b'{"id":1,"method":"m"}'
CALLER = """
import asyncio, sys
from bridge.client.async_bridge_connection import AsyncBridgeConnection
from bridge.client.bridge_address import BridgeAddress
async def main():
    token = sys.stdin.readline().strip()
    address = BridgeAddress("127.0.0.1", int(sys.argv[1]))
    connection = AsyncBridgeConnection(address, token, lambda: True, channel=True)
    until = asyncio.get_running_loop().time() + 20
    request = b'{"id":1,"method":"m"}'
    await asyncio.gather(*(connection.respond("s", request, None, until) for _ in range(10)))
asyncio.run(main())
"""


async def test_a_killed_bridge_leaves_open_what_was_sent_and_takes_nothing_more(
    tmp_path: Path,
) -> None:
    loop = asyncio.get_running_loop()
    with bridge_command(tmp_path) as command:
        endpoint = BridgeEndpoint(command.url, command.token, ORIGIN, f"{ORIGIN}/")
        never = loop.create_task(asyncio.Event().wait())
        bridge = RunningBridge(endpoint, StopRequest(), never)  # type: ignore[arg-type]
        async with opened_channel(bridge) as page:
            address = BridgeAddress("127.0.0.1", command.port)
            connection = AsyncBridgeConnection(address, command.token, lambda: True, channel=True)
            until = loop.time() + PATIENCE_SECONDS
            calls = [
                asyncio.create_task(connection.respond("s", REQUEST, None, until))
                for _ in range(10)
            ]
            for _ in range(8):
                await page.item()
            assert (await bridge.status())["terminals"] == 1
            command.child.kill()
            ends = await asyncio.gather(*calls, return_exceptions=True)
        assert {(end.code, end.outcome) for end in ends if isinstance(end, BridgeFailure)} == {
            (ClientErrorCode.CONNECTION_LOST, Outcome.UNKNOWN)
        }
        assert len(ends) == 10
        with pytest.raises(BridgeFailure) as caught:
            await connection.respond("s", REQUEST, None, until)
        failed = caught.value
        assert (failed.code, failed.outcome) == (
            ClientErrorCode.UNREACHABLE, Outcome.NOT_DELIVERED
        )  # fmt: skip
        connection.close()
        never.cancel()


async def test_a_killed_caller_frees_every_place_and_what_is_queued_is_never_delivered() -> None:
    async with running_bridge() as bridge, opened_channel(bridge) as page:
        caller = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CALLER, str(bridge.port), stdin=asyncio.subprocess.PIPE
        )
        assert caller.stdin is not None
        caller.stdin.write(bridge.token.encode() + b"\n")
        await caller.stdin.drain()
        items = [await page.item() for _ in range(8)]
        assert (await bridge.status())["terminals"] == 1
        caller.kill()
        await caller.wait()
        status = await bridge.until(lambda s: s["terminals"] == 0)
        assert status["queue"] == {"queued": 0, "leased": 0, "maximum": 64}
        assert status["counters"]["abandoned"] == 10
        for item in items:
            await page.answer(item, json.loads('{"id":1,"result":0}'))
            assert (await page.frame())["refused"]["code"] == "UNKNOWN_REQUEST"
