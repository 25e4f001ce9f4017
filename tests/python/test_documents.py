"""The documents say what the code does: limits, errors, routes, commands, tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bridge import __version__
from bridge.broker.states import render_transition_tables
from bridge.cli.main import COMMANDS
from bridge.contract.error_codes import BRIDGE_HTTP_STATUS, AppErrorCode, ExitCode, Outcome
from bridge.contract.limits import (
    BRIDGE_LIMITS,
    JSON_LIMITS,
    MCP_LIMITS,
    NATIVE_LIMITS,
    PROTOCOL_LIMITS,
)
from bridge.contract.mcp_messages import McpErrorNumber
from bridge.servers.bridge_routes import ROUTES
from bridge.tools.loading_limits import LOADING_LIMITS, SENT_SCHEMA_LIMITS
from bridge.tools.result_limits import (
    CARD_LIMITS,
    RESULT_LIMITS,
    RUN_LIMITS,
    TIER_CEILING_SECONDS,
    WASM_LIMITS,
)

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def row_of(text: str, words: str) -> str:
    """Return the second column of the row of a table that begins with words."""
    rows = [line for line in text.splitlines() if line.startswith(f"| {words}")]
    assert len(rows) == 1, words
    return rows[0].split("|")[2]


@pytest.mark.parametrize(
    ("what", "numbers"),
    [
        ("one message", [JSON_LIMITS.max_encoded_bytes,
                         BRIDGE_LIMITS.max_body_bytes - JSON_LIMITS.max_encoded_bytes]),
        ("nesting", [JSON_LIMITS.max_depth, JSON_LIMITS.max_values, JSON_LIMITS.max_members]),
        ("one string", [JSON_LIMITS.max_string_bytes, JSON_LIMITS.max_number_chars]),
        ("requests waiting", [BRIDGE_LIMITS.max_outstanding]),
        ("items of one poll", [BRIDGE_LIMITS.max_poll_items, BRIDGE_LIMITS.max_poll_seconds]),
        ("a channel's ticket", [BRIDGE_LIMITS.ticket_seconds,
                                BRIDGE_LIMITS.channel_alive_seconds]),
        ("a session of a page", [BRIDGE_LIMITS.session_idle_seconds / 60]),
        ("MCP: a resource", [MCP_LIMITS.max_small_resource_bytes,
                             MCP_LIMITS.max_task_wait_seconds]),
        ("events kept", [BRIDGE_LIMITS.max_journal_events, BRIDGE_LIMITS.max_watchers,
                         BRIDGE_LIMITS.max_watch_seconds]),
        ("a call", [BRIDGE_LIMITS.max_call_seconds]),
        ("a page without", [BRIDGE_LIMITS.client_expiry_seconds]),
        ("a page whose", [BRIDGE_LIMITS.client_grace_seconds]),
        ("a hidden page", [BRIDGE_LIMITS.suspended_after_seconds]),
        ("sessions of one page", [PROTOCOL_LIMITS.max_sessions]),
        ("HTTP requests", [BRIDGE_LIMITS.max_active_requests,
                           BRIDGE_LIMITS.reserved_active_requests]),
        ("sockets", [BRIDGE_LIMITS.max_sockets, BRIDGE_LIMITS.head_timeout_seconds]),
        ("a native app", [NATIVE_LIMITS.max_connections, NATIVE_LIMITS.max_tick_lines,
                          NATIVE_LIMITS.max_unread_seconds]),
        ("from SIGINT", [BRIDGE_LIMITS.shutdown_seconds]),
    ],
)  # fmt: skip
def test_readme_gives_the_limits_of_the_code(what: str, numbers: list[float]) -> None:
    found = [
        int(text.replace(",", ""))
        for text in re.findall(r"\d[\d,]*", row_of(section("Limits"), what))
    ]
    assert found == numbers


def test_readme_lists_each_bridge_error_under_its_status() -> None:
    for code, status in BRIDGE_HTTP_STATUS.items():
        assert f"`{code}`" in row_of(section("The HTTP contract"), str(status))


def test_readme_lists_each_application_error_with_its_number() -> None:
    for code in AppErrorCode:
        assert f"{code.value} | `{code.name}`" in section("What a page can be asked")


def test_readme_lists_each_route_with_its_method_and_no_other() -> None:
    listed = set(
        re.findall(r"^\| `(GET|POST) (/[a-z/]+)", section("The HTTP contract"), re.MULTILINE)
    )
    assert listed == {(route.method, str(route.name)) for route in ROUTES.values()}


def test_readme_lists_each_command_and_no_other() -> None:
    listed = re.findall(r"^\| `bascule ([a-z-]+)`", section("Commands"), re.MULTILINE)
    assert listed == list(COMMANDS)


def test_readme_lists_each_exit_code_and_each_outcome() -> None:
    for code in ExitCode:
        assert row_of(section("Commands"), f"{code.value} |")
    for outcome in Outcome:
        assert f"`{outcome}`" in section("The HTTP contract")


def test_readme_lists_each_method_of_the_page() -> None:
    source = (ROOT / "browser_worker" / "dispatcher" / "methods.js").read_text(encoding="utf-8")
    methods = re.findall(r'^  \["([a-z]+/[a-z]+)"', source, re.MULTILINE)
    assert len(methods) >= 7
    for method in methods:
        assert f"`{method}`" in section("What a page can be asked")


def test_architecture_draws_the_tables_of_the_code() -> None:
    drawn = ARCHITECTURE.split("<!-- transition tables -->\n")[1].split("\n<!-- end")[0]
    assert drawn == render_transition_tables()


def test_architecture_names_files_that_exist() -> None:
    table = ARCHITECTURE.split("## Where to change what")[1].split("\n## ")[0]
    rooms = (ROOT, ROOT / "bridge", ROOT / "browser_worker")
    paths = re.findall(r"`((?:[a-z]+/)+[a-z_]+\.[a-z]+)`", table)
    assert len(paths) > 40
    for path in paths:
        assert any((room / path).exists() for room in rooms), path


def test_the_version_is_the_same_everywhere() -> None:
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'"version": "{__version__}"' in (ROOT / "package.json").read_text(encoding="utf-8")
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_both_languages_have_the_same_limits_and_codes() -> None:
    limits = (ROOT / "browser_worker/contract/limits.js").read_text(encoding="utf-8")
    for limits_of in (JSON_LIMITS, PROTOCOL_LIMITS, MCP_LIMITS):
        for name in limits_of._fields:
            words = name.split("_")
            camel = words[0] + "".join(word.capitalize() for word in words[1:])
            found = re.search(rf"\b{camel}: ([\d_]+)", limits)
            assert found is not None, camel
            assert int(found[1].replace("_", "")) == getattr(limits_of, name)
    of_bridge = limits.split("BRIDGE_LIMITS = ")[1].split("});")[0]
    shared = re.findall(r"^  ([a-zA-Z]+): ([\d_]+)(?: \+ ([\d_]+))?,$", of_bridge, re.MULTILINE)
    assert len(shared) > 10
    for camel, number, more in shared:
        name = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", camel)
        # How soon a page reports itself is nothing that the bridge has to know.
        if name != "taken_report_seconds":
            assert int(number) + int(more or 0) == getattr(BRIDGE_LIMITS, name)
    codes = (ROOT / "browser_worker/contract/error_codes.js").read_text(encoding="utf-8")
    assert dict(re.findall(r"^  ([A-Z_]+): (1\d{3}),", codes, re.MULTILINE)) == {
        code.name: str(code.value) for code in AppErrorCode
    }
    messages = (ROOT / "browser_worker/contract/mcp_messages.js").read_text(encoding="utf-8")
    assert dict(re.findall(r"^  ([A-Z_]+): (-32\d{3}),", messages, re.MULTILINE)) == {
        number.name: str(number.value) for number in McpErrorNumber
    }


@pytest.mark.parametrize(
    ("what", "numbers"),
    [
        ("blocks of `content`", [RESULT_LIMITS.max_blocks]),
        ("texts of `content`", [RESULT_LIMITS.max_text_chars]),
        ("`content` in all", [RESULT_LIMITS.max_content_bytes]),
        ("one image", [RESULT_LIMITS.max_media_chars]),
        ("`structuredContent`", [RESULT_LIMITS.max_structured_bytes]),
        ("`_meta`", [RESULT_LIMITS.max_meta_bytes]),
        ("one text in either", [RESULT_LIMITS.max_string_chars]),
        ("elements or members", [RESULT_LIMITS.max_members]),
        ("nested containers", [RESULT_LIMITS.max_depth]),
        ("a card's payload", [CARD_LIMITS.max_bytes, CARD_LIMITS.max_string_chars]),
        ("a first-party call", list(TIER_CEILING_SECONDS.values())),
        ("for an entry that was stopped", [RUN_LIMITS.stopping_seconds]),
        ("grace after a stop", [RUN_LIMITS.grace_seconds]),
        ("runs of one tool", [RUN_LIMITS.max_left_running]),
        ("threads of one package", [RUN_LIMITS.max_threads, RUN_LIMITS.held_seconds]),
        ("importing one handler", [RUN_LIMITS.import_seconds]),
        ("an entry's file", [WASM_LIMITS.max_entry_bytes // 1_048_576]),
        (
            "entries running",
            [
                *(WASM_LIMITS.max_runs, WASM_LIMITS.max_waiting),
                *(WASM_LIMITS.max_runs - 1, WASM_LIMITS.max_waiting // 2),
            ],
        ),
        (
            "a tool's file",
            [
                LOADING_LIMITS.max_tool_file_bytes,
                LOADING_LIMITS.max_schema_depth,
                SENT_SCHEMA_LIMITS.max_encoded_bytes,
            ],
        ),
        ("references", [LOADING_LIMITS.max_expansion, LOADING_LIMITS.max_ref_chain]),
        ("problems told", [LOADING_LIMITS.max_problems_per_file]),
    ],
)
def test_readme_gives_the_limits_of_package_tools(what: str, numbers: list[float]) -> None:
    row = row_of(section("Limits of package tools"), what)
    assert [int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", row)] == numbers


def test_readme_shows_the_tour_of_package_tools_as_it_is_run() -> None:
    tour = (ROOT / "tests" / "python" / "cli" / "tools" / "tools_tour.sh").read_text(
        encoding="utf-8"
    )
    assert f"```sh\n{tour}```" in section("Packages of tools")
