// @ts-check
/** Names of package tools, judged by the vectors that both languages share. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import {
  TOOL_NAME_PATTERN,
  isWireSafeToolName,
} from "../../../browser_worker/contract/tool_names.js";
import { loadVectors } from "../support/vectors.js";

const SOURCE = join(import.meta.dirname, "../../../browser_worker/contract/tool_names.js");

describe("a name of a package tool", () => {
  for (const { name, value, valid } of loadVectors("tool_names.json")) {
    test(`${valid ? "may" : "may not"} be ${name}`, () => {
      assert.equal(isWireSafeToolName(value), valid);
    });
  }

  test("has a pattern that can be put into a schema", () => {
    assert.match("weather_forecast", new RegExp(TOOL_NAME_PATTERN, "u"));
    assert.doesNotMatch("Weather", new RegExp(TOOL_NAME_PATTERN, "u"));
  });

  test("is checked by a module that imports nothing", () => {
    assert.doesNotMatch(readFileSync(SOURCE, "utf8"), /^\s*import\b|\bimport\(/m);
  });
});
