// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { ConsentQueue } from "../../../../browser_worker/kernel/consent/consent_queue.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

/** @import { Prompt } from "../../../../browser_worker/kernel/consent/consent_queue.js" */

function make() {
  const time = new ManualRuntime();
  let ids = 0;
  const queue = new ConsentQueue({
    now: time.now,
    setTimer: time.after,
    newId: () => `q${++ids}`,
  });
  return { time, queue };
}

/**
 * @param {string} subject
 * @param {Partial<Prompt>} [more]
 * @returns {Prompt}
 */
function prompt(subject, more = {}) {
  return {
    subject,
    title: `${subject} asks`,
    facts: [],
    choices: [
      { id: "once", label: "Only this time" },
      { id: "session", label: "Until it is locked" },
    ],
    ...more,
  };
}

/** @param {ConsentQueue} queue */
const shown = (queue) => queue.current?.prompt.title ?? null;

/** @param {ConsentQueue} queue @param {string} [choice] */
function allow(queue, choice = "once") {
  return queue.answer(queue.current?.id ?? "", { allow: true, choice });
}

/** @param {ConsentQueue} queue */
function deny(queue) {
  return queue.answer(queue.current?.id ?? "", { allow: false });
}

test("a yes tells how far it goes", async () => {
  const { queue } = make();
  const asked = queue.ask(prompt("app:a"));
  assert.equal(shown(queue), "app:a asks");
  assert.equal(allow(queue, "session"), true);
  assert.deepEqual(await asked, { allowed: true, choice: "session", value: null });
  assert.equal(queue.current, null);
});

test("a choice that was not offered is no answer", async () => {
  const { queue } = make();
  const asked = queue.ask(prompt("app:a"));
  assert.equal(allow(queue, "for ever"), false);
  assert.equal(allow(queue, "once"), true);
  assert.equal((await asked).allowed, true);
});

test("an answer to a question that is not shown any more is none", async () => {
  const { queue } = make();
  const first = queue.ask(prompt("app:a"));
  const id = queue.current?.id ?? "";
  deny(queue);
  const second = queue.ask(prompt("app:b"));
  assert.equal(queue.answer(id, { allow: true, choice: "once" }), false);
  deny(queue);
  assert.deepEqual([(await first).allowed, (await second).allowed], [false, false]);
});

test("what the owner enters comes with the yes, and is bounded", async () => {
  const { queue } = make();
  const input = /** @type {const} */ ({ kind: "secret", label: "Key", maxChars: 3 });
  const asked = queue.ask(prompt("app:a", { input }));
  const id = queue.current?.id ?? "";
  assert.equal(queue.answer(id, { allow: true, choice: "once" }), false);
  assert.equal(queue.answer(id, { allow: true, choice: "once", value: "1234" }), false);
  assert.equal(queue.answer(id, { allow: true, choice: "once", value: "123" }), true);
  assert.deepEqual(await asked, { allowed: true, choice: "once", value: "123" });
});

test("subjects take turns, however much one of them asks", async () => {
  const { queue } = make();
  void queue.ask(prompt("app:a", { title: "a1" }));
  void queue.ask(prompt("app:a", { title: "a2" }));
  void queue.ask(prompt("app:b", { title: "b1" }));
  void queue.ask(prompt("app:c", { title: "c1" }));
  void queue.ask(prompt("app:b", { title: "b2" }));
  const seen = [];
  while (queue.current !== null) {
    seen.push(shown(queue));
    allow(queue);
  }
  assert.deepEqual(seen, ["a1", "a2", "b1", "c1", "b2"]);
});

test("a subject that was shown comes after those that wait", async () => {
  const { queue } = make();
  void queue.ask(prompt("app:a", { title: "a1" }));
  void queue.ask(prompt("app:b", { title: "b1" }));
  void queue.ask(prompt("app:a", { title: "a2" }));
  void queue.ask(prompt("app:b", { title: "b2" }));
  void queue.ask(prompt("app:c", { title: "c1" }));
  const seen = [];
  while (queue.current !== null) {
    seen.push(shown(queue));
    allow(queue);
  }
  assert.deepEqual(seen, ["a1", "b1", "a2", "c1", "b2"]);
});

test("a subject has two questions, and the third is told when to come again", async () => {
  const { queue, time } = make();
  void queue.ask(prompt("app:a"));
  void queue.ask(prompt("app:a"));
  time.pass(20_000);
  assert.deepEqual(await queue.ask(prompt("app:a")), {
    allowed: false,
    reason: "busy",
    retryAfterMs: 40_000,
  });
  void queue.ask(prompt("app:b"));
  assert.equal(queue.waiting, 2);
});

