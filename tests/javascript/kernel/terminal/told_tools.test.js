// @ts-check
/** What apps say of themselves never keeps a terminal from what others say. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { makeTerminal } from "../../support/workspace_terminal.js";

const EVIL = "app:evil:background";
const NOTES = "app:notes:background";
const HALF = "\ud83d";

function workspace() {
  const terminal = makeTerminal({
    apps: () => [{ id: "evil", name: `Evil${HALF}`, version: HALF, description: HALF }],
  });
  const evil = terminal.connect("evil");
  const notes = terminal.connect("notes");
  evil.app.expose({});
  notes.app.expose({ notes_list: { handler: () => ({}) } });
  const list = async (/** @type {unknown} */ input = {}) => {
    const answer = await terminal.execute("workspace.tools.list", input);
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    return answer.result.output.endpoints;
  };
  return { ...terminal, evil, notes, list };
}

/** @param {number} levels */
const nested = (levels) => JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels));
const names = (/** @type {any} */ { tools }) =>
  tools.map((/** @type {{ name: string }} */ { name }) => name);

describe("a list of tools for a terminal", () => {
  for (const [what, description] of /** @type {[string, any][]} */ ([
    ["half a character", { title: HALF }],
    ["half a character in its schema", { inputSchema: { type: "object", title: HALF } }],
    ["more levels than a line has", { annotations: nested(40) }],
    ["half a character as a name", { annotations: { [HALF]: 1 } }],
  ])) {
    test(`leaves out a tool with ${what}, says so, and hides no other`, async () => {
      const { evil, list } = workspace();
      evil.app.expose({ bad: description, good: {} });
      const [first, second] = await list();
      assert.deepEqual([first.endpoint, names(first), first.omitted], [EVIL, ["good"], 1]);
      assert.deepEqual([second.endpoint, names(second)], [NOTES, ["notes_list"]]);
      assert.equal("omitted" in second, false);
      const [alone] = await list({ endpoint: EVIL });
      assert.deepEqual([names(alone), alone.omitted], [["good"], 1]);
    });
  }

  test("that would be too large names the largest without their tools, and hides no other", async () => {
    const { evil, list, connect } = workspace();
    const large = { title: "x".repeat(30_000) };
    const many = (/** @type {number} */ count) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`tool_${index}`, large]));
    evil.app.expose(many(30));
    const tile = connect("evil", "tile");
    tile.app.expose(many(20));
    const [first, second, third] = await list();
    assert.equal(first.unavailable.code, "TOO_LARGE");
    assert.deepEqual(names(second), ["notes_list"]);
    assert.equal(third.tools.length, 20);
    const [alone] = await list({ endpoint: EVIL });
    assert.equal(alone.tools.length, 30);
  });

  test("has no more of an app's error than fits", async () => {
    const { evil, list } = workspace();
    const message = `${"x".repeat(600)}${HALF}`;
    evil.app.handlers.set("tools.describe", () => ({ error: { code: "TOOL_FAILED", message } }));
    const [first, second] = await list();
    assert.equal(first.unavailable.code, "TOOL_FAILED");
    assert.equal(first.unavailable.reason.length, 500);
    assert.deepEqual(names(second), ["notes_list"]);
  });
});

describe("other lists for a terminal", () => {
  test("of calls have whatever an app called whatever", async () => {
    const { evil, execute, ports } = workspace();
    evil.app.call(`app:${HALF}`, HALF, { [HALF]: HALF });
    evil.app.call(NOTES, `${"x".repeat(198)}😀😀`, { text: `${"y".repeat(59)}😀` });
    await ports.settle();
    const { result, error } = await execute("workspace.audit.list");
    assert.equal(error, undefined, JSON.stringify(error));
    const tools = result.output.entries.map((/** @type {any} */ { tool }) => tool);
    assert.deepEqual(tools, ["\ufffd", `${"x".repeat(198)}\ufffd…`]);
  });

  test("of apps have their own words, as far as those are text", async () => {
    const { execute } = workspace();
    const { result, error } = await execute("workspace.apps.list");
    assert.equal(error, undefined, JSON.stringify(error));
    assert.equal(result.output.apps[0].name, "Evil\ufffd");
  });

  test("of actions leave out what no action can be made of", async () => {
    const { evil, names: actions } = workspace();
    evil.app.expose({ bad: { inputSchema: { type: "object", title: HALF } }, good: {} });
    assert.deepEqual(await actions(), ["app.evil.good", "app.notes.notes_list"]);
  });
});
