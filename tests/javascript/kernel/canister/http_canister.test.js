// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { HttpCanister } from "../../../../browser_worker/kernel/canister/http_canister.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

const ORIGIN = "https://page.test";
const MIB = 1_048_576;
const description = {
  methods: [
    {
      name: "find",
      kind: /** @type {const} */ ("query"),
      input: { type: "object" },
      output: true,
    },
  ],
};

/** @param {(url: string, init: RequestInit) => Promise<Response>} answer */
function backend(answer) {
  const time = new ManualRuntime();
  /** @type {{ url: string, init: RequestInit }[]} */
  const asked = [];
  const canister = new HttpCanister(
    { base: "/backend/notes", description, timeoutSeconds: 5 },
    {
      origin: ORIGIN,
      setTimer: time.after,
      /** @this {unknown} @param {string} url @param {RequestInit} init */
      fetch: function (url, init) {
        assert.equal(this, undefined, "as a browser's own wants it");
        asked.push({ url, init });
        return answer(url, init);
      },
    },
  );
  const controller = new AbortController();
  const call = () =>
    canister.call("find", { text: "a" }, { attachment: undefined, signal: controller.signal });
  return { time, asked, call, controller };
}

/** @param {BodyInit | null} body @param {ResponseInit} [init] */
function answering(body, init = {}) {
  return backend(async () => new Response(body, init));
}

/** A request that ends only when it is given up. @param {string} _url @param {RequestInit} init */
function silent(_url, { signal }) {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
}

describe("A call of a backend on the server", () => {
  test("is a POST below its address, in the person's session, and follows no redirect", async () => {
    const { call, asked } = answering('{"found": 1}');
    assert.deepEqual(await call(), { result: { found: 1 } });
    const [{ url, init } = { url: "", init: {} }] = asked;
    assert.equal(url, "https://page.test/backend/notes/find");
    assert.equal(init.method, "POST");
    assert.equal(init.body, '{"text":"a"}');
    assert.equal(init.credentials, "same-origin");
    assert.equal(init.mode, "same-origin");
    assert.equal(init.redirect, "manual");
  });

  test("with an empty answer gives null", async () => {
    assert.deepEqual(await answering(null, { status: 204 }).call(), { result: null });
  });

  for (const [status, code, message] of /** @type {[number, string, RegExp][]} */ ([
    [301, "TOOL_FAILED", /not followed/],
    [400, "INVALID_INPUT", /saying “no \ufffd such note”/],
    [401, "OWNER_REQUIRED", /Sign in/],
    [403, "OWNER_REQUIRED", /Sign in/],
    [404, "UNKNOWN_TOOL", /no such method/],
    [409, "INVALID_INPUT", /refused/],
    [413, "TOO_LARGE", /too large/],
    [429, "TOO_MANY_CALLS", /too much to do/],
    [500, "TOOL_FAILED", /may have done part/],
    [503, "TOO_MANY_CALLS", /too much to do/],
  ])) {
    test(`that is answered with ${status} fails as ${code}`, async () => {
      const body = '{"message": "no \u202e such note"}';
      await assert.rejects(answering(body, { status }).call(), { code, message });
    });
  }

  test("that a browser was sent elsewhere with is not made there", async () => {
    const redirect = { type: "opaqueredirect", status: 0, ok: false, body: null };
    const { call } = backend(async () => /** @type {any} */ (redirect));
    await assert.rejects(call(), { code: "TOOL_FAILED", message: /not followed/ });
  });

  test("is told when to try again", async () => {
    const headers = { "retry-after": "7" };
    await assert.rejects(answering("", { status: 503, headers }).call(), { retryAfterMs: 7_000 });
    const odd = { "retry-after": "soon" };
    await assert.rejects(answering("", { status: 503, headers: odd }).call(), {
      retryAfterMs: undefined,
    });
    const never = { "retry-after": String(Number.MAX_SAFE_INTEGER) };
    await assert.rejects(answering("", { status: 503, headers: never }).call(), {
      retryAfterMs: 86_400_000,
    });
  });

  test("takes 1 MiB of an answer, and not one byte more", async () => {
    const text = (/** @type {number} */ bytes) => `"${"a".repeat(bytes - 2)}"`;
    const { result } = await answering(text(MIB)).call();
    assert.equal(/** @type {string} */ (result).length, MIB - 2);
    await assert.rejects(answering(text(MIB + 1)).call(), { code: "TOO_LARGE" });
  });

  test("reads no more of an endless answer", async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    await assert.rejects(answering(endless).call(), { code: "TOO_LARGE" });
    assert.ok(pulled < 32);
    assert.equal(cancelled, true);
  });

  test("whose answer is no JSON has run, and says so", async () => {
    await assert.rejects(answering("<html>").call(), {
      code: "INVALID_OUTPUT",
      message: /The call was made/,
    });
  });

  test("that cannot be made or breaks off tells nothing of how", async () => {
    const { call } = backend(async () => {
      throw new TypeError("connect ECONNREFUSED 10.0.0.1");
    });
    await assert.rejects(call(), { code: "TOOL_FAILED", message: /^The backend could not be/ });
  });

  test("is given up after its time", async () => {
    const { call, time, asked } = backend(silent);
    const made = call();
    made.catch(() => {});
    time.pass(4_999);
    assert.equal(asked[0]?.init.signal?.aborted, false);
    time.pass(1);
    await assert.rejects(made, { code: "TIMEOUT" });
    assert.equal(time.timers.size, 0);
  });

  test("is given up when nobody waits any more", async () => {
    const { call, controller, time, asked } = backend(silent);
    const made = call();
    made.catch(() => {});
    controller.abort();
    await assert.rejects(made, { code: "TOOL_FAILED" });
    assert.equal(asked[0]?.init.signal?.aborted, true);
    assert.equal(time.timers.size, 0);
  });
});

describe("A backend on a server", () => {
  const powers = { origin: ORIGIN, setTimer: () => () => {}, fetch: async () => new Response("1") };

  for (const base of [
    "https://other.test/",
    "//other.test/x",
    "http://page.test/",
    "/a?b",
    "/a#b",
  ]) {
    test(`is not at ${base}`, () => {
      assert.throws(() => new HttpCanister({ base, description }, powers), TypeError);
    });
  }

  for (const name of ["../admin", "a/b", "", "a?b", ".."]) {
    test(`has no method ${JSON.stringify(name)}`, () => {
      const methods = description.methods.map((method) => ({ ...method, name }));
      assert.throws(() => new HttpCanister({ base: "/a", description: { methods } }, powers));
    });
  }
});
