// @ts-check
/** What the assistant understands of a sentence, and what not. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import {
  MAX_COMMANDS,
  readTask,
} from "../../../../browser_worker/demo/workspace/apps/assistant/commands.js";

/** @import { Command } from "../../../../browser_worker/demo/workspace/apps/assistant/commands.js" */

/** @type {[string, Command[]][]} */
const UNDERSTOOD = [
  [
    "find roadmap in my notes and draw it on the board",
    [
      { kind: "find", query: "roadmap" },
      { kind: "draw", text: null },
    ],
  ],
  ["Search my notes for salt and pepper.", [{ kind: "find", query: "salt and pepper" }]],
  ["please look for “a plan” among the notes", [{ kind: "find", query: "a plan" }]],
  ["find plan", [{ kind: "find", query: "plan" }]],
  ["add a note called Ideas for the picnic", [{ kind: "add", title: "Ideas for the picnic" }]],
  ["write a note: buy bread, and milk", [{ kind: "add", title: "buy bread, and milk" }]],
  ["add note that says find the keys", [{ kind: "add", title: "find the keys" }]],
  ["draw Hello on the board", [{ kind: "draw", text: "Hello" }]],
  [
    "Find a, then draw them onto the board; list the tools!",
    [{ kind: "find", query: "a" }, { kind: "draw", text: null }, { kind: "tools" }],
  ],
  ["which tools are there?", [{ kind: "tools" }]],
];

describe("the assistant", () => {
  for (const [sentence, commands] of UNDERSTOOD) {
    test(`understands: ${sentence}`, () => {
      assert.deepEqual(readTask(sentence), { commands, unknown: [] });
    });
  }

  test("says what it does not understand, beside what it does", () => {
    assert.deepEqual(readTask("delete everything"), {
      commands: [],
      unknown: ["delete everything"],
    });
    assert.deepEqual(readTask("book a flight and find roadmap"), {
      commands: [{ kind: "find", query: "roadmap" }],
      unknown: ["book a flight"],
    });
    assert.deepEqual(readTask("   "), { commands: [], unknown: [] });
  });

  test("reads any sentence, and no more commands than it does at once", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom("find ", "draw it", " and ", ", ", "note", "add a note x", "é", " "),
          {
            maxLength: 60,
          },
        ),
        (words) => {
          const { commands, unknown } = readTask(words.join(""));
          assert.ok(commands.length + unknown.length <= MAX_COMMANDS);
        },
      ),
    );
  });
});
