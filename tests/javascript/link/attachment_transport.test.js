// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { FakePage } from "./support/fake_page.js";
import { settle } from "./support/fake_time.js";
import { offer, offering } from "./support/linked_worker.js";
import { CONNECTED, pollAnswer } from "./support/scripted_bridge.js";

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';
const OFFERED = { ...CONNECTED, channel: offer() };

/**
 * A page that was attached to a bridge which offers a channel, and what its events told.
 *
 * @param {Partial<import("../../../browser_worker/link/attachment.js").AttachmentOptions>} [options]
 */
async function attached(options = {}) {
  const page = new FakePage();
  const { attachment } = page.attach(options);
  /** @type {string[]} */
  const told = [];
  attachment.addEventListener("statechange", () => {
    told.push(`${attachment.state} ${attachment.transport}`);
  });
  await (await page.bridge.next("/connect")).answer(200, OFFERED);
  await settle();
  return { page, attachment, told };
}

const polls = (/** @type {FakePage} */ page) =>
  page.bridge.requests.filter(({ path }) => path === "/poll");

test("the channel that came with the place is opened, and the event says so", async () => {
  const { page, attachment, told } = await attached();
  assert.deepEqual([attachment.transport, attachment.transportNote], [null, ""]);
  await page.sockets.last.open();
  assert.deepEqual([attachment.transport, attachment.transportNote], ["channel", ""]);
  assert.deepEqual(told, ["attached null", "attached channel"]);
  await page.sockets.last.receive(pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
  assert.deepEqual(page.runs, [REQUEST]);
  assert.match(page.sockets.last.news().join(), /"id":"item-1","response":/);
  assert.equal(polls(page).length, 0);
});

test("a policy of the worker that forbids it is noted, with the directive and what to add", async () => {
  const { page, attachment } = await attached();
  page.worker.policy.dispatchEvent(
    Object.assign(new Event("securitypolicyviolation"), {
      blockedURI: "ws://127.0.0.1:4567/channel",
    }),
  );
  await page.sockets.last.break();
  assert.equal(attachment.state, "attached");
  assert.equal(attachment.transport, "polling");
  assert.match(attachment.transportNote, /connect-src/);
});

test("another violation of the worker's policy says nothing of the channel", async () => {
  const { page, attachment } = await attached();
  page.worker.policy.dispatchEvent(
    Object.assign(new Event("securitypolicyviolation"), { blockedURI: "https://cdn.example/" }),
  );
  await page.sockets.last.open();
  assert.deepEqual([attachment.transport, attachment.transportNote], ["channel", ""]);
});

test("an app can keep to polling", async () => {
  const { page, attachment } = await attached({ channel: false });
  assert.equal(page.sockets.all.length, 0);
  assert.equal(attachment.transport, "polling");
  assert.equal(attachment.transportNote, "This app asked for polling.");
  await polls(page)[0]?.answer(200, offering(pollAnswer(1)));
  assert.equal(page.sockets.all.length, 0);
});

test("a bridge without a channel is polled, and that is noted", async () => {
  const page = new FakePage();
  const { attachment } = page.attach();
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  await settle();
  assert.equal(attachment.transport, "polling");
  assert.match(attachment.transportNote, /offers no channel/);
});

test("a ticket that waited ten seconds for the worker to load is not used", async () => {
  for (const [ms, sockets] of /** @type {const} */ ([
    [9_999, 1],
    [10_000, 0],
  ])) {
    const page = new FakePage();
    const { attachment } = page.attach(
      {},
      {
        makeWorker: () => {
          const worker = page.powers.makeWorker();
          const { postMessage } = worker;
          worker.postMessage = (message) => {
            page.time.setTimer(ms, () => postMessage.call(worker, message));
          };
          return worker;
        },
      },
    );
    await (await page.bridge.next("/connect")).answer(200, OFFERED);
    await page.time.advance(ms);
    assert.equal(page.sockets.all.length, sockets);
    assert.equal(polls(page).length, 1 - sockets);
    assert.equal(attachment.transportNote, "");
  }
});

test("while the page is not attached nothing carries its calls", async () => {
  const { page, attachment, told } = await attached();
  await page.sockets.last.open();
  page.bridge.dead = true;
  await page.sockets.last.break();
  await settle();
  assert.deepEqual([attachment.state, attachment.transport], ["suspended", null]);
  assert.equal(attachment.transportNote, "");
  page.bridge.dead = false;
  await page.time.advance(300);
  await page.bridge.requests.at(-1)?.answer(200, { accepted: true });
  assert.deepEqual(told.slice(2), ["attached polling", "suspended null", "attached polling"]);
});

test("detaching while the channel opens, or with it open, ends it and says goodbye", async () => {
  for (const opened of [false, true]) {
    const { page, attachment } = await attached();
    if (opened) await page.sockets.last.open();
    const frames = page.sockets.last.sent.length;
    page.bridge.skip();
    void attachment.detach();
    assert.equal((await page.bridge.next("/disconnect")).json.client, "client-1");
    assert.equal(page.worker.terminated, true, "and its socket with it");
    assert.deepEqual([attachment.state, attachment.transport], ["detached", null]);
    await page.sockets.last.open();
    await page.sockets.last.receive(pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
    assert.deepEqual(page.runs, []);
    assert.equal(page.sockets.last.sent.length, frames);
  }
});

test("a page that is left ends its channel, and opens a new one when it is brought back", async () => {
  const { page, attachment } = await attached();
  await page.sockets.last.open();
  const first = page.worker;
  page.fire("pagehide", { persisted: true });
  assert.equal(first.terminated, true);
  assert.equal(attachment.transport, null);
  page.bridge.skip();
  page.fire("pageshow", { persisted: true });
  await (await page.bridge.next("/connect")).answer(200, { ...OFFERED, client: "client-2" });
  await settle();
  assert.equal(page.sockets.all.length, 2);
  await page.sockets.last.open();
  assert.equal(attachment.transport, "channel");
});

test("a page is told of nothing but its transport when only that changes", async () => {
  const { page, attachment, told } = await attached();
  await page.sockets.last.open();
  await page.sockets.last.break();
  assert.equal(attachment.state, "attached");
  assert.equal(attachment.cause, null);
  assert.deepEqual(told, ["attached null", "attached channel", "attached polling"]);
});

test("a hidden page tells that an action has begun before it runs, a visible one with its result", async () => {
  for (const visibilityState of ["hidden", "visible"]) {
    const page = new FakePage();
    page.document.visibilityState = visibilityState;
    page.attach();
    await (await page.bridge.next("/connect")).answer(200, OFFERED);
    await page.sockets.last.open();
    /** @type {string[]} */
    const log = [];
    const { postMessage } = page.worker;
    page.worker.postMessage = (message) => {
      if (message.type === "batch") log.push(message.messages.map(({ type }) => type).join("+"));
      postMessage.call(page.worker, message);
    };
    page.endpoint.request = async () => {
      log.push("runs");
      return "null";
    };
    await page.sockets.last.receive(pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
    const expected = { hidden: ["begun", "runs", "result"], visible: ["runs", "begun+result"] };
    assert.deepEqual(log, expected[/** @type {"hidden" | "visible"} */ (visibilityState)]);
  }
});
