// @ts-check
/** What a tool says of buffers, and what a buffer must be to be sent. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";

import {
  checkInputAttachment,
  checkOutputAttachment,
  isArrayBuffer,
  readAttachmentRule,
  requireSendable,
} from "../../../browser_worker/contract/bus_attachments.js";

const MOST = 16_777_216;

/** @type {[string, any, any][]} */
const RULES = [
  ["no annotations", undefined, null],
  ["other annotations", { readOnlyHint: true }, null],
  ["another API", { "bascule:attachments": { api: 2 } }, null],
  ["no object", { "bascule:attachments": true }, null],
  ["both ways by default", { "bascule:attachments": { api: 1 } }, [true, false, true]],
  ["the older name", { "neutron:attachments": { api: 1 } }, [true, false, true]],
  ["input", { "bascule:attachments": { api: 1, input: {} } }, [true, false, false]],
  ["output", { "bascule:attachments": { api: 1, output: {} } }, [false, false, true]],
  [
    "input that is needed",
    { "bascule:attachments": { api: 1, input: { required: true, mediaTypes: ["image/png"] } } },
    [true, true, false],
  ],
];

describe("an annotation", () => {
  for (const [what, annotations, expected] of RULES) {
    test(`with ${what} is read`, () => {
      const rule = readAttachmentRule(annotations);
      assert.deepEqual(rule && [rule.input, rule.inputRequired, rule.output], expected);
    });
  }

  test("decides on what comes and goes, and bounds it at 16 MiB", () => {
    const rule = { input: true, inputRequired: false, output: true };
    for (const check of [checkInputAttachment, checkOutputAttachment]) {
      check(rule, undefined);
      check(null, undefined);
      check(rule, new ArrayBuffer(MOST));
      assert.throws(() => check(rule, new ArrayBuffer(MOST + 1)), { code: "ATTACHMENT_TOO_LARGE" });
      assert.throws(() => check(null, new ArrayBuffer(0)), { code: "ATTACHMENT_UNSUPPORTED" });
    }
    assert.throws(() => checkInputAttachment({ ...rule, inputRequired: true }, undefined), {
      code: "INVALID_INPUT",
    });
  });
});

describe("a buffer", () => {
  test("of another window is one; what only says so is none", () => {
    assert.ok(isArrayBuffer(new ArrayBuffer(0)));
    const other = runInNewContext("new ArrayBuffer(4)");
    assert.equal(other instanceof ArrayBuffer, false);
    assert.ok(isArrayBuffer(other));
    for (const value of [
      null,
      undefined,
      "bytes",
      {},
      { byteLength: 4, [Symbol.toStringTag]: "ArrayBuffer" },
      new Uint8Array(1),
      new SharedArrayBuffer(1),
    ]) {
      assert.equal(isArrayBuffer(value), false);
    }
  });

  test("is sendable until it was sent, and an empty one as well", () => {
    requireSendable(undefined);
    requireSendable(new ArrayBuffer(0));
    requireSendable(new ArrayBuffer(MOST));
    assert.throws(() => requireSendable(new ArrayBuffer(MOST + 1)), {
      code: "ATTACHMENT_TOO_LARGE",
    });
    assert.throws(() => requireSendable(new Uint8Array(1)), { code: "ATTACHMENT_UNSUPPORTED" });
    const gone = new ArrayBuffer(8);
    structuredClone(gone, { transfer: [gone] });
    assert.throws(() => requireSendable(gone), { code: "ATTACHMENT_DETACHED" });
  });
});
