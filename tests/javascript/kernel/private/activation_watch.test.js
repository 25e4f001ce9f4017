// @ts-check
/** Whose a click was: told by where the keyboard and the pointer were while it was fresh. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { ActivationWatch } from "../../../../browser_worker/kernel/private/activation_watch.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

const NOTES = "app:notes:tile:main:instance:1";
const BOARD = "app:board:tile:main:instance:2";

/** @typedef {ReturnType<typeof make>} Made */

function make() {
  const time = new ManualRuntime();
  const notes = /** @type {any} */ ({ endpoint: NOTES });
  const board = /** @type {any} */ ({ endpoint: BOARD });
  const tray = /** @type {any} */ ({ endpoint: "app:notes:tray:instance:3" });
  const stranger = /** @type {any} */ ({ endpoint: null });
  const page = {
    focus: /** @type {any} */ (null),
    pointer: /** @type {any} */ (null),
    active: false,
    tell: (/** @type {boolean} */ _pressed) => {},
    listeners: 0,
  };
  const watch = new ActivationWatch({
    view: {
      activeFrame: () => page.focus,
      pointedFrame: () => page.pointer,
      isActive: () => page.active,
      listen: (listener) => {
        page.tell = listener;
        page.listeners += 1;
        return () => void (page.listeners -= 1);
      },
    },
    frames: (frame) => /** @type {any} */ (frame).endpoint,
    powers: { setTimer: time.after },
  });
  const look = () => time.pass(250);
  return { time, notes, board, tray, stranger, page, watch, look };
}

describe("the tile that the person works in", () => {
  test("is the one whose frame has the keyboard", () => {
    const { page, notes, board, watch } = make();
    assert.equal(watch.focusedEndpoint(), null);
    page.focus = notes;
    assert.equal(watch.focusedEndpoint(), NOTES);
    page.focus = board;
    assert.equal(watch.focusedEndpoint(), BOARD);
  });

  test("is none where a tray or a frame that is no endpoint has it", () => {
    const { page, tray, stranger, watch } = make();
    page.focus = tray;
    assert.equal(watch.focusedEndpoint(), null);
    page.focus = stranger;
    assert.equal(watch.focusedEndpoint(), null);
  });
});

describe("a fresh click", () => {
  test("is the tile's own where it had the keyboard before, and the pointer is on it", () => {
    const { page, notes, watch, look } = make();
    page.focus = notes;
    page.pointer = notes;
    look();
    page.active = true;
    assert.deepEqual(watch.activation(), { active: true, moved: false });
    look();
    assert.deepEqual(watch.activation(), { active: true, moved: false });
  });

  test("is the tile's own where the pointer lies on no frame: it was a key", () => {
    const { page, notes, watch, look } = make();
    page.focus = notes;
    look();
    page.active = true;
    assert.deepEqual(watch.activation(), { active: true, moved: false });
  });

  test("is perhaps another's where the keyboard came while it was fresh", () => {
    const { page, notes, board, watch, look } = make();
    page.focus = notes;
    look();
    page.active = true;
    look();
    page.focus = board;
    assert.deepEqual(watch.activation(), { active: true, moved: true });
  });

  test("is perhaps another's as long as it lasts, and the next one is not", () => {
    const { page, notes, board, watch, look } = make();
    page.focus = notes;
    page.active = true;
    look();
    page.focus = board;
    for (let looks = 0; looks < 40; looks++) look();
    assert.equal(watch.activation().moved, true);
    page.active = false;
    assert.deepEqual(watch.activation(), { active: false, moved: false });
    page.active = true;
    assert.deepEqual(watch.activation(), { active: true, moved: false });
  });

  test("of a frame that loses the keyboard again before anybody looks is told by the pointer", () => {
    const { page, notes, board, watch, look } = make();
    page.focus = board;
    look();
    // The person clicks in notes; board takes the keyboard back at once, and no event tells of either.
    page.pointer = notes;
    page.active = true;
    assert.deepEqual(watch.activation(), { active: true, moved: true });
    // Nor does it help to wait until the pointer comes to it.
    page.pointer = board;
    page.tell(false);
    assert.deepEqual(watch.activation(), { active: true, moved: true });
  });

  test("in the page itself is no tile's, wherever the keyboard stayed", () => {
    const { page, notes, watch, look } = make();
    page.focus = notes;
    look();
    page.active = true;
    page.tell(true);
    assert.deepEqual(watch.activation(), { active: true, moved: true });
  });

  test("is not told by an event that moves nothing", () => {
    const { page, notes, watch, look } = make();
    page.focus = notes;
    look();
    page.active = true;
    page.tell(false);
    assert.deepEqual(watch.activation(), { active: true, moved: false });
  });

  test("from before anybody looked is nobody's", () => {
    const time = new ManualRuntime();
    const notes = /** @type {any} */ ({ endpoint: NOTES });
    const watch = new ActivationWatch({
      view: {
        activeFrame: () => notes,
        pointedFrame: () => null,
        isActive: () => true,
        listen: () => () => {},
      },
      frames: () => NOTES,
      powers: { setTimer: time.after },
    });
    assert.deepEqual(watch.activation(), { active: true, moved: true });
  });
});

