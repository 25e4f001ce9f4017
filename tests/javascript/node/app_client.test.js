// @ts-check
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ActionSpec, AppError, Dispatcher } from "../../../browser_worker/index.js";
import {
  ActionError,
  BasculeError,
  BridgeFailure,
  CallAborted,
  DeadlineExceeded,
  connect,
  startBridge,
} from "../../../browser_worker/node/index.js";
import { attachPage } from "./support/attached_page.js";
import { COMMAND } from "./support/command.js";

/** @import { AppClient, BridgeProcess } from "../../../browser_worker/node/index.js" */
/** @import { AttachedPage } from "./support/attached_page.js" */

const ANY = { type: "object" };
const ORIGIN = "http://127.0.0.1:8765";

/** An app whose calls can be held. */
class TestApp {
  revision = 1;
  events = new EventTarget();
  /** @type {(() => void)[]} */
  held = [];
  specs = [
    ActionSpec.read("echo", "Gives its input back", { inputSchema: ANY, outputSchema: ANY }),
    ActionSpec.write("count", "Counts", {}),
    ActionSpec.read("fail", "Throws", {}),
    ActionSpec.read("hold", "Waits", {}),
    ActionSpec.read("later", "Waits for a person", {}),
    ActionSpec.read("ask", "Asks its owner first", {}),
    ...Array.from({ length: 60 }, (_, n) => ActionSpec.read(`more.${n}`, "One of many")),
  ];
  dispatcher = new Dispatcher(
    {
      actions: () => this.specs,
      revision: () => this.revision,
      capabilities: () => 0,
      concurrent: true,
      inspect: (query) => ({ query, big: 2n ** 64n }),
      execute: (action, input, context) => {
        switch (action) {
          case "echo":
            return input;
          case "count":
            return { count: ++this.revision };
          case "later":
            context.defer("person", "somebody has to say yes");
            return new Promise((resolve) => this.held.push(() => resolve({ done: true })));
          case "ask":
            return this.ask(context);
          case "hold":
            return new Promise((resolve) => {
              this.held.push(() => resolve({}));
              this.events.dispatchEvent(new Event("held"));
            });
          default:
            throw new Error("of the app's own");
        }
      },
    },
    { app: { name: "Test", version: "1" } },
  );

  /** The owner's answers, in turn. @type {((yes: boolean) => void)[]} */
  asked = [];

  constructor() {
    this.dispatcher.setEnabled(true);
  }

  /** @param {import("../../../browser_worker/dispatcher/host.js").CallContext} context */
  async ask(context) {
    context.defer("consent", "The owner is asked.");
    const yes = await new Promise((resolve) => {
      this.asked.push(resolve);
      this.events.dispatchEvent(new Event("asked"));
    });
    if (!yes) {
      const availability = { code: "OWNER_REQUIRED", reason: "The owner said no." };
      throw new AppError("UNAVAILABLE", "The owner said no.", { availability });
    }
    context.defer("running", "The owner said yes.");
    return { done: true };
  }
}

