"""Fixtures by which a test drives the app that it tests, by the app's own actions.

Loaded by pytest through an entry point in every run, so whatever takes time to import is imported
by the fixture that needs it. Works with pytest-playwright and without.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from bridge.client.app_client import AppClient
    from bridge.client.attached_pages import BasculeAttach
    from bridge.client.bridge_runner import StartedBridge

__all__ = [
    "bascule_app",
    "bascule_attach",
    "bascule_bridge",
    "bascule_channel",
    "bascule_origin",
    "bascule_page",
]

_BRIDGE: Final = pytest.StashKey["StartedBridge"]()
_BEGIN: Final = pytest.StashKey[tuple[int, int]]()
"""How much the bridge had logged when a test began, and when that was, in Unix milliseconds."""
_SWITCH: Final = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting."""
    text = "whether pages reach the bridge by a WebSocket where they can: on (default) or off"
    parser.getgroup("bascule").addoption("--bascule-channel", metavar="on|off", help=text)
    parser.addini("bascule_channel", text, default="on")


@pytest.fixture(scope="session")
def bascule_origin(request: pytest.FixtureRequest) -> str:
    """Return the origin of the app under test. Override it where there is no `base_url`."""
    base_url = _base_url(request)
    if not base_url:
        pytest.fail(
            "Bascule does not know the app's origin: set base_url (--base-url), or override the "
            "fixture bascule_origin to return it, such as http://localhost:3000.",
            pytrace=False,
        )
    return _origin_of(base_url)


@pytest.fixture(scope="session")
def bascule_page(request: pytest.FixtureRequest, bascule_origin: str) -> str:
    """Return the page of the app that is attached where a test names no other."""
    base_url = _base_url(request)
    if base_url and _origin_of(base_url) == bascule_origin:
        return base_url.partition("#")[0]
    return f"{bascule_origin}/"


@pytest.fixture(scope="session")
def bascule_channel(pytestconfig: pytest.Config) -> bool:
    """Say whether pages may use a WebSocket: by `--bascule-channel` or the setting of that name."""
    text = pytestconfig.getoption("--bascule-channel") or pytestconfig.getini("bascule_channel")
    try:
        return _SWITCH[str(text).strip().lower()]
    except KeyError:
        raise pytest.UsageError(f"bascule_channel is on or off, not {text}") from None


@pytest.fixture(scope="session")
def bascule_bridge(
    bascule_origin: str,
    bascule_page: str,
    bascule_channel: bool,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Iterator[StartedBridge]:
    """Run a bridge for the app under test, for the whole run; each xdist worker has its own."""
    from bridge.client.bridge_runner import start_bridge  # noqa: PLC0415 - of those who use it

    runtime = tmp_path_factory.mktemp("bascule")
    runtime.chmod(0o700)
    with start_bridge(
        bascule_origin, runtime, page=bascule_page, channel=bascule_channel
    ) as bridge:
        pytestconfig.stash[_BRIDGE] = bridge
        yield bridge
        del pytestconfig.stash[_BRIDGE]


@pytest.fixture
def bascule_attach(bascule_bridge: StartedBridge) -> Iterator[BasculeAttach]:
    """Give what attaches a Playwright page and returns a client of it.

    `app = bascule_attach(page)`, or awaited where the page is an asynchronous one. The page is
    detached after the test.
    """
    from bridge.client.attached_pages import BasculeAttach  # noqa: PLC0415 - of those who use it

    attach = BasculeAttach(bascule_bridge)
    try:
        yield attach
    finally:
        attach.finish()


@pytest.fixture
def bascule_app(request: pytest.FixtureRequest, bascule_attach: BasculeAttach) -> AppClient:
    """Give a client of the app under test.

    `bascule_app.call("todo.add", {"title": "Milk"}, expected_revision="latest")` arranges in one
    line what would take many clicks. Where the test uses pytest-playwright's `page`, that page is
    opened and attached first.

    Where the page asks its owner for a call, the test is both: it begins the call with
    `wait_for_consent=False`, clicks the yes, and goes on with `wait_task`.
    """
    if "page" not in request.fixturenames:
        return bascule_attach.client()
    from bridge.client.page_attaching import is_async  # noqa: PLC0415 - of those who use it

    page = request.getfixturevalue("page")
    if is_async(page):
        pytest.fail(
            "With an asynchronous page: app = await bascule_attach(page), with the fixture "
            "bascule_attach in place of bascule_app.",
            pytrace=False,
        )
    client: AppClient = bascule_attach(page)
    return client


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember where a test begins that uses a bridge."""
    if "bascule_bridge" in getattr(item, "fixturenames", ()):
        bridge = item.config.stash.get(_BRIDGE, None)
        logged = 0 if bridge is None else len(bridge.log)
        item.stash[_BEGIN] = (logged, int(time.time() * 1000))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show with a failure what the bridge logged and which calls there were."""
    report = yield
    begin = item.stash.get(_BEGIN, None)
    bridge = item.config.stash.get(_BRIDGE, None)
    if report.failed and begin is not None and bridge is not None:
        from bridge.client.failure_sections import failure_sections  # noqa: PLC0415 - rarely used

        report.sections.extend(failure_sections(bridge, *begin))
    return report


def _base_url(request: pytest.FixtureRequest) -> str | None:
    try:
        value = request.getfixturevalue("base_url")
    except pytest.FixtureLookupError:
        return None
    return value if isinstance(value, str) and value else None


def _origin_of(url: str) -> str:
    """Return an address's origin as browsers write it."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - of those who use it

    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in {None, usual} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"
