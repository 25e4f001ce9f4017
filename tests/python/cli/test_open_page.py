"""`open`: the attach link once more, where nobody else can read it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.contract.attach_link import attach_link
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import ORIGIN, entry_for, post_entry
from tests.python.support.fake_bridge import fake_bridge, status_of

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def redirects(runtime: Path) -> list[Path]:
    return list((runtime / "bascule").glob("open-*.html"))


def test_the_browser_is_given_a_file_and_no_token(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    opened: list[str] = []

    def open_url(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", open_url)
    with fake_bridge(lambda _: status_of(None)) as bridge:
        post_entry(runtime, entry_for(bridge))
        for words in ([], [str(bridge.port)], [bridge.url], ["--origin", ORIGIN]):
            assert main(["open", *words]) == ExitCode.DONE
        (file,) = redirects(runtime)
        assert opened[-1] == file.as_uri()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        link = attach_link(f"{ORIGIN}/", bridge.url, bridge.token)
        assert link in file.read_text()
        out, err = capfd.readouterr()
        assert len(opened) == 4
        assert bridge.token not in out + err + "".join(opened)
        assert link.partition("#")[2] not in out + err + "".join(opened)


def test_the_link_is_printed_where_that_is_asked_for(runtime: Path, capfd: Captured) -> None:
    with fake_bridge() as bridge:
        post_entry(runtime, entry_for(bridge))
        assert main(["open", "--print-link"]) == ExitCode.DONE
        link = attach_link(f"{ORIGIN}/", bridge.url, bridge.token)
    assert capfd.readouterr().out == f"{link}\n"
    assert redirects(runtime) == []


def test_without_a_browser_it_says_what_to_do(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    with fake_bridge() as bridge:
        post_entry(runtime, entry_for(bridge))
        assert main(["open"]) == ExitCode.USAGE
    out, err = capfd.readouterr()
    assert "no browser" in err
    assert "--print-link" in err
    assert bridge.token not in out + err


def test_a_bridge_of_somebody_else_s_has_no_known_page(runtime: Path, capfd: Captured) -> None:
    options = ["--url", "http://127.0.0.1:1", "--token", "t" * 43]
    assert main(["open", *options]) == ExitCode.NO_BRIDGE
    assert "t" * 43 not in capfd.readouterr().err


def test_without_a_bridge_nothing_is_opened(runtime: Path) -> None:
    assert main(["open"]) == ExitCode.NO_BRIDGE
