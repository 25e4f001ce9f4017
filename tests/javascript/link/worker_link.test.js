// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { settle } from "./support/fake_time.js";
import { REQUEST, offer, offering, openLink, startLink } from "./support/linked_worker.js";
import { CONNECTED, TOKEN, pollAnswer } from "./support/scripted_bridge.js";

/** @param {...{ seq: number, request?: string }} items */
const frame = (...items) => pollAnswer(1, ...items);

test("a channel is opened with the ticket as a sub-protocol, and no token in its address", () => {
  const { sockets } = startLink();
  assert.equal(sockets.last.url, "ws://127.0.0.1:4567/channel");
  assert.deepEqual(sockets.last.protocols, ["bascule.1", "ticket-0123456789"]);
  assert.ok(!JSON.stringify(sockets.last).includes(TOKEN));
});

test("while a channel is open nothing is polled, and calls and results go over it byte for byte", async () => {
  const { bridge, sockets, items, told, link, time } = await openLink();
  const response = '{"jsonrpc":"2.0","id":1,"result":{"n":1e3,"z":-0}}';
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  assert.deepEqual(
    items.map(({ id, seq, session, request, remainingMs }) => [
      id,
      seq,
      session,
      request,
      remainingMs,
    ]),
    [["item-1", 1, "cli-json", REQUEST, 30_000]],
  );
  link.postResult("item-1", response);
  assert.deepEqual(sockets.last.news(), [
    `{"results":[{"id":"item-1","response":${response}}],"ack":1}`,
  ]);
  await time.advance(14_000);
  assert.equal(await bridge.unseen(), 0);
  assert.deepEqual(told, ["channel none"]);
});

test("a response that is too large is reported as that on the channel", async () => {
  const { sockets, link } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  link.postResult("item-1", null);
  assert.deepEqual(sockets.last.news(), ['{"results":[{"id":"item-1","tooLarge":true}],"ack":1}']);
});

test("a result is sent once, and only for what was delivered", async () => {
  const { sockets, link } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  link.postResult("other", "null");
  link.postResult("item-1", "null");
  link.postResult("item-1", "null");
  assert.equal(sockets.last.news().length, 1);
});

test("a result goes out in the turn in which the page gave it", async () => {
  const { sockets, link, time } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  const timers = time.timers.length;
  link.postResult("item-1", "null");
  assert.equal(sockets.last.sent.length, 1);
  assert.equal(time.timers.length, timers, "and waits for no timer");
});

test("a poll waits a moment for the channel, and then no longer", async () => {
  const { time, bridge, told } = startLink();
  await time.advance(249);
  assert.equal(await bridge.unseen(), 0);
  await time.advance(1);
  await bridge.next("/poll");
  assert.deepEqual(told, ["polling none"]);
});

test("a call that comes by polling while the channel opens is answered over the channel", async () => {
  const { time, bridge, sockets, items, link, told } = startLink();
  await time.advance(250);
  const poll = await bridge.next("/poll");
  await sockets.last.open();
  await poll.answer(200, pollAnswer(1, { seq: 1, request: REQUEST }));
  assert.equal(items.length, 1);
  link.postResult("item-1", "null");
  assert.equal(sockets.last.news().length, 1);
  assert.equal(await bridge.unseen(), 0, "and no other poll takes the channel's place");
  assert.deepEqual(told, ["polling none", "channel none"]);
});

test("a poll that the own channel supersedes is no error, whichever of the two is heard first", async () => {
  for (const openFirst of [true, false]) {
    const { time, bridge, sockets, told } = startLink();
    await time.advance(250);
    const poll = await bridge.next("/poll");
    if (openFirst) await sockets.last.open();
    await poll.refuse(409, "POLL_SUPERSEDED");
    if (!openFirst) await sockets.last.open();
    assert.equal(await bridge.unseen(), 0);
    assert.deepEqual(told, ["polling none", "channel none"]);
  }
});

test("a poll that somebody else supersedes ends the link still", async () => {
  const { bridge, told } = startLink({ first: null });
  await (await bridge.next("/poll")).refuse(409, "POLL_SUPERSEDED");
  assert.deepEqual(told, ["polling not-offered", "ended superseded"]);
});

test("a channel that a late poll of its own ends is followed by polling", async () => {
  const { time, bridge, sockets, told } = startLink();
  await time.advance(250);
  const poll = await bridge.next("/poll");
  await sockets.last.open();
  await poll.fail();
  await sockets.last.break(4_409);
  await bridge.next("/poll");
  assert.deepEqual(told, ["polling none", "channel none", "polling none"]);
});

