"""Apps that keep to no rule: each is shown to have done what it did, and what came of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Frame

from tests.e2e.support.bus_shell import APP, RAW, BusShell

NOTES = "app:notes:background"
INVOKED = "({payload}) => payload?.action === 'tools.invoke'"


def raw_background(shell: BusShell, app: str = "notes") -> Frame:
    return shell.frame(shell.mount(RAW, app=app, kind="background"))


def invoked(frame: Frame, count: int = 1) -> int:
    """Wait until a raw app was called so often, and return the last call's id."""
    frame.wait_for_function(f"(count) => raw.received.filter({INVOKED}).length >= count", arg=count)
    return int(frame.evaluate(f"() => raw.received.findLast({INVOKED}).id"))


def settled(shell: BusShell, frame: Frame) -> None:
    """Wait until all that a raw app has sent was taken: its messages come in order."""
    mark = frame.evaluate(
        """() => {
          const id = 1_000_000 + raw.sent;
          raw.send({type: "exec", id, payload: {action: "no.such.action", payload: {}}});
          return id;
        }"""
    )
    frame.wait_for_function("(id) => raw.response(id)?.error.code === 'UNKNOWN_ACTION'", arg=mark)


# --- answers


def test_an_answer_from_another_port_is_nobody_s(shell: BusShell) -> None:
    background = raw_background(shell)
    stranger = raw_background(shell, "board")
    shell.begin(NOTES, "work")
    ident = invoked(background)
    for more in ["ok: {result: 'forged'}", "error: {code: 'TOOL_FAILED', message: 'forged'}"]:
        stranger.evaluate(f"(id) => raw.send({{type: 'response', id, {more}}})", ident)
    stranger.evaluate("(id) => raw.send({type: 'progress', id, payload: 'forged'})", ident)
    settled(shell, stranger)
    background.evaluate("(id) => raw.send({type: 'response', id, ok: {result: 'own'}})", ident)
    assert shell.ended()["ok"] == "own"


def test_of_two_answers_the_first_counts(shell: BusShell) -> None:
    background = raw_background(shell)
    shell.begin(NOTES, "work")
    ident = invoked(background)
    background.evaluate(
        """(id) => {
          raw.send({type: "response", id, ok: {result: "first"}});
          raw.send({type: "response", id, ok: {result: "second"}});
          raw.send({type: "progress", id, payload: "late"});
        }""",
        ident,
    )
    settled(shell, background)
    assert shell.ended()["ok"] == "first"
    # The next call is not answered by what was left over.
    shell.begin(NOTES, "work")
    again = invoked(background, 2)
    assert again != ident
    background.evaluate("(id) => raw.send({type: 'response', id, ok: {result: 'next'}})", again)
    assert shell.ended()["ok"] == "next"


def test_a_tool_that_never_answers_ends_by_its_time_out_and_a_late_answer_is_ignored(
    shell: BusShell,
) -> None:
    background = raw_background(shell)
    done = shell.call(NOTES, "work", timeoutSeconds=1)
    assert done["code"] == "TIMEOUT"
    assert "may have been done" in done["message"]
    ident = invoked(background)
    background.wait_for_function(
        "(id) => raw.received.some((m) => m.type === 'cancel' && m.id === id)", arg=ident
    )
    background.evaluate("(id) => raw.send({type: 'response', id, ok: {result: 'late'}})", ident)
    settled(shell, background)
    assert shell.run("() => shell.holds().calls") == 0


UNSENDABLE = {
    "a function": "() => () => 1",
    "an element": "() => document.body",
    "a window": "() => window",
    "a date": "() => ({at: new Date(0)})",
    "undefined within": "() => ({a: undefined})",
    "a cycle": "() => { const a = {}; a.a = a; return a; }",
    "a promise within": "() => ({a: Promise.resolve()})",
    "a symbol": "() => Symbol('x')",
    "not a number": "() => NaN",
    "a mebibyte and more": "() => 'x'.repeat(1_048_577)",
}


@pytest.mark.parametrize("what", UNSENDABLE)
def test_a_result_that_cannot_be_sent_is_answered_with_what_is_wrong(
    shell: BusShell, what: str
) -> None:
    key = shell.mount(APP, app="notes", kind="background")
    frame = shell.frame(key)
    frame.wait_for_function("() => globalThis.bus !== undefined")
    frame.evaluate(
        f"""() => bus.exposeTool("bad", {{description: "Bad.", inputSchema: {{type: "object"}}}},
          {UNSENDABLE[what]})"""
    )
    done = shell.call(NOTES, "bad")
    assert done["code"] in {"NOT_JSON", "TOO_LARGE"}
    assert (done["code"] == "TOO_LARGE") == (what == "a mebibyte and more")
    assert shell.call(NOTES, "echo", {"still": "here"})["ok"] == {"still": "here"}


