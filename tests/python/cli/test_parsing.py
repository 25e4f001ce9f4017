"""Errors of usage, and what they must not repeat."""

from __future__ import annotations

import pytest

from bridge.cli.main import COMMANDS, main
from bridge.cli.parsing import hide_secrets
from tests.python.support.command_line import fresh_token


@pytest.mark.parametrize(
    "arguments",
    [
        ["browser-call", "--tokn", "{}", "m"],
        ["browser-call", "m", "{{}}", "{}"],
        ["browser-call", "--timeout", "{}", "m"],
        ["browser-call", "--session", "{} ", "m"],
        ["browser-call", "--token={}", "--token-file", "f", "m"],
        ["browser-call", "--token", "{}"],
        ["browser-call", "--token", "{}", "m"],
        ["browser-call", "--token", "{}", "--url", "http://evil.example:80", "m"],
        ["browser-call", "--token", "{}\x00", "--url", "http://127.0.0.1:80", "m"],
        ["browser-stdio", "{}"],
        ["browser-bridge", "--port", "{}", "--origin", "http://a"],
        ["{}"],
    ],
    ids=str,
)
def test_no_error_of_usage_repeats_a_token(
    arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    token = fresh_token()
    filled = [argument.replace("{}", token) for argument in arguments]
    assert any(token in argument for argument in filled)
    assert main(filled) == 2
    out, err = capfd.readouterr()
    assert err
    assert token not in out + err


def test_a_short_slip_is_repeated_so_that_it_can_be_found(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["browser-call", "--sesion", "x", "m"]) == 2
    assert "--sesion" in capfd.readouterr().err


def test_options_are_not_abbreviated(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["browser-call", "--sess", "x", "m"]) == 2
    assert "--sess" in capfd.readouterr().err


def test_only_what_could_be_a_token_is_hidden() -> None:
    token = fresh_token()
    assert hide_secrets(f"a {token} b http://127.0.0.1:8765/page") == (
        "a [hidden] b http://127.0.0.1:8765/page"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_and_no_secret_from_the_environment(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = fresh_token()
    monkeypatch.setenv("BASCULE_TOKEN", token)
    assert main([name, "--help"]) == 0
    out = capfd.readouterr().out
    assert f"bascule {name}" in out
    assert "example" in out
    assert token not in out


@pytest.mark.parametrize("name", ["browser-call", "browser-stdio", "status"])
def test_help_says_why_a_token_is_better_kept_in_a_file(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    text = " ".join(capfd.readouterr().out.split())
    assert "Prefer a file: the arguments of a program can be read by every user" in text
