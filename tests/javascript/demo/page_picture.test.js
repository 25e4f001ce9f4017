// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { brokenLines } from "../../../browser_worker/demo/document/line_breaker.js";
import { laidOut } from "../../../browser_worker/demo/document/page_layout.js";
import { Paragraph } from "../../../browser_worker/demo/document/paragraph.js";
import { toSvg } from "../../../browser_worker/demo/document/svg_writer.js";
import { anyParagraph, anyState } from "./support/documents.js";

/** Each code unit is as wide as half a line is high. */
const measure = (/** @type {string} */ text, /** @type {{ size: number }} */ { size }) =>
  text.length * size * 0.5;

/** @param {string} text @param {number} room @param {number} [most] */
function lines(text, room, most = 100) {
  const broken = brokenLines([{ text, marks: 0 }], room, most, (words) => words.length);
  return broken.map((line) => line.map((piece) => piece.text).join(""));
}

test("lines are broken at spaces, which hang, and within a word that is too wide", () => {
  assert.deepEqual(lines("one two  three", 8), ["one two", "three"]);
  assert.deepEqual(lines("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
  assert.deepEqual(lines("中文中文 ab", 3), ["中文中", "文", "ab"]);
  assert.deepEqual(lines("", 8), [""]);
  assert.deepEqual(lines("one two three", 5, 2), ["one", "two"]);
});

test("a word whose letters have several marks is not broken where the marks change", () => {
  const runs = [
    { text: "one tw", marks: 0 },
    { text: "o", marks: 1 },
    { text: " three", marks: 0 },
  ];
  const broken = brokenLines(runs, 6, 10, (text) => text.length);
  assert.deepEqual(
    broken.map((line) => line.map(({ text, marks }) => [text, marks])),
    [
      [["one", 0]],
      [
        ["tw", 0],
        ["o", 1],
      ],
      [["three", 0]],
    ],
  );
});

test("no letter is lost, no line is too wide, and a character is never broken", () => {
  fc.assert(
    fc.property(anyParagraph, fc.integer({ min: 12, max: 60 }), ({ runs, text }, room) => {
      const broken = brokenLines(runs, room, 1_000, (words) => words.length);
      const shown = broken.flat().map((piece) => piece.text);
      assert.equal(shown.join("").replace(/\s/g, ""), text.replace(/\s/g, ""));
      for (const piece of shown) assert.doesNotMatch(piece, /^[\udc00-\udfff]|[\ud800-\udbff]$/);
      for (const line of broken) {
        assert.ok(line.reduce((sum, { width }) => sum + width, 0) <= room);
      }
    }),
  );
});

test("pictures that follow each other show each paragraph once and come to an end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("body", "code", "heading-1", "numbered", "quote"), {
        minLength: 1,
        maxLength: 60,
      }),
      (styles) => {
        const paragraphs = styles.map((style, index) =>
          Paragraph.plain(/** @type {any} */ (style), `p${index}`),
        );
        let first = 0;
        /** @type {string[]} */
        const shown = [];
        for (;;) {
          const how = { width: 400, maxHeight: 300, first };
          const picture = laidOut({ title: "T", paragraphs }, how, measure);
          assert.ok(picture.height <= 300);
          for (const item of picture.items) {
            if (item.kind === "text" && item.text.startsWith("p")) shown.push(item.text);
          }
          if (picture.next === undefined) break;
          assert.ok(picture.next > first);
          first = picture.next;
        }
        assert.deepEqual(
          shown,
          styles.map((_, index) => `p${index}`),
        );
      },
    ),
  );
});

test("a picture that begins within a numbered list goes on counting", () => {
  const paragraphs = ["a", "b", "c"].map((text) => Paragraph.plain("numbered", text));
  const how = { width: 400, maxHeight: 4_096, first: 2 };
  const { items } = laidOut({ title: "", paragraphs }, how, measure);
  assert.deepEqual(
    items.map((item) => item.kind === "text" && item.text),
    ["3.", "c"],
  );
});

test("a document made to be slow is drawn no slower than its picture is high", () => {
  let measured = 0;
  const counting = (/** @type {string} */ text, /** @type {{ size: number }} */ font) => {
    measured += text.length;
    return /[^\u200b]/.test(text) ? measure(text, font) : 0;
  };
  const how = { width: 320, maxHeight: 4_096, first: 0 };
  for (const text of ["x", "x ", "\u200b", "\u200b ", " ", "中", "👩‍🚀"]) {
    measured = 0;
    const paragraphs = [Paragraph.plain("body", text.repeat(500_000 / text.length))];
    const { items } = laidOut({ title: "", paragraphs }, how, counting);
    assert.ok(items.length <= 140, text);
    assert.ok(measured < 400_000, `${JSON.stringify(text)}: ${measured}`);
  }
});

test("an SVG picture holds shapes and text only, whatever the document says", () => {
  const names = new Set(["svg", "title", "rect", "text"]);
  const hostile = Paragraph.plain("body", '<script href="x">&\u0000\u000b\ufffe]]>');
  const how = { width: 600, maxHeight: 2_000, first: 0 };
  fc.assert(
    fc.property(anyState, ({ title, paragraphs }) => {
      const state = { title: `${title}</title><x>`, paragraphs: [...paragraphs, hostile] };
      const svg = toSvg(laidOut(state, how, measure));
      const found = [...svg.matchAll(/<\/?([^\s/>]*)/g)].map((match) => match[1] ?? "");
      assert.ok(found.length > 4);
      for (const name of found) assert.ok(names.has(name), name);
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(svg, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
      assert.doesNotMatch(
        svg.replace('xmlns="http://www.w3.org/2000/svg"', ""),
        /href=(?!&)|url\(|http/,
      );
      assert.match(svg, /&lt;script href=&quot;x&quot;&gt;&amp;/);
    }),
  );
});