RAW_RESULTS = {
    "a map": "new Map([[1, 2]])",
    "bytes": "new Uint8Array(8)",
    "a date": "new Date(0)",
    "a big integer": "10n",
    "undefined": "undefined",
    "not a number": "NaN",
    "an error": "new Error('x')",
    "a cycle": "(() => { const a = []; a.push(a); return a; })()",
    "too much": "'x'.repeat(2_000_000)",
    "a list of holes": "new Array(200_000_000)",
}


@pytest.mark.parametrize("what", RAW_RESULTS)
def test_an_answer_that_is_no_json_ends_the_call_at_once(shell: BusShell, what: str) -> None:
    background = raw_background(shell)
    shell.begin(NOTES, "work")
    ident = invoked(background)
    background.evaluate(
        f"(id) => raw.send({{type: 'response', id, ok: {{result: {RAW_RESULTS[what]}}}}})", ident
    )
    done = shell.ended()
    assert done["code"] == "INVALID_OUTPUT"
    assert "may have done" in done["message"]
    settled(shell, background)


def test_a_reactive_proxy_cannot_be_cloned_and_goes_as_plain_data(shell: BusShell) -> None:
    shell.mount(APP, app="notes", kind="background")
    tile = shell.frame(shell.mount(APP, app="notes"))
    tile.wait_for_function("() => globalThis.bus !== undefined")
    cloned, result = tile.evaluate(
        """async () => {
          const reactive = (value) => new Proxy(value, {
            get: (target, key) => typeof target[key] === "object" && target[key] !== null
              ? reactive(target[key]) : target[key],
          });
          const view = reactive({shapes: [{x: 1, tags: ["a"]}], title: "t"});
          let cloned = true;
          try { structuredClone(view); } catch { cloned = false; }
          const result = await bus.callTool(
            {target: "app:notes:background", name: "echo", arguments: view});
          return [cloned, result];
        }"""
    )
    assert cloned is False
    assert result == {"shapes": [{"x": 1, "tags": ["a"]}], "title": "t"}


# --- sizes


def test_what_is_too_large_is_refused_where_it_is_sent_and_again_where_it_arrives(
    shell: BusShell,
) -> None:
    shell.mount(APP, app="notes", kind="background")
    tile = shell.frame(shell.mount(APP, app="notes"))
    tile.wait_for_function("() => globalThis.bus !== undefined")
    call = """(size) => bus.callTool({target: "app:notes:background", name: "echo",
      arguments: {text: "x".repeat(size)}}).then((r) => r.text.length, (error) => error.code)"""
    assert tile.evaluate(call, 1_000_000) == 1_000_000
    assert tile.evaluate(call, 1_100_000) == "TOO_LARGE"
    # By hand the same is sent: the kernel refuses it, and the tool never hears of it.
    raw = shell.frame(shell.mount(RAW, app="notes"))
    raw.evaluate(
        """() => raw.call(1, "app:notes:background", "runs", {text: "x".repeat(1_100_000)})"""
    )
    raw.wait_for_function("() => raw.response(1)")
    assert raw.evaluate("() => raw.response(1).error.code") == "TOO_LARGE"
    raw.evaluate("""() => raw.call(2, "app:notes:background", "runs", {text: "x"})""")
    raw.wait_for_function("() => raw.response(2)")
    assert raw.evaluate("() => raw.response(2).ok") == {"runs": 1}


# --- ports


