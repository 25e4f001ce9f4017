// @ts-check
/**
 * Whatever happens in whatever order, each call ends exactly once, nothing of one source reaches
 * another, and nothing is left over.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { makeKernel } from "../../support/test_kernel.js";

const PLACES = /** @type {const} */ ([
  ["notes", "background"],
  ["notes", "tile"],
  ["board", "background"],
  ["board", "tray"],
]);
const NAMES = [
  "app:notes:background",
  "app:notes:tile:main:instance:1",
  "app:board:background",
  "app:board:tray:instance:1",
  "kernel",
];
const BUFFERS = { annotations: { "bascule:attachments": { api: 1 } } };

const place = fc.nat({ max: PLACES.length - 1 });
const pick = fc.nat({ max: 7 });

const action = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant("connect"), place }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("disconnect"), place }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("call"),
      place,
      target: fc.nat({ max: NAMES.length - 1 }),
      tool: fc.constantFrom("work", "work", "work", "none"),
      seconds: fc.constantFrom(1, 5, 30),
      bytes: fc.constantFrom(0, 0, 0, 10, 10, 17_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("list"), place, target: place }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("answer"),
      place,
      pick,
      how: fc.constantFrom("result", "error", "changed", "buffer", "broken", "twice", "as another"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("progress"), place, pick }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("cancel"), place, pick }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("time"), ms: fc.nat({ max: 8000 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("decide"), allow: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("deliver"), count: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("lock") }) },
);

class Model {
  constructor() {
    /** @type {((decision: any) => void)[]} */
    this.undecided = [];
    const decide = () =>
      new Promise((/** @type {(decision: any) => void} */ resolve) => {
        this.undecided.push(resolve);
      });
    this.made = makeKernel({ policy: { decide } });
    /** @type {(ReturnType<typeof this.made.connect> | null | undefined)[]} */
    this.live = PLACES.map(() => null);
    /** Every endpoint that ever was, with the calls that it made. @type {{ app: any, calls: Set<number>, secret: string }[]} */
    this.all = [];
    this.secrets = 0;
  }

  /** @param {number} at */
  connect(at) {
    const [app, kind] = /** @type {typeof PLACES[number]} */ (PLACES[at]);
    if (this.live[at]) return;
    const connected = this.made.connect(app, kind);
    const secret = `secret ${++this.secrets}`;
    // It describes its tool at once, and answers calls only when the test says so.
    connected.app.expose({ work: BUFFERS });
    this.live[at] = connected;
    this.all.push({ app: connected.app, calls: new Set(), secret });
  }

  /** @param {number} at */
  disconnect(at) {
    const connected = this.live[at];
    if (!connected) return;
    this.live[at] = null;
    this.made.kernel.disconnect(connected.endpoint);
  }

  /** @param {any} step */
  run(step) {
    const connected = this.live[step.place];
    const own = this.all.find(({ app }) => app === connected?.app);
    switch (step.type) {
      case "connect":
        return this.connect(step.place);
      case "disconnect":
        return this.disconnect(step.place);
      case "call": {
        if (own === undefined) return;
        const target = NAMES[step.target];
        const name = target === "kernel" ? "endpoints.list" : step.tool;
        own.calls.add(
          own.app.ask(
            "tools.call",
            {
              target,
              name,
              arguments: target === "kernel" ? {} : { secret: own.secret },
              timeout: step.seconds,
            },
            step.bytes === 0 ? undefined : new ArrayBuffer(step.bytes),
          ),
        );
        return;
      }
      case "list":
        own?.calls.add(own.app.ask("tools.list", { target: NAMES[step.target] }));
        return;
      case "answer":
        return this.answer(step);
      case "progress": {
        const { app, invoked } = this.invocation(step.pick);
        if (invoked === undefined) return;
        const { secret } = invoked.payload.payload.arguments;
        app.send({ type: "progress", id: invoked.id, payload: { secret } });
        return;
      }
      case "cancel": {
        const id = [...(own?.calls ?? [])].at(-1 - step.pick);
        if (id !== undefined) own?.app.send({ type: "cancel", id, payload: { reason: "r" } });
        return;
      }
      case "time":
        return this.made.time.pass(step.ms);
      case "decide":
        this.undecided.shift()?.(
          step.allow ? { allow: true } : { allow: false, code: "UI_BUSY", message: "m" },
        );
        return;
      case "deliver":
        for (let count = 0; count < step.count; count++) this.made.ports.deliver();
        return;
      case "lock":
        this.made.kernel.lock();
        this.made.kernel.unlock();
        this.live.fill(null);
    }
  }

