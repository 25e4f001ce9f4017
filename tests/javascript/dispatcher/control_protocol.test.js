// @ts-check
/** The language-neutral vectors of control protocol 1. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { APP_ERROR } from "../../../browser_worker/contract/error_codes.js";
import { METHODS } from "../../../browser_worker/dispatcher/methods.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { parse, toPlain } from "../../../browser_worker/contract/strict_json.js";
import { makeFixture } from "../support/fixture_host.js";
import { loadVectors } from "../support/vectors.js";

/**
 * @param {any} actual
 * @param {any} expected
 * @param {string} [at]
 */
function assertMatches(actual, expected, at = "") {
  if (expected === "*") {
    assert.notEqual(actual, undefined, `${at} is missing`);
  } else if (expected !== null && typeof expected === "object") {
    assert.equal(Array.isArray(actual), Array.isArray(expected), at);
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), at);
    for (const key of Object.keys(expected))
      assertMatches(actual[key], expected[key], `${at}/${key}`);
  } else {
    assert.deepEqual(actual, expected, at);
  }
}

/** @param {any} step */
function lineOf(step) {
  return (
    step.line ??
    step.line_build
      .map((/** @type {string | [string, number]} */ part) =>
        typeof part === "string" ? part : part[0].repeat(part[1]),
      )
      .join("")
  );
}

describe("the vectors of control protocol 1", () => {
  for (const vector of loadVectors("control_protocol.json")) {
    test(vector.name, async () => {
      const fixture = makeFixture();
      const session = new RpcSession(fixture.dispatcher);
      const answers = [];
      for (const step of vector.steps) {
        if (step.enable !== undefined) fixture.dispatcher.setEnabled(step.enable);
        if (step.tick) fixture.tick();
        if (step.line === undefined && step.line_build === undefined) continue;
        const answer = await session.receive(lineOf(step));
        if (step.silent) {
          assert.equal(answer, undefined);
          continue;
        }
        assert.ok(answer !== undefined);
        assert.ok(!answer.includes("\n"));
        answers.push(answer);
        assertMatches(toPlain(parse(answer)), step.expect);
        if (step.id !== undefined) assert.ok(answer.includes(`"id":${step.id},`), answer);
      }
      if (vector.absent) assert.ok(!answers.join("").includes(vector.absent));
      if (vector.present) assert.ok(answers.join("").includes(vector.present));
    });
  }
});

test("the vectors show every method and every application error that a line can meet", () => {
  const text = JSON.stringify(loadVectors("control_protocol.json"));
  for (const method of METHODS.keys()) assert.ok(text.includes(method), method);
  const later = new Set([
    ...["TRANSACTION_UNSUPPORTED", "TRANSACTION_DOMAIN", "DEFERRED_IN_TRANSACTION", "ROLLED_BACK"],
    ...["UNKNOWN_RESOURCE", "SESSION_LIMIT"],
  ]);
  for (const code of Object.keys(APP_ERROR)) {
    assert.equal(text.includes(`"code":"${code}"`), !later.has(code), code);
  }
});