def test_a_port_that_outlives_its_frame_is_nobody_s(shell: BusShell) -> None:
    key = shell.mount(RAW, app="notes")
    keeper_key = shell.mount(RAW, app="board")
    keeper = shell.frame(keeper_key)
    keeper.evaluate(
        """() => addEventListener("message", ({data, ports}) => {
          if (data?.given !== "port") return;
          globalThis.kept = ports[0];
          globalThis.keptReceived = [];
          kept.onmessage = ({data}) => keptReceived.push(data);
        })"""
    )
    shell.mount(APP, app="notes", kind="background")
    index = shell.run(
        "(key) => [...document.querySelectorAll('iframe')].findIndex((f) => f.id === key)",
        keeper_key,
    )
    shell.frame(key).evaluate(
        "(index) => parent.frames[index].postMessage({given: 'port'}, '*', [raw.port])", index
    )
    keeper.wait_for_function("() => globalThis.kept !== undefined")
    runs = """(id) => kept.postMessage({type: "exec", id, payload: {action: "tools.call",
      payload: {target: "app:notes:background", name: "runs", arguments: {}}}})"""
    # While its frame is there a port that was given away is still that frame's.
    keeper.evaluate(runs, 1)
    keeper.wait_for_function("() => keptReceived.some((m) => m.id === 1 && m.ok)")
    shell.unmount(key)
    keeper.evaluate(runs, 2)
    settled(shell, keeper)
    assert shell.call(NOTES, "runs")["ok"] == {"runs": 2}
    assert keeper.evaluate("() => keptReceived.filter((m) => m.id === 2)") == []
    assert len(shell.endpoints()) == 2


# --- floods


def test_a_flood_of_a_hundred_thousand_messages_costs_its_source_the_port_and_nobody_else(
    shell: BusShell,
) -> None:
    shell.mount(APP, app="notes", kind="background")
    tile = shell.frame(shell.mount(APP, app="notes"))
    tile.wait_for_function("() => globalThis.bus !== undefined")
    key = shell.mount(RAW, app="board")
    flooder = shell.frame(key)
    flooder.evaluate(
        """() => {
          const begin = () => {
            for (let each = 0; each < 100_000; each++) {
              raw.call(each + 1, "app:notes:background", "runs", {each});
            }
            parent.postMessage({marker: "flooded"}, "*");
          };
          setTimeout(begin);
        }"""
    )
    shell.press()
    shell.wait_for_state(key, "gone")
    assert "port was closed" in shell.reason(key)
    shell.press()
    assert tile.evaluate(
        """() => bus.callTool({target: "app:notes:background", name: "echo", arguments: {a: 1}})"""
    ) == {"a": 1}
    assert shell.call(NOTES, "runs")["ok"] == {"runs": 1}
    assert len(shell.endpoints()) == 2


def test_a_flood_of_large_messages_costs_its_source_the_port(shell: BusShell) -> None:
    shell.mount(APP, app="notes", kind="background")
    key = shell.mount(RAW, app="board")
    shell.frame(key).evaluate(
        """() => void setTimeout(() => {
          const text = "x".repeat(1_048_000);
          for (let each = 0; each < 200; each++) raw.call(each + 1, "kernel", "apps.list", {text});
        })"""
    )
    shell.wait_for_state(key, "gone")
    shell.press()
    assert shell.call(NOTES, "echo", {"a": 1})["ok"] == {"a": 1}


def test_a_flood_of_window_messages_leaves_the_page_to_its_person(shell: BusShell) -> None:
    shell.mount(APP, app="notes", kind="background")
    flooder = shell.frame(shell.mount(RAW, app="board"))
    flooder.evaluate(
        """() => void setTimeout(() => {
          for (let each = 0; each < 100_000; each++) {
            parent.postMessage({bascule: "bus", version: 1, step: "ready", nonce: "x"}, "*");
          }
          raw.done = true;
        })"""
    )
    flooder.wait_for_function("() => raw.done")
    shell.press()
    assert shell.run("() => shell.heard.length") == 500
    assert shell.call(NOTES, "echo", {"a": 1})["ok"] == {"a": 1}


def test_a_slow_consumer_has_eight_calls_waiting_and_no_more(shell: BusShell) -> None:
    background = raw_background(shell)
    shell.mount(APP, app="board", kind="background")
    tile = shell.frame(shell.mount(APP, app="notes"))
    tile.wait_for_function("() => globalThis.bus !== undefined")
    tile.evaluate(
        """() => {
          globalThis.codes = [];
          for (let each = 0; each < 100; each++) {
            bus.callTool({target: "app:notes:background", name: "work",
              arguments: {text: "x".repeat(100_000)}}).catch((error) => codes.push(error.code));
          }
        }"""
    )
    tile.wait_for_function("() => codes.length >= 92")
    assert tile.evaluate("() => [...new Set(codes)]") == ["TOO_MANY_CALLS"]
    assert tile.evaluate("() => codes.length") == 92
    assert background.evaluate(f"() => raw.received.filter({INVOKED}).length") == 8
    shell.press()
    assert shell.call("app:board:background", "echo", {"a": 1})["ok"] == {"a": 1}


