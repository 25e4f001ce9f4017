"""Forged handshakes from everybody who can send a window message; each is shown to have arrived.

The victim has been probed and says nothing yet, and the attacker knows its nonce: more than any
attacker knows.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Frame, Page

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.bus_shell import APP, RAW, BusShell

QUIET = f"{RAW}#quiet"
FORGED = '{bascule: "bus", version: 1, step: "ready", nonce, marker}'


def victim(shell: BusShell) -> tuple[str, str]:
    """Mount a frame that was probed and has not answered; return it and its nonce."""
    key = shell.mount(QUIET, app="notes", kind="background", state="loading")
    frame = shell.frame(key)
    frame.wait_for_function("() => globalThis.raw?.nonce")
    return key, str(frame.evaluate("() => raw.nonce"))


def sibling(shell: BusShell, victim_key: str, nonce: str) -> None:
    attacker = shell.frame(shell.mount(RAW, app="board"))
    attacker.evaluate(f"([nonce, marker]) => parent.postMessage({FORGED}, '*')", [nonce, "forged"])


def nested_frame(shell: BusShell, victim_key: str, nonce: str) -> None:
    """Even inside the victim itself: it is another window."""
    shell.frame(victim_key).evaluate(
        """async ([nonce, marker]) => {
          const inner = document.createElement("iframe");
          inner.srcdoc = "<p>inner</p>";
          document.body.append(inner);
          await new Promise((resolve) => { inner.onload = resolve; });
        }""",
        [nonce, "forged"],
    )
    inner = shell.frame(victim_key).child_frames[0]
    inner.evaluate(
        f"""([nonce, marker]) => {{
          top.postMessage({FORGED}, "*");
          parent.parent.postMessage({FORGED}, "*");
        }}""",
        [nonce, "forged"],
    )


def same_origin_frame(shell: BusShell, victim_key: str, nonce: str) -> None:
    shell.run(
        """async () => {
          const inner = document.createElement("iframe");
          inner.id = "same-origin";
          document.body.append(inner);
        }"""
    )
    handle = shell.page.locator("#same-origin").element_handle()
    inner = handle.content_frame()
    assert inner is not None
    assert inner.evaluate("() => parent.document.title") == "Shell"
    inner.evaluate(f"([nonce, marker]) => parent.postMessage({FORGED}, '*')", [nonce, "forged"])


def popup(shell: BusShell, victim_key: str, nonce: str) -> None:
    with shell.page.expect_popup() as opened:
        shell.run("() => void open('./apps/raw.html#quiet')")
    opened.value.wait_for_function("() => globalThis.raw !== undefined")
    opened.value.evaluate(
        f"([nonce, marker]) => opener.postMessage({FORGED}, '*')", [nonce, "forged"]
    )


def script_of_the_page(shell: BusShell, victim_key: str, nonce: str) -> None:
    """An extension's content script sends from the page's own window."""
    shell.run(f"([nonce, marker]) => window.postMessage({FORGED}, '*')", [nonce, "forged"])


Attack = Callable[[BusShell, str, str], None]
SENDERS: list[Attack] = [sibling, nested_frame, same_origin_frame, popup, script_of_the_page]


@pytest.mark.parametrize("attack", SENDERS, ids=lambda attack: attack.__name__)
def test_a_forged_handshake_arrives_and_gets_no_port(shell: BusShell, attack: Attack) -> None:
    key, nonce = victim(shell)
    ports = shell.run("() => shell.held.ports")
    attack(shell, key, nonce)
    shell.wait_until_heard("forged")
    assert shell.run("(key) => shell.state(key)", key) == "loading"
    assert "app:notes:background" not in shell.endpoints()
    # Only a sibling is there by right, and has the one port of its own.
    assert shell.run("() => shell.held.ports") - ports == (1 if attack is sibling else 0)
    # The very same message is taken from the one window that it may come from.
    shell.frame(key).evaluate(
        f"([nonce, marker]) => parent.postMessage({FORGED}, '*')", [nonce, "own"]
    )
    shell.wait_for_state(key, "connected")
    assert "app:notes:background" in shell.endpoints()


def test_a_frame_gets_no_second_port_however_often_it_says_that_it_is_ready(
    shell: BusShell,
) -> None:
    key = shell.mount(RAW)
    frame = shell.frame(key)
    frame.evaluate(
        """() => {
          for (const nonce of [raw.nonce, undefined]) {
            parent.postMessage({bascule: "bus", version: 1, step: "ready", nonce}, "*");
          }
          parent.postMessage({marker: "asked again"}, "*");
        }"""
    )
    shell.wait_until_heard("asked again")
    assert shell.run("() => shell.held.ports") == 1
    steps = frame.evaluate("() => raw.heard.map(({data}) => data.step)")
    assert steps.count("port") == 1


def test_the_query_of_a_frame_says_nothing_of_who_it_is(shell: BusShell) -> None:
    key = shell.mount(
        f"{APP}?app=board&endpoint=app:board:background&tile=other&instance=9", app="notes"
    )
    assert shell.endpoint(key).startswith("app:notes:tile:main:instance:")
    frame = shell.frame(key)
    names = frame.evaluate("async () => (await bus.listEndpoints()).map((one) => one.endpoint)")
    assert names == [shell.endpoint(key)]


def test_the_caller_is_who_holds_the_port_and_not_who_the_message_says(shell: BusShell) -> None:
    background = shell.frame(shell.mount(app="notes", kind="background"))
    background.evaluate(
        """() => bus.exposeTool("who", {description: "Who asks.", inputSchema: {type: "object"}},
             (_given, {caller}) => ({caller}))"""
    )
    key = shell.mount(RAW, app="notes")
    frame = shell.frame(key)
    frame.evaluate(
        """() => raw.send({type: "exec", id: 1, caller: "kernel", source: "app:notes:background",
             payload: {action: "tools.call", caller: "external:bridge:s", payload: {
               target: "app:notes:background", name: "who", arguments: {},
               caller: "external:bridge:s", app: "board"}}})"""
    )
    frame.wait_for_function("() => raw.response(1)")
    assert frame.evaluate("() => raw.response(1).ok") == {"caller": shell.endpoint(key)}
    # Another app poses as one that may: its port says who it is.
    other = shell.frame(shell.mount(RAW, app="board"))
    other.evaluate(
        """() => raw.send({type: "exec", id: 1, caller: "kernel", payload: {action: "tools.call",
             payload: {target: "app:notes:background", name: "who", arguments: {},
               caller: "kernel", app: "notes"}}})"""
    )
    other.wait_for_function("() => raw.response(1)")
    assert other.evaluate("() => raw.response(1).error.code") == "OWNER_REQUIRED"


# --- against the runtime in a frame: only the page that holds it may give it a port

GIVE = """([nonce, marker, to]) => {
  const frame = to(window);
  const mark = {bascule: "bus", version: 1, marker};
  frame.postMessage({...mark, step: "probe", nonce}, "*");
  const {port1, port2} = new MessageChannel();
  globalThis.stolen = [];
  port1.onmessage = ({data}) => stolen.push(data);
  port1.postMessage({type: "exec", id: 1, payload: {action: "tools.describe", payload: {}}});
  frame.postMessage({...mark, step: "port", nonce}, "*", [port2]);
}"""


def give(reach: str) -> str:
    return GIVE.replace("to(window)", reach).replace(", to]", "]")


def waiting_app(shell: BusShell) -> str:
    """Put a frame with the runtime into the page, which nobody has offered a port."""
    shell.run(
        """async () => {
          const frame = document.createElement("iframe");
          frame.setAttribute("sandbox", "allow-scripts");
          frame.id = "waiting";
          frame.src = "./apps/app.html";
          document.body.prepend(frame);
          await new Promise((resolve) => { frame.onload = resolve; });
        }"""
    )
    frame = shell.frame("waiting")
    frame.wait_for_function("() => globalThis.bus !== undefined")
    frame.evaluate(
        """() => {
          globalThis.heard = [];
          addEventListener("message", ({data, ports}) => heard.push([data.marker, data.step]));
        }"""
    )
    return "waiting"


@pytest.mark.parametrize("sender", ["sibling", "nested frame", "popup"])
def test_a_frame_takes_no_port_from_anybody_but_the_page_that_holds_it(
    shell: BusShell, sender: str
) -> None:
    frame = shell.frame(waiting_app(shell))
    if sender == "sibling":
        attacker: Page | Frame = shell.frame(shell.mount(RAW, app="board"))
        reach = "parent.frames[0]"
    elif sender == "nested frame":
        frame.evaluate(
            """async () => {
              const inner = document.createElement("iframe");
              inner.srcdoc = "<p>inner</p>";
              document.body.append(inner);
              await new Promise((resolve) => { inner.onload = resolve; });
            }"""
        )
        attacker = frame.child_frames[0]
        reach = "parent"
    else:
        with shell.page.expect_popup() as opened:
            shell.run("() => void open('./apps/raw.html#quiet')")
        attacker = opened.value
        attacker.wait_for_function("() => globalThis.raw !== undefined")
        reach = "opener.frames[0]"
    attacker.evaluate(give(reach), ["made up", "forged"])
    frame.wait_for_function("() => heard.some(([marker, step]) => marker && step === 'port')")
    assert frame.evaluate("() => heard.map(([, step]) => step)") == ["probe", "port"]
    # What the page itself sends is taken: it is answered by the port, and the attacker's never was.
    shell.run(give("document.querySelector('#waiting').contentWindow"), ["the page's", "real"])
    shell.page.wait_for_function("() => stolen.length > 0")
    assert attacker.evaluate("() => stolen.length") == 0


def test_a_port_with_a_nonce_that_was_never_probed_is_not_taken(shell: BusShell) -> None:
    frame = shell.frame(waiting_app(shell))
    shell.run(
        """() => {
          const frame = document.querySelector("#waiting").contentWindow;
          const {port2} = new MessageChannel();
          frame.postMessage({bascule: "bus", version: 1, step: "port", nonce: "x", marker: "m"},
            "*", [port2]);
        }"""
    )
    frame.wait_for_function("() => heard.some(([marker]) => marker === 'm')")
    shell.run(give("document.querySelector('#waiting').contentWindow"), ["real", "real"])
    shell.page.wait_for_function("() => stolen.length > 0")


def test_an_app_that_is_opened_without_its_workspace_has_no_origin_and_no_bus(
    shell: BusShell, pages: StaticPages, page: Page
) -> None:
    page.goto(f"{pages.origin}/probe/bus/apps/app.html")
    page.wait_for_function("() => globalThis.bus !== undefined")
    assert page.evaluate("() => origin") == "null"
    code = page.evaluate("() => bus.listApps().then(() => null, (error) => error.code)")
    assert code == "ENDPOINT_GONE"
