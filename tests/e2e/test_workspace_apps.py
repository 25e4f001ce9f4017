"""The board and the word processor as apps of a workspace: by hand and from a terminal."""

from __future__ import annotations

import json
import re
import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    FilePayload,
    FrameLocator,
    Locator,
    Page,
    Playwright,
    Route,
    expect,
)

from bridge.servers.static_pages import StaticPages
from tests.e2e.conftest import Attach, launch_dark
from tests.e2e.support.let_in import EVERY_APP
from tests.e2e.support.owner_dialog import allow
from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import RealBridge, run_bridge
from tests.e2e.support.seen_page import AXE, save
from tests.e2e.support.waiting import wait_until

NAMES = {"board": "Board", "writer": "Write"}


@pytest.fixture(scope="module")
def workspace_pages() -> Iterator[StaticPages]:
    with serve_pages(index="demo/workspace/index.html") as served:
        yield served


def install(page: Page) -> None:
    """Let the workspace have both apps, and no others."""

    def listed(route: Route) -> None:
        response = route.fetch()
        names = f"INSTALLED = Object.freeze({json.dumps(list(NAMES))})"
        body, count = re.subn(r"INSTALLED = Object\.freeze\(\[[^\]]*\]\)", names, response.text())
        assert count == 1
        route.fulfill(response=response, body=body)

    page.route("**/manifests/installed_apps.js", listed)


def tile(page: Page, app: str) -> FrameLocator:
    return page.frame_locator(f"[data-app={app}].tile iframe")


def open_tile(page: Page, app: str) -> FrameLocator:
    """Open an app and wait until it shows what it has."""
    page.get_by_role("navigation", name="Apps").get_by_role("button", name=NAMES[app]).click()
    shown = tile(page, app)
    ready = "#text > *" if app == "writer" else "#count:text-matches('shape')"
    expect(shown.locator(ready).first).to_be_visible()
    if app == "board":
        expect(shown.locator("#empty")).to_be_visible()
    return shown


def close_tile(page: Page, app: str) -> None:
    bar = page.get_by_role("toolbar", name=f"Arrange {NAMES[app]}")
    bar.get_by_role("button", name="Close").click()
    expect(page.locator(f"[data-app={app}].tile")).to_have_count(0)


@pytest.fixture
def workspace(page: Page, workspace_pages: StaticPages) -> Page:
    """Open a workspace with both apps, of which the board is open."""
    install(page)
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.goto(workspace_pages.page)
    return page


@pytest.fixture
def board(workspace: Page) -> FrameLocator:
    return open_tile(workspace, "board")


def shapes(board: FrameLocator) -> Locator:
    return board.get_by_role("listbox", name="Shapes on the board").get_by_role("option")


def labels(board: FrameLocator, *names: str | re.Pattern[str]) -> None:
    """Wait until the board has these shapes, the lowest first."""
    expect(shapes(board)).to_have_count(len(names))
    for index, name in enumerate(names):
        expect(shapes(board).nth(index)).to_have_attribute("aria-label", name)


def drag(page: Page, board: FrameLocator, start: tuple[int, int], end: tuple[int, int]) -> None:
    """Move the mouse over the board, in the board's own units."""
    box = board.locator("#board").bounding_box()
    assert box is not None
    points = [
        (box["x"] + x * box["width"] / 1600, box["y"] + y * box["height"] / 1000)
        for x, y in (start, end)
    ]
    page.mouse.move(*points[0])
    page.mouse.down()
    page.mouse.move(*points[1], steps=5)
    page.mouse.up()


def place(label: str) -> tuple[int, int, int, int]:
    """Return where a shape is, as its label says."""
    found = re.search(r"at (-?\d+), (-?\d+), (-?\d+) by (-?\d+)", label)
    assert found is not None, label
    x, y, width, height = (int(each) for each in found.groups())
    return x, y, width, height


def wait_for_place(board: FrameLocator, wanted: tuple[int, int, int, int]) -> None:
    """Wait until the only shape is there, as near as pixels can tell."""

    def near() -> bool:
        label = shapes(board).first.get_attribute("aria-label") or ""
        pairs = zip(place(label), wanted, strict=True)
        return all(abs(have - want) <= 8 for have, want in pairs)

    wait_until(near, f"the shape at {wanted}")


