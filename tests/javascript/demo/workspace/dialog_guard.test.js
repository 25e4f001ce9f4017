// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ARM_MS,
  DialogGuard,
} from "../../../../browser_worker/demo/workspace/view/dialog_guard.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

const CLICK = Object.freeze({ isTrusted: true, detail: 1 });

/** A guard of a dialog that was just put up. */
function shown({ attended = true } = {}) {
  const clock = new ManualRuntime();
  const told = { count: 0 };
  const guard = new DialogGuard({ now: clock.now, setTimer: clock.after }, () => {
    told.count += 1;
  });
  guard.show(attended);
  return { guard, clock, told };
}

test("a yes is taken after the dialog has rested before the person, and no sooner", () => {
  const { guard, clock, told } = shown();
  clock.pass(ARM_MS - 1);
  assert.equal(guard.armed, false);
  assert.equal(guard.accepts(CLICK), false);
  clock.pass(1);
  assert.equal(guard.armed, true);
  assert.equal(told.count, 1, "it is told when it may be drawn so");
  guard.press();
  assert.equal(guard.accepts(CLICK), true);
});

test("the second click of a double click is no yes, at whatever time", () => {
  const { guard, clock } = shown();
  clock.pass(ARM_MS);
  guard.press();
  assert.equal(guard.accepts({ ...CLICK, detail: 2 }), false);
  guard.press();
  assert.equal(guard.accepts(CLICK), true);
});

test("a click that a script makes is no yes", () => {
  const { guard, clock } = shown();
  clock.pass(ARM_MS);
  assert.equal(guard.accepts({ isTrusted: false, detail: 1 }), false);
  assert.equal(guard.accepts(CLICK), true);
});

test("a press that came too early makes no yes when it is let go late", () => {
  const { guard, clock } = shown();
  guard.press();
  clock.pass(ARM_MS * 2);
  assert.equal(guard.armed, true);
  assert.equal(guard.accepts(CLICK), false);
  guard.press();
  assert.equal(guard.accepts(CLICK), true);
});

test("who clicks on and on while it comes up says nothing", () => {
  const { guard, clock } = shown();
  for (let at = 0; at < 20; at += 1) {
    clock.pass(ARM_MS - 100);
    guard.press();
    assert.equal(guard.accepts(CLICK), false);
  }
  clock.pass(ARM_MS);
  guard.press();
  assert.equal(guard.accepts(CLICK), true);
});

test("a click without a press, as a screen reader makes it, is taken", () => {
  const { guard, clock } = shown();
  clock.pass(ARM_MS);
  assert.equal(guard.accepts({ isTrusted: true, detail: 0 }), true);
});

/** @type {Record<string, (guard: DialogGuard) => void>} */
const DISTURBANCES = {
  "another question": (guard) => guard.show(true),
  "a resize": (guard) => guard.disturb(),
  "a moment without the keyboard": (guard) => {
    guard.attend(false);
    guard.attend(true);
  },
};
for (const [name, happens] of Object.entries(DISTURBANCES)) {
  test(`${name} begins the wait anew`, () => {
    const { guard, clock, told } = shown();
    clock.pass(ARM_MS);
    happens(guard);
    assert.equal(guard.armed, false);
    assert.equal(told.count, 2);
    clock.pass(ARM_MS - 1);
    assert.equal(guard.accepts(CLICK), false);
    clock.pass(1);
    assert.equal(guard.accepts(CLICK), true);
  });
}

test("a dialog without the keyboard takes no yes however long it stands", () => {
  const { guard, clock } = shown({ attended: false });
  clock.pass(60_000);
  assert.equal(guard.accepts(CLICK), false);
  guard.attend(true);
  clock.pass(ARM_MS);
  assert.equal(guard.accepts(CLICK), true);
});

test("a dialog that is gone takes no yes, and waits for nothing", () => {
  const { guard, clock } = shown();
  clock.pass(ARM_MS);
  assert.equal(guard.armed, true);
  guard.hide();
  assert.equal(guard.accepts(CLICK), false);
  assert.equal(clock.timers.size, 0);
});

test("a timer that comes too early arms nothing", () => {
  /** @type {(() => void)[]} */
  const timers = [];
  let now = 0;
  const guard = new DialogGuard(
    { now: () => now, setTimer: (_ms, callback) => (timers.push(callback), () => {}) },
    () => {},
  );
  guard.show(true);
  now = ARM_MS - 1;
  timers.at(-1)?.();
  assert.equal(guard.armed, false);
  now = ARM_MS;
  timers.at(-1)?.();
  assert.equal(guard.accepts(CLICK), true);
});
