// @ts-check
/** The vectors of JSON Schema: verdicts, paths, words and order. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { SchemaError, compile } from "../../../browser_worker/contract/schema.js";
import { parse } from "../../../browser_worker/contract/strict_json.js";
import { loadVectors, memberOf } from "../support/vectors.js";

describe("the vectors of JSON Schema", () => {
  for (const vector of loadVectors("schema.json")) {
    test(vector.name, () => {
      const schema = parse(memberOf(vector, "schema"));
      if (vector.refused) {
        assert.throws(() => compile(schema), SchemaError);
        return;
      }
      const validator = compile(schema);
      for (const check of vector.checks) {
        const problems = validator.errors(parse(memberOf(check, "value")));
        assert.deepEqual(
          problems.map(({ path, message }) => [path, message]),
          check.problems,
        );
      }
    });
  }
});
