// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Paragraph } from "../../../browser_worker/demo/document/paragraph.js";
import {
  countAll,
  countCharacters,
  countWords,
} from "../../../browser_worker/demo/document/statistics.js";

test("words are what has a letter or a digit between spaces", () => {
  assert.equal(countWords("Don't co-operate — 42 times!\tNow"), 5);
  assert.equal(countWords("   "), 0);
  assert.equal(countWords("…"), 0);
});

test("each character of a script without spaces is a word", () => {
  assert.equal(countWords("中文 and ひらがな"), 2 + 1 + 4);
});

test("characters are counted as a reader sees them", () => {
  assert.equal(countCharacters("abc"), 3);
  assert.equal(countCharacters("👩‍🚀é😀"), 3);
});

test("paragraphs are counted together, line feeds not", () => {
  const paragraphs = [Paragraph.plain("body", "one two"), Paragraph.plain("body", "😀")];
  assert.deepEqual(countAll(paragraphs), { words: 2, characters: 8 });
  assert.deepEqual(countAll(paragraphs), { words: 2, characters: 8 });
});