test("an offer that came while a channel opened is there when a late poll has ended it", async () => {
  const { time, bridge, sockets, told } = startLink();
  await time.advance(250);
  await (
    await bridge.next("/poll")
  ).answer(200, offering(pollAnswer(1), offer("spare-ticket-00001")));
  await time.advance(250);
  const late = await bridge.next("/poll");
  await sockets.last.open();
  await sockets.last.break(4_409);
  assert.deepEqual(sockets.last.protocols, ["bascule.1", "spare-ticket-00001"]);
  await sockets.last.open();
  await late.refuse(409, "POLL_SUPERSEDED");
  assert.deepEqual(told, ["polling none", "channel none", "polling none", "channel none"]);
  assert.equal(await bridge.unseen(), 0);
});

test("an offer that is ten seconds old is not tried", async () => {
  for (const [ms, sockets] of /** @type {const} */ ([
    [9_749, 2],
    [9_750, 1],
  ])) {
    const link = startLink();
    await link.time.advance(250);
    await (await link.bridge.next("/poll")).answer(200, offering(pollAnswer(1)));
    await link.sockets.last.open();
    await link.time.advance(ms + 250);
    await link.sockets.last.break();
    assert.equal(link.sockets.all.length, sockets);
  }
});

test("a channel that the browser closes by itself, as for a page that is left, only breaks", async () => {
  for (const code of [1_000, 1_005, 1_006]) {
    const { sockets, told, bridge } = await openLink();
    await sockets.last.break(code);
    await bridge.next("/poll");
    assert.deepEqual(told.at(-1)?.startsWith("ended"), false);
  }
});

test("a channel that somebody else supersedes ends the link too", async () => {
  const { sockets, told, bridge } = await openLink();
  await sockets.last.break(4_409);
  assert.deepEqual(told.at(-1), "ended superseded");
  assert.equal(await bridge.unseen(), 0);
});

test("a channel that breaks is followed by a poll at once, with the same acknowledgement", async () => {
  const { bridge, sockets, told } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  await sockets.last.break();
  const poll = await bridge.next("/poll");
  assert.equal(poll.headers.get("Bascule-Ack"), "1");
  assert.deepEqual(told, ["channel none", "polling none"], "and nobody thinks the bridge is lost");
});

test("results that a broken channel may have lost are posted, and those that arrived are done", async () => {
  const { bridge, sockets, link, time } = await openLink();
  await sockets.last.receive(
    frame({ seq: 1, request: REQUEST }, { seq: 2, request: REQUEST }, { seq: 3, request: REQUEST }),
  );
  link.postResult("item-1", "null");
  link.postResult("item-2", "null");
  await sockets.last.break();
  const posted = [await bridge.next("/result"), await bridge.next("/result")];
  assert.deepEqual(
    posted.map(({ json }) => json.id),
    ["item-1", "item-2"],
  );
  await posted[0]?.refuse(409, "DUPLICATE_RESULT");
  await posted[1]?.refuse(404, "UNKNOWN_REQUEST");
  await bridge.next("/poll");
  link.postResult("item-3", "null");
  await (await bridge.next("/result")).answer(200, { accepted: true });
  await time.advance(15_000);
  assert.equal(await bridge.unseen(), 0);
});

test("a channel that opens again carries what waits, in few frames", async () => {
  const { bridge, sockets, link, time } = await openLink();
  const seqs = [1, 2, 3, 4, 5, 6];
  await sockets.last.receive(frame(...seqs.map((seq) => ({ seq, request: REQUEST }))));
  sockets.last.news();
  for (const seq of seqs) link.postResult(`item-${seq}`, `${seq}`);
  await sockets.last.break();
  // Four are posted; the others wait for a connection, and the channel is there first.
  const posts = bridge.requests.filter(({ path }) => path === "/result");
  assert.equal(posts.length, 4);
  const poll = bridge.requests.find(({ path }) => path === "/poll");
  await time.advance(0);
  await poll?.answer(200, offering(pollAnswer(2)));
  await sockets.last.open();
  assert.deepEqual(sockets.last.news(), [
    '{"results":[{"id":"item-5","response":5},{"id":"item-6","response":6}],"ack":6}',
  ]);
});

