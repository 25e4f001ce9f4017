// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { makeBridgeApi } from "../../../browser_worker/link/bridge_api.js";
import { makeWorkerLink } from "../../../browser_worker/link/worker_link.js";
import { FakeTime, settle } from "./support/fake_time.js";
import {
  CONNECTED,
  ScriptedBridge,
  TOKEN,
  URL_OF_BRIDGE,
  pollAnswer,
} from "./support/scripted_bridge.js";

/** @import { DeliveredItem } from "../../../browser_worker/link/transport.js" */

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';

function start() {
  const time = new FakeTime();
  const bridge = new ScriptedBridge();
  /** @type {string[]} */
  const told = [];
  /** @type {DeliveredItem[]} */
  const items = [];
  const loop = makeWorkerLink({
    api: makeBridgeApi({ fetch: bridge.fetch, url: URL_OF_BRIDGE, token: TOKEN }),
    url: URL_OF_BRIDGE,
    app: "Editor",
    makeSocket: null,
    setTimer: time.setTimer,
    clock: time.clock,
    random: () => 0.5,
    onItems: (more) => void items.push(...more),
    onConnected: (answer) => void told.push(`connected ${answer.client}`),
    onLive: () => void told.push("live"),
    onLost: (cause) => void told.push(`lost ${cause}`),
    onUnreached: () => void told.push("unreached"),
    onCarrier: () => {},
    onEnded: (cause) => void told.push(`ended ${cause}`),
  });
  loop.start("client-1", null);
  return { time, bridge, told, items, loop };
}

/** @param {import("./support/scripted_bridge.js").ScriptedRequest} request */
const ackOf = (request) => request.headers.get("Bascule-Ack");

test("a poll carries the token, the client and the highest seq that came", async () => {
  const { bridge, items } = start();
  const first = await bridge.next("/poll");
  assert.equal(first.url, `${URL_OF_BRIDGE}/poll?client=client-1`);
  assert.equal(first.headers.get("Authorization"), `Bearer ${TOKEN}`);
  assert.equal(ackOf(first), "0");
  await first.answer(200, pollAnswer(1, { seq: 1, request: REQUEST }, { seq: 2 }));
  const second = await bridge.next("/poll");
  assert.equal(ackOf(second), "2");
  await second.answer(200, pollAnswer(2));
  assert.equal(ackOf(await bridge.next("/poll")), "2");
  assert.deepEqual(
    items.map(({ id, seq, session, request, remainingMs }) => [
      id,
      seq,
      session,
      request,
      remainingMs,
    ]),
    [
      ["item-1", 1, "cli-json", REQUEST, 30_000],
      ["item-2", 2, "cli-json", null, 30_000],
    ],
  );
});

test("requests are never cached, carry no cookies, follow no redirect and name no address space", async () => {
  const { bridge } = start();
  const { init } = await bridge.next("/poll");
  assert.equal("cache" in init, false, "the answers say that they are not to be stored");
  assert.equal(init.credentials, "omit");
  assert.equal(init.redirect, "error");
  assert.equal(init.referrerPolicy, "no-referrer");
  assert.equal("targetAddressSpace" in init, false);
});

test("polling goes on while actions run", async () => {
  const { bridge, items } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 2, request: REQUEST }));
  assert.equal(items.length, 2);
  assert.equal(ackOf(await bridge.next("/poll")), "2");
});

