// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { compile } from "../../../browser_worker/contract/schema.js";
import { INSTRUCTIONS, TOOLS } from "../../../browser_worker/dispatcher/mcp_catalog.js";

const FILE = join(import.meta.dirname, "../../vectors/mcp_catalog.json");
const ERROR = { error: { code: 1001, message: "Not now.", data: { code: "DISABLED" } } };

test("the catalog is word for word, and in its order, what both languages have", () => {
  const told = JSON.parse(readFileSync(FILE, "utf8"));
  assert.equal(JSON.stringify(TOOLS), JSON.stringify(told.tools));
  assert.equal(INSTRUCTIONS, told.instructions);
});

test("every schema has a plain object as its root, and every result may be an error", () => {
  for (const { name, inputSchema, outputSchema } of TOOLS) {
    for (const schema of [inputSchema, outputSchema]) {
      assert.equal(schema["type"], "object", name);
      for (const refused of ["anyOf", "oneOf", "allOf", "not", "if"]) {
        assert.ok(!Object.hasOwn(schema, refused), name);
      }
    }
    assert.deepEqual(compile(outputSchema).errors(ERROR), [], name);
    assert.notDeepEqual(compile(inputSchema).errors([]), [], name);
  }
});

test("nobody who imports the catalog can change it", () => {
  assert.throws(() => /** @type {any} */ (TOOLS).pop(), TypeError);
});
