// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { Delivery } from "../../../browser_worker/link/delivery.js";
import { FakeTime, settle } from "./support/fake_time.js";

/** @import { Endpoint, RequestContext } from "../../../browser_worker/link/delivery.js" */
/** @import { DeliveredItem } from "../../../browser_worker/link/transport.js" */

const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}';

/** @param {Partial<Endpoint>} [endpoint] */
function page(endpoint = {}) {
  const time = new FakeTime();
  /** @type {string[]} */
  const log = [];
  const delivery = new Delivery({
    clock: time.clock,
    endpoint: {
      request: async (text, { session }) => {
        log.push(`run ${session} ${text}`);
        return '{"ok":true}';
      },
      closeSession: (session) => log.push(`close ${session}`),
      ...endpoint,
    },
  });
  const transport = {
    /** @type {(id: string, seq: number) => void} */
    begun: (id, seq) => void log.push(`begun ${id} ${seq}`),
    /** @type {(id: string, response: string | null) => void} */
    postResult: (id, response) => void log.push(`result ${id} ${response}`),
  };
  return {
    time,
    log,
    delivery,
    /** @param {Partial<DeliveredItem>[]} items */
    async accept(...items) {
      delivery.accept(items.map(item), time.clock(), transport);
      await settle();
    },
  };
}

/**
 * @param {Partial<DeliveredItem>} members
 * @returns {DeliveredItem}
 */
const item = (members) => ({
  id: "a",
  seq: 1,
  session: "s",
  remainingMs: 30_000,
  request: REQUEST,
  ...members,
});

test("an item is begun, run with its own text and answered", async () => {
  const { log, accept, delivery } = page();
  await accept({ request: '{"id":1e3}' });
  assert.deepEqual(log, ["begun a 1", 'run s {"id":1e3}', 'result a {"ok":true}']);
  assert.equal(delivery.taken, 1);
});

test("an item that is offered again is dropped, by id, also after a new client", async () => {
  const { log, accept, delivery } = page();
  await accept({ id: "a" }, { id: "a" });
  await accept({ id: "a", seq: 9 }, { id: "b", seq: 2 });
  delivery.restart(1_000);
  await accept({ id: "b", seq: 1 });
  assert.equal(log.filter((line) => line.startsWith("run")).length, 2);
});

test("the memory for repeats is bounded and keeps what can still be offered", async () => {
  const { log, accept } = page();
  await accept(...Array.from({ length: 512 }, (_, n) => ({ id: `i${n}` })));
  const before = log.length;
  await accept({ id: "i0" });
  assert.equal(log.length, before);
  log.length = 0;
  await accept({ id: "new" }, { id: "i1" });
  assert.equal(log.filter((line) => line.startsWith("run")).length, 1);
  await accept({ id: "i0" });
  assert.equal(log.filter((line) => line.startsWith("run")).length, 2, "the oldest is forgotten");
});

test("an item is handed on while an earlier one still runs", async () => {
  /** @type {((response: string) => void)[]} */
  const ends = [];
  const { log, accept } = page({ request: () => new Promise((resolve) => ends.push(resolve)) });
  await accept({ id: "a", seq: 1 });
  await accept({ id: "b", seq: 2 });
  assert.equal(ends.length, 2);
  ends[1]?.("2");
  await settle();
  assert.deepEqual(log, ["begun a 1", "begun b 2", "result b 2"]);
});

test("an item past its deadline is not started, and nothing is said of it", async () => {
  const { log, accept, delivery } = page();
  await accept({ remainingMs: 0 }, { id: "b", remainingMs: -5 });
  assert.deepEqual(log, []);
  assert.equal(delivery.taken, 0);
  await accept({ id: "c", remainingMs: 1 });
  assert.equal(log.length, 3);
});

test("an item behind one that held the page too long is not started", async () => {
  const own = page({
    request: async (text) => {
      own.log.push(`run ${text}`);
      own.time.monotonicMs += 10_000;
      return "null";
    },
  });
  await own.accept(
    { id: "a", request: "1" },
    { id: "b", request: "2", remainingMs: 10_000 },
    { id: "c", request: "3", remainingMs: 10_001 },
  );
  assert.deepEqual(
    own.log.filter((line) => line.startsWith("run")),
    ["run 1", "run 3"],
  );
});

test("nothing stale starts after the machine slept, and a clock put back does not stop work", async () => {
  const own = page();
  const received = own.time.clock();
  own.time.sleep(3_600_000);
  const log = own.log;
  const transport = { begun: () => {}, postResult: () => {} };
  own.delivery.accept([item({ id: "slept" })], received, transport);
  await settle();
  assert.deepEqual(log, []);
  own.time.sleep(-7_200_000);
  own.delivery.accept([item({ id: "back" })], received, transport);
  await settle();
  assert.equal(log.length, 1);
});

