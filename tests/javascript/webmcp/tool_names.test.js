// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { ToolNames } from "../../../browser_worker/webmcp/tool_names.js";

test("a name is legal, unique and kept, however long and strange the tool's", () => {
  const names = new ToolNames();
  const page = {};
  const frame = {};
  assert.equal(names.of(page, "add-to.cart_1"), "webmcp.add-to.cart_1");
  assert.equal(names.of(page, "a b"), "webmcp.a_b");
  assert.equal(names.of(page, "a/b"), "webmcp.a_b-2");
  assert.equal(names.of(page, "😀"), "webmcp._");
  assert.equal(names.of(frame, "a b"), "webmcp.a_b-3");
  assert.equal(names.of(page, "a b"), "webmcp.a_b", "the same for as long as the page lives");
  const long = names.of(page, "x".repeat(128));
  assert.equal(long, `webmcp.${"x".repeat(121)}`);
  const other = names.of(page, "x".repeat(127));
  assert.equal(other, `webmcp.${"x".repeat(119)}-2`);
  assert.equal(other.length, 128);
});
