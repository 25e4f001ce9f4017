// @ts-check
/** The resident frames of a workspace, in a page that the test holds in its hand. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BackgroundFrames } from "../../../../browser_worker/kernel/frames/background_frames.js";
import { makeFrames } from "../../support/framed_kernel.js";

/** @param {string} app @param {Record<string, string>} [more] */
const entry = (app, more = {}) => ({
  app,
  version: "1",
  installation: "here",
  generation: "1",
  url: `/${app}`,
  mode: "sandboxed",
  ...more,
});

function makeBackgrounds() {
  const made = makeFrames();
  /** @type {[string, string][]} */
  const told = [];
  const body = /** @type {any} */ (made.page.body);
  const backgrounds = new BackgroundFrames(body, made.parts, ({ app, state, reason }) => {
    told.push([app, state]);
    made.states.push([state, reason]);
  });
  const holder = /** @type {any} */ (body.children[0]);
  const frames = () => /** @type {any[]} */ (holder.shadowRoot.children);
  /** Loads all frames that have not loaded yet. */
  const startAll = () => {
    for (const element of frames()) {
      if (element.contentWindow.steps("port").length > 0) continue;
      element.dispatch("load");
      element.contentWindow.answer();
    }
  };
  const live = () => made.kernel.endpoints().map(({ endpoint }) => endpoint);
  return { ...made, backgrounds, holder, frames, startAll, live, told };
}

describe("a background", () => {
  test("is one frame for each app, unseen and out of reach", () => {
    const { backgrounds, holder, frames, startAll, live } = makeBackgrounds();
    backgrounds.sync([entry("notes"), entry("board")]);
    startAll();
    assert.deepEqual(live(), ["app:notes:background", "app:board:background"]);
    assert.deepEqual(backgrounds.apps, ["notes", "board"]);
    assert.deepEqual(
      [holder.inert, holder.attributes.get("aria-hidden"), holder.style.visibility],
      [true, "true", "hidden"],
    );
    assert.deepEqual(
      frames().map(({ tabIndex }) => tabIndex),
      [-1, -1],
    );
  });

  test("stays the same process while nothing of its identity changes", () => {
    const { backgrounds, frames, startAll } = makeBackgrounds();
    backgrounds.sync([entry("notes"), entry("board")]);
    startAll();
    const [before] = frames();
    backgrounds.sync([entry("board"), entry("notes")]);
    assert.equal(frames()[0], before);
  });

  for (const [name, value] of Object.entries({
    version: "2",
    installation: "there",
    generation: "2",
    url: "/other",
    mode: "trusted",
  })) {
    test(`is loaded anew where its ${name} changes, and the others stay`, () => {
      const { backgrounds, frames, startAll, live } = makeBackgrounds();
      backgrounds.sync([entry("notes"), entry("board")]);
      startAll();
      const [notes, board] = frames();
      backgrounds.sync([entry("notes", { [name]: value }), entry("board")]);
      assert.deepEqual(live(), ["app:board:background"]);
      assert.deepEqual([notes.isConnected, board.isConnected], [false, true]);
      startAll();
      assert.deepEqual(live().sort(), ["app:board:background", "app:notes:background"]);
    });
  }

  test("goes with its entry, and its port with it", () => {
    const { backgrounds, frames, startAll, live, told } = makeBackgrounds();
    backgrounds.sync([entry("notes"), entry("board")]);
    startAll();
    backgrounds.sync([entry("board")]);
    assert.deepEqual(live(), ["app:board:background"]);
    assert.equal(frames().length, 1);
    assert.deepEqual(told.at(-1), ["notes", "gone"]);
    backgrounds.clear();
    assert.deepEqual([live(), backgrounds.apps, frames()], [[], [], []]);
  });

  test("that ended by itself is not begun again by itself", () => {
    const { backgrounds, frames, startAll } = makeBackgrounds();
    backgrounds.sync([entry("notes")]);
    startAll();
    frames()[0].dispatch("load");
    backgrounds.sync([entry("notes")]);
    assert.deepEqual([frames().length, backgrounds.apps], [0, ["notes"]]);
    backgrounds.sync([]);
    backgrounds.sync([entry("notes")]);
    assert.equal(frames().length, 1);
  });
});

