// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  META_CLIENT_CAPABILITIES,
  META_LOG_LEVEL,
  META_PROTOCOL_VERSION,
  MODERN,
  eraOf,
  metaRefusal,
  methodRefusal,
  progressToken,
  selectsMcp,
  shapeRefusal,
  versionRefusal,
} from "../../../browser_worker/contract/mcp_messages.js";
import { JsonNumber, parse } from "../../../browser_worker/contract/strict_json.js";

const META = { [META_PROTOCOL_VERSION]: MODERN, [META_CLIENT_CAPABILITIES]: {} };

test("a message is modern by either key of its envelope, or by its method, and else legacy", () => {
  for (const [key, value] of Object.entries(META)) {
    assert.equal(eraOf("tools/list", { _meta: { [key]: value } }), "modern");
  }
  assert.equal(eraOf("server/discover", {}), "modern");
  for (const meta of [undefined, null, 5, [META], "x", {}, { progressToken: 1 }]) {
    assert.equal(eraOf("tools/list", { _meta: meta }), "legacy");
  }
  assert.equal(eraOf("initialize", { _meta: META }), "modern");
  assert.equal(eraOf("tools/list", Object.create({ _meta: META })), "legacy");
});

test("only an envelope, server/discover and initialize are of no protocol but MCP", () => {
  assert.ok(selectsMcp("initialize", {}));
  assert.ok(selectsMcp("server/discover", {}));
  assert.ok(selectsMcp("resources/read", { _meta: META }));
  for (const method of ["resources/read", "tools/list", "tools/call", "ping", "agent/info"]) {
    assert.ok(!selectsMcp(method, { _meta: { progressToken: 1 } }), method);
  }
});

test("an envelope needs a revision and capabilities, which are an object", () => {
  assert.equal(metaRefusal({ _meta: META }), undefined);
  for (const meta of [undefined, [], 5, { ...META, [META_CLIENT_CAPABILITIES]: [] }]) {
    assert.equal(metaRefusal({ _meta: meta })?.number, -32602);
  }
  for (const missing of Object.keys(META)) {
    const rest = Object.fromEntries(Object.entries(META).filter(([key]) => key !== missing));
    assert.match(metaRefusal({ _meta: rest })?.message ?? "", /must have .* and /);
  }
  assert.equal(metaRefusal({})?.number, -32602);
});

test("another revision is refused with those that are served and the one that was asked for", () => {
  const asked = (/** @type {unknown} */ version) =>
    versionRefusal({ _meta: { ...META, [META_PROTOCOL_VERSION]: version } });
  assert.equal(asked(MODERN), undefined);
  for (const requested of ["2025-11-25", "1999-01-01", ""]) {
    assert.deepEqual(asked(requested), {
      number: -32022,
      message: "This revision is not served; see supported.",
      data: { supported: ["2026-07-28", "2025-11-25"], requested },
    });
  }
  assert.equal(asked(20260728)?.number, -32602);
  assert.equal(asked(null)?.number, -32602);
});

test("each era has methods of its own", () => {
  for (const method of ["tools/call", "tools/list", "resources/list", "resources/read"]) {
    assert.equal(methodRefusal(method, "modern"), undefined);
    assert.equal(methodRefusal(method, "legacy"), undefined);
  }
  for (const method of ["initialize", "ping"]) {
    assert.equal(methodRefusal(method, "modern")?.number, -32601);
    assert.equal(methodRefusal(method, "legacy"), undefined);
  }
  assert.equal(methodRefusal("server/discover", "modern"), undefined);
  for (const method of ["server/discover", "prompts/list", "tasks/get", "toString", ""]) {
    assert.equal(methodRefusal(method, "legacy")?.number, -32601);
  }
});

test("a progress token is a text or a whole number, and keeps how it was written", () => {
  assert.equal(progressToken({ _meta: { progressToken: "" } }), "");
  assert.equal(progressToken({ _meta: { progressToken: 0 } }), 0);
  const [big, spelled] = parse("[123456789012345678901234567890,1.0]");
  assert.equal(progressToken({ _meta: { progressToken: big } }), big);
  assert.ok(progressToken({ _meta: { progressToken: spelled } }) instanceof JsonNumber);
  for (const bad of [null, 1.5, true, [], {}, parse("1e400")]) {
    assert.equal(progressToken({ _meta: { progressToken: bad } }), undefined);
    for (const era of /** @type {const} */ (["modern", "legacy"])) {
      assert.equal(shapeRefusal({ _meta: { progressToken: bad } }, era)?.number, -32602);
    }
  }
  assert.equal(shapeRefusal({ _meta: { progressToken: 1 } }, "legacy"), undefined);
  assert.equal(shapeRefusal({}, "legacy"), undefined);
  assert.equal(shapeRefusal({ _meta: 5 }, "legacy")?.number, -32602);
});

test("a log level is one of eight, and of the modern revision only", () => {
  const at = (/** @type {unknown} */ level) => ({ _meta: { ...META, [META_LOG_LEVEL]: level } });
  assert.equal(shapeRefusal(at("warning"), "modern"), undefined);
  for (const bad of ["warn", 3, null]) {
    assert.equal(shapeRefusal(at(bad), "modern")?.number, -32602);
    assert.equal(shapeRefusal({ _meta: { [META_LOG_LEVEL]: bad } }, "legacy"), undefined);
  }
});
