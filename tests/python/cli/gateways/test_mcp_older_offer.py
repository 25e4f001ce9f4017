"""A relay's client has the older revision that it offers; all else passes byte for byte."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.gateways.mcp_older_offer import OlderOffer
from tests.python.support.command_line import run_command
from tests.python.support.mcp_requests import discover, initialize, legacy

OLDER = "2025-06-18"
ANSWER = b'{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25","n":1.50}}'


def test_the_offer_is_changed_on_its_way_and_its_answer_on_the_way_back() -> None:
    offer = OlderOffer()
    sent = offer.to_app(initialize(7, OLDER) + b"\n")
    assert json.loads(sent)["params"]["protocolVersion"] == "2025-11-25"
    assert json.loads(sent) == json.loads(initialize(7))
    other = b'{"jsonrpc":"2.0","id":8,"result":{"protocolVersion":"2025-11-25"}}\n'
    assert offer.to_client(other) == other
    answer = offer.to_client(ANSWER + b"\n")
    assert answer == ANSWER.replace(b"2025-11-25", OLDER.encode()) + b"\n"
    # The next answer with that id is another request's.
    assert offer.to_client(ANSWER + b"\n") == ANSWER + b"\n"


def test_other_offers_and_other_messages_pass_as_they_are() -> None:
    lines = [
        discover(1),
        initialize(2),
        initialize(3, "2024-11-05"),
        b'{"jsonrpc":"2.0","id":1,"method":"initialize"}',
        b' {"id":\t1.0, "method" : "x","params":{"protocolVersion":"2025-06-18"}}\r',
        b'"initialize"',
        b"{initialize",
        b"",
        b"\xff\xfe initialize",
    ]
    data = b"\n".join(lines)
    offer = OlderOffer()
    assert offer.to_app(data) + offer.to_app(b"") == data
    assert offer.to_client(ANSWER) + offer.to_client(b"") == ANSWER


@given(st.data())
def test_it_does_not_matter_where_a_read_ends(data: st.DataObject) -> None:
    whole = legacy(1, "ping", text="é") + b"\n\n" + initialize(7, OLDER) + b"\r\n" + legacy(2, "p")
    at = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[a:b] for a, b in zip([0, *at], [*at, len(whole)], strict=True) if a < b]
    offer = OlderOffer()
    sent = b"".join(offer.to_app(piece) for piece in pieces) + offer.to_app(b"")
    assert sent == OlderOffer().to_app(whole) + legacy(2, "p")
    assert OLDER.encode() not in sent


def test_a_line_without_an_end_is_not_kept_for_ever() -> None:
    offer = OlderOffer()
    chunk, passed = b"x" * 1_000_000, b""
    for _ in range(4):
        passed += offer.to_app(chunk)
    assert len(passed) >= 3 * len(chunk)


APP = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    version = message["params"]["protocolVersion"]
    result = {"protocolVersion": "2025-11-25", "offered": version, "mode": sys.argv[1:]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def test_a_headless_app_need_not_know_of_it(tmp_path: Path) -> None:
    words = ["headless", sys.executable, "-c", APP, "--protocol", "mcp"]
    for more, version in (([], "2025-11-25"), (["--accept-legacy"], OLDER)):
        done = run_command(tmp_path, *words, *more, data=initialize(1, OLDER))
        result = json.loads(done.stdout)["result"]
        assert result["protocolVersion"] == version
        assert result["offered"] == (OLDER if not more else "2025-11-25")
        assert result["mode"] == ["--agent-mcp"]