test("a look between two others sees a keyboard that came and went", () => {
  const { page, notes, board, watch, look } = make();
  page.focus = board;
  look();
  page.active = true;
  page.focus = notes;
  look();
  page.focus = board;
  assert.deepEqual(watch.activation(), { active: true, moved: true });
});

describe("a close look at a click", () => {
  /** @param {(page: any, looks: number, made: any) => void} during */
  async function closely(during) {
    const made = make();
    const { page, notes, watch, time, look } = made;
    page.focus = notes;
    look();
    page.active = true;
    const stays = watch.staysWith(NOTES);
    for (let looks = 0; looks < 40; looks++) {
      during(page, looks, made);
      time.pass(4);
      await Promise.resolve();
    }
    return stays;
  }

  test("finds that it stays with its tile", async () => {
    assert.equal(await closely(() => {}), true);
  });

  test("finds a keyboard that was elsewhere for no more than one look", async () => {
    const stays = await closely((page, looks, { notes, board }) => {
      page.focus = looks === 7 ? board : notes;
    });
    assert.equal(stays, false);
  });

  test("finds a keyboard that has gone, and a click that is over", async () => {
    const gone = await closely((page, looks, { board }) => {
      if (looks === 2) page.focus = board;
    });
    assert.equal(gone, false);
    const over = await closely((page, looks) => {
      if (looks === 2) page.active = false;
    });
    assert.equal(over, false);
  });

  test("is not for a tile that has no keyboard", async () => {
    const { page, board, watch, look } = make();
    page.focus = board;
    look();
    page.active = true;
    assert.equal(await watch.staysWith(NOTES), false);
  });
});

describe("a tile that is heard before its click is", () => {
  /** @param {Made} made */
  async function waited({ watch, time }, most = 200) {
    let over = false;
    void watch.caughtUp(NOTES).then(() => void (over = true));
    for (let looks = 0; looks < most && !over; looks++) {
      time.pass(4);
      await Promise.resolve();
      await Promise.resolve();
    }
    return over;
  }

  test("is waited for until the page is told of its click", async () => {
    const made = make();
    made.page.active = true;
    assert.equal(await waited(made, 20), false);
    made.page.focus = made.notes;
    assert.equal(await waited(made, 2), true);
    assert.equal(made.watch.focusedEndpoint(), NOTES);
  });

  test("is waited for no longer than half a second, and not for another's click", async () => {
    const made = make();
    Object.assign(made.page, { active: true, focus: made.board });
    assert.equal(await waited(made, 100), false);
    assert.equal(await waited(made, 150), true);
    assert.notEqual(made.watch.focusedEndpoint(), NOTES);
  });
});

test("in no order of clicks, thefts and looks is a click of another's taken for a tile's own", () => {
  let owned = 0;
  const step = fc.constantFrom(
    ...["click notes", "click board", "click the page", "steal", "point at board", "point away"],
    ...["expire", "look", "ask", "ask"],
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { page, notes, board, watch, look } = make();
      /** Whose the last click was. @type {any} */
      let clicked = null;
      const point = (/** @type {any} */ frame) => {
        page.pointer = frame;
        page.tell(false);
      };
      const click = (/** @type {any} */ frame) => {
        point(frame);
        // From frame to frame no event tells of the click, nor of the keyboard.
        Object.assign(page, { focus: frame, active: true });
        clicked = frame;
      };
      for (const each of steps) {
        if (each === "click notes") click(notes);
        else if (each === "click board") click(board);
        else if (each === "click the page") {
          click(null);
          page.tell(true);
        } else if (each === "steal") page.focus = board;
        else if (each === "point at board") point(board);
        else if (each === "point away") point(null);
        else if (each === "expire") page.active = false;
        else if (each === "look") look();
        if (each !== "ask") continue;
        const taken = page.focus === board && page.active && !watch.activation().moved;
        if (taken) assert.equal(clicked, board);
        if (taken) owned += 1;
      }
    }),
    { numRuns: 2_000 },
  );
  // The control: there are clicks that it does take for the tile's own.
  assert.ok(owned > 0);
});

test("after the end nothing looks any more", () => {
  const { page, time, watch } = make();
  assert.equal(page.listeners, 1);
  assert.equal(time.timers.size, 1);
  watch.stop();
  assert.equal(page.listeners, 0);
  assert.equal(time.timers.size, 0);
});
