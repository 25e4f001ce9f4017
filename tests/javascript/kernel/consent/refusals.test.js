// @ts-check
/** What those are told whom the owner did not let do what they asked for. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { refusalOf } from "../../../../browser_worker/kernel/consent/refusals.js";

/** @typedef {"denied" | "timeout" | "busy" | "gone"} Reason */

const what = "call notes_search of notes";

/** @param {Reason} reason @param {number | null} [retryAfterMs] @param {boolean} [agent] */
function refusal(reason, retryAfterMs = null, agent = false) {
  const error = refusalOf({ allowed: false, reason, retryAfterMs }, { what, agent });
  const { code, message } = error;
  return { code, message, retryAfterMs: error.retryAfterMs, reason: error.data?.["reason"] };
}

test("a refusal says what was asked for, that nothing was run, and when to ask again", () => {
  assert.deepEqual(refusal("denied", 10_000), {
    code: "OWNER_REQUIRED",
    message: "Asked for leave to call notes_search of notes, the owner said no; nothing was run.",
    retryAfterMs: 10_000,
    reason: "denied",
  });
  assert.deepEqual(refusal("timeout"), {
    code: "OWNER_REQUIRED",
    message:
      "Asked for leave to call notes_search of notes, the owner did not answer in time; nothing was run.",
    retryAfterMs: undefined,
    reason: "timeout",
  });
  assert.equal(refusal("gone").code, "CANCELLED");
  assert.match(refusal("busy", 5_000).message, /Try to call notes_search of notes again later/);
});

test("an agent's turn is refused by codes of its own", () => {
  assert.equal(refusal("denied", null, true).code, "AGENT_CONSENT_DENIED");
  assert.equal(refusal("timeout", null, true).code, "AGENT_CONSENT_TIMEOUT");
});

test("who is refused for an earlier no is told that nobody was asked", () => {
  for (const [reason, why] of /** @type {const} */ ([
    ["denied", "having said no shortly before"],
    ["timeout", "having left a question unanswered shortly before"],
  ])) {
    const answer = /** @type {const} */ ({ allowed: false, reason, retryAfterMs: 7_000 });
    const asked = refusalOf(answer, { what, agent: false });
    const unasked = refusalOf({ ...answer, unasked: true }, { what, agent: false });
    assert.equal(
      unasked.message,
      `The owner was not asked for leave to call notes_search of notes, ${why}; nothing was run.`,
    );
    assert.doesNotMatch(asked.message, /not asked/);
    const told = (/** @type {typeof asked} */ { code, data, retryAfterMs }) => [
      code,
      data,
      retryAfterMs,
    ];
    assert.deepEqual(told(unasked), told(asked));
  }
});
