// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { CallAnnouncer } from "../../../../browser_worker/link/panel/call_announcer.js";
import { FakeTime } from "../support/fake_time.js";

function makeAnnouncer() {
  const time = new FakeTime();
  /** @type {string[]} */
  const said = [];
  return { time, said, announcer: new CallAnnouncer(time.setTimer, (text) => said.push(text)) };
}

test("the first call is told at once, those that follow in one sentence", async () => {
  const { time, said, announcer } = makeAnnouncer();
  announcer.came("first");
  assert.deepEqual(said, ["Call: first"]);
  for (let call = 0; call < 100; call += 1) announcer.came(`more ${call}`);
  assert.equal(said.length, 1);
  await time.advance(10_000);
  assert.deepEqual(said.slice(1), ["100 calls, the last: more 99"]);
});

test("after a quiet time the next call is told at once again", async () => {
  const { time, said, announcer } = makeAnnouncer();
  announcer.came("first");
  await time.advance(10_000);
  assert.equal(said.length, 1);
  announcer.came("second");
  assert.deepEqual(said, ["Call: first", "Call: second"]);
});

test("one that was stopped says no more and leaves no timer", async () => {
  const { time, said, announcer } = makeAnnouncer();
  announcer.came("first");
  announcer.came("second");
  announcer.stop();
  assert.deepEqual(time.timers, []);
  await time.advance(20_000);
  assert.equal(said.length, 1);
});
