// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { recall } from "../../../browser_worker/link/remembered.js";
import { FakePage } from "./support/fake_page.js";
import { settle } from "./support/fake_time.js";
import { CONNECTED, TOKEN, URL_OF_BRIDGE, pollAnswer } from "./support/scripted_bridge.js";

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';

/**
 * A page that is attached, its first poll parked.
 *
 * @param {Partial<import("../../../browser_worker/link/attachment.js").AttachmentOptions>} [options]
 */
async function attached(options = {}) {
  const page = new FakePage();
  const { attachment, states } = page.attach(options);
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  await page.time.advance(0);
  const [report, poll] = await inAnyOrder(page, "/state", "/poll");
  await report.answer(200, { accepted: true });
  assert.deepEqual(states, ["connecting", "attached"]);
  return { page, attachment, states, poll };
}

/**
 * @param {FakePage} page
 * @param {string} first
 * @param {string} second
 */
async function inAnyOrder(page, first, second) {
  await settle();
  const both = page.bridge.requests.slice(-2);
  page.bridge.skip();
  const pick = (/** @type {string} */ path) => {
    const request = both.find((candidate) => candidate.path === path);
    assert.ok(request, `no request for ${path}`);
    return request;
  };
  return /** @type {const} */ ([pick(first), pick(second)]);
}

test("a click connects from the window, then the worker polls, and the page says what it is", async () => {
  const page = new FakePage();
  const { attachment, states } = page.attach();
  const connect = await page.bridge.next("/connect");
  assert.equal(attachment.state, "connecting");
  assert.equal(page.workers.length, 0, "the worker starts only after the first success");
  assert.equal(connect.init.signal, undefined, "nothing withdraws the browser's question");
  assert.deepEqual(connect.json, { app: "Editor" });
  await page.time.advance(200_000);
  assert.equal(await page.bridge.unseen(), 0, "and it waits as long as the person does");
  await connect.answer(200, CONNECTED);
  const [report, poll] = await inAnyOrder(page, "/state", "/poll");
  assert.deepEqual(report.json, { client: "client-1", state: "visible", taken: 0 });
  assert.equal(report.init.keepalive, true);
  assert.match(poll.url, /client=client-1$/);
  assert.deepEqual(states, ["connecting", "attached"]);
  assert.match(attachment.message, /127\.0\.0\.1:4567/);
});