test("sixteen questions wait in all", async () => {
  const { queue } = make();
  for (let index = 0; index < 16; index++) void queue.ask(prompt(`app:a${index}`));
  assert.equal(queue.waiting, 15);
  const refused = await queue.ask(prompt("app:last"));
  assert.equal(refused.allowed ? "" : refused.reason, "busy");
});

test("a question times out from when it is shown, and the next one has all its time", async () => {
  const { queue, time } = make();
  const first = queue.ask(prompt("app:a"));
  const second = queue.ask(prompt("app:b"));
  time.pass(59_999);
  assert.equal(shown(queue), "app:a asks");
  time.pass(1);
  assert.deepEqual(await first, { allowed: false, reason: "timeout", retryAfterMs: 10_000 });
  assert.equal(shown(queue), "app:b asks");
  time.pass(59_999);
  assert.equal(allow(queue), true);
  assert.equal((await second).allowed, true);
});

test("after a no the subject is refused without a question, for twice as long each time", async () => {
  const { queue, time } = make();
  for (const seconds of [10, 20, 40, 80, 160, 320, 600, 600]) {
    const asked = queue.ask(prompt("app:a"));
    deny(queue);
    assert.deepEqual(await asked, {
      allowed: false,
      reason: "denied",
      retryAfterMs: seconds * 1_000,
    });
    time.pass(seconds * 1_000 - 1);
    assert.deepEqual(await queue.ask(prompt("app:a")), {
      allowed: false,
      reason: "denied",
      retryAfterMs: 1,
      unasked: true,
    });
    assert.equal(queue.current, null);
    time.pass(1);
  }
});

test("a no to one subject is none to another, and a yes ends the waiting", async () => {
  const { queue, time } = make();
  void queue.ask(prompt("app:a"));
  deny(queue);
  void queue.ask(prompt("app:b"));
  assert.equal(shown(queue), "app:b asks");
  allow(queue);
  time.pass(10_000);
  void queue.ask(prompt("app:a"));
  allow(queue);
  const asked = queue.ask(prompt("app:a"));
  deny(queue);
  const answer = await asked;
  assert.equal(answer.allowed ? null : answer.retryAfterMs, 10_000);
});

test("a question that nobody waits for is taken away, shown or waiting", async () => {
  const { queue } = make();
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const asked = controllers.map(({ signal }, index) => queue.ask(prompt(`app:a${index}`), signal));
  controllers[1]?.abort();
  assert.equal(queue.waiting, 1);
  controllers[0]?.abort();
  assert.equal(shown(queue), "app:a2 asks");
  assert.equal(queue.waiting, 0);
  controllers[2]?.abort();
  assert.equal(queue.current, null);
  const reasons = (await Promise.all(asked)).map((answer) => (answer.allowed ? "" : answer.reason));
  assert.deepEqual(reasons, ["gone", "gone", "gone"]);
  const late = await queue.ask(prompt("app:a"), controllers[0]?.signal);
  assert.equal(late.allowed ? "" : late.reason, "gone");
});

test("what a subject asked is forgotten with it, and no timer is left", async () => {
  const { queue, time } = make();
  const asked = [queue.ask(prompt("app:a")), queue.ask(prompt("app:a"))];
  const other = queue.ask(prompt("app:b"));
  queue.forget("app:a");
  assert.deepEqual(
    (await Promise.all(asked)).map((answer) => (answer.allowed ? "" : answer.reason)),
    ["gone", "gone"],
  );
  assert.equal(shown(queue), "app:b asks");
  queue.close();
  assert.equal((await other).allowed, false);
  time.pass(1_000_000);
  assert.equal(queue.current, null);
  assert.equal((await queue.ask(prompt("app:c"))).allowed, false);
});

test("who goes and comes back under the same name has not got round a no", async () => {
  const { queue } = make();
  const asked = queue.ask(prompt("external:bridge:s"));
  deny(queue);
  await asked;
  queue.forget("external:bridge:s");
  const again = await queue.ask(prompt("external:bridge:s"));
  const heard = { allowed: false, reason: "denied", retryAfterMs: 10_000, unasked: true };
  assert.deepEqual(again, heard);
});

test("says that the owner is asked where they are, and not where the answer is there", async () => {
  const { queue } = make();
  let told = 0;
  const asked = queue.ask(prompt("app:a"), undefined, () => void (told += 1));
  assert.equal(told, 1);
  deny(queue);
  await asked;
  await queue.ask(prompt("app:a"), undefined, () => void (told += 1));
  assert.equal(told, 1);
});
