// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { makeBridgeApi } from "../../../browser_worker/link/bridge_api.js";
import { Delivery } from "../../../browser_worker/link/delivery.js";
import { makeWorkerLink } from "../../../browser_worker/link/worker_link.js";
import { FakeTime, settle } from "./support/fake_time.js";
import { ModelBridge } from "./support/model_bridge.js";
import { TOKEN, URL_OF_BRIDGE } from "./support/scripted_bridge.js";

/** A page with its link, whose calls end when the test says so. */
function startPage() {
  const time = new FakeTime();
  const bridge = new ModelBridge();
  /** @type {string[]} */
  const runs = [];
  /** @type {(() => void)[]} */
  const running = [];
  /** @type {string[]} */
  const told = [];
  const delivery = new Delivery({
    clock: time.clock,
    endpoint: {
      request: (text) =>
        new Promise((resolve) => {
          const { call } = JSON.parse(text);
          runs.push(call);
          running.push(() => resolve(`{"of":"${call}"}`));
        }),
      closeSession: () => {},
    },
  });
  const link = makeWorkerLink({
    api: makeBridgeApi({ fetch: bridge.fetch, url: URL_OF_BRIDGE, token: TOKEN }),
    url: URL_OF_BRIDGE,
    app: "Editor",
    makeSocket: bridge.makeSocket,
    setTimer: time.setTimer,
    clock: time.clock,
    random: () => 0.5,
    onItems: (items, at) => delivery.accept(items, at, link),
    onConnected: () => void told.push("connected"),
    onLive: () => {},
    onLost: () => {},
    onUnreached: () => {},
    onCarrier: (carrier) => void told.push(carrier),
    onEnded: (cause) => void told.push(`ended ${cause}`),
  });
  link.start("client-1", bridge.offer());
  return { time, bridge, runs, running, told, link };
}

/** @typedef {ReturnType<typeof startPage>} Page */

/** Between steps a page may have several things to do, and does them in no order of ours. */
const STEPS = /** @type {const} */ ([
  "call",
  "call",
  "arrive",
  "arrive",
  "respond",
  "respond",
  "finish",
  "finish",
  "up",
  "up",
  "down",
  "down",
  "handshake",
  "handshake",
  "cut",
  "lose",
  "wait",
]);

/**
 * @param {Page} page
 * @param {(typeof STEPS)[number]} step
 * @param {number} pick
 */
async function take(page, step, pick) {
  const { bridge, running, time } = page;
  const { requests } = bridge;
  if (step === "finish") running.splice(pick % Math.max(1, running.length), 1)[0]?.();
  else if (step === "wait") await time.advance([50, 100, 250, 300][pick % 4] ?? 0);
  else if (step === "arrive" || step === "respond") {
    // Requests do not arrive in the order in which they were sent.
    const able = requests.filter(({ arrived, answer }) =>
      step === "arrive" ? !arrived : answer !== null,
    );
    bridge[step](able[pick % Math.max(1, able.length)]);
  } else if (step === "lose") {
    // A result that fails four times over is given up: that is another test's business.
    const able = requests.filter(({ path }) => path !== "/result" || pick % 4 === 0);
    if (lossesOf(page) < 3) bridge.lose(able[pick % Math.max(1, able.length)]);
  } else bridge[step]();
  await settle();
}

/** @type {WeakMap<Page, number>} */
const losses = new WeakMap();

/** @param {Page} page */
function lossesOf(page) {
  const count = losses.get(page) ?? 0;
  losses.set(page, count + 1);
  return count;
}

/** @param {Page} page */
async function heal(page) {
  const { bridge, running, time } = page;
  for (let round = 0; round < 60; round += 1) {
    bridge.handshake();
    bridge.up();
    bridge.down();
    bridge.arrive();
    bridge.respond();
    for (const finish of running.splice(0)) finish();
    await settle();
    if (round % 4 === 3) await time.advance(400);
  }
}

test("whatever breaks and in whatever order, each call runs once and gets its own answer once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(7)), { minLength: 10, maxLength: 60 }),
      async (steps) => {
        const page = startPage();
        for (const [step, pick] of steps) await take(page, step, pick);
        await heal(page);
        const { bridge, runs, told, link } = page;
        link.stop();
        const wrong = bridge.calls.filter(({ answers }) => answers.length !== 1);
        assert.deepEqual(wrong, [], "a call was lost");
        assert.equal(bridge.wrong, 0, "an answer was crossed");
        assert.equal(new Set(runs).size, runs.length, "a call ran twice");
        assert.equal(runs.length, bridge.calls.length);
        assert.ok(!told.some((line) => line.startsWith("ended")), told.join());
      },
    ),
    { numRuns: 150 },
  );
});

test("a check that fails once a channel has opened holds no result back", async () => {
  const page = startPage();
  const { bridge, running, told, time } = page;
  await time.advance(250);
  bridge.lose();
  await settle();
  await time.advance(300);
  assert.deepEqual(
    bridge.requests.map(({ path }) => path),
    ["/state"],
    "the poll broke, and the link asks whether the bridge is there",
  );
  bridge.handshake();
  await settle();
  assert.equal(told.at(-1), "channel");
  bridge.lose();
  bridge.call();
  await settle();
  bridge.down();
  await settle();
  running.splice(0)[0]?.();
  await settle();
  bridge.up();
  assert.deepEqual(bridge.calls[0]?.answers, ["call-0"]);
  page.link.stop();
});

test("a call runs over a channel, its channel breaks in the middle, and its answer is polled home", async () => {
  const page = startPage();
  const { bridge, running, runs, told } = page;
  bridge.handshake();
  bridge.call();
  bridge.down();
  await settle();
  assert.deepEqual(runs, ["call-0"]);
  bridge.cut();
  await settle();
  running.splice(0)[0]?.();
  await heal(page);
  assert.deepEqual(bridge.calls[0]?.answers, ["call-0"]);
  assert.deepEqual(runs, ["call-0"]);
  assert.deepEqual(told, ["channel", "polling"]);
  bridge.call();
  await heal(page);
  assert.deepEqual(bridge.calls[1]?.answers, ["call-1"]);
  assert.equal(told.at(-1), "channel", "and the next answer of a poll brings the way back");
  page.link.stop();
});