test("an endpoint that lets requests wait is told when the caller has gone", async () => {
  /** @type {RequestContext[]} */
  const contexts = [];
  const { time, accept } = page({
    request: async (_text, context) => {
      contexts.push(context);
      return "null";
    },
  });
  await accept({ remainingMs: 1_000 });
  await time.advance(999);
  assert.equal(contexts[0]?.expired(), false);
  await time.advance(1);
  assert.equal(contexts[0]?.expired(), true);
});

test("a close job closes its session and is answered null", async () => {
  const { log, accept } = page();
  await accept({ request: null, session: "gone" });
  assert.deepEqual(log, ["begun a 1", "close gone", "result a null"]);
});

test("what is not answered is acknowledged with null", async () => {
  const { log, accept } = page({ request: async () => null });
  await accept({});
  assert.equal(log.at(-1), "result a null");
});

test("a response is measured in UTF-8 bytes, at the limit and one over", async () => {
  let response = "";
  const { log, accept, delivery } = page({ request: async () => response });
  const run = async (/** @type {string} */ id, /** @type {string} */ text) => {
    response = text;
    await accept({ id });
    return log.at(-1);
  };
  const full = `"${"é".repeat(524_287)}"`;
  assert.equal(Buffer.byteLength(full), 1_048_576);
  assert.equal(await run("a", full), `result a ${full}`);
  assert.equal(await run("b", `${full} `), "result b null");
  delivery.restart(10);
  assert.equal(await run("c", '"😀😀"'), 'result c "😀😀"');
  assert.equal(await run("d", '"😀😀."'), "result d null");
  delivery.restart(2_000_000);
  assert.equal(await run("e", `${full} `), "result e null", "a bridge cannot raise the limit");
});

test("an endpoint that breaks still answers its caller, with its id and without a word of why", async () => {
  const secret = "secret of the page";
  const { log, accept } = page({
    request: async () => {
      throw new Error(secret);
    },
  });
  const answers = [];
  for (const [n, id] of ['"x\\u0031"', "1e3", "-0", "{}", "true", "null"].entries()) {
    await accept({ id: String(n), request: `{"jsonrpc":"2.0","id":${id},"method":"m"}` });
    answers.push(log.at(-1)?.slice(9));
  }
  const error = '"error":{"code":1018,"message":"The app failed.","data":{"code":"HOST_ERROR"}}}';
  assert.deepEqual(
    answers,
    ['"x\\u0031"', "1e3", "-0", "null", "null", "null"].map(
      (id) => `{"jsonrpc":"2.0","id":${id},${error}`,
    ),
  );
  await accept({ id: "n", request: '{"jsonrpc":"2.0","method":"m"}' });
  assert.equal(log.at(-1), "result n null");
  assert.ok(!log.join().includes(secret));
});

test("an endpoint that throws at once is no different, and a close job that fails is acknowledged", async () => {
  const fail = () => {
    throw new Error("broken");
  };
  const { log, accept } = page({ request: fail, closeSession: fail });
  await accept({ id: "a" }, { id: "b", request: null });
  assert.match(log[1] ?? "", /^begun b/);
  assert.match(log.find((line) => line.startsWith("result a")) ?? "", /HOST_ERROR/);
  assert.ok(log.includes("result b null"));
});

test("an endpoint that answers with something else than text has broken", async () => {
  /** @type {unknown} */
  let answer;
  const { log, accept } = page({
    request: async () => /** @type {string} */ (answer),
  });
  for (const [n, value] of [{ jsonrpc: "2.0" }, 7, true, ["x"], new String("null")].entries()) {
    answer = value;
    await accept({ id: `${n}` });
    assert.match(log.at(-1) ?? "", new RegExp(`^result ${n} .*"HOST_ERROR"`));
  }
  answer = undefined;
  await accept({ id: "none" });
  assert.equal(log.at(-1), "result none null");
});

test("what waits for its turn is not begun once the page was let go or has a new client", async () => {
  for (const leave of /** @type {const} */ (["abandon", "restart"])) {
    /** @type {RequestContext[]} */
    const contexts = [];
    const { accept, delivery } = page({
      request: (_text, context) => {
        contexts.push(context);
        return new Promise(() => {});
      },
    });
    await accept({ id: "before" });
    assert.equal(contexts[0]?.expired(), false);
    if (leave === "abandon") delivery.abandon();
    else delivery.restart(1_000);
    assert.equal(contexts[0]?.expired(), true, leave);
    await accept({ id: "after" });
    assert.equal(contexts[1]?.expired(), false, "those of the next client are wanted");
  }
});

test("an item behind one that lets the page go is not started", async () => {
  const own = page({
    request: async (text) => {
      own.log.push(`run ${text}`);
      own.delivery.abandon();
      return "null";
    },
  });
  await own.accept({ id: "a", request: "1" }, { id: "b", seq: 2, request: "2" });
  assert.deepEqual(
    own.log.filter((line) => line.startsWith("run")),
    ["run 1"],
  );
});
