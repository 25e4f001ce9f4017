"""`doctor`: each step of the way to an app, gone wrong and well."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bridge import __version__
from bridge.cli.doctor import doctor_facts, doctor_gateway
from bridge.cli.doctor.doctor_report import State
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode, Outcome
from bridge.contract.mcp_messages import LEGACY, MODERN
from tests.python.support.command_line import (
    ORIGIN,
    ended_process,
    entry_for,
    fresh_token,
    post_entry,
)
from tests.python.support.fake_bridge import (
    Answer,
    Bytes,
    Received,
    error,
    fake_bridge,
    result,
    status_of,
)
from tests.python.support.native_app import running_app, short_directory
from tests.python.support.note_app import APP, SLUG, NoteApp, note_app
from tests.python.support.terminal import on_terminal, plain

Captured = pytest.CaptureFixture[str]
Script = Callable[[Received], Answer | Bytes]
ATTACHED = {"link": "channel", "version": __version__}
INFO = {"protocolVersion": "1", "app": {"name": "Paper", "version": "3"}, "enabled": True}
DISCOVERED = {"jsonrpc": "2.0", "id": "doctor", "result": {"supportedVersions": [MODERN, LEGACY]}}
TO_A_PAGE = [
    "versions", "directory", "running", "bridge", "token", "answer", "permission", "page", "tab",
    "transport", "app", "mcp",
]  # fmt: skip


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    # A long path would leave no room for sockets, which then are where everybody's are.
    with short_directory() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        monkeypatch.delenv("BASCULE_URL", raising=False)
        monkeypatch.delenv("BASCULE_TOKEN", raising=False)
        yield folder


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Answer for the gateway, and keep how it was started."""
    words: list[list[str]] = []

    def ask(given: list[str]) -> Mapping[str, Any]:
        words.append(given)
        return DISCOVERED

    monkeypatch.setattr("bridge.cli.doctor.doctor.ask_gateway", ask)
    return words


def page(status: Answer | Bytes | None = None, info: Answer | Bytes | None = None) -> Script:
    """Return a bridge that tells this of itself, and whose page answers this."""

    def answer(request: Received) -> Answer | Bytes:
        if request.path == "/status":
            return status or status_of("Paper", **ATTACHED)
        if request.path == "/session/close":
            return Answer(body=b'{"closed":true}')
        return info or result(INFO)

    return answer


