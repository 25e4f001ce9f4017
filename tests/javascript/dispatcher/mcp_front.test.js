// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { McpFront } from "../../../browser_worker/dispatcher/mcp_front.js";

/** @import { AppRequest } from "../../../browser_worker/dispatcher/mcp_front.js" */

const SERVER = { name: "bascule", title: "Bascule", version: "1.2.3" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const SERVER_INFO = { "io.modelcontextprotocol/serverInfo": SERVER };

/** @param {object} message */
const line = (message) => JSON.stringify({ jsonrpc: "2.0", ...message });

/** @param {object} message @param {McpFront} [front] @returns {any} */
function answered(message, front = new McpFront(SERVER)) {
  const taken = front.take(line(message));
  assert.equal(taken.kind, "answered");
  return JSON.parse(/** @type {any} */ (taken).line);
}

/** @param {object} [params] @param {unknown} [id] @returns {AppRequest} */
function request(params = { _meta: META }, id = 1) {
  const message = { id, method: "tools/call", params: { name: "actions_search", ...params } };
  const taken = new McpFront(SERVER).take(line(message));
  if (taken.kind !== "app") throw new assert.AssertionError({ message: taken.kind });
  return taken;
}

/** @param {unknown} offered @param {boolean} [acceptOlder] */
function negotiated(offered, acceptOlder = false) {
  const params = { protocolVersion: offered, capabilities: {}, clientInfo: {} };
  const front = new McpFront(SERVER, { acceptOlder });
  return answered({ id: 0, method: "initialize", params }, front).result;
}

test("a gateway tells its title, and an app that has none tells none", () => {
  const discover = { id: 1, method: "server/discover", params: { _meta: META } };
  assert.deepEqual(answered(discover).result._meta, SERVER_INFO);
  const untitled = new McpFront({ name: "App", version: "1" });
  assert.deepEqual(answered(discover, untitled).result._meta, {
    "io.modelcontextprotocol/serverInfo": { name: "App", version: "1" },
  });
});

test("any other offer is countered, and 2025-06-18 is answered only where somebody asked for that", () => {
  for (const offered of ["2025-11-25", "2024-11-05", "2026-07-28", "x"]) {
    assert.equal(negotiated(offered).protocolVersion, "2025-11-25");
    assert.equal(negotiated(offered, true).protocolVersion, "2025-11-25");
  }
  assert.equal(negotiated("2025-06-18").protocolVersion, "2025-11-25");
  assert.equal(negotiated("2025-06-18", true).protocolVersion, "2025-06-18");
  assert.deepEqual(negotiated("2025-11-25").serverInfo, SERVER);
});

test("nothing is remembered: after an initialize a modern message is modern, and the other way round", () => {
  const front = new McpFront(SERVER);
  const list = { id: 1, method: "tools/list" };
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} };
  for (let round = 0; round < 2; round++) {
    answered({ id: "i", method: "initialize", params: initialize }, front);
    assert.equal(answered({ ...list, params: { _meta: META } }, front).result.ttlMs, 3_600_000);
    assert.deepEqual(Object.keys(answered(list, front).result), ["tools"]);
  }
});

test("a request that needs an app comes out with its era and the token for its progress", () => {
  const modern = request({ _meta: { ...META, progressToken: "p" }, arguments: { limit: 1 } }, "a");
  assert.deepEqual([modern.id, modern.era, modern.progressToken], ["a", "modern", "p"]);
  assert.deepEqual(modern.params["arguments"], { limit: 1 });
  assert.equal(request({}).era, "legacy");
  assert.equal(request({}, 0).id, 0);
});

test("a notification that cancels names a request, and every other one is nothing", () => {
  const front = new McpFront(SERVER);
  const cancel = (/** @type {unknown} */ params) =>
    front.take(line({ method: "notifications/cancelled", params }));
  assert.deepEqual(cancel({ requestId: 0 }), { kind: "cancelled", requestId: 0 });
  assert.deepEqual(cancel({ requestId: "a", reason: "x" }), { kind: "cancelled", requestId: "a" });
  for (const bad of [{}, { requestId: null }, { requestId: 1.5 }, [], 5]) {
    assert.equal(cancel(bad).kind, "ignored");
  }
  for (const method of ["notifications/initialized", "tools/list", "initialize", ""]) {
    assert.equal(front.take(line({ method })).kind, "ignored");
  }
});

test("a response is nothing, whatever its id", () => {
  for (const rest of [{ result: {} }, { error: { code: 1, message: "x" } }, { result: null }]) {
    for (const id of [{ id: 1 }, { id: null }, {}]) {
      assert.equal(new McpFront(SERVER).take(line({ ...id, ...rest })).kind, "ignored");
    }
  }
});

test("what cannot be tied to an id is answered without one", () => {
  const front = new McpFront(SERVER);
  const codes = { "{": -32700, "": -32700, "[]": -32600, 5: -32600, "{}": -32600 };
  for (const [text, code] of Object.entries(codes)) {
    const told = JSON.parse(/** @type {any} */ (front.take(text)).line);
    assert.deepEqual([told.error.code, "id" in told], [code, false], text);
  }
  const large = front.take(`"${"x".repeat(1_048_576)}"`);
  assert.deepEqual(JSON.parse(/** @type {any} */ (large).line), {
    jsonrpc: "2.0",
    error: {
      code: 1015,
      message: "Over the limit encodedBytes of 1048576.",
      data: { limit: "encodedBytes", maximum: 1_048_576, code: "LIMIT_EXCEEDED" },
    },
  });
});

