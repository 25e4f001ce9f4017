// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import {
  ackFrame,
  readFrame,
  resultFrame,
  resultFrames,
} from "../../../browser_worker/link/channel_frames.js";
import { pollAnswer } from "./support/scripted_bridge.js";

test("items are read as those of a poll, their messages left as they are", () => {
  const request = '{ "jsonrpc":"2.0","id":1e0,"method":"a" }';
  assert.deepEqual(readFrame(pollAnswer(5, { seq: 1, request }, { seq: 2 })), {
    kind: "items",
    now: 5,
    items: [
      { id: "item-1", seq: 1, session: "cli-json", deadline: 30_005, request },
      { id: "item-2", seq: 2, session: "cli-json", deadline: 30_005, request: null },
    ],
  });
});

test("a refusal names the result and why", () => {
  assert.deepEqual(readFrame('{"refused":{"id":"a","code":"RESULT_MISMATCH","more":1}}'), {
    kind: "refused",
    id: "a",
    code: "RESULT_MISMATCH",
  });
});

test("anything else is no frame", () => {
  for (const text of ["", "[]", "{}", '{"now":1}', '{"now":"1","requests":[]}', '{"refused":[]}']) {
    assert.throws(() => readFrame(text), SyntaxError, text);
  }
});

test("what was begun is told only where there is something to tell", () => {
  assert.equal(ackFrame(3), '{"ack":3}');
  assert.equal(ackFrame(3, 2), '{"ack":3,"taken":2}');
});

const results = fc.array(
  fc.record({
    id: fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
    response: fc.option(
      fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => JSON.stringify(text)),
    ),
  }),
  { maxLength: 30 },
);

test("many results go in frames within the limit, each once, in order and unchanged", () => {
  const maxBytes = 700;
  fc.assert(
    fc.property(results, (given) => {
      const frames = resultFrames(given, 7, maxBytes);
      for (const frame of frames) assert.ok(Buffer.byteLength(frame) <= maxBytes);
      const read = frames.flatMap((frame) => {
        const { results: some, ack } = JSON.parse(frame);
        assert.equal(ack, 7);
        return some.map((/** @type {Record<string, unknown>} */ one) => [
          one["id"],
          one["tooLarge"] === true ? null : JSON.stringify(one["response"]),
        ]);
      });
      assert.deepEqual(
        read,
        given.map(({ id, response }) => [id, response]),
      );
    }),
  );
});

test("results that fit together share a frame, and one byte more begins another", () => {
  const one = (/** @type {number} */ size) => ({ id: "a", response: `"${"x".repeat(size - 2)}"` });
  // Two of these and the commas fill what 256 bytes of envelope leave of 1,000.
  const element = resultFrame(one(300), 1).length - '{"results":[],"ack":1}'.length;
  const rest = 1_000 - 256 - (element + 1) * 2;
  assert.equal(resultFrames([one(300), one(300 + rest)], 1, 1_000).length, 1);
  assert.equal(resultFrames([one(300), one(301 + rest)], 1, 1_000).length, 2);
  assert.deepEqual(resultFrames([], 1, 1_000), []);
});

test("a response is measured in bytes, not in characters", () => {
  const wide = { id: "a", response: `"${"😀".repeat(100)}"` };
  assert.equal(resultFrames([wide, wide], 1, 1_000).length, 2);
});

test("a response of the largest size fits a frame of its own", () => {
  const response = `"${"x".repeat(1_048_574)}"`;
  const frame = resultFrame({ id: "i".repeat(64), response }, Number.MAX_SAFE_INTEGER);
  assert.ok(frame.length <= 1_048_576 + 4_096);
  assert.ok(frame.includes(response));
});
