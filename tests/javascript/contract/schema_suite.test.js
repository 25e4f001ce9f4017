// @ts-check
/** The public JSON Schema suite judges the validator; every deviation is listed with its reason. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { SchemaError, compile } from "../../../browser_worker/contract/schema.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";
import { sharedSuite } from "../support/shared.js";

/** Whole files that ask for what a schema of ours may not do: refer outside of itself. */
const FETCHES = new Set(["refRemote.json", "vocabulary.json"]);

/**
 * Groups whose schema refers to a document outside of itself: refused when they are read, as
 * nothing is ever fetched. Everything else gets the suite's verdict.
 */
const REFUSED = {
  "draft2020-12": [
    "defs.json: validate definition against metaschema",
    "dynamicRef.json: strict-tree schema, guards against misspelled properties",
    "dynamicRef.json: tests for implementation dynamic anchor and reference link",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first",
    "dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first",
    "dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor",
    "ref.json: remote ref, containing refs itself",
  ],
  draft7: [
    "definitions.json: validate definition against metaschema",
    "ref.json: remote ref, containing refs itself",
  ],
};

const suite = sharedSuite("JSON-Schema-Test-Suite");

/** @param {string} draft */
function cases(draft) {
  const folder = join(suite.path, "tests", draft);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && !FETCHES.has(name))
    .flatMap((name) =>
      parse(readFileSync(join(folder, name))).map((/** @type {any} */ group) => ({ name, group })),
    );
}

for (const [draft, uri] of [
  ["draft2020-12", undefined],
  ["draft7", "http://json-schema.org/draft-07/schema#"],
]) {
  test(`the public suite's ${draft} cases get its verdicts`, { skip: suite.skip }, () => {
    let checked = 0;
    /** @type {string[]} */
    const refused = [];
    /** @type {string[]} */
    const wrong = [];
    for (const { name, group } of cases(/** @type {string} */ (draft))) {
      const schema =
        uri && typeof group.schema === "object" ? { $schema: uri, ...group.schema } : group.schema;
      let validator;
      try {
        validator = compile(schema);
      } catch (error) {
        assert.ok(error instanceof SchemaError, `${name}: ${group.description}: ${error}`);
        refused.push(`${name}: ${group.description}`);
        continue;
      }
      for (const each of group.tests) {
        checked++;
        if ((validator.errors(each.data).length === 0) !== each.valid) {
          wrong.push(`${name}: ${group.description}: ${each.description}`);
        }
      }
    }
    assert.ok(checked > 700, `only ${checked} cases were found`);
    assert.deepEqual(wrong, []);
    assert.deepEqual(refused, REFUSED[/** @type {keyof typeof REFUSED} */ (draft)]);
  });
}
