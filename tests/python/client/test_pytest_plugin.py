"""The fixtures, in test runs of their own: with a page, without one, on workers, when all fails."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

import pytest

from tests.python.support import scripted_browser

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from scripted_browser import AsyncBrowserPage, BrowserPage

@pytest.fixture(scope="session")
def base_url():
    return "http://127.0.0.1:8765/app?x=1#top"

@pytest.fixture
def page():
    page = BrowserPage()
    yield page
    page.close()
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project that has nothing installed but Bascule and pytest."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    # In a working directory like this one the package's name means something else.
    pytester.mkdir("bridge")
    shutil.copy(scripted_browser.__file__, pytester.path / "scripted_browser.py")
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    return pytester


def run(project: pytest.Pytester, *arguments: str, plugins: str = "bascule") -> pytest.RunResult:
    loaded = [word for name in plugins.split() for word in ("-p", name)]
    return project.runpytest_subprocess("--import-mode=importlib", *loaded, *arguments, timeout=120)


@pytest.fixture(autouse=True)
def import_path(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(project.path))


def test_the_plugin_is_an_entry_point_of_the_distribution() -> None:
    (entry,) = importlib.metadata.entry_points(group="pytest11", name="bascule")
    assert entry.value == "bridge.client.pytest_plugin"


def test_a_test_arranges_its_state_in_one_line_and_the_next_one_attaches_too(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("n", range(3))
        def test_a_note(page, bascule_app, n):
            bascule_app.call("note.add", {"text": f"n{n}"}, expected_revision="latest")
            assert page.notes == [f"n{n}"]
            assert bascule_app.inspect()["notes"] == [f"n{n}"]
            assert page.visited == ["http://127.0.0.1:8765/app?x=1"]
        """
    )
    run(project).assert_outcomes(passed=3)


def test_a_page_is_attached_where_and_how_a_test_says(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from scripted_browser import BrowserPage

        def test_where(page, bascule_attach, bascule_bridge):
            app = bascule_attach(page, "other", button="Attach")
            assert page.visited == ["http://127.0.0.1:8765/other"]
            assert app.inspect() == {"notes": []}
            # Once more, as after a reload.
            button = lambda page: page.get_by_role("button", name="Attach")
            app = bascule_attach(page, button=button)
            assert app.inspect() == {"notes": []}
            assert bascule_bridge.attached_app() == "Scripted"

        def test_that_its_panel_detaches_it(bascule_attach, bascule_bridge):
            global left
            left = BrowserPage(panel=True)
            bascule_attach(left, button=left.get_by_role("button", name="Attach"))

        def test_that_it_was_not_led_away(bascule_bridge):
            assert bascule_bridge.attached_app() is None
            assert left.visited == ["http://127.0.0.1:8765/app?x=1"]

        def test_a_page_that_was_closed_by_the_test(page, bascule_attach):
            bascule_attach(page)
            page.close()

        def test_that_a_client_needs_no_page(bascule_app, bascule_bridge):
            assert bascule_app.status()["app"] is None
        """
    )
    run(project).assert_outcomes(passed=5)


def test_a_page_that_cannot_be_looked_at_keeps_no_other_from_being_detached(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        """
        from scripted_browser import BrowserPage

        class Watched(BrowserPage):
            detached = False

            def is_closed(self):
                self.detached = True
                return super().is_closed()

        class Crashed(BrowserPage):
            def locator(self, selector):
                self.leave()
                raise RuntimeError("the page has crashed")

        first = Watched()

        def test_it(bascule_attach):
            bascule_attach(first)
            first.leave()
            bascule_attach(Crashed())
            first.detached = False

        def test_that_the_first_page_was_detached_all_the_same():
            assert first.detached
        """
    )
    result = run(project)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*the page has crashed*"])


def test_a_failure_shows_the_log_and_the_calls_and_no_secret(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        from pathlib import Path

        def test_first(bascule_app, page, bascule_bridge):
            Path("token").write_text(bascule_bridge.token)
            bascule_app.call("first.call")

        def test_it(bascule_app, page):
            bascule_app.call("note.add", {"text": "x"})
            bascule_app.call("no.such")
        """
    )
    result = run(project)
    result.assert_outcomes(failed=2)
    out = result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "*bascule bridge log*",
            "* INFO *: listening on http://127.0.0.1:*",
            "*first.call  UNKNOWN_ACTION*",
            "*test_it*",
            '>*bascule_app.call("no.such")',
            "E *ActionError: No such. [[]UNKNOWN_ACTION[]]",
            "*bascule calls*",
            "+0.* s  actions/execute note.add  ok in * ms",
            "+0.* s  actions/execute no.such  UNKNOWN_ACTION in * ms",
        ]
    )
    # Of each test its own, and nothing of what is ours between the test and the error.
    assert out.count("first.call  ") == 1
    assert "raw_request" not in out
    token = (project.path / "token").read_text()
    assert len(token) > 40
    assert token not in out
    assert "#bascule=" not in out


def test_a_page_that_does_not_attach_says_why(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        """
        import pytest
        from scripted_browser import BrowserPage
        from bridge.client import page_attaching

        @pytest.fixture(autouse=True)
        def no_patience(monkeypatch):
            monkeypatch.setattr(page_attaching, "_PATIENCE_SECONDS", 0.2)

        def test_refused(bascule_attach):
            with pytest.raises(AssertionError, match="The page says: Not allowed"):
                bascule_attach(BrowserPage(refuses="Not allowed."))

        def test_second(page, bascule_attach):
            bascule_attach(page)
            with pytest.raises(AssertionError, match="Another page is attached .Scripted"):
                bascule_attach(BrowserPage())
        """
    )
    run(project).assert_outcomes(passed=2)


