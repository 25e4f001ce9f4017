// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AppError } from "../../../browser_worker/index.js";
import { toolOutput } from "../../../browser_worker/webmcp/tool_output.js";

const text = (/** @type {string} */ words) => ({ type: "text", text: words });

test("an answer becomes an object, whether the browser gives a value or its JSON", () => {
  const picture = { type: "image", data: "AA==", mimeType: "image/png" };
  for (const [answer, output] of /** @type {[any, any][]} */ ([
    [{ a: 1 }, { a: 1 }],
    [[1, 2], { value: [1, 2] }],
    [{ content: [text("hello")] }, { text: "hello" }],
    [{ content: [text("one"), text("two")] }, { text: "one\ntwo" }],
    [{ content: [text('{"a":1}')] }, { a: 1 }],
    [{ content: [text("[1]")] }, { text: "[1]" }],
    [{ content: [text("said")], structuredContent: { a: 1 } }, { a: 1 }],
    [{ content: [text("said"), picture] }, { content: [text("said"), picture] }],
    [{ content: "of the app's own" }, { content: "of the app's own" }],
    [{ content: [1] }, { content: [1] }],
    [{ isError: false, content: [text("fine")] }, { text: "fine" }],
  ])) {
    assert.deepEqual(toolOutput(answer), output);
    assert.deepEqual(toolOutput(JSON.stringify(answer)), output);
  }
});

test("text stays text, other values are values, and nothing is an empty object", () => {
  for (const [answer, output] of /** @type {[any, any][]} */ ([
    ["hello", { text: "hello" }],
    ["12", { text: "12" }],
    ["{not JSON", { text: "{not JSON" }],
    ['{"a":1,"a":2}', { text: '{"a":1,"a":2}' }],
    ["", { text: "" }],
    [3, { value: 3 }],
    [true, { value: true }],
    [undefined, {}],
    [null, {}],
    ["undefined", {}],
    ["null", {}],
  ])) {
    assert.deepEqual(toolOutput(answer), output, String(answer));
  }
});

test("a failure that the tool tells of is an error with its own text, cut between characters", () => {
  const failed = (/** @type {unknown} */ content) => ({ isError: true, content });
  for (const [content, message] of /** @type {[any, RegExp][]} */ ([
    [[text("full"), text("try later")], /^full\ntry later$/],
    [[text("")], /^The tool says that it failed/],
    [undefined, /^The tool says that it failed/],
    [[{ type: "image" }], /^The tool says that it failed/],
    [[text("x".repeat(3_999) + "😀")], /^x{3999}$/],
  ])) {
    for (const answer of [failed(content), JSON.stringify(failed(content))]) {
      assert.throws(
        () => toolOutput(answer),
        (error) =>
          error instanceof AppError && error.code === "HOST_ERROR" && message.test(error.message),
      );
    }
  }
});