test("what fails while the latest revision is read was no call", async () => {
  const server = createServer((request) => request.socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const client = connect({ url: `http://127.0.0.1:${port}`, token: "t".repeat(43) });
  try {
    await assert.rejects(client.call("count"), { code: "CONNECTION_LOST", outcome: "unknown" });
    await assert.rejects(client.call("count", {}, { expectedRevision: "latest" }), {
      code: "CONNECTION_LOST",
      outcome: "not_delivered",
    });
  } finally {
    await client.close();
    server.close();
  }
});

test("a list of actions that has no end is given up, and a socket too many was no call", async () => {
  const busy = { error: { code: "BUSY", message: "Too many." } };
  const page = { jsonrpc: "2.0", id: 1, result: { actions: [{}], nextCursor: "again" } };
  let asked = 0;
  const server = createServer((request, answer) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { request: message } = JSON.parse(String(Buffer.concat(chunks)));
      const list = message?.method === "actions/list";
      asked += list ? 1 : 0;
      const body = JSON.stringify(list ? { ...page, id: message.id } : busy);
      answer.writeHead(list ? 200 : 503, { "Content-Length": Buffer.byteLength(body) }).end(body);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const client = connect({ url: `http://127.0.0.1:${port}`, token: "t".repeat(43) });
  try {
    await assert.rejects(client.actions(), { code: "BAD_ANSWER" });
    assert.equal(asked, 2);
    await assert.rejects(client.call("count"), { code: "BUSY", outcome: null });
  } finally {
    await client.close();
    server.close();
  }
});

describe("a client of an app that is attached to a real bridge", () => {
  /** @type {string} */
  let runtime;
  /** @type {BridgeProcess} */
  let bridge;
  /** @type {AttachedPage} */
  let page;
  /** @type {AppClient} */
  let client;
  const app = new TestApp();

  before(async () => {
    runtime = await mkdtemp(join(tmpdir(), "bascule-"));
    const env = { ...process.env, XDG_RUNTIME_DIR: runtime };
    bridge = await startBridge({ origin: ORIGIN, command: COMMAND, env });
    page = await attachPage(bridge, app.dispatcher);
    client = connect(bridge);
  });
  after(async () => {
    for (const goOn of app.held) goOn();
    await client?.close();
    await page?.detach();
    await bridge?.close();
    await rm(runtime, { recursive: true, force: true });
  });

  test("tells what the app is and what it can do, over all pages of the list", async () => {
    const info = await client.info();
    assert.equal(info["app"].name, "Test");
    const actions = await client.actions();
    assert.equal(actions.length, 66);
    assert.deepEqual(
      actions.slice(0, 2).map(({ name, kind }) => [name, kind]),
      [
        ["echo", "read"],
        ["count", "write"],
      ],
    );
    assert.deepEqual(
      (await client.actions("many 59")).map(({ name }) => name),
      ["more.59"],
    );
    const action = await client.describe("count");
    assert.equal(action.kind, "write");
    assert.equal(action.revision, app.revision);
  });

  test("calls an action and gives its output, exact in large numbers", async () => {
    const input = { text: "é 😀\u2028", big: 9007199254740993n, list: [1, 2.5, null] };
    const { status, output, task } = await client.call("echo", input);
    assert.deepEqual([status, output, task], ["completed", input, null]);
    assert.deepEqual(await client.inspect({ a: 1 }), {
      query: { a: 1 },
      big: 2n ** 64n,
      revision: app.revision,
      protocolVersion: "1",
    });
  });

  test("sends the revision that it is given, or the latest", async () => {
    await assert.rejects(client.call("count"), { code: "REVISION_REQUIRED", outcome: null });
    await assert.rejects(client.call("count", {}, { expectedRevision: 99 }), {
      code: "STALE_REVISION",
      data: { expected: 99, actual: app.revision, code: "STALE_REVISION" },
    });
    const first = await client.call("count", {}, { expectedRevision: "latest" });
    assert.equal(first.revision, app.revision);
    const second = await client.call("count", {}, { expectedRevision: first.revision ?? 0 });
    assert.equal(second.output.count, Number(first.revision) + 1);
  });

  test("an error of the app says whether it may have run", async () => {
    const failed = await client.call("fail").catch((error) => error);
    assert.ok(failed instanceof ActionError && failed instanceof BasculeError);
    assert.deepEqual([failed.code, failed.number, failed.outcome], ["HOST_ERROR", 1018, "unknown"]);
    assert.doesNotMatch(failed.message, /of the app's own/);
    const unknown = await client.call("none").catch((error) => error);
    assert.deepEqual([unknown.code, unknown.outcome], ["UNKNOWN_ACTION", null]);
    const stale = new ActionError(1008, "No.", { code: "STALE_REVISION", expected: 3, actual: 7 });
    assert.match(
      stale.message,
      /^No\. \[STALE_REVISION\] \(Revision 3 was expected; it is at 7\.\)$/,
    );
    const wrong = { errors: [{ path: "/by", message: "must be at least 1" }] };
    assert.match(new ActionError(1003, "No.", wrong).message, /\(\/by: must be at least 1\)$/);
    const odd = { errors: [null, 1, {}], availability: 1, limit: "maxDepth" };
    assert.equal(new ActionError(1003, "No.", odd).message, "No. [UNKNOWN_ERROR]");
    const method = await client.request("no/such").catch((error) => error);
    assert.deepEqual([method.code, method.number], ["METHOD_NOT_FOUND", -32601]);
  });

  test("a call that takes too long ends at its deadline, and its outcome is unknown", async () => {
    const held = once(app.events, "held");
    const call = client.call("hold", {}, { timeoutMs: 400 }).catch((error) => error);
    await held;
    const error = await call;
    assert.ok(error instanceof DeadlineExceeded, String(error));
    assert.equal(error.outcome, "unknown");
    app.held.pop()?.();
  });

  test("a signal ends a call that the page has begun with an unknown outcome", async () => {
    const held = once(app.events, "held");
    const given = new AbortController();
    const call = client.call("hold", {}, { signal: given.signal }).catch((error) => error);
    await held;
    given.abort(new Error("enough"));
    const error = await call;
    assert.ok(error instanceof CallAborted);
    assert.equal(error.outcome, "unknown");
    assert.match(String(error.cause), /enough/);
    const before = connect(bridge).call("echo", {}, { signal: given.signal });
    await assert.rejects(before, { code: "ABORTED", outcome: "not_delivered" });
    app.held.pop()?.();
  });

  test("many calls at once get each their own answer", async () => {
    const calls = Array.from({ length: 40 }, (_, n) => client.call("echo", { n }));
    const outputs = (await Promise.all(calls)).map(({ output }) => output.n);
    assert.deepEqual(
      outputs,
      Array.from({ length: 40 }, (_, n) => n),
    );
  });

  test("a deferred call gives a task, which is waited for until it ends", async () => {
    const { status, output, task } = await client.call("later");
    assert.deepEqual([status, output], ["deferred", undefined]);
    const id = task?.id ?? "";
    const early = await client.waitTask(id, { timeoutMs: 60 }).catch((error) => error);
    assert.ok(early instanceof DeadlineExceeded);
    const given = new AbortController();
    const waiting = client.waitTask(id, { signal: given.signal }).catch((error) => error);
    given.abort();
    assert.ok((await waiting) instanceof CallAborted);
    app.held.pop()?.();
    const ended = await client.waitTask(id);
    assert.deepEqual(
      [ended.state, ended.output, ended.action],
      ["completed", { done: true }, "later"],
    );
    assert.equal((await client.cancelTask(id)).state, "completed");
  });

  test("a call that its owner is asked for gives what came of the answer", async () => {
    for (const yes of [true, false]) {
      const asked = once(app.events, "asked");
      const call = client.call("ask").catch((error) => error);
      await asked;
      app.asked.pop()?.(yes);
      const given = await call;
      if (yes) {
        const { revision } = app;
        assert.deepEqual(given, {
          status: "completed",
          output: { done: true },
          task: null,
          revision,
        });
      } else {
        assert.ok(given instanceof ActionError);
        assert.match(given.message, /OWNER_REQUIRED/);
        assert.deepEqual([given.code, given.outcome], ["UNAVAILABLE", null]);
      }
    }
  });

  test("a question is left with the owner past a deadline, a signal, and where nobody waits", async () => {
    const late = await client.call("ask", {}, { timeoutMs: 300 }).catch((error) => error);
    assert.ok(late instanceof DeadlineExceeded, String(late));
    assert.equal(late.outcome, "unknown");
    assert.match(late.message, /cancelTask\("/);
    const given = new AbortController();
    const asked = once(app.events, "asked");
    const left = client.call("ask", {}, { signal: given.signal }).catch((error) => error);
    await asked;
    given.abort();
    assert.ok((await left) instanceof CallAborted);
    const { status, task } = await client.call("ask", {}, { waitForConsent: false });
    assert.deepEqual([status, task?.progress?.["reason"]], ["deferred", "consent"]);
    for (const answer of app.asked.splice(0)) answer(true);
    assert.deepEqual((await client.waitTask(task?.id ?? "")).output, { done: true });
  });

  test("a question that is taken back gives the task that was cancelled", async () => {
    const { task } = await client.call("ask", {}, { waitForConsent: false });
    const id = task?.id ?? "";
    await client.cancelTask(id);
    app.asked.pop()?.(false);
    assert.equal((await client.waitTask(id)).state, "cancelled");
  });

  test("calls are seen as they begin and end, and waited for", async () => {
    const { next } = await client.calls(null);
    const seen = client.calls(next, { waitMs: 10_000 });
    await client.call("echo");
    const events = [...(await seen).events];
    while (events.length < 2) {
      events.push(...(await client.calls(events.at(-1)?.seq ?? next, { waitMs: 10_000 })).events);
    }
    assert.deepEqual(
      events.map(({ phase, method, action }) => [phase, method, action]),
      [
        ["begin", "actions/execute", "echo"],
        ["end", "actions/execute", "echo"],
      ],
    );
    assert.equal(events[1]?.ok, true);
  });

  test("a disabled app refuses, and says so by its code", async () => {
    app.dispatcher.setEnabled(false);
    try {
      await assert.rejects(client.call("echo"), { code: "DISABLED", outcome: null });
    } finally {
      app.dispatcher.setEnabled(true);
    }
    assert.ok(new AppError("DISABLED", "one of the set") instanceof Error);
  });

  test("status tells of the page, and a closed client calls no more", async () => {
    const other = connect(bridge, { session: "mine" });
    assert.equal((await other.status())["attached"], true);
    await other.info();
    await other.close();
    await other.close();
    await assert.rejects(other.info(), TypeError);
  });

  test("a wrong token is refused before the call", async () => {
    const stranger = connect({ url: bridge.url, token: "x".repeat(43) });
    await assert.rejects(stranger.info(), { code: "UNAUTHORIZED", outcome: null });
    await stranger.close();
  });

  test("without a page nothing is delivered", async () => {
    await page.detach();
    const error = await client.info().catch((failure) => failure);
    assert.ok(error instanceof BridgeFailure);
    assert.deepEqual([error.code, error.outcome], ["NOT_ATTACHED", "not_delivered"]);
  });

  test("a bridge that has ended is not sent the token", async () => {
    await bridge.close();
    assert.equal(bridge.running, false);
    await assert.rejects(client.info(), { code: "NO_BRIDGE", outcome: "not_delivered" });
  });
});

test("only addresses of this machine are dialled", () => {
  const token = "x".repeat(43);
  for (const url of ["http://localhost:1234", "https://127.0.0.1:1", "http://10.0.0.1:80", "x"]) {
    assert.throws(() => connect({ url, token }), TypeError);
  }
  assert.throws(() => connect({ url: "http://127.0.0.1:1", token: "a b" }), TypeError);
  assert.throws(() => connect({ url: "http://127.0.0.1:1", token }, { timeoutMs: 0 }), RangeError);
});