test("a workspace has thirty-two backgrounds, and the next is refused until there is room", () => {
  const { backgrounds, frames, told } = makeBackgrounds();
  const entries = Array.from({ length: 33 }, (_, each) => entry(`app${each}`));
  backgrounds.sync(entries);
  assert.equal(frames().length, 32);
  assert.deepEqual(told, [["app32", "refused"]]);
  backgrounds.sync(entries.slice(1));
  assert.deepEqual([frames().length, backgrounds.apps.includes("app32")], [32, true]);
});

test("an app of no name is refused, and the others are mounted", () => {
  const { backgrounds, frames, told } = makeBackgrounds();
  backgrounds.sync([entry("NO SUCH"), entry("notes")]);
  assert.deepEqual(told, [["NO SUCH", "refused"]]);
  assert.equal(frames().length, 1);
});

test("who is told that one goes may mount another, and neither is lost", () => {
  const made = makeFrames();
  const body = /** @type {any} */ (made.page.body);
  let again = true;
  /** @type {BackgroundFrames} */
  const backgrounds = new BackgroundFrames(body, made.parts, ({ state }) => {
    if (state !== "gone" || !again) return;
    again = false;
    backgrounds.sync([entry("notes", { version: "3" }), entry("board")]);
  });
  backgrounds.sync([entry("notes"), entry("board")]);
  backgrounds.sync([entry("board")]);
  const { shadowRoot } = body.children[0];
  assert.equal(shadowRoot.children.length, backgrounds.apps.length);
  backgrounds.close();
});

test("after it was closed nothing is mounted, and nothing is left", () => {
  const { backgrounds, page, time, startAll, kernel } = makeBackgrounds();
  backgrounds.sync([entry("notes")]);
  startAll();
  backgrounds.close();
  backgrounds.sync([entry("notes")]);
  assert.deepEqual([kernel.endpoints(), page.body.children], [[], []]);
  // The handshake's listener, and the kernel's heartbeat.
  assert.deepEqual(page.held, { listeners: 1, observers: 0 });
  assert.equal(time.timers.size, 1);
});

describe("the keyboard", () => {
  /** @param {ReturnType<typeof makeBackgrounds>} made */
  const withFocus = ({ page, backgrounds, startAll, frames }) => {
    backgrounds.sync([entry("notes"), entry("board")]);
    startAll();
    const input = page.element("input");
    input.focus();
    page.window.dispatch("focusin");
    return { input, notes: frames()[0], board: frames()[1] };
  };

  test("goes back to where it was when a background takes it", () => {
    const made = makeBackgrounds();
    const { input, notes, board } = withFocus(made);
    notes.focus();
    made.page.window.dispatch("blur");
    assert.equal(made.page.document.activeElement, input);
    assert.deepEqual([notes.isConnected, board.isConnected], [false, true]);
    assert.match(made.states.at(-1)?.[1] ?? "", /keyboard/);
  });

  test("goes back also where no event tells that it was taken", () => {
    const made = makeBackgrounds();
    const { notes } = withFocus(made);
    const tile = made.page.element("iframe");
    tile.focus();
    made.time.pass(250);
    assert.equal(made.page.document.activeElement, tile);
    notes.focus();
    made.time.pass(250);
    assert.equal(made.page.document.activeElement, tile);
    assert.equal(notes.isConnected, false);
  });

  test("is given back once more, as what a frame asked for may come late", () => {
    const made = makeBackgrounds();
    const { input, notes } = withFocus(made);
    notes.focus();
    made.page.window.dispatch("blur");
    made.page.document.activeElement = made.page.body;
    made.time.pass(250);
    assert.equal(made.page.document.activeElement, input);
  });
});