test("a result goes back with the response's own text", async () => {
  const { bridge, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await bridge.next("/poll");
  loop.postResult("item-1", '{"jsonrpc":"2.0","id":1,"result":{"n":1e3,"z":-0}}');
  const result = await bridge.next("/result");
  assert.equal(
    result.body,
    '{"client":"client-1","id":"item-1","response":{"jsonrpc":"2.0","id":1,"result":{"n":1e3,"z":-0}}}',
  );
});

test("a response that is too large is reported as that", async () => {
  const { bridge, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await bridge.next("/poll");
  loop.postResult("item-1", null);
  assert.equal(
    (await bridge.next("/result")).body,
    '{"client":"client-1","id":"item-1","tooLarge":true}',
  );
});

test("a result of an item that was never delivered, or a second one, is not sent", async () => {
  const { bridge, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await bridge.next("/poll");
  loop.postResult("other", "null");
  loop.postResult("item-1", "null");
  loop.postResult("item-1", "null");
  await (await bridge.next("/result")).answer(200, { accepted: true });
  assert.equal(await bridge.unseen(), 0);
});

test("a poll that broke is followed by a check within two seconds, and then by a poll with the same ack", async () => {
  const { time, bridge, told } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await (await bridge.next("/poll")).fail();
  assert.deepEqual(told, ["lost bridge-lost"]);
  await time.advance(300);
  const check = await bridge.next("/state");
  assert.deepEqual(check.json, { client: "client-1", state: "visible", taken: 0 });
  await check.answer(200, { accepted: true });
  assert.deepEqual(told, ["lost bridge-lost", "live"]);
  assert.equal(ackOf(await bridge.next("/poll")), "1");
});

test("a dead bridge is asked at most six times in the first minute and given up within five", async () => {
  const { time, bridge, told, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  const parked = await bridge.next("/poll");
  bridge.dead = true;
  await parked.fail();
  // What the page still has to say must not become requests of its own.
  loop.begun("item-1", 1);
  loop.postResult("item-1", "null");
  const before = bridge.requests.length;
  await time.advance(60_000);
  const first = bridge.requests.length - before;
  assert.ok(first >= 4 && first <= 6, `${first} requests`);
  await time.advance(240_000);
  assert.deepEqual(told, ["lost bridge-lost", "unreached", "ended bridge-gone"]);
  const all = bridge.requests.length;
  await time.advance(3_600_000);
  assert.equal(bridge.requests.length, all, "silent for good");
});

test("a bridge that nothing reaches for longer than its grace is told to be gone, once", async () => {
  const { time, bridge, told } = start();
  const parked = await bridge.next("/poll");
  bridge.dead = true;
  await parked.fail();
  await time.advance(5_000);
  assert.deepEqual(told, ["lost bridge-lost"]);
  await time.advance(1_000);
  assert.deepEqual(told, ["lost bridge-lost", "unreached"]);
  await time.advance(60_000);
  assert.deepEqual(told, ["lost bridge-lost", "unreached"]);
});

test("a bridge that is reached again in time is not gone, and is given as long the next time", async () => {
  const { time, bridge, told } = start();
  for (let blip = 0; blip < 3; blip += 1) {
    await (await bridge.next("/poll")).fail();
    await time.advance(300);
    await (await bridge.next("/state")).fail();
    await time.advance(1_000);
    await (await bridge.next("/state")).fail();
    await time.advance(4_000);
    await (await bridge.next("/state")).answer(200, { accepted: true });
    await (await bridge.next("/poll")).answer(200, pollAnswer(blip + 1));
  }
  assert.ok(!told.includes("unreached"), told.join());
});

test("a bridge that takes requests and is too busy to answer, or stopped, is not gone", async () => {
  const { time, bridge, told } = start();
  await (await bridge.next("/poll")).fail();
  // Each is broken off after half a minute.
  await time.advance(400);
  await bridge.next("/state");
  await time.advance(200_000);
  assert.deepEqual(told, ["lost bridge-lost"]);
  // It was stopped, and is killed now.
  bridge.dead = true;
  await time.advance(100_000);
  assert.ok(told.includes("unreached"), told.join());
});

test("a computer that slept between two attempts has not waited for its bridge meanwhile", async () => {
  const { time, bridge, told } = start();
  await (await bridge.next("/poll")).fail();
  // Where the clock of the timers goes on in sleep, all of them are due at once.
  time.monotonicMs += 120_000;
  await time.advance(0);
  await (await bridge.next("/state")).fail();
  assert.deepEqual(told, ["lost bridge-lost"]);
  await time.advance(1_000);
  await (await bridge.next("/state")).fail();
  await time.advance(4_000);
  await (await bridge.next("/state")).fail();
  assert.deepEqual(told, ["lost bridge-lost", "unreached"]);
});

test("a bridge that answers, whatever it says, is not gone", async () => {
  for (const [status, code] of /** @type {[number, string][]} */ ([
    [503, "BUSY"],
    [410, "STALE_CLIENT"],
  ])) {
    const { time, bridge, told } = start();
    await (await bridge.next("/poll")).fail();
    await time.advance(300);
    await (await bridge.next("/state")).refuse(status, code, { "Retry-After": "9" });
    await time.advance(9_000);
    assert.ok(!told.includes("unreached"), told.join());
  }
});

test("a link that is stopped is not told that its bridge is gone", async () => {
  const { time, bridge, told, loop } = start();
  await (await bridge.next("/poll")).fail();
  bridge.dead = true;
  await time.advance(2_000);
  loop.stop();
  await time.advance(10_000);
  assert.deepEqual(told, ["lost bridge-lost"]);
});

test("at the end of the attempts the token is wiped from memory", async () => {
  const time = new FakeTime();
  const bridge = new ScriptedBridge();
  const powers = { fetch: bridge.fetch, url: URL_OF_BRIDGE, token: TOKEN };
  const api = makeBridgeApi(powers);
  const nothing = () => {};
  const loop = makeWorkerLink({
    api,
    url: URL_OF_BRIDGE,
    app: "Editor",
    makeSocket: null,
    setTimer: time.setTimer,
    clock: time.clock,
    random: () => 0.5,
    onItems: nothing,
    onConnected: nothing,
    onLive: nothing,
    onLost: nothing,
    onUnreached: nothing,
    onCarrier: nothing,
    onEnded: nothing,
  });
  bridge.dead = true;
  loop.start("client-1", null);
  await time.advance(60_000);
  const sent = bridge.requests.length;
  assert.equal(bridge.requests[sent - 1]?.headers.get("Authorization"), `Bearer ${TOKEN}`);
  await time.advance(300_000);
  bridge.dead = false;
  const after = bridge.requests.length;
  const outcome = await api.state("client-1", "visible", 0);
  assert.ok(!outcome.ok && outcome.kind === "forgotten");
  assert.equal(bridge.requests.length, after);
  assert.equal(powers.token, "");
});

test("a bridge that answered again, or kept a poll for long, begins its back-off anew", async () => {
  const { time, bridge } = start();
  for (let round = 0; round < 3; round += 1) {
    await (await bridge.next("/poll")).fail();
    await time.advance(300);
    await (await bridge.next("/state")).answer(200, { accepted: true });
    await (await bridge.next("/poll")).answer(200, pollAnswer(round));
  }
  for (let round = 0; round < 3; round += 1) {
    const poll = await bridge.next("/poll");
    await time.advance(5_000);
    await poll.fail();
    await time.advance(300);
    await (await bridge.next("/state")).answer(200, { accepted: true });
  }
});

test("a bridge that breaks every poll at once is asked ever more seldom", async () => {
  const { time, bridge } = start();
  await (await bridge.next("/poll")).fail();
  await time.advance(300);
  await (await bridge.next("/state")).answer(200, { accepted: true });
  await (await bridge.next("/poll")).fail();
  await time.advance(999);
  assert.equal(await bridge.unseen(), 0);
  await time.advance(1);
  await bridge.next("/state");
});

test("a stale client connects again at once, counts anew and drops what it had", async () => {
  const { time, bridge, told, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 7, request: REQUEST }));
  await (await bridge.next("/poll")).refuse(410, "STALE_CLIENT");
  const connect = await bridge.next("/connect");
  assert.deepEqual(connect.json, { app: "Editor" });
  await connect.answer(200, { ...CONNECTED, client: "client-2" });
  assert.deepEqual(told, ["lost bridge-lost", "connected client-2", "live"]);
  const poll = await bridge.next("/poll");
  assert.match(poll.url, /client=client-2$/);
  assert.equal(ackOf(poll), "0");
  loop.postResult("item-7", "null");
  assert.equal(await bridge.unseen(), 0, "the result of the old client is not posted");
  await time.advance(5_000);
  assert.equal(await bridge.unseen(), 0);
});

test("a bridge that calls every new client stale is asked once per back-off", async () => {
  const { time, bridge } = start();
  await (await bridge.next("/poll")).refuse(410, "STALE_CLIENT");
  let connects = 0;
  for (let step = 0; step < 600; step += 1) {
    for (const request of bridge.requests) {
      if (!request.open) continue;
      if (request.path === "/connect") {
        connects += 1;
        await request.answer(200, CONNECTED);
      } else await request.refuse(410, "STALE_CLIENT");
    }
    await time.advance(100);
  }
  assert.ok(connects >= 3 && connects <= 7, `${connects} connects in a minute`);
});

test("a place that is taken is asked for a few times and then left to the other", async () => {
  const { time, bridge, told } = start();
  await (await bridge.next("/poll")).refuse(410, "STALE_CLIENT");
  let asked = 0;
  for (let step = 0; step < 80; step += 1) {
    const request = bridge.requests.at(-1);
    if (request?.open && request.path === "/connect") {
      asked += 1;
      await request.refuse(409, "ALREADY_ATTACHED");
    }
    await time.advance(100);
  }
  assert.ok(asked >= 3 && asked <= 6, `${asked}`);
  assert.equal(told.at(-1), "ended attached-elsewhere");
});

for (const [status, code, ending] of /** @type {const} */ ([
  [401, "UNAUTHORIZED", "wrong-token"],
  [409, "POLL_SUPERSEDED", "superseded"],
  [503, "CLOSING", "closing"],
])) {
  test(`${code} ends the link at once, as ${ending}`, async () => {
    const { time, bridge, told } = start();
    await (await bridge.next("/poll")).refuse(status, code);
    assert.deepEqual(told, [`ended ${ending}`]);
    await time.advance(600_000);
    assert.equal(await bridge.unseen(), 0);
  });
}

test("a busy bridge is asked again no sooner than it says", async () => {
  const { time, bridge } = start();
  await (await bridge.next("/poll")).refuse(503, "BUSY", { "Retry-After": "2" });
  await time.advance(1_999);
  assert.equal(await bridge.unseen(), 0);
  await time.advance(1);
  await bridge.next("/state");
});

test("an answer of something else than a bridge ends as that", async () => {
  const { time, bridge, told } = start();
  await (await bridge.next("/poll")).answer(200, "<html>");
  for (let step = 0; step < 3_500; step += 1) {
    const request = bridge.requests.at(-1);
    if (request?.open) await request.answer(200, "<html>");
    await time.advance(100);
  }
  // It answers a check well enough, and then a poll with nonsense: the attempts end all the same.
  assert.equal(told.at(-1), "ended bad-answer");
});

test("an answer that comes out of a cache is noticed, and the next poll has a new address", async () => {
  const { bridge, items, told } = start();
  const first = pollAnswer(1, { seq: 1, request: REQUEST });
  await (await bridge.next("/poll")).answer(200, first);
  await (await bridge.next("/poll")).answer(200, first);
  assert.equal(items.length, 1);
  const fresh = await bridge.next("/poll");
  assert.equal(fresh.url, `${URL_OF_BRIDGE}/poll?client=client-1&fresh=1`);
  assert.equal(ackOf(fresh), "1");
  await fresh.answer(200, pollAnswer(2));
  assert.match((await bridge.next("/poll")).url, /&fresh=2$/);
  assert.deepEqual(told, []);
});

test("a cache that no new address gets past ends the link, without a storm", async () => {
  const { time, bridge, told } = start();
  let polls = 0;
  for (let step = 0; step < 3_200; step += 1) {
    const request = bridge.requests.at(-1);
    if (request?.open) {
      polls += 1;
      await request.answer(200, pollAnswer(1));
    }
    await time.advance(100);
  }
  assert.ok(polls < 14, `${polls} polls`);
  assert.deepEqual(told, ["lost bridge-lost", "ended replayed"]);
});

test("a poll that never ends is broken off and counts as lost", async () => {
  const { time, bridge, told } = start();
  const poll = await bridge.next("/poll");
  await time.advance(29_999);
  assert.deepEqual(told, []);
  await time.advance(1);
  assert.equal(poll.init.signal?.aborted, true);
  assert.deepEqual(told, ["lost bridge-lost"]);
});

test("a lost result is repeated a few times, and one that the bridge knows is not", async () => {
  const { time, bridge, loop } = start();
  await (
    await bridge.next("/poll")
  ).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }, { seq: 2, request: REQUEST }));
  await bridge.next("/poll");
  loop.postResult("item-1", "null");
  await (await bridge.next("/result")).fail();
  await time.advance(300);
  await (await bridge.next("/result")).fail();
  await time.advance(1_000);
  await (await bridge.next("/result")).refuse(409, "DUPLICATE_RESULT");
  loop.postResult("item-2", "null");
  await (await bridge.next("/result")).refuse(404, "UNKNOWN_REQUEST");
  await time.advance(19_000);
  assert.equal(await bridge.unseen(), 0);
});

