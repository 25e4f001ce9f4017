// @ts-check
/** How long a no is heard: of one subject, and of terminals whatever they call themselves. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ConsentQueue } from "../../../../browser_worker/kernel/consent/consent_queue.js";
import { refusalOf } from "../../../../browser_worker/kernel/consent/refusals.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

/** @import { ConsentAnswer, No } from "../../../../browser_worker/kernel/consent/consent_queue.js" */

function make() {
  const time = new ManualRuntime();
  let ids = 0;
  const queue = new ConsentQueue({
    now: time.now,
    setTimer: time.after,
    newId: () => `q${++ids}`,
  });
  let names = 0;
  /** @param {string} subject */
  const ask = (subject) =>
    queue.ask({ subject, title: subject, facts: [], choices: [{ id: "once", label: "Once" }] });
  /** @param {"allow" | "deny"} how */
  const answer = (how) => {
    const id = queue.current?.id;
    assert.ok(id !== undefined, "the owner is asked nothing");
    assert.ok(
      queue.answer(id, how === "allow" ? { allow: true, choice: "once" } : { allow: false }),
    );
  };
  /** A script that takes a new name each time. Whether the owner was asked. */
  const floods = async () => {
    const asked = ask(`external:bridge:script-${++names}`);
    const shown = queue.current !== null;
    if (shown) answer("deny");
    return { shown, answer: no(await asked) };
  };
  return { time, queue, ask, answer, floods };
}

/** @param {ConsentAnswer} answer @returns {No} */
function no(answer) {
  assert.ok(!answer.allowed);
  return answer;
}

test("a terminal that takes a new name after each no is asked about three times, then less and less", async () => {
  const { time, floods } = make();
  for (let at = 0; at < 3; at++) assert.equal((await floods()).shown, true);
  const waits = [];
  for (let at = 0; at < 9; at++) {
    const refused = await floods();
    assert.equal(refused.shown, false);
    assert.equal(refused.answer.reason, "others");
    waits.push(refused.answer.retryAfterMs);
    time.pass((refused.answer.retryAfterMs ?? 0) - 1);
    assert.equal((await floods()).shown, false);
    time.pass(1);
    assert.equal((await floods()).shown, true);
  }
  assert.deepEqual(
    waits,
    [10, 20, 40, 80, 160, 320, 600, 600, 600].map((seconds) => seconds * 1_000),
  );
});

test("apps are asked about whatever terminals were refused, each by its own refusals", async () => {
  const { ask, answer, floods, queue } = make();
  for (let at = 0; at < 4; at++) await floods();
  for (let at = 0; at < 4; at++) {
    const asked = ask(`app:a${at}`);
    answer("deny");
    assert.equal(no(await asked).reason, "denied");
  }
  void ask("app:a9");
  assert.equal(queue.current?.prompt.subject, "app:a9");
});

test("questions of other new terminals that wait are refused with the one that is too many", async () => {
  const { ask, answer, queue } = make();
  const subjects = ["1", "2", "3", "4", "5"].map((name) => `external:bridge:${name}`);
  const asked = subjects.map(ask);
  const app = ask("app:a");
  for (let at = 0; at < 3; at++) answer("deny");
  const reasons = (await Promise.all(asked)).map((each) => no(each).reason);
  assert.deepEqual(reasons, ["denied", "denied", "denied", "others", "others"]);
  assert.equal(queue.current?.prompt.subject, "app:a");
  answer("allow");
  assert.equal((await app).allowed, true);
});

test("a terminal that the owner said yes to goes on asking, until its session has ended", async () => {
  const { ask, answer, floods, queue } = make();
  const first = ask("external:bridge:known");
  answer("allow");
  assert.equal((await first).allowed, true);
  for (let at = 0; at < 3; at++) await floods();
  const second = ask("external:bridge:known");
  answer("allow");
  assert.equal((await second).allowed, true);
  queue.forget("external:bridge:known");
  assert.equal(no(await ask("external:bridge:known")).reason, "others");
});

test("no answer counts as a no", async () => {
  const { time, ask } = make();
  for (let at = 0; at < 3; at++) {
    const asked = ask(`external:bridge:${at}`);
    time.pass(60_000);
    assert.equal(no(await asked).reason, "timeout");
  }
  assert.equal(no(await ask("external:bridge:new")).reason, "others");
});

test("refusals of long ago are not counted, nor those before a lock", async () => {
  const { time, floods, queue } = make();
  for (let at = 0; at < 3; at++) await floods();
  time.pass(610_001);
  for (let at = 0; at < 3; at++) assert.equal((await floods()).shown, true);
  assert.equal((await floods()).shown, false);
  queue.clear();
  assert.equal((await floods()).shown, true);
});

test("a terminal that was refused itself is told so, with the longer of both times", async () => {
  const { ask, answer, floods } = make();
  const asked = ask("external:bridge:own");
  answer("deny");
  assert.deepEqual(await asked, { allowed: false, reason: "denied", retryAfterMs: 10_000 });
  await floods();
  await floods();
  assert.equal(no(await ask("external:bridge:own")).reason, "denied");
  assert.equal(no(await ask("external:bridge:new")).reason, "others");
});

test("another terminal is told that it was not asked about, when to come again, and what helps", () => {
  const answer = /** @type {const} */ ({ allowed: false, reason: "others", retryAfterMs: 20_000 });
  const error = refusalOf(answer, { what: "call notes_add of notes", agent: false });
  assert.equal(error.code, "OWNER_REQUIRED");
  assert.equal(error.retryAfterMs, 20_000);
  assert.deepEqual(error.data, { reason: "others" });
  assert.match(error.message, /not asked for leave to call notes_add of notes; nothing was run/);
  assert.match(error.message, /try again once, later/);
});