test("a text of just two hundred thousand bytes is one block, and one more makes two of whole characters", () => {
  const front = new McpFront(SERVER);
  // {"s":"…"} takes eight bytes beside the text.
  const blocks = (/** @type {string} */ s) =>
    JSON.parse(front.toolResult(request(), { s })).result.content.map(
      (/** @type {any} */ { text }) => text,
    );
  assert.equal(blocks("x".repeat(199_992)).length, 1);
  const cut = blocks(`${"x".repeat(199_991)}😀ä`);
  assert.deepEqual(
    cut.map((/** @type {string} */ each) => Buffer.byteLength(each)),
    [199_997, 8],
  );
  assert.equal(cut.join(""), JSON.stringify({ s: `${"x".repeat(199_991)}😀ä` }));
});

test("a result that is too large as text as well is given as data only, and too large as data it fails", () => {
  const front = new McpFront(SERVER);
  const half = (/** @type {number} */ size) =>
    ["a", "b", "c", "d"].map((letter) => letter.repeat(size));
  const only = JSON.parse(front.toolResult(request(), { half: half(200_000) })).result;
  assert.deepEqual(only.content, [{ type: "text", text: "The result is in structuredContent." }]);
  assert.deepEqual(only.structuredContent, { half: half(200_000) });
  const failed = JSON.parse(front.toolResult(request(), { half: half(262_144) })).result;
  assert.equal(failed.isError, true);
  assert.deepEqual(failed.structuredContent.error, {
    code: 1015,
    message: "The action has run, but its result is over the limit encodedBytes of 1048576.",
    data: {
      limit: "encodedBytes",
      maximum: 1_048_576,
      code: "LIMIT_EXCEEDED",
      hint: "An action that was called has run: do not repeat it. Look with state_inspect what it did, and ask for less at once.",
    },
  });
});

test("a failure is told whole as text and as data, and in fewer words where it is too large", () => {
  const front = new McpFront(SERVER);
  const error = { code: 1008, message: "Stale.", data: { code: "STALE_REVISION", actual: 8 } };
  const told = JSON.parse(front.toolFailure(request(), error)).result;
  assert.equal(told.content[0].text, `Stale.\n${JSON.stringify({ error })}`);
  assert.deepEqual(told.structuredContent, { error });
  const texts = Array.from({ length: 4 }, () => "x".repeat(200_000));
  const large = { ...error, data: { ...error.data, texts } };
  const only = JSON.parse(front.toolFailure(request(), large)).result;
  const short = "STALE_REVISION: Stale.\nThe error is in structuredContent.";
  assert.deepEqual(only.content, [{ type: "text", text: short }]);
  assert.deepEqual(only.structuredContent, { error: large });
  const huge = { ...error, data: { ...error.data, texts: [...texts, ...texts] } };
  const cut = JSON.parse(front.toolFailure(request(), huge)).result;
  assert.deepEqual(cut.structuredContent.error, {
    code: 1008,
    message: "The error cannot be told in full.",
    data: { code: "STALE_REVISION" },
  });
});

test("a JSON-RPC error keeps its number and data where they fit, and its code where they do not", () => {
  const front = new McpFront(SERVER);
  const refusal = { number: -32602, message: "No.", data: { uri: "a:b" } };
  assert.equal(
    front.error(request({}, "x"), refusal),
    '{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"No.","data":{"uri":"a:b"}}}',
  );
  const large = { ...refusal, data: { code: "HOST_ERROR", uri: "x".repeat(300_000) } };
  assert.deepEqual(JSON.parse(front.error(request(), large)).error, {
    code: -32602,
    message: "The error cannot be told in full.",
    data: { code: "HOST_ERROR" },
  });
});

test("a result that is over a limit gives way to another, and else to LIMIT_EXCEEDED", () => {
  const front = new McpFront(SERVER);
  const large = { text: "x".repeat(300_000) };
  assert.equal(JSON.parse(front.result(request(), large)).error.code, 1015);
  const otherwise = { text: "short" };
  const given = JSON.parse(front.result(request(), large, { ttlMs: 0, otherwise })).result;
  assert.deepEqual(given, {
    resultType: "complete",
    text: "short",
    ttlMs: 0,
    cacheScope: "private",
    _meta: SERVER_INFO,
  });
});

test("whatever the line is, the front takes it and throws nothing", () => {
  const front = new McpFront(SERVER);
  const value = fc.jsonValue({ maxDepth: 3 });
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0"),
      id: fc.oneof(fc.integer(), fc.string(), value),
      method: fc.oneof(
        fc.constantFrom("server/discover", "initialize", "tools/call", "tools/list", "ping"),
        fc.constantFrom("resources/list", "resources/read", "notifications/cancelled"),
        fc.string(),
      ),
      params: fc.oneof(
        value,
        fc.record(
          {
            _meta: fc.oneof(fc.constant(META), value),
            name: fc.oneof(fc.constantFrom("actions_search", "toString", "__proto__"), value),
            arguments: value,
            cursor: value,
            uri: value,
            protocolVersion: value,
            capabilities: value,
            clientInfo: value,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        message.map((each) => JSON.stringify(each)),
        fc.string(),
      ),
      (text) => {
        const taken = front.take(text);
        assert.ok(["answered", "cancelled", "ignored", "app"].includes(taken.kind));
        if (taken.kind !== "answered") return;
        const told = JSON.parse(taken.line);
        assert.equal(told.jsonrpc, "2.0");
        assert.equal("result" in told, taken.ok);
        assert.notEqual(told.id, null);
      },
    ),
  );
});
