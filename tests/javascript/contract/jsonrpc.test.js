// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { isId } from "../../../browser_worker/contract/jsonrpc.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";

test("integers by any token are ids", () => {
  for (const token of [
    "0",
    "-0",
    "1",
    "1.0",
    "1e3",
    "10e-1",
    "9007199254740993",
    "9".repeat(1024),
  ]) {
    assert.ok(isId(parse(token)), token.slice(0, 20));
  }
});

test("strings of at most 256 bytes are ids", () => {
  for (const id of ["", "x".repeat(256), "é".repeat(128), "😀".repeat(64)]) assert.ok(isId(id));
  for (const id of ["x".repeat(257), "é".repeat(129), "😀".repeat(64) + "x"]) assert.ok(!isId(id));
});

test("nothing else is an id", () => {
  for (const token of [
    "null",
    "true",
    "false",
    "1.5",
    "1e-1",
    "1e400",
    "1e-400",
    "[]",
    "{}",
    "[1]",
  ]) {
    assert.ok(!isId(parse(token)), token);
  }
  assert.ok(!isId(undefined));
});