test("a refused result is done with, except one that the bridge cannot pass on", async () => {
  const { sockets, link, bridge } = await openLink();
  const seqs = [1, 2, 3];
  await sockets.last.receive(frame(...seqs.map((seq) => ({ seq, request: REQUEST }))));
  for (const seq of seqs) link.postResult(`item-${seq}`, "null");
  sockets.last.news();
  await sockets.last.receive('{"refused":{"id":"item-1","code":"DUPLICATE_RESULT"}}');
  await sockets.last.receive('{"refused":{"id":"other","code":"BAD_REQUEST"}}');
  assert.deepEqual(sockets.last.news(), []);
  await sockets.last.receive('{"refused":{"id":"item-2","code":"BAD_REQUEST"}}');
  assert.deepEqual(sockets.last.news(), ['{"results":[{"id":"item-2","tooLarge":true}],"ack":3}']);
  await sockets.last.receive('{"refused":{"id":"item-2","code":"BAD_REQUEST"}}');
  assert.deepEqual(sockets.last.news(), [], "and that is said once");
  await sockets.last.break();
  const posted = await bridge.next("/result");
  assert.equal(posted.json.id, "item-3", "and what was refused is not sent again");
  await bridge.next("/poll");
  assert.equal(await bridge.unseen(), 0);
});

test("nothing is kept of a result for which nobody can wait any more", async () => {
  const { sockets, link, bridge, time } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }, { seq: 2, request: REQUEST }));
  link.postResult("item-1", "null");
  await time.advance(29_000);
  link.postResult("item-2", "null");
  await time.advance(16_000);
  await sockets.last.break();
  assert.equal((await bridge.next("/result")).json.id, "item-2");
  await bridge.next("/poll");
  assert.equal(await bridge.unseen(), 0);
});

test("a result after the channel began to close is posted, not lost", async () => {
  const { sockets, link, bridge } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  sockets.last.readyState = 2;
  link.postResult("item-1", "null");
  assert.equal((await bridge.next("/result")).json.id, "item-1");
  await bridge.next("/poll");
  await sockets.last.break(4_409);
  assert.equal(await bridge.unseen(), 0, "and its end, when it comes, says nothing new");
});

test("a constructor that throws means polling, for good, and says what to add", async () => {
  const { bridge, told, time, sockets } = startLink({ forbidden: true });
  const tries = () => sockets.refused;
  const poll = await bridge.next("/poll");
  assert.deepEqual(told, ["polling blocked-by-csp"]);
  await poll.answer(200, offering(pollAnswer(1)));
  await bridge.next("/poll");
  await time.advance(14_000);
  assert.deepEqual([tries(), told.length], [1, 1]);
});

test("a violation that the worker reports means the same, before or after the failure", async () => {
  for (const before of [true, false]) {
    const { bridge, told, sockets, link } = startLink();
    if (before) link.blockedByPolicy();
    await sockets.last.break();
    if (!before) link.blockedByPolicy();
    const poll = await bridge.next("/poll");
    assert.equal(told.at(-1), "polling blocked-by-csp");
    await poll.answer(200, offering(pollAnswer(1)));
    assert.equal(sockets.all.length, 1, "and it is not tried again");
  }
});

test("a channel that cannot be opened means polling, and says so", async () => {
  const { bridge, told, sockets } = startLink();
  await sockets.last.break();
  await bridge.next("/poll");
  assert.deepEqual(told, ["polling not-opened"]);
});

test("an opening is given up when its ticket is of no use any more", async () => {
  const { sockets, time, told } = startLink();
  await time.advance(9_999);
  assert.equal(sockets.last.closedWith, null);
  await time.advance(1);
  assert.equal(sockets.last.closedWith, 1_005);
  assert.equal(told.at(-1), "polling not-opened");
  await sockets.last.open();
  assert.equal(told.at(-1), "polling not-opened", "whatever it does then");
});

test("an app that wants no channel opens none and polls at once", async () => {
  const { sockets, bridge, told } = startLink({ channel: false });
  await (await bridge.next("/poll")).answer(200, offering(pollAnswer(1)));
  await bridge.next("/poll");
  assert.equal(sockets.all.length, 0);
  assert.deepEqual(told, ["polling switched-off"]);
});

test("a bridge that offers none is polled, and one that offers later is used", async () => {
  const { sockets, bridge, told } = startLink({ first: null });
  await (await bridge.next("/poll")).answer(200, offering(pollAnswer(1), null));
  await (
    await bridge.next("/poll")
  ).answer(200, offering(pollAnswer(2), offer("second-ticket-0001")));
  assert.deepEqual(sockets.last.protocols, ["bascule.1", "second-ticket-0001"]);
  await sockets.last.open();
  assert.deepEqual(told, ["polling not-offered", "polling none", "channel none"]);
  assert.equal(await bridge.unseen(), 0);
});