test("a response that the bridge cannot pass on is reported as too large, once", async () => {
  for (const [status, code] of /** @type {const} */ ([
    [400, "BAD_REQUEST"],
    [413, "TOO_LARGE"],
  ])) {
    const { bridge, loop } = start();
    await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
    await bridge.next("/poll");
    loop.postResult("item-1", "null");
    await (await bridge.next("/result")).refuse(status, code);
    const report = await bridge.next("/result");
    assert.equal(report.json.tooLarge, true);
    await report.refuse(status, code);
    assert.equal(await bridge.unseen(), 0);
  }
});

test("a result waits while the bridge is away and goes out when it is back", async () => {
  const { time, bridge, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await (await bridge.next("/poll")).fail();
  loop.postResult("item-1", "null");
  assert.equal(await bridge.unseen(), 0);
  await time.advance(300);
  await (await bridge.next("/state")).answer(200, { accepted: true });
  assert.equal((await bridge.next("/result")).json.id, "item-1");
});

test("at most four results are under way at once, so that a poll finds a connection", async () => {
  const { bridge, loop } = start();
  const seqs = [1, 2, 3, 4, 5, 6];
  await (
    await bridge.next("/poll")
  ).answer(200, pollAnswer(1, ...seqs.map((seq) => ({ seq, request: REQUEST }))));
  await bridge.next("/poll");
  for (const seq of seqs) loop.postResult(`item-${seq}`, "null");
  const first = await bridge.next("/result");
  for (let more = 0; more < 3; more += 1) await bridge.next("/result");
  assert.equal(await bridge.unseen(), 0);
  await first.answer(200, { accepted: true });
  assert.equal((await bridge.next("/result")).json.id, "item-5");
});

test("an action that runs past a second is reported as taken, once, with the page's last state", async () => {
  const { time, bridge, loop } = start();
  loop.setPageState("hidden");
  await (
    await bridge.next("/poll")
  ).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }, { seq: 2, request: REQUEST }));
  await bridge.next("/poll");
  loop.begun("item-1", 1);
  loop.begun("item-2", 2);
  await time.advance(500);
  loop.postResult("item-1", "null");
  await (await bridge.next("/result")).answer(200, { accepted: true });
  await time.advance(499);
  assert.equal(await bridge.unseen(), 0);
  await time.advance(1);
  assert.deepEqual((await bridge.next("/state")).json, {
    client: "client-1",
    state: "hidden",
    taken: 2,
  });
  await time.advance(15_000);
  assert.equal(await bridge.unseen(), 0);
});