def test_a_frame_that_never_yields_stops_no_other_where_it_has_a_process_of_its_own(
    shell: BusShell, browser_name: str
) -> None:
    if browser_name != "chromium":
        pytest.skip("Firefox runs all frames of one site on one thread")
    key = shell.mount(APP, app="notes", kind="background")
    shell.frame(key).evaluate("() => void setTimeout(() => { for (;;); })")
    shell.begin(NOTES, "echo")
    for _ in range(3):
        shell.press()
    shell.run("() => shell.pass(60_000)")
    assert shell.ended()["code"] == "TIMEOUT"
    shell.unmount(key)


# --- powers


def test_an_app_reaches_no_bridge_even_with_its_token(
    lenient_shell: BusShell, lenient_bridge: tuple[str, str]
) -> None:
    url, token = lenient_bridge
    shell = lenient_shell
    attempt = """async ([url, token]) => {
      const headers = {Authorization: `Bearer ${token}`, "Content-Type": "application/json"};
      const tried = {};
      const ask = async (name, path, init) => {
        try {
          const answer = await fetch(url + path, {...init, signal: AbortSignal.timeout(5_000)});
          tried[name] = answer.type === "opaque" ? "unread" : answer.status;
        } catch (error) { tried[name] = "refused"; }
      };
      const post = (body) => ({method: "POST", headers, body: JSON.stringify(body)});
      await ask("connect", "/connect", post({app: "Evil", protocolVersion: "1"}));
      await ask("rpc", "/rpc", post({session: "s", request: {jsonrpc: "2.0", id: 1, method: "x"}}));
      await ask("status", "/status", {headers});
      await ask("blind", "/rpc", {method: "POST", mode: "no-cors", body: "{}"});
      tried.socket = await new Promise((resolve) => {
        try {
          const address = url.replace("http", "ws") + "/channel";
          const socket = new WebSocket(address, ["bascule.1", token]);
          socket.onopen = () => resolve("open");
          socket.onerror = () => resolve("refused");
          setTimeout(() => resolve("refused"), 5_000);
        } catch { resolve("refused"); }
      });
      return tried;
    }"""
    frame = shell.frame(shell.mount(APP, app="notes"))
    assert frame.evaluate("() => origin") == "null"
    tried = frame.evaluate(attempt, [url, token])
    assert tried.pop("blind") in {"unread", "refused"}
    assert tried == dict.fromkeys(["connect", "rpc", "status", "socket"], "refused")
    # The same from the page that the bridge was started for: it is let in, so the bridge was there.
    answered = shell.run(attempt, [url, token])
    assert answered["connect"] == 200


def test_an_app_of_ours_may_ask_nothing_of_the_network_at_all(shell: BusShell) -> None:
    frame = shell.frame(shell.mount(APP, app="notes"))
    blocked = frame.evaluate(
        """async () => {
          const blocked = new Promise((resolve) => addEventListener("securitypolicyviolation",
            ({effectiveDirective}) => resolve(effectiveDirective), {once: true}));
          await fetch("http://127.0.0.1:9/").catch(() => {});
          return blocked;
        }"""
    )
    assert blocked == "connect-src"


def test_an_app_cannot_call_another_app_or_speak_for_the_page(shell: BusShell) -> None:
    shell.mount(APP, app="notes", kind="background")
    raw = shell.frame(shell.mount(RAW, app="board"))
    raw.evaluate(
        """() => {
          raw.call(1, "app:notes:background", "runs");
          raw.send({type: "exec", id: 2, payload: {action: "tools.list",
            payload: {target: "app:notes:background"}}});
          raw.send({type: "exec", id: 3, payload: {action: "tools.invoke",
            payload: {name: "runs", version: 1, arguments: {}, caller: "kernel"}}});
          raw.send({type: "event", payload: {event: "app.state", topic: "notes", revision: 9}});
          raw.send({type: "event", payload: {event: "connected", endpoint: "kernel"}});
        }"""
    )
    settled(shell, raw)
    codes = raw.evaluate("() => [1, 2, 3].map((id) => raw.response(id).error.code)")
    assert codes == ["OWNER_REQUIRED", "OWNER_REQUIRED", "UNKNOWN_ACTION"]
    # Nothing of it ran, though the tool is there.
    assert shell.call(NOTES, "runs")["ok"] == {"runs": 1}
