// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { shownName } from "../../../../browser_worker/link/panel/shown_name.js";

test("a plain name is shown as it is", () => {
  for (const name of ["document.text.insert", "Bascule Write", "Größe", "日本語", "שלום", "a b"]) {
    assert.equal(shownName(name), name);
  }
});

test("what reverses or hides text is written out", () => {
  assert.equal(shownName("test.\u202egnp.exe"), "test.[U+202E]gnp.exe");
  assert.equal(shownName("a\u2066b\u2069"), "a[U+2066]b[U+2069]");
  assert.equal(shownName("in\u200bvisible"), "in[U+200B]visible");
  assert.equal(shownName("\u0000\u007f"), "[U+0000][U+007F]");
  assert.equal(shownName("tag\u{e0041}"), "tag[U+E0041]");
  assert.equal(shownName("\u3164"), "[U+3164]");
  assert.equal(shownName("lone\ud800"), "lone[U+D800]");
});

test("a name has no line of its own and no blank to hide behind", () => {
  assert.equal(shownName("two\r\n\n  lines"), "two lines");
  assert.equal(shownName("wide\u3000\u3000space"), "wide space");
  assert.equal(shownName("line\u2028break"), "line[U+2028]break");
  for (const blank of ["", "   ", "\n\t"]) assert.equal(shownName(blank), "(blank)");
});

test("an emoji of several parts stays one picture, and its joiner is visible elsewhere", () => {
  for (const emoji of ["👩‍💻", "❤️", "👩🏽‍🚀", "🏳️‍🌈"]) assert.equal(shownName(emoji), emoji);
  assert.equal(shownName("a\u200db"), "a[U+200D]b");
  assert.equal(shownName("a\ufe0f"), "a[U+FE0F]");
});

test("marks do not pile up into the lines around", () => {
  const shown = shownName(`e${"\u0301".repeat(50)}`, 200);
  assert.equal(shown.match(/\p{M}/gu)?.length, 4);
  assert.equal(shownName("ế"), "ế");
});

test("a long name keeps its beginning and its end", () => {
  const name = `document.${"x".repeat(200)}.delete`;
  const shown = shownName(name, 40);
  assert.equal([...shown].length, 40);
  assert.match(shown, /^document\.x+…x+\.delete$/);
  assert.equal(shownName("x".repeat(40), 40), "x".repeat(40));
  assert.match(shownName("x".repeat(5_000), 2_000), /^x+…x+$/);
});

test("whatever a name is, what is shown is bounded and visible", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.integer({ min: 2, max: 90 }),
      (name, max) => {
        const shown = shownName(name, max);
        assert.ok([...shown].length <= Math.max(max, "(blank)".length));
        assert.notEqual(shown.trim(), "");
        assert.doesNotMatch(shown, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\u200b\u2800]/u);
      },
    ),
  );
});