def test_shapes_are_drawn_moved_resized_and_removed_with_a_mouse(
    workspace: Page, board: FrameLocator
) -> None:
    board.get_by_role("button", name="Rectangle").click()
    drag(workspace, board, (200, 200), (600, 500))
    wait_for_place(board, (200, 200, 400, 300))
    expect(board.get_by_role("button", name="Select and move")).to_have_attribute(
        "aria-pressed", "true"
    )
    drag(workspace, board, (400, 350), (500, 450))
    wait_for_place(board, (300, 300, 400, 300))
    drag(workspace, board, (700, 600), (800, 700))
    wait_for_place(board, (300, 300, 500, 400))
    board.get_by_role("button", name="Undo").click()
    wait_for_place(board, (300, 300, 400, 300))
    board.get_by_role("button", name="Redo").click()
    wait_for_place(board, (300, 300, 500, 400))
    board.get_by_label("Colour").select_option("Red")
    labels(board, re.compile("^red rectangle, at"))
    board.get_by_role("button", name="Remove").click()
    labels(board)
    expect(board.locator("#empty")).to_be_visible()
    drag(workspace, board, (100, 100), (300, 300))
    labels(board)


def test_everything_on_the_board_goes_by_keyboard(workspace: Page, board: FrameLocator) -> None:
    root = board.locator("#board")
    root.press("r")
    labels(board, "blue rectangle, at 680, 430, 240 by 140")
    root.press("ArrowRight")
    root.press("Control+ArrowDown")
    labels(board, "blue rectangle, at 700, 431, 240 by 140")
    root.press("Shift+ArrowRight")
    labels(board, "blue rectangle, at 700, 431, 260 by 140")
    root.press("Enter")
    expect(board.get_by_label("Words")).to_be_focused()
    workspace.keyboard.type("A label")
    workspace.keyboard.press("Enter")
    labels(board, "blue rectangle, “A label”, at 700, 431, 260 by 140")
    expect(root).to_be_focused()
    root.press("e")
    expect(shapes(board)).to_have_count(2)
    expect(shapes(board).nth(1)).to_have_attribute("aria-selected", "true")
    root.press("PageUp")
    expect(shapes(board).nth(0)).to_have_attribute("aria-selected", "true")
    expect(root).to_have_attribute("aria-activedescendant", "board-shape-1")
    root.press("Delete")
    labels(board, re.compile("^blue ellipse"))
    expect(board.get_by_text("Removed: blue rectangle")).to_be_attached()
    for _ in range(2):
        root.press("Control+z")
    labels(board, re.compile("A label"))
    root.press("Control+y")
    expect(shapes(board)).to_have_count(2)
    root.press("Tab")
    expect(root).not_to_be_focused()


def test_a_key_that_is_held_moves_a_shape_as_one_step(workspace: Page, board: FrameLocator) -> None:
    root = board.locator("#board")
    root.press("r")
    labels(board, "blue rectangle, at 680, 430, 240 by 140")
    for _ in range(5):
        workspace.keyboard.down("ArrowLeft")
    labels(board, "blue rectangle, at 580, 430, 240 by 140")
    workspace.keyboard.up("ArrowLeft")
    expect(board.get_by_text("blue rectangle, at 580, 430")).to_be_attached()
    root.press("Control+z")
    labels(board, "blue rectangle, at 680, 430, 240 by 140")


def test_a_board_outlives_its_tile_in_its_background(workspace: Page, board: FrameLocator) -> None:
    board.locator("#board").press("t")
    labels(board, re.compile("^blue text, “Text”"))
    close_tile(workspace, "board")
    workspace.get_by_role("navigation", name="Apps").get_by_role("button", name="Board").click()
    labels(tile(workspace, "board"), re.compile("^blue text, “Text”"))


