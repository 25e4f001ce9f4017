// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { ActionError } from "../../../browser_worker/node/bascule_error.js";

test("what only reads may not have run, whatever it failed of", () => {
  const outcomes = [{}, { readOnly: "yes" }, { readOnly: true }].map(
    (data) => new ActionError(1018, "It broke.", { code: "HOST_ERROR", ...data }).outcome,
  );
  assert.deepEqual(outcomes, ["unknown", "unknown", null]);
});