test("a channel that always breaks is opened ever more seldom, and a person is told", async () => {
  const { sockets, bridge, told, time } = startLink();
  /** @type {number[]} */
  const opened = [];
  for (let step = 0; step < 12_000; step += 1) {
    const socket = sockets.last;
    if (socket.readyState === 0) {
      opened.push(time.monotonicMs - 1_000);
      await socket.open();
      await socket.break();
    }
    const poll = bridge.requests.at(-1);
    if (poll?.open) await poll.answer(200, offering(pollAnswer(step)));
    await time.advance(100);
  }
  assert.ok(opened.length >= 6 && opened.length <= 10, `${opened.length} times in twenty minutes`);
  assert.ok(opened.filter((at) => at < 60_000).length <= 5);
  assert.equal(told.at(-1), "polling unstable");
  assert.ok(!told.some((line) => line.startsWith("lost")));
});

test("a channel that lasted is opened again at once when it breaks", async () => {
  const { sockets, bridge, time } = await openLink();
  for (let round = 0; round < 5; round += 1) {
    await time.advance(30_000);
    await sockets.last.break();
    await (await bridge.next("/poll")).answer(200, offering(pollAnswer(round)));
    assert.equal(sockets.all.length, round + 2);
    await sockets.last.open();
    assert.equal(await bridge.unseen(), 0);
  }
});

test("the worker says that it is alive every fifteen seconds", async () => {
  const { sockets, time } = await openLink();
  await time.advance(14_999);
  assert.deepEqual(sockets.last.news(), []);
  await time.advance(1);
  assert.deepEqual(sockets.last.news(), ['{"alive":true}']);
  await time.advance(15_000);
  assert.deepEqual(sockets.last.news(), ['{"alive":true}']);
});

test("a channel from which nothing leaves any more is given up", async () => {
  const { sockets, time, bridge } = await openLink();
  sockets.last.bufferedAmount = 14;
  await time.advance(15_000);
  assert.equal(sockets.last.closedWith, null, "a backlog alone proves nothing");
  await time.advance(15_000);
  assert.equal(sockets.last.closedWith, 1_005);
  await bridge.next("/poll");
});

test("a backlog that grows or shrinks is no dead end", async () => {
  const { sockets, time, link } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  sockets.last.bufferedAmount = 100;
  await time.advance(15_000);
  link.postResult("item-1", "null");
  sockets.last.bufferedAmount = 200;
  await time.advance(15_000);
  sockets.last.bufferedAmount = 199;
  await time.advance(15_000);
  assert.equal(sockets.last.closedWith, null);
});

test("a call that runs on is acknowledged by itself, soon, and a quick one with its result", async () => {
  const { sockets, time, link } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  await time.advance(49);
  assert.deepEqual(sockets.last.news(), []);
  await time.advance(1);
  assert.deepEqual(sockets.last.news(), ['{"ack":1}']);
  await sockets.last.receive(frame({ seq: 2, request: REQUEST }));
  link.postResult("item-2", "null");
  assert.equal(sockets.last.news().length, 1);
  await time.advance(5_000);
  assert.deepEqual(sockets.last.news(), []);
});

test("half of what may be unacknowledged is acknowledged at once", async () => {
  const { sockets } = await openLink();
  const three = [1, 2, 3].map((seq) => ({ seq, request: REQUEST }));
  await sockets.last.receive(frame(...three));
  assert.deepEqual(sockets.last.news(), []);
  await sockets.last.receive(frame({ seq: 4, request: REQUEST }));
  assert.deepEqual(sockets.last.news(), ['{"ack":4}']);
});

test("an action that runs past a second is reported as taken on the channel", async () => {
  const { sockets, time, link, bridge } = await openLink();
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  link.begun("item-1", 1);
  await time.advance(1_000);
  assert.deepEqual(sockets.last.news(), ['{"ack":1}', '{"ack":1,"taken":1}']);
  assert.equal(await bridge.unseen(), 0);
});

test("a stale client's channel makes it connect anew and open the new one's", async () => {
  const { sockets, bridge, told, link } = await openLink();
  await sockets.last.receive(frame({ seq: 7, request: REQUEST }));
  link.postResult("item-7", "null");
  await sockets.last.break(4_410);
  const connect = (await bridge.unseen()) > 0 ? bridge.requests.at(-1) : undefined;
  assert.equal(connect?.path, "/connect", "nothing of the old client is posted");
  bridge.skip();
  await connect?.answer(200, {
    ...CONNECTED,
    client: "client-2",
    channel: offer("new-ticket-000001"),
  });
  assert.deepEqual(sockets.last.protocols, ["bascule.1", "new-ticket-000001"]);
  await sockets.last.open();
  assert.deepEqual(told, [
    "channel none",
    "polling none",
    "lost bridge-lost",
    "connected client-2",
    "live",
    "channel none",
  ]);
  await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
  link.postResult("item-1", "null");
  assert.deepEqual(sockets.last.news(), ['{"results":[{"id":"item-1","response":null}],"ack":1}']);
});

