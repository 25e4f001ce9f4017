// @ts-check
/** The public JSON Schema suite judges the validator; every deviation is listed with its reason. */

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { SchemaError, compile } from "../../../browser_worker/contract/schema.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";
import { sharedSuite } from "../support/shared.js";

const LISTED = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../suites/json_schema.json"), "utf8"),
);

const suite = sharedSuite("JSON-Schema-Test-Suite");

/** @param {string} draft */
function groups(draft) {
  const folder = join(suite.path, "tests", draft);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) =>
      parse(readFileSync(join(folder, name))).map((/** @type {any} */ group) => ({ name, group })),
    );
}

/** @param {Record<string, string[]>} byReason */
const names = (byReason) => Object.values(byReason).flat().sort();

for (const [draft, uri] of [
  ["draft2020-12", undefined],
  ["draft7", "http://json-schema.org/draft-07/schema#"],
]) {
  test(`the public suite's ${draft} cases get its verdicts`, { skip: suite.skip }, () => {
    const listed = LISTED[/** @type {string} */ (draft)];
    let checked = 0;
    /** @type {string[]} */
    const refused = [];
    /** @type {string[]} */
    const other = [];
    for (const { name, group } of groups(/** @type {string} */ (draft))) {
      const accepted = Object.keys(listed.accepted_by_folder).some((each) => name.startsWith(each));
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
        if ((validator.errors(each.data).length === 0) !== (each.valid || accepted)) {
          other.push(`${name}: ${group.description}: ${each.description}`);
        }
      }
    }
    assert.ok(checked > 1_000, `only ${checked} cases were found`);
    assert.deepEqual(other.sort(), names(listed.other));
    assert.deepEqual(refused.sort(), names(listed.refused));
  });
}