def test_an_asynchronous_page_is_attached_with_await(project: pytest.Pytester) -> None:
    project.makeini(
        "[pytest]\nasyncio_mode = auto\nfilterwarnings = error\n"
        # As pytest-playwright-asyncio needs it, too: a page lives as long as its loop.
        "asyncio_default_fixture_loop_scope = session\nasyncio_default_test_loop_scope = session\n"
    )
    project.makepyfile(
        """
        import asyncio
        import pytest
        from scripted_browser import AsyncBrowserPage

        @pytest.mark.parametrize("n", range(2))
        async def test_notes(bascule_attach, n):
            page = AsyncBrowserPage()
            app = await bascule_attach(page)
            added = [app.call("note.add", {"text": str(n)}) for n in range(3)]
            await asyncio.gather(*added)
            assert sorted(page.page.notes) == ["0", "1", "2"]
            app = await bascule_attach(page)
            assert (await app.inspect())["notes"]
        """
    )
    run(project, plugins="bascule asyncio").assert_outcomes(passed=2)


def test_a_client_for_an_asynchronous_page_says_how(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        from scripted_browser import AsyncBrowserPage

        @pytest.fixture
        def page():
            return AsyncBrowserPage()

        def test_it(page, bascule_app):
            pass
        """
    )
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*app = await bascule_attach(page)*"])


def test_each_worker_has_a_bridge_of_its_own(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import os
        from pathlib import Path
        import pytest

        @pytest.mark.parametrize("n", range(4))
        def test_it(page, bascule_app, bascule_bridge, n):
            bascule_app.call("note.add", {"text": "x"}, expected_revision="latest")
            assert page.notes == ["x"]
            told = f"{bascule_bridge.process.pid} {bascule_bridge.runtime}"
            Path(os.environ["PYTEST_XDIST_WORKER"]).write_text(told)
        """
    )
    result = run(project, "-n", "2", "--dist", "load", plugins="bascule xdist")
    result.assert_outcomes(passed=4)
    told = {(project.path / worker).read_text() for worker in ("gw0", "gw1")}
    assert len(told) == 2
    for pid, runtime in (text.split(" ", 1) for text in told):
        # Gone with the worker, and its secrets with it.
        assert not Path(f"/proc/{pid}").exists()
        assert list((Path(runtime) / "bascule").glob("*.json")) == []


def test_a_failure_on_a_worker_is_shown_as_well(project: pytest.Pytester) -> None:
    project.makepyfile('def test_it(page, bascule_app):\n    bascule_app.call("no.such")\n')
    result = run(project, "-n", "1", plugins="bascule xdist")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*bascule calls*", "*no.such  UNKNOWN_ACTION*"])


CHANNEL_TEST = """
def test_it(page, bascule_app):
    assert (page.channel is None) is {off}
"""


@pytest.mark.parametrize(
    ("setting", "option", "off"),
    [
        ("", [], False),
        ("bascule_channel = on", [], False),
        ("bascule_channel = off", [], True),
        ("bascule_channel = off", ["--bascule-channel", "on"], False),
        ("", ["--bascule-channel=off"], True),
    ],
)
def test_the_channel_can_be_switched_off(
    project: pytest.Pytester, setting: str, option: list[str], *, off: bool
) -> None:
    project.makeini(f"[pytest]\n{setting}\n")
    project.makepyfile(CHANNEL_TEST.format(off=off))
    run(project, *option).assert_outcomes(passed=1)


def test_a_setting_that_is_none_is_said(project: pytest.Pytester) -> None:
    project.makepyfile("def test_it(bascule_bridge): pass")
    result = run(project, "--bascule-channel=maybe")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*bascule_channel is on or off, not maybe*"])


def test_without_an_origin_it_is_said_how_to_give_one(project: pytest.Pytester) -> None:
    project.makeconftest("")
    project.makepyfile("def test_it(bascule_app): pass")
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*base_url*bascule_origin*"])
    project.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def bascule_origin():
            return "http://localhost:3000"
        """
    )
    project.makepyfile(
        'def test_it(bascule_bridge): assert bascule_bridge.page == "http://localhost:3000/"'
    )
    run(project).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("http://127.0.0.1:8765/app", "http://127.0.0.1:8765"),
        ("HTTPS://App.example:443/x?y", "https://app.example"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:3000/", "http://[::1]:3000"),
    ],
)
def test_the_origin_is_that_of_the_base_url(base_url: str, origin: str) -> None:
    from bridge.client.pytest_plugin import _origin_of  # noqa: PLC0415

    assert _origin_of(base_url) == origin


def test_a_bridge_that_cannot_start_says_why(project: pytest.Pytester) -> None:
    project.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def bascule_origin():
            return "file:///x"
        """
    )
    project.makepyfile("def test_it(bascule_bridge): pass")
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the bridge did not start: *origin*"])


def test_unused_it_imports_nothing_and_neither_way_anything_of_playwright(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        """
        import sys

        def ours():
            return {name for name in sys.modules if name.partition(".")[0] == "bridge"}

        def test_unused():
            assert ours() == {"bridge", "bridge.client", "bridge.client.pytest_plugin"}
            heavy = {"asyncio", "aiohttp", "jiter", "orjson", "playwright", "http.client"}
            assert heavy & set(sys.modules) <= before

        before = set(sys.modules)

        def test_used(bascule_app):
            assert "bridge.client.app_client" in ours()
            assert "playwright" not in sys.modules
        """
    )
    project.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def base_url():
            return "http://127.0.0.1:8765"
        """
    )
    run(project).assert_outcomes(passed=2)