test("a bridge that calls each new client's channel stale is asked once per back-off", async () => {
  const { sockets, bridge, time } = await openLink();
  let connects = 0;
  for (let step = 0; step < 600; step += 1) {
    if (sockets.last.readyState === 0) await sockets.last.open();
    if (sockets.last.readyState === 1) await sockets.last.break(4_410);
    const request = bridge.requests.at(-1);
    if (request?.open && request.path === "/connect") {
      connects += 1;
      await request.answer(200, { ...CONNECTED, channel: offer() });
    }
    await time.advance(100);
  }
  assert.ok(connects >= 3 && connects <= 7, `${connects} connects in a minute`);
});

test("a bridge that closes says so on the channel", async () => {
  const { sockets, bridge, told } = await openLink();
  await sockets.last.break(1_001);
  assert.equal(told.at(-1), "ended closing");
  assert.equal(await bridge.unseen(), 0);
});

for (const code of [1_003, 1_009, 4_400]) {
  test(`after ${code} the channel is not tried again`, async () => {
    const { sockets, bridge, told } = await openLink();
    await sockets.last.break(code);
    await (await bridge.next("/poll")).answer(200, offering(pollAnswer(1)));
    await bridge.next("/poll");
    assert.equal(sockets.all.length, 1);
    assert.equal(told.at(-1), "polling not-understood");
  });
}

test("a frame that is not the bridge's ends the channel, not the link", async () => {
  for (const data of [
    "<html>",
    "{}",
    '{"now":1}',
    '{"now":1,"requests":[{"id":"a"}]}',
    '{"refused":{"id":1,"code":"X"}}',
    new ArrayBuffer(4),
  ]) {
    const { sockets, bridge, told } = await openLink();
    await sockets.last.receive(data);
    assert.equal(sockets.last.closedWith, 4_400);
    assert.equal(told.at(-1), "polling not-understood");
    await bridge.next("/poll");
  }
});

test("a peer that agrees on another sub-protocol, or on none, is not spoken to", async () => {
  for (const protocol of ["", "bascule.2"]) {
    const { sockets, bridge, told } = startLink();
    await sockets.last.open(protocol);
    assert.equal(told.at(-1), "polling not-understood");
    await bridge.next("/poll");
    assert.deepEqual(sockets.last.sent, []);
  }
});

test("a link that is stopped while its channel opens, or is open, leaves nothing behind", async () => {
  for (const opened of [false, true]) {
    const { sockets, bridge, time, told, link, items } = startLink();
    if (opened) await sockets.last.open();
    const before = told.length;
    link.stop();
    assert.notEqual(sockets.last.closedWith, null);
    await sockets.last.open();
    await sockets.last.receive(frame({ seq: 1, request: REQUEST }));
    await sockets.last.break();
    await time.advance(400_000);
    assert.deepEqual([told.length, items.length], [before, 0]);
    assert.equal(await bridge.unseen(), 0);
    assert.equal(time.timers.length, 0);
  }
});

test("a channel that opens while the bridge seems lost ends the wait", async () => {
  const { sockets, bridge, time, told } = startLink();
  await time.advance(250);
  await (await bridge.next("/poll")).fail();
  await sockets.last.open();
  assert.deepEqual(told, ["polling none", "lost bridge-lost", "channel none", "live"]);
  await time.advance(14_000);
  assert.equal(await bridge.unseen(), 0);
});

test("a bridge that dies with its channel open is lost by the poll that follows", async () => {
  const { sockets, bridge, time, told } = await openLink();
  bridge.dead = true;
  await sockets.last.break();
  await time.advance(400_000);
  const ends = ["lost bridge-lost", "unreached", "ended bridge-gone"];
  assert.deepEqual(told, ["channel none", "polling none", ...ends]);
});

test("an item that waited in the socket for an hour has no time left", async () => {
  const { sockets, time, items } = await openLink();
  await sockets.last.receive(pollAnswer(time.wallMs, { seq: 1, request: REQUEST }));
  const written = time.wallMs;
  time.sleep(3_600_000);
  for (let seq = 2; seq < 10; seq += 1) {
    await sockets.last.receive(pollAnswer(written, { seq, request: REQUEST }));
  }
  assert.equal(items[0]?.remainingMs, 30_000);
  assert.equal(items.length, 9);
  for (const { remainingMs } of items.slice(1)) assert.ok(remainingMs < 0, String(remainingMs));
  await settle();
});
