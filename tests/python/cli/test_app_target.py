"""APP among the words of a command, beside a token file that names a bridge or none."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import pytest

from bridge.cli.app_target import take_words
from bridge.cli.main import main
from bridge.cli.target import Target
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import ORIGIN, fresh_token
from tests.python.support.fake_bridge import fake_bridge

OURS = "http://127.0.0.1:7000"
TOKEN = fresh_token()


@pytest.fixture(autouse=True)
def _runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for name in ("BASCULE_URL", "BASCULE_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def token_file(folder: Path, url: str | None = OURS, token: str = TOKEN) -> str:
    path = folder / "tok.json"
    path.write_text(token if url is None else json.dumps({"url": url, "token": token}))
    path.chmod(0o600)
    return str(path)


def given(*words: str, **options: str) -> argparse.Namespace:
    names = ["url", "token", "token_file", "origin", "app", "environment_url", "environment_token"]
    return argparse.Namespace(command="call", words=list(words), **(dict.fromkeys(names) | options))


def address(args: argparse.Namespace) -> tuple[str | None, str | None]:
    target = Target.from_arguments(args)
    return target.address and target.address.url, target.token


def test_beside_a_file_that_names_its_bridge_the_app_is_left_out(tmp_path: Path) -> None:
    args = given("doc.insert", "text=x", token_file=token_file(tmp_path))
    assert take_words(args, "ACTION", rest="key=value") == ["doc.insert", "text=x"]
    assert address(args) == (OURS, TOKEN)


def test_an_address_may_stand_before_the_action_all_the_same(tmp_path: Path) -> None:
    for word in ("http://127.0.0.1:7001", "7001"):
        args = given(word, "doc.insert", token_file=token_file(tmp_path))
        assert take_words(args, "ACTION", rest="key=value") == ["doc.insert"]
        assert address(args) == ("http://127.0.0.1:7001", TOKEN)


def test_a_file_with_a_token_alone_leaves_the_address_to_the_first_word(tmp_path: Path) -> None:
    args = given("7001", "doc.insert", token_file=token_file(tmp_path, None))
    assert take_words(args, "ACTION") == ["doc.insert"]
    assert address(args) == ("http://127.0.0.1:7001", TOKEN)
    args = given("shop", "doc.insert", token_file=token_file(tmp_path, None))
    take_words(args, "ACTION")
    with pytest.raises(UsageError, match="address: give that in place of the app's name"):
        Target.from_arguments(args)


@pytest.mark.parametrize(
    "words",
    [
        ["doctor", "shop"],
        ["doctor", "--app", "shop"],
        ["actions", "shop"],
        ["call", "shop", "doc.insert"],
        ["call", "shop", "doc.insert", "text=x"],
        ["describe", "shop", "doc.insert"],
    ],
    ids=" ".join,
)
def test_a_name_beside_a_file_that_names_its_bridge_is_told_what_to_leave_out(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = token_file(tmp_path)
    assert main([*words, "--token-file", path]) == ExitCode.USAGE
    err = capfd.readouterr().err
    assert f"{path} already names its bridge ({OURS}): leave out the app's name" in err
    # Nobody gave a URL.
    assert "leave out the URL" not in err


def test_an_origin_beside_such_a_file_is_told_too(tmp_path: Path) -> None:
    args = given(token_file=token_file(tmp_path), origin=ORIGIN)
    with pytest.raises(UsageError, match=r"already names its bridge .*: leave out --origin"):
        Target.from_arguments(args)


def test_what_a_file_says_reaches_no_terminal_raw(tmp_path: Path) -> None:
    args = given(token_file=token_file(tmp_path, "http://\x1b[1m"), app="shop")
    with pytest.raises(UsageError, match="already names") as caught:
        Target.from_arguments(args)
    assert str(caught.value).isprintable()


def test_the_bridge_of_a_file_comes_before_that_of_the_environment(tmp_path: Path) -> None:
    path = token_file(tmp_path)
    for args in (
        given(token_file=path, environment_url="http://127.0.0.1:7001"),
        given("a", token_file=path, environment_url="http://127.0.0.1:7001"),
    ):
        take_words(args, *(["ACTION"] if args.words else []))
        assert address(args) == (OURS, TOKEN)


def test_a_token_that_comes_through_a_pipe_is_read_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with fake_bridge() as bridge:
        for words in (["call", "doc.insert"], ["doctor"]):
            read, write = os.pipe()
            os.write(write, json.dumps({"url": bridge.url, "token": bridge.token}).encode())
            os.close(write)
            main([*words, "--token-file", f"/dev/fd/{read}"])
            os.close(read)
            assert "token" not in capfd.readouterr().err
        sent = [request.headers["authorization"] for request in bridge.received]
    assert len(sent) > 1
    assert set(sent) == {f"Bearer {bridge.token}"}