def examined(
    capfd: Captured, status: ExitCode, *words: str
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what was found, and the last of it."""
    assert main(["doctor", "--json", *words]) == status
    found = json.loads(capfd.readouterr().out)
    states = [each["state"] for each in found]
    # Whatever is wrong is the last.
    assert State.WRONG not in states[:-1]
    assert (states[-1] == State.WRONG) == (status is not ExitCode.DONE)
    return found, found[-1]


def advice(finding: Mapping[str, Any]) -> str:
    return " ".join(finding["advice"])


def test_every_step_to_a_page_is_told_in_order(
    runtime: Path, asked: list[list[str]], capfd: Captured
) -> None:
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        for words in ([], ["paper"], [str(bridge.port)], ["--origin", ORIGIN]):
            found, last = examined(capfd, ExitCode.DONE, *words)
            assert [each["check"] for each in found] == TO_A_PAGE
            assert {each["state"] for each in found} == {"ok"}
            assert f"{MODERN} and {LEGACY}" in last["text"]
            # Nothing is to be done, so that nothing is advised.
            assert last["advice"] == []
        asked_of_app = [request.json()["request"]["method"] for request in bridge.of("/rpc")]
    assert set(asked_of_app) == {"agent/info"}
    assert asked == [["browser-stdio", "--protocol", "mcp"]] * 4


def test_a_client_that_gives_up_at_initialize_is_told_how_to_be_answered_as_it_offered(
    runtime: Path, asked: list[list[str]], capfd: Captured
) -> None:
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        _, last = examined(capfd, ExitCode.DONE)
    assert last["check"] == "mcp"
    # What the client does, and where: whoever sees it fail looks for these words.
    assert "offers 2025-06-18 is answered 2025-11-25" in last["text"]
    assert "gives up at that, at initialize" in last["text"]
    # The command that is named is one that there is.
    words = "mcp-config CLIENT --accept-legacy"
    assert f"bascule {words}" in last["text"]
    assert main(words.replace("CLIENT", "cursor").split()) == ExitCode.DONE
    assert "--accept-legacy" in capfd.readouterr().out


def test_the_session_is_released_and_no_token_is_shown(runtime: Path, capfd: Captured) -> None:
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        assert main(["doctor"]) == ExitCode.DONE
        out, err = capfd.readouterr()
        (closed,) = bridge.of("/session/close")
    assert closed.json() == {"session": "cli-doctor"}
    assert bridge.token not in out + err
    assert bridge.url in out
    assert err == "Everything from here to the app is in order.\n"
    assert out.splitlines()[0].startswith(f"versions\tok\tbascule {__version__}, Python ")
    # Nothing is advised, so that there is no fourth column.
    assert {line.count("\t") for line in out.splitlines()} == {2}


def test_a_bridge_by_its_token_needs_no_runtime_directory(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    with fake_bridge(page()) as bridge:
        monkeypatch.setenv("BASCULE_TOKEN", bridge.token)
        found, _ = examined(capfd, ExitCode.DONE, "--url", bridge.url)
    checks = [each["check"] for each in found]
    assert checks == [c for c in TO_A_PAGE if c not in {"directory", "running", "token"}]


def test_nothing_that_was_ever_started_is_told(runtime: Path, capfd: Captured) -> None:
    _, last = examined(capfd, ExitCode.NO_BRIDGE)
    assert last["check"] == "directory"
    assert f"There is no {runtime}/bascule" in last["text"]
    assert "bascule browser-bridge --origin ORIGIN --open" in last["advice"]
    assert last["advice"][0].startswith("Start a bridge")


def test_an_app_that_was_named_is_what_is_to_be_started(runtime: Path, capfd: Captured) -> None:
    _, last = examined(capfd, ExitCode.NO_BRIDGE, "my-notes")
    assert last["advice"][0].startswith("Start my-notes; for an app in a browser, start a bridge")
    (runtime / "bascule").mkdir(mode=0o700)
    _, last = examined(capfd, ExitCode.NO_BRIDGE, "my-notes")
    assert last["check"] == "running"
    assert last["advice"][0].startswith("Start my-notes; for an app in a browser, start a bridge")


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_a_directory_that_others_may_use_is_told_with_its_mode(
    runtime: Path, capfd: Captured
) -> None:
    (runtime / "bascule").mkdir(mode=0o700)
    (runtime / "bascule").chmod(0o755)
    _, last = examined(capfd, ExitCode.REFUSED)
    assert last["check"] == "directory"
    assert "its mode is 0755, not 0700" in last["text"]
    assert "XDG_RUNTIME_DIR" in advice(last)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_a_token_that_others_may_read_is_told_and_not_used(runtime: Path, capfd: Captured) -> None:
    with fake_bridge(page()) as bridge:
        path = post_entry(runtime, entry_for(bridge))
        path.chmod(0o644)
        _, last = examined(capfd, ExitCode.REFUSED)
        assert last["check"] == "token"
        assert str(path) in last["text"]
        assert "others may use it" in last["text"]
        assert bridge.received == []
        path.chmod(0o600)
        examined(capfd, ExitCode.DONE)
        path.write_bytes(b"{}")
        _, last = examined(capfd, ExitCode.REFUSED)
    assert last["check"] == "token"


def test_what_killed_bridges_left_is_told_and_is_no_bridge(runtime: Path, capfd: Captured) -> None:
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge, pid=ended_process(), process_start=None))
        _, last = examined(capfd, ExitCode.NO_BRIDGE)
        assert last["check"] == "running"
        assert "no bridges, no native apps; left behind: 1 entry of killed bridges" in last["text"]
        assert "harmless" in last["text"]
        assert "bascule browser-bridge --origin ORIGIN --open" in last["advice"]
        post_entry(runtime, entry_for(bridge))
        found, _ = examined(capfd, ExitCode.DONE)
    assert found[2]["text"].startswith(
        "1 bridge, no native apps; left behind: 1 entry of killed bridges, harmless"
    )


def test_a_native_app_is_no_stand_in_for_a_bridge_that_was_killed(
    monkeypatch: pytest.MonkeyPatch, asked: list[list[str]], capfd: Captured
) -> None:
    with note_app(monkeypatch) as (app, _, directory), fake_bridge(page()) as bridge:
        post_entry(directory, entry_for(bridge, pid=ended_process(), process_start=None))
        _, last = examined(capfd, ExitCode.NO_BRIDGE)
        assert last["check"] == "running"
        assert "No bridge runs: no bridges, 1 native app; left behind: 1 entry" in last["text"]
        start = "bascule browser-bridge --origin ORIGIN --open"
        # What is to be done comes before what there is beside it.
        assert last["advice"].index(start) < last["advice"].index(f"bascule doctor {SLUG}")
        assert asked == []
        # By its name it is looked at, and a bridge beside it comes first without one.
        examined(capfd, ExitCode.DONE, SLUG)
        post_entry(directory, entry_for(bridge))
        examined(capfd, ExitCode.DONE)
        native = ["stdio", f"{SLUG}.{os.getpid()}", "--protocol", "mcp"]
        assert asked == [native, ["browser-stdio", "--protocol", "mcp"]]
        assert app.ran == []


def test_a_killed_app_s_socket_is_counted_apart(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    with note_app(monkeypatch) as (_, _, directory):
        path = directory / "bascule" / "native" / f"gone.{ended_process()}.01234567.sock"
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(str(path))
        found, _ = examined(capfd, ExitCode.DONE, SLUG)
    assert "no bridges, 1 native app; left behind: 1 socket of killed apps" in found[2]["text"]


def test_a_port_where_nothing_of_ours_listens_is_told_with_what_runs(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    with socket.socket() as unused, fake_bridge(page()) as bridge:
        unused.bind(("127.0.0.1", 0))
        port = str(unused.getsockname()[1])
        post_entry(runtime, entry_for(bridge))
        _, last = examined(capfd, ExitCode.NO_BRIDGE, port)
        assert last["check"] == "choice"
        assert f"no bridge running at http://127.0.0.1:{port}" in last["text"]
        assert "bascule doctor paper" in last["advice"]
        monkeypatch.setenv("BASCULE_TOKEN", fresh_token())
        _, last = examined(capfd, ExitCode.NO_BRIDGE, port)
        assert last["check"] == "answer"
        assert "bascule doctor paper" in last["advice"]


def test_of_several_bridges_one_has_to_be_chosen(runtime: Path, capfd: Captured) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with other, fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        post_entry(runtime, entry_for(bridge, pid=other.pid, process_start=None))
        _, last = examined(capfd, ExitCode.USAGE)
        other.kill()
    assert last["check"] == "choice"
    assert last["text"].startswith("Several bridges are running")
    assert advice(last).count(bridge.url) == 2
    # By a word that means one of them alone: both pages have the same app.
    assert [each for each in last["advice"] if each.startswith("bascule ")] == [
        f"bascule doctor {bridge.port}"
    ] * 2


def test_of_several_bridges_each_has_a_command_that_looks_at_it(
    runtime: Path, capfd: Captured
) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with other, fake_bridge(page()) as bridge, fake_bridge(page(status_of("Shop"))) as shop:
        post_entry(runtime, entry_for(bridge))
        post_entry(runtime, entry_for(shop, pid=other.pid, process_start=None))
        _, last = examined(capfd, ExitCode.USAGE)
        assert last["advice"][-2:] == ["bascule doctor paper", "bascule doctor shop"]
        examined(capfd, ExitCode.DONE, "paper")
        other.kill()


def test_an_address_whose_token_is_not_known_is_told_to_need_it(
    runtime: Path, capfd: Captured
) -> None:
    url = "http://127.0.0.1:4321"
    give = f"Give the token of {url}, where it is not a bridge of yours: --token-file FILE."
    for check in ("directory", "running"):
        _, last = examined(capfd, ExitCode.NO_BRIDGE, "--url", url)
        assert (last["check"], last["advice"][0]) == (check, give)
        # Nobody who named nothing is asked for a token.
        _, last = examined(capfd, ExitCode.NO_BRIDGE)
        assert "--token-file" not in advice(last)
        (runtime / "bascule").mkdir(mode=0o700, exist_ok=True)


@pytest.mark.parametrize("ours", [True, False], ids=["of this user", "by its file"])
def test_a_token_that_is_refused_and_another_bridge_s_is_told_as_that(
    ours: bool, runtime: Path, capfd: Captured
) -> None:
    def gate(request: Received) -> Answer | Bytes:
        of_this = request.headers["authorization"] == f"Bearer {bridge.token}"
        return page()(request) if of_this else error("UNAUTHORIZED")

    with fake_bridge(gate) as bridge, fake_bridge(page()) as other:
        file = runtime / "tok.json"
        for url, its, token in (
            (bridge.url, other.url, other.token),
            (bridge.url, bridge.url, bridge.token),
            # A forwarded port is another address of the same bridge.
            (bridge.url, "http://127.0.0.1:9", bridge.token),
        ):
            file.write_text(json.dumps({"url": its, "token": token}) if not ours else token)
            file.chmod(0o600)
            if ours:
                post_entry(runtime, entry_for(other))
            wrong = token == other.token
            status = ExitCode.REFUSED if wrong else ExitCode.DONE
            found, last = examined(capfd, status, "--url", url, "--token-file", str(file))
            assert ("This token is that of" in advice(last)) == wrong
            if wrong:
                assert last["check"] == "answer"
                assert f"This token is that of {other.url}." in last["advice"]
            # It is not told to be the process that has the token.
            assert f"{url}, by the token that was given" in [each["text"] for each in found]


def test_an_app_that_is_not_there_is_told_with_what_is(runtime: Path, capfd: Captured) -> None:
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        _, last = examined(capfd, ExitCode.NO_BRIDGE, "papre")
    assert last["check"] == "choice"
    assert "Did you mean paper?" in advice(last)


@pytest.mark.parametrize(
    ("script", "check", "status", "told"),
    [
        (page(error("UNAUTHORIZED")), "answer", ExitCode.REFUSED, "UNAUTHORIZED"),
        (page(Bytes()), "answer", ExitCode.REFUSED, "CONNECTION_LOST"),
        (page(Answer(body=b"hello")), "answer", ExitCode.REFUSED, "NOT_A_BRIDGE"),
        (page(status_of("Paper", version="0.0.9")), "answer", ExitCode.REFUSED, "0.0.9"),
        (page(status_of(None)), "page", ExitCode.NO_BRIDGE, "is attached"),
        (
            page(status_of("Paper", **ATTACHED, pageState="frozen")),
            "tab",
            ExitCode.REFUSED,
            "TAB_SUSPENDED",
        ),
        (page(info=result(INFO | {"enabled": False})), "app", ExitCode.REFUSED, "switched off"),
        (page(info=result(INFO | {"protocolVersion": "2"})), "app", ExitCode.REFUSED, "version 2"),
        (page(info=error("NOT_ATTACHED")), "app", ExitCode.NO_BRIDGE, "NOT_ATTACHED"),
        (page(info=error("TIMEOUT", Outcome.UNKNOWN)), "app", ExitCode.REFUSED, "TIMEOUT"),
        (page(info=Answer(body=b"[]")), "app", ExitCode.REFUSED, "BAD_ANSWER"),
    ],
    ids=[
        "a token that is refused",
        "hung up",
        "no bridge",
        "another version",
        "no page",
        "a frozen tab",
        "switched off",
        "another protocol",
        "gone in between",
        "no answer",
        "nonsense",
    ],
)
def test_the_first_step_that_is_wrong_is_the_last_that_is_told(
    script: Script,
    check: str,
    status: ExitCode,
    told: str,
    runtime: Path,
    capfd: Captured,
) -> None:
    with fake_bridge(script) as bridge:
        post_entry(runtime, entry_for(bridge))
        found, last = examined(capfd, status)
    assert last["check"] == check
    assert told in last["text"]
    assert [each["check"] for each in found] == TO_A_PAGE[: TO_A_PAGE.index(check) + 1]


def test_a_missing_page_is_told_with_the_command_that_opens_it(
    runtime: Path, capfd: Captured
) -> None:
    with fake_bridge(page(status_of(None, origin="https://paper.example"))) as bridge:
        post_entry(runtime, entry_for(bridge))
        found, last = examined(capfd, ExitCode.NO_BRIDGE)
        assert f"bascule open {bridge.port}" in last["advice"]
    permission = found[TO_A_PAGE.index("permission")]
    assert permission["state"] == "not known"
    assert "Chromium 142" in advice(permission)
    assert "Firefox" in advice(permission)


def test_a_gateway_that_does_not_answer_is_told(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setattr("bridge.cli.doctor.doctor.ask_gateway", lambda _: None)
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        _, last = examined(capfd, ExitCode.REFUSED)
    assert last["check"] == "mcp"
    assert "bascule browser-stdio --protocol mcp" in last["advice"]


def test_every_step_to_a_native_app_is_told(
    monkeypatch: pytest.MonkeyPatch, asked: list[list[str]], capfd: Captured
) -> None:
    with note_app(monkeypatch) as (app, server, directory):
        for words in ([SLUG], [APP], [str(server.path)]):
            found, _ = examined(capfd, ExitCode.DONE, *words)
            checks = [each["check"] for each in found]
            assert checks == ["versions", "directory", "running", "socket", "peer", "app", "mcp"]
            assert str(server.path) in found[3]["text"]
            assert found[5]["text"].startswith(f"{APP} 1 answers")
        assert app.ran == []
        assert asked[0] == ["stdio", f"{SLUG}.{os.getpid()}", "--protocol", "mcp"]
        with running_app(None, NoteApp().dispatcher):
            _, last = examined(capfd, ExitCode.USAGE, SLUG)
        assert last["check"] == "choice"
        with fake_bridge(page(status_of("Notes, all of them"))) as bridge:
            post_entry(directory, entry_for(bridge))
            _, last = examined(capfd, ExitCode.USAGE, SLUG)
            # A page has the name too, and each is told by what it alone has.
            assert last["advice"][-2:] == [
                f"bascule doctor {bridge.port}",
                f"bascule doctor {SLUG}.{os.getpid()}",
            ]


@pytest.mark.parametrize(
    ("state", "told", "cure"),
    [
        ("hidden", "its tab is hidden", "Bring the tab to the front"),
        ("visible", "it is busy", "Look at the page"),
    ],
)
def test_a_page_that_does_not_answer_is_told_by_what_keeps_it(
    state: str, told: str, cure: str, runtime: Path, capfd: Captured
) -> None:
    late = error("TIMEOUT", Outcome.UNKNOWN, hint="The call may have run: inspect the state.")
    with fake_bridge(page(status_of("Paper", **ATTACHED, pageState=state), late)) as bridge:
        post_entry(runtime, entry_for(bridge))
        assert main(["call", "paper", "x"]) == ExitCode.OUTCOME_UNKNOWN
        # So anybody else is told of a call of their own.
        assert "may have run" in capfd.readouterr().err
        _, last = examined(capfd, ExitCode.REFUSED, "--timeout", "3")
    assert last["check"] == "app"
    assert "did not answer within 3 s [TIMEOUT]" in last["text"]
    assert told in last["text"]
    assert cure in advice(last)
    assert "may have run" not in last["text"] + advice(last)


def test_what_the_doctor_asks_is_no_call_that_may_have_run(runtime: Path, capfd: Captured) -> None:
    hint = "The call may have run: inspect the state before trying it again. Attach it again."
    gone = error("BROWSER_GONE", Outcome.UNKNOWN, hint=hint)
    with fake_bridge(page(info=gone)) as bridge:
        post_entry(runtime, entry_for(bridge))
        _, last = examined(capfd, ExitCode.REFUSED)
    assert last["advice"] == ["Attach it again."]


def test_a_native_app_that_does_not_answer_is_busy() -> None:
    finding = doctor_facts.silent(None, 10, "DEADLINE_EXCEEDED")
    assert finding.state is State.WRONG
    assert finding.text.startswith("The app did not answer within 10 s [DEADLINE_EXCEEDED]")


def test_a_page_that_was_paused_is_switched_on_by_the_panel_s_button() -> None:
    paused = INFO | {"enabled": False}
    assert "Resume" in advice(doctor_facts.app_answer(paused, 0, in_page=True).members())
    # A native app has no such panel.
    assert "Resume" not in advice(doctor_facts.app_answer(paused, 0).members())


def test_a_terminal_shows_that_it_waits_and_wipes_that_again(runtime: Path) -> None:
    with fake_bridge(page()) as bridge:
        post_entry(runtime, entry_for(bridge))
        _, text = on_terminal(runtime, "doctor", errors=True)
        assert "asking the app, for 10 s at most ...\r" in text
        shown = [plain(line.rstrip("\r").rpartition("\r")[2]) for line in text.split("\n")]
        assert any(line.startswith("ok         app") for line in shown)
        # What is written to standard output has nothing of it, nor has what programs read.
        _, alone = on_terminal(runtime, "doctor")
        _, told = on_terminal(runtime, "doctor", "--json", errors=True)
    assert "asking the app" not in alone + told


def test_a_socket_that_nobody_listens_on_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    with note_app(monkeypatch) as (_, _, directory):
        gone = str(directory / "bascule" / "native" / "gone.1.01234567.sock")
        _, last = examined(capfd, ExitCode.NO_BRIDGE, gone)
    assert last["check"] == "peer"
    assert "UNREACHABLE" in last["text"]


def test_a_terminal_shows_commands_whole_and_in_colours(runtime: Path) -> None:
    with fake_bridge(page(status_of(None))) as bridge:
        post_entry(runtime, entry_for(bridge))
        for columns in ("100", "40"):
            status, text = on_terminal(runtime, "doctor", environ={"COLUMNS": columns})
            assert status == ExitCode.NO_BRIDGE
            assert "\x1b[31mwrong" in text
            shown = [plain(line) for line in text.splitlines()]
            assert f"bascule open {bridge.port}" in [line.strip() for line in shown]
        _, text = on_terminal(runtime, "doctor", environ={"NO_COLOR": "1"})
    assert "\x1b[" not in text
    assert "wrong      page" in text


def test_what_a_bridge_says_cannot_pose_as_the_terminal_s_own_text(
    runtime: Path, capfd: Captured
) -> None:
    with fake_bridge(page(status_of("A\x1b[31m\nok", **ATTACHED))) as bridge:
        post_entry(runtime, entry_for(bridge))
        assert main(["doctor"]) == ExitCode.DONE
    out = capfd.readouterr().out
    assert "A\\x1b[31m\\nok is attached" in out
    assert len(out.splitlines()) == len(TO_A_PAGE)


def test_the_gateway_is_asked_one_thing_and_anything_else_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = tmp_path / "line"
    program = (
        "import sys; open(sys.argv[1], 'w').write(sys.stdin.read()); print(sys.argv[2], end='')"
    )

    def ask(answer: str) -> dict[str, Any] | None:
        monkeypatch.setattr(doctor_gateway, "own_command", lambda: [sys.executable, "-c", program])
        return doctor_gateway.ask_gateway([str(kept), answer])

    assert ask(json.dumps(DISCOVERED) + "\n") == DISCOVERED
    request = json.loads(kept.read_text())
    assert request["method"] == "server/discover"
    assert request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN
    for nothing in ("", "hello", "[1]", '{"id":"other","result":{}}'):
        assert ask(nothing) is None
    monkeypatch.setattr(doctor_gateway, "own_command", lambda: [str(tmp_path / "missing")])
    assert doctor_gateway.ask_gateway([]) is None


def test_our_own_gateway_answers() -> None:
    words = ["browser-stdio", "--protocol", "mcp"]
    answer = doctor_gateway.ask_gateway(words)
    finding = doctor_facts.discovered(answer, words, MODERN, 0.1)
    assert finding.state is State.OK, answer


@pytest.mark.parametrize("answer", [None, {}, {"result": 1}, {"result": {"supportedVersions": 1}},
                                    {"result": {"supportedVersions": [LEGACY]}}])  # fmt: skip
def test_an_answer_without_the_modern_revision_is_wrong(answer: dict[str, Any] | None) -> None:
    assert doctor_facts.discovered(answer, ["x"], MODERN, 0.1).state is State.WRONG


@pytest.mark.parametrize(
    ("installed", "state"),
    [("3.14.5", "ok"), ("3.15.0rc1", "ok"), ("4.0", "ok"), ("3.14.4", "wrong"), ("3.9.9", "wrong"),
     (None, "wrong")],
)  # fmt: skip
def test_an_aiohttp_below_the_floor_is_wrong(installed: str | None, state: str) -> None:
    needs = ['aiohttp-other>=9; extra == "x"', "aiohttp<4,>=3.14.5", "jiter>=0.19"]
    lowest = doctor_facts.required_version(needs, "aiohttp")
    assert doctor_facts.versions("1", "3.11", installed, lowest).state == state
    assert doctor_facts.required_version(["jiter"], "aiohttp") is None
    assert doctor_facts.required_version(["aiohttp<4"], "aiohttp") is None


@pytest.mark.parametrize(
    ("origin", "more", "state"),
    [
        ("http://127.0.0.1:8000", {}, "ok"),
        ("http://localhost:8000", {}, "ok"),
        ("http://app.localhost", {}, "ok"),
        ("http://[::1]:80", {}, "ok"),
        ("https://paper.example", {}, "not known"),
        ("https://localhost.example", {}, "not known"),
        ("https://paper.example", {"counters": {"attachments": 1}}, "ok"),
        ("https://paper.example", {"app": "Paper"}, "ok"),
    ],
)
def test_the_permission_is_told_by_what_the_bridge_has_seen(
    origin: str, more: dict[str, Any], state: str
) -> None:
    assert doctor_facts.local_network({"app": None, "counters": {}} | more, origin).state == state


def test_a_page_may_be_hidden_and_may_poll() -> None:
    assert doctor_facts.page_state({"pageState": "hidden"}).state is State.OK
    assert doctor_facts.page_state({"pageState": None}).state is State.UNKNOWN
    assert "long polling" in doctor_facts.transport({"link": "idle"}).text
    assert doctor_facts.transport({"link": "channel"}).text == "a WebSocket"
