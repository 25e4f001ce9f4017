// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { STATES } from "../../../../browser_worker/link/attachment_state.js";
import { isLive, panelState } from "../../../../browser_worker/link/panel/panel_state.js";

/** @import { Situation } from "../../../../browser_worker/link/panel/panel_state.js" */

const BRIDGE = "http://127.0.0.1:4711";

/** @param {Partial<Situation>} [more] */
const shown = (more = {}) =>
  panelState({
    state: "detached",
    cause: null,
    attachmentMessage: "",
    enabled: false,
    ready: true,
    offered: null,
    trouble: "",
    transport: null,
    transportNote: "",
    running: 0,
    origin: "https://app.example",
    ...more,
  });

/** @param {Partial<Situation>} [more] */
const attached = (more = {}) =>
  shown({ state: "attached", enabled: true, attachmentMessage: "Attached.", ...more });

test("with nothing attached it says how to start a bridge and takes a link", () => {
  const { message, takesLink, canAttach, canDetach, tone } = shown();
  assert.match(message, /browser-bridge --origin https:\/\/app\.example/);
  assert.deepEqual([takesLink, canAttach, canDetach, tone], [true, false, false, "quiet"]);
});

test("a page without an origin is told so instead of a command that cannot work", () => {
  assert.match(shown({ origin: "null" }).message, /no origin/);
});

test("a link asks once, with the bridge's address, and can be turned down", () => {
  const { message, bridge, canAttach, canDismiss, takesLink, tone, badge } = shown({
    offered: BRIDGE,
  });
  assert.match(message, /asks to use this page/);
  assert.deepEqual(
    [bridge, canAttach, canDismiss, takesLink, tone, badge],
    [BRIDGE, true, true, false, "ask", "asks to attach"],
  );
});

test("nothing can be attached before the app has given its dispatcher", () => {
  const { canAttach, canDismiss, message } = shown({ offered: BRIDGE, ready: false });
  assert.deepEqual([canAttach, canDismiss], [false, true]);
  assert.match(message, /not offered any actions/);
});

test("a second link says that it replaces the present bridge, which goes on until then", () => {
  const { message, canAttach, canDetach, tone } = attached({ offered: BRIDGE });
  assert.match(message, /lets go of the present one/);
  assert.deepEqual([canAttach, canDetach, tone], [true, true, "good"]);
});

test("attached, it can be paused and detached", () => {
  const state = attached({ running: 2 });
  assert.deepEqual(
    [state.switch, state.canDetach, state.badge, state.message, state.tone],
    ["pause", true, "2 running", "Attached.", "good"],
  );
});

test("a pause is shown for as long as it lasts, whatever else is the matter", () => {
  for (const state of STATES.filter(isLive)) {
    const paused = shown({ state, enabled: false, running: 3 });
    assert.deepEqual([paused.badge, paused.switch, paused.tone], ["paused", "resume", "wait"]);
    assert.match(paused.message, /^Paused/);
  }
});

test("what has ended cannot be paused, and takes another link", () => {
  for (const state of STATES.filter((each) => !isLive(each))) {
    const ended = shown({ state, cause: "other-tab", attachmentMessage: "Why." });
    assert.deepEqual(
      [ended.switch, ended.canDetach, ended.takesLink, ended.badge, ended.message],
      [null, false, true, "", "Why."],
    );
  }
});

test("a failure looks other than a wish that was granted", () => {
  assert.equal(shown({ cause: "bridge-not-running" }).tone, "bad");
  assert.equal(shown({ state: "refused", cause: "wrong-token" }).tone, "bad");
  assert.equal(shown({ cause: "by-request" }).tone, "quiet");
  assert.equal(shown({ state: "suspended", cause: "bridge-lost", enabled: true }).tone, "wait");
});

test("trouble with a link is told before all else", () => {
  const { message, tone } = shown({ trouble: "It is damaged.", attachmentMessage: "Why." });
  assert.deepEqual([message, tone], ["It is damaged.", "bad"]);
});

test("the transport is named, with the reason why it is not the channel", () => {
  assert.equal(attached({ transport: "channel" }).transport, "Connected by WebSocket.");
  assert.equal(
    attached({ transport: "polling", transportNote: "Its policy names no ws:." }).transport,
    "Connected by polling. Its policy names no ws:.",
  );
  assert.equal(attached().transport, "");
  assert.equal(shown({ transport: "polling" }).transport, "");
});
