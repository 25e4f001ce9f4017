// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  MAX_MATCHES,
  findMatches,
  nextMatch,
  snippet,
} from "../../../browser_worker/demo/document/finder.js";
import { splitsCharacter } from "../../../browser_worker/demo/document/text_offsets.js";
import { anyText } from "./support/documents.js";

/** @param {string} text @param {string} query @param {object} [options] */
const found = (text, query, options) =>
  findMatches(text, query, options).map(({ start, end }) => text.slice(start, end));

test("letters match either case unless they shall not", () => {
  assert.deepEqual(found("Éa éA ÉA", "éa"), ["Éa", "éA", "ÉA"]);
  assert.deepEqual(found("Éa éA ÉA", "éA", { matchCase: true }), ["éA"]);
});

test("a query is taken literally, whatever it is", () => {
  fc.assert(
    fc.property(anyText, anyText, (text, query) => {
      const matches = findMatches(text, query, { matchCase: true });
      for (const { start, end } of matches) assert.equal(text.slice(start, end), query);
      const count = query === "" ? 0 : text.split(query).length - 1;
      // A pattern over characters never finds a half of one.
      assert.ok(matches.length <= count);
      if (!/[\ud800-\udfff]/.test(query)) assert.equal(matches.length, count);
    }),
  );
});

test("a whole word is no part of a longer one, in any script", () => {
  assert.deepEqual(
    findMatches("bridge bridges abridge bridge-end", "bridge", { wholeWord: true }),
    [
      { start: 0, end: 6 },
      { start: 23, end: 29 },
    ],
  );
  assert.deepEqual(found("été étés", "été", { wholeWord: true }), ["été"]);
});

test("half of a character is never found", () => {
  assert.deepEqual(findMatches("😀", "\ud83d"), []);
});

test("of endless matches so many are counted", () => {
  assert.equal(findMatches("a".repeat(MAX_MATCHES + 1), "a").length, MAX_MATCHES);
  assert.equal(findMatches("a".repeat(MAX_MATCHES), "a").length, MAX_MATCHES);
});

test("a query made to be slow is not", () => {
  const text = "a".repeat(100_000);
  assert.deepEqual(findMatches(text, "(a+)+$"), []);
});

test("the next match comes after the selection and goes round at the end", () => {
  const matches = findMatches("a.a.a", "a");
  assert.equal(nextMatch(matches, { start: 0, end: 1 }, false), 1);
  assert.equal(nextMatch(matches, { start: 4, end: 5 }, false), 0);
  assert.equal(nextMatch(matches, { start: 2, end: 3 }, true), 0);
  assert.equal(nextMatch(matches, { start: 0, end: 1 }, true), 2);
  assert.equal(nextMatch([], { start: 0, end: 0 }, false), -1);
});

test("a snippet is one line and splits no character", () => {
  const text = `${"😀".repeat(60)}needle\n${"😀".repeat(60)}`;
  for (const shift of [0, 1]) {
    const shifted = "x".repeat(shift) + text;
    const line = snippet(shifted, findMatches(shifted, "needle")[0] ?? { start: 0, end: 0 });
    assert.match(line, /^…😀+needle 😀+…$/u);
    assert.ok(!splitsCharacter(line, 1));
  }
});
