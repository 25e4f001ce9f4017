// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { characterBeside, inputIntent } from "../../../browser_worker/demo/page/editor_input.js";

test("what inserts carries its text, and what is not known does nothing", () => {
  assert.deepEqual(inputIntent("insertText", "a"), { kind: "insert", text: "a" });
  assert.deepEqual(inputIntent("insertReplacementText", "the"), { kind: "insert", text: "the" });
  assert.deepEqual(inputIntent("insertParagraph", ""), { kind: "break" });
  assert.deepEqual(inputIntent("insertLineBreak", ""), { kind: "break" });
  assert.deepEqual(inputIntent("historyUndo", ""), { kind: "command", command: "undo" });
  assert.deepEqual(inputIntent("formatBold", ""), { kind: "command", command: "bold" });
  assert.deepEqual(inputIntent("formatUnderline", ""), { kind: "nothing" });
  assert.deepEqual(inputIntent("insertHorizontalRule", ""), { kind: "nothing" });
});

test("what deletes says which way", () => {
  assert.deepEqual(inputIntent("deleteContentBackward", ""), {
    kind: "delete",
    direction: "backward",
  });
  assert.deepEqual(inputIntent("deleteWordForward", ""), { kind: "delete", direction: "forward" });
  assert.deepEqual(inputIntent("deleteByCut", ""), { kind: "delete", direction: "none" });
});

test("the character beside a caret is whole", () => {
  const text = "a👩‍🚀b";
  assert.deepEqual(characterBeside(text, text.length - 1, "backward"), {
    start: 1,
    end: text.length - 1,
  });
  assert.deepEqual(characterBeside(text, 1, "forward"), { start: 1, end: text.length - 1 });
  assert.deepEqual(characterBeside(text, 0, "backward"), { start: 0, end: 0 });
  assert.deepEqual(characterBeside(text, text.length, "forward"), {
    start: text.length,
    end: text.length,
  });
  assert.deepEqual(characterBeside(text, 1, "none"), { start: 1, end: 1 });
});
