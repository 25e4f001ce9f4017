// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  findModelContext,
  listTools,
  offersTools,
  runTool,
} from "../../../browser_worker/webmcp/model_context.js";
import { SHAPES } from "./support/model_contexts.js";

test("the document's registry comes before the navigator's, and there may be none", () => {
  const first = {};
  const second = {};
  const scope = { document: { modelContext: first }, navigator: { modelContext: second } };
  assert.equal(findModelContext(scope), first);
  assert.equal(findModelContext({ ...scope, document: {} }), second);
  assert.equal(findModelContext({ document: {}, navigator: {} }), null);
  assert.equal(findModelContext({ document: { modelContext: null } }), null);
  assert.equal(findModelContext({}), null);
  assert.equal(findModelContext(), null, "Node has none");
});

test("a tool is listed alike and run once in every shape", async () => {
  for (const [shape, makeContext] of Object.entries(SHAPES)) {
    const context = makeContext();
    /** @type {unknown[]} */
    const inputs = [];
    await context.registerTool({
      name: "echo",
      description: "Gives it back",
      inputSchema: { type: "object" },
      execute: (input) => void inputs.push(JSON.parse(JSON.stringify(input))),
    });
    assert.ok(offersTools(context));
    const [tool] = await listTools(context);
    assert.ok(tool);
    const { name, description, inputSchema, readOnly, untrusted, owner } = tool;
    assert.deepEqual(
      { name, description, inputSchema, readOnly, untrusted, owner },
      {
        name: "echo",
        description: "Gives it back",
        inputSchema: { type: "object" },
        readOnly: false,
        untrusted: false,
        owner: null,
      },
      shape,
    );
    await runTool(context, tool, { text: "ä", list: [1, { b: null }] });
    assert.deepEqual(inputs, [{ text: "ä", list: [1, { b: null }] }], shape);
  }
});

test("an input with a member of that name keeps its own toString", async () => {
  const context = SHAPES.Chromium();
  /** @type {unknown[]} */
  const inputs = [];
  await context.registerTool({
    name: "echo",
    description: "Gives it back",
    execute: (input) => void inputs.push(input),
  });
  const [tool] = await listTools(context);
  assert.ok(tool);
  await runTool(context, tool, { toString: "its own" });
  assert.deepEqual(inputs, [{ toString: "its own" }]);
});

test("tools are read whatever they leave empty, and this document's come first", async () => {
  const here = {};
  const frame = {};
  const handles = [
    { name: "c", description: "", title: "Title", window: frame },
    { name: "a", description: "", source: here, inputSchema: null, annotations: null },
    { name: "", description: "none" },
    { name: 5, description: "none" },
    { name: "b", description: "B", inputSchema: "", outputSchema: "{}", window: here },
    { name: "d", description: "D", inputSchema: "not JSON", source: frame },
  ];
  const tools = await listTools({ getTools: () => handles }, here);
  assert.deepEqual(
    tools.map(({ name, description, inputSchema, outputSchema }) => [
      name,
      description,
      inputSchema,
      outputSchema,
    ]),
    [
      ["a", "a", undefined, undefined],
      ["b", "B", undefined, {}],
      ["c", "Title", undefined, undefined],
      ["d", "D", "not JSON", undefined],
    ],
  );
  assert.deepEqual(
    tools.map(({ owner }) => owner),
    [null, null, frame, frame],
  );
});