def png(width: int, height: int) -> bytes:
    """Return a red picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\xff\0\0" * width) * height
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def put_picture(board: FrameLocator, name: str, data: bytes) -> None:
    """Choose a file as a person does."""
    chosen: FilePayload = {"name": name, "mimeType": "image/png", "buffer": data}
    board.locator("#file").set_input_files([chosen])


def test_a_picture_is_put_on_the_board_and_the_board_becomes_a_picture(
    workspace: Page, board: FrameLocator
) -> None:
    put_picture(board, "plan.png", png(300, 200))
    labels(board, "picture, “plan.png”, at 650, 400, 300 by 200")
    expect(shapes(board).locator("image")).to_have_attribute("href", re.compile("^data:image/png"))
    put_picture(board, "forged.png", b"<svg/>")
    expect(board.locator("#notice")).to_contain_text("no PNG or JPEG")
    expect(shapes(board)).to_have_count(1)
    board.get_by_role("button", name="Picture of the board").click()
    shown = board.get_by_role("img", name="The board as it is now")
    expect(shown).to_be_visible()
    expect(shown).to_have_js_property("naturalWidth", 1600)
    # The picture within the picture is drawn too.
    colour = shown.evaluate(
        """(image) => {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [1600, 1000];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return [...context.getImageData(800, 500, 1, 1).data];
        }"""
    )
    assert colour == [255, 0, 0, 255]
    workspace.keyboard.press("Escape")
    expect(shown).to_be_hidden()


# --- the word processor


def test_a_document_is_written_and_kept_without_any_storage_of_the_frame(workspace: Page) -> None:
    troubles: list[str] = []
    workspace.on("pageerror", lambda error: troubles.append(str(error)))
    writer = open_tile(workspace, "writer")
    expect(writer.locator("#saved")).to_have_text("Kept until locked or reloaded")
    expect(writer.locator("bascule-panel")).to_have_count(0)
    text = writer.get_by_role("textbox", name="Document text")
    text.press("Control+Home")
    workspace.keyboard.type("In a frame: ")
    expect(writer.locator("#text > *").first).to_have_text(re.compile("^In a frame: A bascule"))
    expect(writer.locator("#saved")).to_have_text("Kept until locked or reloaded")
    close_tile(workspace, "writer")
    again = open_tile(workspace, "writer")
    expect(again.locator("#text > *").first).to_have_text(re.compile("^In a frame: A bascule"))
    expect(again.locator("#saved")).to_have_text("Kept until locked or reloaded")
    storage = again.locator("body").evaluate(
        "() => { try { return String(localStorage.length); } catch (error) { return error.name; } }"
    )
    assert storage == "SecurityError"
    assert troubles == []


# --- a terminal beside them


@pytest.fixture
def terminal(
    page: Page, workspace_pages: StaticPages, runtime: Path, attach: Attach
) -> Iterator[RealBridge]:
    install(page)
    with run_bridge(workspace_pages.origin, workspace_pages.page, runtime) as bridge:
        attach(page, bridge)
        wanted = {f"app:{app}:background" for app in NAMES}
        wait_until(lambda: wanted <= endpoints(bridge), "the apps")
        begun = bridge.result("actions/execute", {"action": "app.board.board_list", "input": {}})
        assert begun["task"]["progress"]["reason"] == "consent"
        allow(page, EVERY_APP)
        yield bridge


def endpoints(bridge: RealBridge) -> set[str]:
    listed = run(bridge, "workspace.endpoints.list")["endpoints"]
    return {str(each["endpoint"]) for each in listed}


def run(bridge: RealBridge, action: str, input_: object = None) -> Any:
    """Run an action on the app as it is now."""
    described = bridge.result("actions/describe", {"action": action})
    params = {"action": action, "input": input_ or {}}
    if described.get("revision") is not None:
        params["expectedRevision"] = described["revision"]
    return bridge.result("actions/execute", params)["output"]


def fetched(bridge: RealBridge, attachment: dict[str, Any]) -> bytes:
    """Read all of what a tool gave beside its result."""
    whole = b""
    offset: int | None = 0
    while offset is not None:
        part = bridge.result("resources/read", {"uri": attachment["resource"], "offset": offset})
        whole += b64decode(part["data"])
        offset = part.get("nextOffset")
    return whole


def test_a_terminal_draws_on_the_board_and_gets_it_as_a_picture(
    page: Page, terminal: RealBridge
) -> None:
    run(terminal, "workspace.tile.open", {"app": "board"})
    board = tile(page, "board")
    shape = {"kind": "ellipse", "x": 100, "y": 100, "colour": "green"}
    added = run(terminal, "app.board.board_add", shape)
    labels(board, "green ellipse, at 100, 100, 200 by 140")
    moved = {"id": added["shape"]["id"], "x": 300, "y": 200}
    run(terminal, "app.board.board_move", moved)
    labels(board, "green ellipse, at 300, 200, 200 by 140")
    picture = b64encode(png(40, 20)).decode()
    imported = {"arguments": {"text": "red"}, "attachment": {"data": [picture]}}
    run(terminal, "app.board.board_import_image", imported)
    labels(board, re.compile("ellipse"), "picture, “red”, at 780, 490, 40 by 20")
    drawn = run(terminal, "app.board.board_export_image", {"format": "png"})
    data = fetched(terminal, drawn["attachment"])
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == (1600, 1000)
    run(terminal, "app.board.board_clear")
    labels(board)
    # A person's undo takes back what the terminal did.
    board.locator("#board").press("Control+z")
    expect(shapes(board)).to_have_count(2)


def test_a_terminal_writes_in_the_document_that_is_open_in_a_tile(
    page: Page, terminal: RealBridge
) -> None:
    found = terminal.result("actions/list", {"query": "app.writer.document_text"})["actions"]
    assert found == []
    run(terminal, "workspace.tile.open", {"app": "writer"})
    writer = tile(page, "writer")
    expect(writer.locator("#text > *").first).to_be_visible()
    markdown = "# From a terminal\n\none **two**\n"
    imported = {
        "arguments": {"format": "markdown"},
        "attachment": {"data": [b64encode(markdown.encode()).decode()]},
    }
    run(terminal, "app.writer.document_import", imported)
    expect(writer.get_by_label("Title")).to_have_value("From a terminal")
    run(terminal, "app.writer.document_text_insert", {"text": "zero ", "at": 0})
    expect(writer.locator("#text > *")).to_have_text(["zero one two"])
    exported = run(terminal, "app.writer.document_export_file", {"format": "markdown"})
    written = fetched(terminal, exported["attachment"]).decode()
    assert written == "# From a terminal\n\nzero one **two**\n"
    drawn = run(terminal, "app.writer.ui_render", {"format": "png"})
    assert fetched(terminal, drawn["attachment"]).startswith(b"\x89PNG")


# --- looks


def violations(page: Page, app: str) -> list[str]:
    """Return what axe finds wrong in an app's frame."""
    handle = page.locator(f"[data-app={app}].tile iframe").element_handle()
    frame = handle.content_frame()
    assert frame is not None
    frame.evaluate(AXE.read_text(encoding="utf-8") + "; window.axe = axe; undefined")
    found: dict[str, Any] = frame.evaluate("axe.run(document, { iframes: false })")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