test("a call is run in the page and answered by the worker", async () => {
  const { page, poll } = await attached();
  await poll.answer(200, pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
  await page.bridge.next("/poll");
  const result = await page.bridge.next("/result");
  assert.deepEqual(page.runs, [REQUEST]);
  assert.equal(
    result.body,
    '{"client":"client-1","id":"item-1","response":{"jsonrpc":"2.0","id":1,"result":{}}}',
  );
});

test("an item that waited for a busy main thread past its deadline is not run", async () => {
  const { page, poll } = await attached();
  page.worker.held = true;
  const items = [
    { seq: 1, request: "1", ms: 5_000 },
    { seq: 2, request: "2", ms: 5_001 },
  ];
  await poll.answer(200, pollAnswer(page.time.wallMs, ...items));
  await page.time.advance(5_000);
  page.worker.flush();
  await settle();
  assert.deepEqual(page.runs, ["2"]);
});

test("an item that waited while the machine slept is not run", async () => {
  const { page, poll } = await attached();
  page.worker.held = true;
  await poll.answer(200, pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
  page.time.sleep(3_600_000);
  page.worker.flush();
  await settle();
  assert.deepEqual(page.runs, []);
});

test("without a click nothing is requested", async () => {
  const page = new FakePage();
  page.userActivation.isActive = false;
  const { attachment } = page.attach();
  assert.equal(attachment.state, "refused");
  assert.equal(attachment.cause, "needs-click");
  await page.time.advance(600_000);
  assert.equal(page.bridge.requests.length, 0);
});

test("a browser that does not tell whether there was a click is trusted with the app's word", async () => {
  const page = new FakePage();
  page.attach({}, { userActivation: undefined });
  await page.bridge.next("/connect");
});

test("an address that is not this machine's gets no request", async () => {
  for (const url of ["http://evil.example:4567", "http://localhost:4567", "http://127.0.0.1"]) {
    const page = new FakePage();
    const { attachment } = page.attach({ url });
    assert.equal(attachment.cause, "bad-address");
    await settle();
    assert.equal(page.bridge.requests.length, 0);
  }
});

test("an app without a name is the app's own mistake", () => {
  const page = new FakePage();
  assert.throws(() => page.attach({ app: "" }), TypeError);
  assert.throws(() => page.attach({ app: "x".repeat(201) }), TypeError);
  assert.equal(page.attach({ app: "😀".repeat(200) }).attachment.state, "connecting");
});

for (const [status, code, state, cause] of /** @type {const} */ ([
  [401, "UNAUTHORIZED", "refused", "wrong-token"],
  [403, "FORBIDDEN_ORIGIN", "refused", "wrong-origin"],
  [421, "FORBIDDEN_HOST", "refused", "wrong-host"],
  [503, "CLOSING", "detached", "closing"],
  [404, "NOT_FOUND", "detached", "bad-answer"],
])) {
  test(`${code} at the first request ends as ${cause}, with a cure and without the token`, async () => {
    const page = new FakePage();
    const { attachment } = page.attach();
    await (await page.bridge.next("/connect")).refuse(status, code);
    assert.deepEqual([attachment.state, attachment.cause], [state, cause]);
    assert.ok(!attachment.message.includes(TOKEN));
    await page.time.advance(600_000);
    assert.equal(await page.bridge.unseen(), 0);
    assert.equal(page.locks.held, false);
  });
}

test("a bridge of another protocol is refused", async () => {
  for (const body of [
    "{}",
    "nonsense",
    { ...CONNECTED, protocolVersion: "2" },
    { ...CONNECTED, client: 5 },
  ]) {
    const page = new FakePage();
    const { attachment } = page.attach();
    await (await page.bridge.next("/connect")).answer(200, body);
    assert.equal(attachment.cause, "bad-answer");
    assert.equal(page.workers.length, 0);
  }
});

test("a first request that fails is looked into and not repeated", async () => {
  const page = new FakePage();
  const { attachment, states } = page.attach();
  await (await page.bridge.next("/connect")).fail();
  page.bridge.dead = true;
  await page.time.advance(600_000);
  await page.bridge.next("/");
  assert.equal(
    await page.bridge.unseen(),
    0,
    "the browser's question is not asked again and again",
  );
  assert.deepEqual(states, ["connecting", "detached bridge-not-running"]);
  assert.match(attachment.message, /bascule browser-bridge --origin https:\/\/app\.example/);
});

test("a policy that blocks the first request is named", async () => {
  const page = new FakePage();
  const { attachment } = page.attach();
  const connect = await page.bridge.next("/connect");
  await connect.fail();
  page.fire("securitypolicyviolation", { blockedURI: `${URL_OF_BRIDGE}/connect` });
  await page.time.advance(50);
  assert.equal(attachment.cause, "blocked-by-csp");
  assert.equal(attachment.state, "refused");
});

test("a place that is taken is asked for past a reloaded page's two seconds, then left", async () => {
  const page = new FakePage();
  const { attachment } = page.attach();
  let asked = 0;
  for (let step = 0; step < 60; step += 1) {
    const request = page.bridge.requests.at(-1);
    if (request?.open) {
      asked += 1;
      await request.refuse(409, "ALREADY_ATTACHED");
    }
    if (page.time.monotonicMs < 3_000) assert.equal(attachment.state, "connecting");
    await page.time.advance(100);
  }
  assert.ok(asked >= 4 && asked <= 6, `${asked}`);
  assert.deepEqual([attachment.state, attachment.cause], ["elsewhere", "attached-elsewhere"]);
});

test("a place that becomes free while it is asked for is taken", async () => {
  const page = new FakePage();
  const { attachment } = page.attach();
  await (await page.bridge.next("/connect")).refuse(409, "ALREADY_ATTACHED");
  await page.time.advance(300);
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  assert.equal(attachment.state, "attached");
});

test("a second tab of the browser is told so without a request", async () => {
  const { page } = await attached();
  const second = new FakePage();
  second.locks = page.locks;
  const { attachment } = second.attach();
  await settle();
  assert.deepEqual([attachment.state, attachment.cause], ["elsewhere", "other-tab"]);
  await second.time.advance(10_000);
  assert.equal(second.bridge.requests.length, 0);
});

test("a worker that cannot be started is named, and the place is given back", async () => {
  const page = new FakePage();
  const thrown = page.attach(
    {},
    {
      makeWorker: () => {
        throw new Error("SecurityError");
      },
    },
  );
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  assert.equal(thrown.attachment.cause, "worker-blocked");
  assert.deepEqual((await page.bridge.next("/disconnect")).json, { client: "client-1" });

  const other = new FakePage();
  /** @type {import("./support/fake_page.js").FakeWorker[]} */
  const dumb = [];
  const failed = other.attach(
    {},
    {
      makeWorker: () => {
        const worker = other.powers.makeWorker();
        worker.postMessage = () => {};
        dumb.push(/** @type {import("./support/fake_page.js").FakeWorker} */ (worker));
        return worker;
      },
    },
  );
  await (await other.bridge.next("/connect")).answer(200, CONNECTED);
  dumb[0]?.onerror?.({ preventDefault: () => {} });
  assert.equal(failed.attachment.cause, "worker-blocked");
  assert.equal(dumb[0]?.terminated, true);
  await other.bridge.next("/disconnect");
});

test("a worker that stays silent is given up after half a minute", async () => {
  const page = new FakePage();
  const { attachment } = page.attach(
    {},
    {
      makeWorker: () => {
        const worker = page.powers.makeWorker();
        worker.postMessage = () => {};
        return worker;
      },
    },
  );
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  await page.time.advance(29_999);
  assert.equal(attachment.state, "connecting");
  await page.time.advance(1);
  assert.equal(attachment.cause, "worker-blocked");
});

test("detaching says goodbye, stops the worker, frees the tab and wipes the token", async () => {
  const { page, attachment, states } = await attached({ remember: true });
  const done = attachment.detach();
  assert.equal(attachment.state, "detached");
  const goodbye = await page.bridge.next("/disconnect");
  assert.deepEqual(goodbye.json, { client: "client-1" });
  assert.equal(goodbye.init.keepalive, true);
  await goodbye.answer(200, { accepted: true });
  await done;
  assert.equal(page.worker.terminated, true);
  await settle();
  assert.equal(page.locks.held, false);
  assert.equal(recall(page.storage), null);
  page.document.visibilityState = "hidden";
  page.fire("visibilitychange");
  page.fire("pagehide");
  await page.time.advance(600_000);
  assert.equal(await page.bridge.unseen(), 0);
  assert.deepEqual(states, ["connecting", "attached", "detached by-request"]);
  await attachment.detach();
  assert.equal(states.length, 3);
});

test("detaching while the browser asks gives the place back once it is granted", async () => {
  const page = new FakePage();
  const { attachment } = page.attach();
  const connect = await page.bridge.next("/connect");
  await attachment.detach();
  await connect.answer(200, CONNECTED);
  assert.deepEqual((await page.bridge.next("/disconnect")).json, { client: "client-1" });
  assert.equal(page.workers.length, 0);
  await settle();
  assert.equal(page.locks.held, false);
  assert.equal(attachment.state, "detached");
});

test("a call that waits for its turn when the person detaches is not begun", async () => {
  const page = new FakePage();
  /** @type {(() => boolean)[]} */
  const expired = [];
  page.endpoint.request = (_text, context) => {
    expired.push(context.expired);
    return new Promise(() => {});
  };
  const { attachment } = page.attach();
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  const [, poll] = await inAnyOrder(page, "/state", "/poll");
  await poll.answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  assert.equal(expired[0]?.(), false);
  void attachment.detach();
  assert.equal(expired[0]?.(), true);
});

test("a page can be attached anew in the moment in which it was detached", async () => {
  const { page, attachment } = await attached();
  void attachment.detach();
  const again = page.attach();
  assert.equal((await page.bridge.next("/disconnect")).json.client, "client-1");
  const connect = await page.bridge.next("/connect");
  await connect.answer(200, { ...CONNECTED, client: "client-2" });
  assert.equal(again.attachment.state, "attached");
  assert.equal(page.locks.held, true);
});

test("a refused attachment can be dismissed", async () => {
  const page = new FakePage();
  const { attachment } = page.attach();
  await (await page.bridge.next("/connect")).refuse(401, "UNAUTHORIZED");
  await attachment.detach();
  assert.deepEqual([attachment.state, attachment.cause], ["detached", "by-request"]);
});

test("a page that is left says goodbye with keepalive and stops its worker", async () => {
  const { page, attachment } = await attached();
  page.fire("pagehide", { persisted: false });
  const goodbye = await page.bridge.next("/disconnect");
  assert.equal(goodbye.init.keepalive, true);
  assert.equal(page.worker.terminated, true);
  assert.deepEqual([attachment.state, attachment.cause], ["suspended", "page-hidden"]);
});

test("a page that is brought back whole attaches again without a click, as a new client", async () => {
  const { page, attachment, states, poll } = await attached();
  await poll.answer(200, pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
  page.bridge.skip();
  page.fire("pagehide", { persisted: true });
  page.bridge.skip();
  page.userActivation.isActive = false;
  page.fire("pageshow", { persisted: true });
  await (await page.bridge.next("/connect")).answer(200, { ...CONNECTED, client: "client-2" });
  const [, next] = await inAnyOrder(page, "/state", "/poll");
  assert.match(next.url, /client=client-2$/);
  assert.equal(page.workers.length, 2);
  assert.deepEqual(states.slice(1), ["attached", "suspended page-hidden", "attached"]);
  assert.equal(attachment.state, "attached");
  await next.answer(200, pollAnswer(page.time.wallMs, { seq: 1, request: REQUEST }));
  assert.equal(page.runs.length, 1, "what had run already is not run again");
});

test("a pageshow of a page that was never away changes nothing", async () => {
  const { page } = await attached();
  page.fire("pageshow", { persisted: false });
  assert.equal(await page.bridge.unseen(), 0);
});

test("an ended attachment does not come back with its page", async () => {
  const { page, attachment } = await attached();
  await Promise.all([attachment.detach(), page.bridge.next("/disconnect").then((r) => r.fail())]);
  page.fire("pageshow", { persisted: true });
  await page.time.advance(10_000);
  assert.equal(await page.bridge.unseen(), 0);
});

test("freezing, resuming and hiding are reported from the page itself, with keepalive and what was taken", async () => {
  const { page, poll } = await attached();
  await poll.answer(200, pollAnswer(page.time.wallMs, { seq: 4, request: REQUEST }));
  page.bridge.skip();
  const reported = [];
  for (const [event, visibilityState] of /** @type {const} */ ([
    ["visibilitychange", "hidden"],
    ["freeze", "hidden"],
    ["resume", "hidden"],
    ["visibilitychange", "visible"],
  ])) {
    page.document.visibilityState = visibilityState;
    page.fire(event);
    const report = page.bridge.requests.at(-1);
    assert.equal(report?.init.keepalive, true);
    reported.push(report?.json);
  }
  assert.deepEqual(
    reported.map(({ client, state, taken }) => [client, state, taken]),
    ["hidden", "frozen", "hidden", "visible"].map((state) => ["client-1", state, 4]),
  );
});

test("a page that is attached while it is hidden says so", async () => {
  const page = new FakePage();
  page.document.visibilityState = "hidden";
  page.attach();
  await (await page.bridge.next("/connect")).answer(200, CONNECTED);
  const [report] = await inAnyOrder(page, "/state", "/poll");
  assert.equal(report.json.state, "hidden");
});

test("while the bridge is away the state is suspended, the tab is free and no report is sent", async () => {
  const { page, attachment, states, poll } = await attached();
  page.bridge.dead = true;
  await poll.fail();
  assert.deepEqual([attachment.state, attachment.cause], ["suspended", "bridge-lost"]);
  await settle();
  assert.equal(page.locks.held, false);
  page.document.visibilityState = "hidden";
  page.fire("visibilitychange");
  assert.equal(await page.bridge.unseen(), 0);
  page.bridge.dead = false;
  await page.time.advance(300);
  const check = await page.bridge.next("/state");
  assert.equal(check.json.state, "hidden", "the check says what the page has become meanwhile");
  await check.answer(200, { accepted: true });
  await page.bridge.next("/poll");
  assert.deepEqual(states.slice(1), ["attached", "suspended bridge-lost", "attached"]);
  assert.equal(page.locks.held, true);
});

test("a bridge that stays away has its sessions told and none closed, and what ran meanwhile reaches one that comes back", async () => {
  const { page, attachment, poll } = await attached();
  /** @type {string[]} */
  const told = [];
  /** @type {(response: string) => void} */
  let answer = () => {};
  page.endpoint.request = () => new Promise((resolve) => void (answer = resolve));
  page.endpoint.closeSession = (/** @type {string} */ session) =>
    void told.push(`closed ${session}`);
  page.endpoint.sessionUnreached = (session) => {
    told.push(session);
    throw new Error("an app's own");
  };
  await poll.answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  const next = await page.bridge.next("/poll");
  page.bridge.dead = true;
  await next.fail();
  await page.time.advance(6_000);
  assert.deepEqual([attachment.state, told], ["suspended", ["cli-json"]]);
  const response = '{"jsonrpc":"2.0","id":1,"result":{}}';
  answer(response);
  await settle();
  page.bridge.dead = false;
  page.bridge.skip();
  await page.time.advance(10_000);
  await (await page.bridge.next("/state")).answer(200, { accepted: true });
  const [result] = await inAnyOrder(page, "/result", "/poll");
  assert.ok(result.body.includes(response), result.body);
  assert.deepEqual(told, ["cli-json"]);
});

test("a tab whose place was taken while the bridge was away lets go", async () => {
  const { page, attachment, poll } = await attached();
  await poll.fail();
  const other = new FakePage();
  other.locks = page.locks;
  other.attach();
  await other.bridge.next("/connect");
  await page.time.advance(300);
  await (await page.bridge.next("/state")).answer(200, { accepted: true });
  assert.deepEqual([attachment.state, attachment.cause], ["elsewhere", "other-tab"]);
  assert.ok(page.bridge.requests.some((request) => request.path === "/disconnect"));
  assert.equal(page.worker.terminated, true);
});

test("a bridge that is lost again while the tab is asked for leaves the page suspended", async () => {
  const { page, attachment, poll } = await attached();
  await poll.fail();
  let open = () => {};
  page.locks.gate = new Promise((resolve) => {
    open = () => resolve(undefined);
  });
  await page.time.advance(300);
  await (await page.bridge.next("/state")).answer(200, { accepted: true });
  await (await page.bridge.next("/poll")).fail();
  open();
  await settle();
  assert.equal(attachment.state, "suspended");
  assert.equal(page.locks.held, false);
});

test("a bridge that does not come back ends the attachment, and nothing can send the token again", async () => {
  const { page, attachment, poll } = await attached({ remember: true });
  assert.deepEqual(recall(page.storage), { url: URL_OF_BRIDGE, token: TOKEN });
  page.bridge.dead = true;
  await poll.fail();
  await page.time.advance(300_000);
  assert.deepEqual([attachment.state, attachment.cause], ["detached", "bridge-gone"]);
  assert.equal(recall(page.storage), null);
  const sent = page.bridge.requests.length;
  page.fire("pagehide");
  page.fire("pageshow", { persisted: true });
  page.fire("visibilitychange");
  await attachment.detach();
  await page.time.advance(600_000);
  assert.equal(page.bridge.requests.length, sent);
});

test("a client that the bridge forgot is replaced by a new one, and reports name the new one", async () => {
  const { page, attachment, states, poll } = await attached();
  await poll.refuse(410, "STALE_CLIENT");
  await (await page.bridge.next("/connect")).answer(200, { ...CONNECTED, client: "client-2" });
  await settle();
  assert.deepEqual(states.slice(1), ["attached", "suspended bridge-lost", "attached"]);
  page.document.visibilityState = "hidden";
  page.fire("visibilitychange");
  assert.deepEqual(page.bridge.requests.at(-1)?.json, {
    client: "client-2",
    state: "hidden",
    taken: 0,
  });
  assert.equal(attachment.state, "attached");
});

test("a tab that was asked to remember attaches again after a reload without a click", async () => {
  const { page } = await attached({ remember: true });
  const reloaded = new FakePage();
  reloaded.storage = page.storage;
  reloaded.locks = page.locks;
  reloaded.userActivation.isActive = false;
  const { attachment } = reloaded.attach({ remember: true });
  await reloaded.time.advance(100);
  assert.equal(reloaded.bridge.requests.length, 0, "the former page still holds the lock");
  page.fire("pagehide");
  await reloaded.time.advance(1_000);
  await (await reloaded.bridge.next("/connect")).answer(200, CONNECTED);
  assert.equal(attachment.state, "attached");
});

test("a tab that remembers one bridge needs a click for another", async () => {
  const { page } = await attached({ remember: true });
  for (const other of [{ url: "http://127.0.0.1:9999" }, { token: `${TOKEN}x` }]) {
    const reloaded = new FakePage();
    reloaded.storage = page.storage;
    reloaded.userActivation.isActive = false;
    assert.equal(reloaded.attach({ ...other, remember: true }).attachment.cause, "needs-click");
    assert.notEqual(recall(page.storage), null, "and the other stays remembered");
  }
});

test("nothing is remembered unless it was asked for, or in a tab without storage", async () => {
  const { page } = await attached();
  assert.equal(page.storage.items.size, 0);
  const other = new FakePage();
  const broken = () => {
    throw new Error("SecurityError");
  };
  const { attachment } = other.attach(
    { remember: true },
    { storage: { getItem: broken, setItem: broken, removeItem: broken } },
  );
  await (await other.bridge.next("/connect")).answer(200, CONNECTED);
  assert.equal(attachment.state, "attached");
});

test("what a tab remembers is read with the same care as a link", () => {
  const { storage } = new FakePage();
  const key = "bascule:attachment";
  const good = { url: URL_OF_BRIDGE, token: TOKEN };
  storage.setItem(key, JSON.stringify(good));
  assert.deepEqual(recall(storage), good);
  for (const text of ["", "{", "null", "[]", '{"url":"http://evil.example:1"}', "7"]) {
    storage.setItem(key, text);
    assert.equal(recall(storage), null, text);
  }
  storage.setItem(key, JSON.stringify({ ...good, url: "http://evil.example:4567" }));
  assert.equal(recall(storage), null);
  storage.setItem(key, JSON.stringify({ ...good, token: 5 }));
  assert.equal(recall(storage), null);
});