test("several long actions are reported together", async () => {
  const { time, bridge, loop } = start();
  await (
    await bridge.next("/poll")
  ).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }, { seq: 2, request: REQUEST }));
  await bridge.next("/poll");
  loop.begun("item-1", 1);
  loop.begun("item-2", 2);
  await time.advance(15_000);
  assert.equal((await bridge.next("/state")).json.taken, 2);
  assert.equal(await bridge.unseen(), 0);
});

test("while the bridge is away a long action is told by the check alone", async () => {
  const { time, bridge, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  const poll = await bridge.next("/poll");
  loop.begun("item-1", 1);
  await poll.fail();
  await time.advance(5_000);
  assert.equal((await bridge.next("/state")).json.taken, 1);
  assert.equal(await bridge.unseen(), 0);
});

test("a quick action costs no report", async () => {
  const { time, bridge, loop } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await bridge.next("/poll");
  loop.begun("item-1", 1);
  await time.advance(900);
  loop.postResult("item-1", "null");
  await (await bridge.next("/result")).answer(200, { accepted: true });
  await time.advance(15_000);
  assert.equal(await bridge.unseen(), 0);
});

test("an action begun while another already runs is timed from its own beginning", async () => {
  const { time, bridge, loop } = start();
  await (
    await bridge.next("/poll")
  ).answer(200, pollAnswer(1, { seq: 1, request: REQUEST }, { seq: 2, request: REQUEST }));
  await bridge.next("/poll");
  loop.begun("item-1", 1);
  await time.advance(800);
  loop.postResult("item-1", "null");
  await (await bridge.next("/result")).answer(200, { accepted: true });
  loop.begun("item-2", 2);
  await time.advance(999);
  assert.equal(await bridge.unseen(), 0);
  await time.advance(1);
  assert.equal((await bridge.next("/state")).json.taken, 2);
});

test("an item whose answer waited for an hour has no time left", async () => {
  const { time, bridge, items } = start();
  await (await bridge.next("/poll")).answer(200, pollAnswer(time.wallMs));
  const poll = await bridge.next("/poll");
  const written = time.wallMs;
  time.sleep(3_600_000);
  await poll.answer(200, pollAnswer(written, { seq: 1, request: REQUEST }));
  assert.ok((items[0]?.remainingMs ?? 1) < 0);
});

test("a stopped loop says and sends nothing more", async () => {
  const { time, bridge, told, loop, items } = start();
  const poll = await bridge.next("/poll");
  loop.stop();
  await poll.answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  await settle();
  await time.advance(600_000);
  assert.deepEqual([told, items], [[], []]);
  assert.equal(await bridge.unseen(), 0);
  assert.equal(time.timers.length, 0);
});

test("a bridge that takes a check and never answers it is given up within the five minutes", async () => {
  const { time, bridge, told } = start();
  await (await bridge.next("/poll")).fail();
  await time.advance(400_000);
  assert.deepEqual(told, ["lost bridge-lost", "ended bridge-gone"]);
  assert.ok(bridge.requests.every((request) => !request.open));
  assert.equal(time.timers.length, 0);
});

test("a new connection that is never answered is broken off and asked for again", async () => {
  const { time, bridge } = start();
  await (await bridge.next("/poll")).refuse(410, "STALE_CLIENT");
  const connect = await bridge.next("/connect");
  await time.advance(29_999);
  assert.equal(connect.open, true);
  await time.advance(2_000);
  assert.equal(connect.init.signal?.aborted, true);
  await bridge.next("/connect");
});

test("results that are never answered do not keep later ones back for good", async () => {
  const { time, bridge, loop } = start();
  const seqs = [1, 2, 3, 4, 5];
  await (
    await bridge.next("/poll")
  ).answer(200, pollAnswer(1, ...seqs.map((seq) => ({ seq, request: REQUEST }))));
  const poll = await bridge.next("/poll");
  for (const seq of seqs) loop.postResult(`item-${seq}`, "null");
  await time.advance(20_000);
  await poll.answer(200, pollAnswer(2));
  await time.advance(10_001);
  assert.ok(bridge.requests.some(({ path, body }) => path === "/result" && /item-5/.test(body)));
});

test("an item never has more time than any call, whatever the clocks say", async () => {
  const { time, bridge, items } = start();
  const odd = pollAnswer(-1e300, { seq: 1, request: REQUEST, ms: 1e300 });
  await (await bridge.next("/poll")).answer(200, odd);
  const later = pollAnswer(time.wallMs, { seq: 2, request: REQUEST, ms: 3_600_000 });
  await (await bridge.next("/poll")).answer(200, later);
  const whole = pollAnswer(time.wallMs, { seq: 3, request: REQUEST, ms: 30_000 });
  assert.equal(items.length, 2);
  for (const { remainingMs } of items) assert.ok(remainingMs <= 30_000, String(remainingMs));
  const other = start();
  await (await other.bridge.next("/poll")).answer(200, whole);
  assert.equal(other.items[0]?.remainingMs, 30_000);
});

test("a client's name that cannot be sent back is no bridge's answer", async () => {
  for (const client of ["\\ud800", "x".repeat(257)]) {
    const { bridge, told } = start();
    await (await bridge.next("/poll")).refuse(410, "STALE_CLIENT");
    const body = JSON.stringify(CONNECTED).replace("client-1", client);
    await (await bridge.next("/connect")).answer(200, body);
    assert.equal(told.at(-1), "ended bad-answer");
  }
});