def look(page: Page, name: str) -> None:
    """Look at both apps, wide and narrow."""
    page.set_viewport_size({"width": 1400, "height": 900})
    board = open_tile(page, "board")
    assert violations(page, "board") == []
    for key in "relt":
        board.locator("#board").press(key)
        expect(shapes(board)).to_have_count("relt".index(key) + 1)
    put_picture(board, "plan.png", png(300, 200))
    expect(shapes(board).locator("image")).to_have_count(1)
    open_tile(page, "writer")
    for app in NAMES:
        assert violations(page, app) == []
    save(page, f"workspace-apps-{name}-wide")
    page.set_viewport_size({"width": 360, "height": 1400})
    for app in NAMES:
        inner = tile(page, app).locator("html")
        wait_until(lambda here=inner: fits(here), f"{app} in 360 pixels")  # type: ignore[misc]
        assert violations(page, app) == []
    save(page, f"workspace-apps-{name}-narrow")
    board.get_by_role("button", name="Keys of the board").click()
    expect(board.get_by_role("dialog", name="Keys of the board")).to_be_visible()
    assert violations(page, "board") == []


def fits(html: Locator) -> bool:
    return bool(html.evaluate("(html) => html.scrollWidth <= html.clientWidth"))


def test_both_apps_are_sound_wide_and_narrow_in_light(workspace: Page, browser_name: str) -> None:
    look(workspace, f"light-{browser_name}")


def test_both_apps_are_sound_wide_and_narrow_in_dark(
    playwright: Playwright,
    browser_name: str,
    browser_type_launch_args: dict[str, Any],
    workspace_pages: StaticPages,
) -> None:
    with launch_dark(playwright, browser_name, browser_type_launch_args) as page:
        install(page)
        page.goto(workspace_pages.page)
        look(page, f"dark-{browser_name}")