  /**
   * One of the last calls that a live endpoint was given.
   *
   * @param {number} which
   */
  invocation(which) {
    const all = this.live.flatMap((live) =>
      (live?.app.received ?? [])
        .filter((message) => message.payload?.action === "tools.invoke")
        .slice(-2)
        .map((invoked) => ({ app: live?.app, invoked })),
    );
    return /** @type {{ app: any, invoked: any }} */ (all[which % Math.max(1, all.length)] ?? {});
  }

  /** @param {{ pick: number, how: string }} step */
  answer({ pick: which, how }) {
    const { app, invoked } = this.invocation(which);
    if (invoked === undefined) return;
    const { secret } = invoked.payload.payload.arguments;
    const response = { type: "response", id: invoked.id };
    const result = { ...response, ok: { result: { secret } } };
    if (how === "error") {
      app.send({ ...response, error: { code: "TOOL_FAILED", message: secret } });
    } else if (how === "changed") {
      const { attachment } = invoked;
      app.send({ ...response, ok: { changed: true }, ...(attachment && { attachment }) });
    } else if (how === "buffer") {
      const attachment = new ArrayBuffer(10);
      app.send({ ...result, attachment }, [attachment]);
    } else if (how === "broken") {
      app.send({ ...response, ok: new Date(0) });
    } else if (how === "as another") {
      for (const other of this.all) {
        if (other.app !== app) other.app.send({ ...result, ok: { result: {} } });
      }
    } else {
      app.send(result);
      if (how === "twice") app.send(result);
    }
  }

  check() {
    const { kernel, time } = this.made;
    // What is in flight is what live endpoints wait for: nothing outlives who asked.
    const waiting = this.live.map((live) => live?.endpoint.requests.size ?? 0);
    assert.equal(
      kernel.callsInFlight,
      waiting.reduce((sum, count) => sum + count, 0),
    );
    assert.ok(waiting.every((count) => count <= 8));
    if (kernel.callsInFlight === 0) {
      assert.equal(kernel.attachmentBytes, 0);
      assert.equal(kernel.invocations.size, 0);
    }
    // The heartbeat's, and one for all deadlines.
    assert.ok(time.timers.size <= 2);
    for (const { app, calls, secret } of this.all) {
      const responses = app.received.filter((/** @type {any} */ m) => m.type === "response");
      const ids = responses.map((/** @type {any} */ { id }) => id);
      assert.equal(new Set(ids).size, ids.length, "a call was answered twice");
      for (const id of ids) assert.ok(calls.has(id), "an answer to nothing");
      for (const message of app.received) {
        if (message.type === "exec" || message.type === "event") continue;
        for (const [told] of JSON.stringify(message).matchAll(/secret \d+/g)) {
          assert.equal(told, secret, "somebody else's");
        }
      }
    }
  }
}

test("any order of connections, calls, answers, decisions and time keeps every promise", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 30, maxLength: 80, size: "max" }),
      async (steps) => {
        const model = new Model();
        const { kernel, ports, time } = model.made;
        model.connect(0);
        model.connect(1);
        model.connect(2);
        for (const step of steps) {
          model.run(step);
          await Promise.resolve();
          model.check();
        }
        await ports.settle();
        // Whoever is still waited for has had time enough.
        // Longer than any decision may take.
        time.pass(150_000);
        await ports.settle();
        time.pass(5_000);
        await ports.settle();
        model.check();
        assert.equal(kernel.callsInFlight, 0);
        assert.equal(kernel.attachmentBytes, 0);
        assert.ok(kernel.audit.entries().every(({ status }) => status !== "running"));
        for (const live of model.live) {
          if (!live) continue;
          assert.equal(live.endpoint.requests.size, 0);
          const of = model.all.find(({ app }) => app === live.app);
          for (const id of of?.calls ?? []) assert.ok(live.app.response(id), `no answer to ${id}`);
        }
        kernel.close();
        assert.equal(time.timers.size, 0);
        // The kernel's ends are closed; the apps' own are theirs.
        assert.equal(ports.open, model.all.length);
      },
    ),
    { numRuns: 400 },
  );
});
