// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exported, imported } from "../../../browser_worker/demo/document/document_format.js";
import { Paragraph } from "../../../browser_worker/demo/document/paragraph.js";
import { anyParagraph, anyState } from "./support/documents.js";

/**
 * @param {readonly Paragraph[]} paragraphs
 * @param {string} [title]
 */
const document = (paragraphs, title = "") => ({ title, paragraphs });

/** @param {string} markdown */
const read = (markdown) => imported(markdown, "markdown");

/**
 * What Markdown can say of a document: nothing of empty paragraphs outside of code, nor of marks
 * on spaces.
 *
 * @param {readonly Paragraph[]} paragraphs
 */
function sayable(paragraphs) {
  return paragraphs
    .filter(({ style, text }) => style === "code" || text.trim() !== "")
    .map(({ style, text, runs }) => [
      style,
      text,
      style === "code"
        ? []
        : runs.flatMap((run) =>
            [...run.text].map((char) =>
              (run.marks & 4) === 0 && /\s/u.test(char) ? "space" : run.marks,
            ),
          ),
    ]);
}

test("a document that goes out as Markdown comes back the same", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const back = read(exported(state, "markdown"));
      assert.equal(back.title, state.title.trim());
      assert.deepEqual(sayable(back.paragraphs), sayable(state.paragraphs));
    }),
    { numRuns: 1_000 },
  );
});

test("no Markdown at all breaks the reader, and what it reads is settled", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."ab *_`#>-1.\\&;\n~ "), maxLength: 60 }),
      (markdown) => {
        const once = read(markdown);
        const twice = read(exported(once, "markdown"));
        assert.deepEqual(sayable(twice.paragraphs), sayable(once.paragraphs));
      },
    ),
    { numRuns: 1_000 },
  );
});

test("Markdown as people write it is read", () => {
  const { title, paragraphs } = read(`# A *title*

Two lines
of one paragraph, **bold**, _italic_ and \`co*de\`.

## Part
- one
* two
1. first
2) second
> quoted
> still

~~~js
const a = 1;

~~~
2 * 3 * 4 and snake_case_name and a ** b
### Deeper ###
#### Deepest`);
  assert.equal(title, "A title");
  assert.deepEqual(
    paragraphs.map(({ style, text }) => [style, text]),
    [
      ["body", "Two lines of one paragraph, bold, italic and co*de."],
      ["heading-1", "Part"],
      ["list", "one"],
      ["list", "two"],
      ["numbered", "first"],
      ["numbered", "second"],
      ["quote", "quoted still"],
      ["code", "const a = 1;"],
      ["code", ""],
      ["body", "2 * 3 * 4 and snake_case_name and a ** b"],
      ["heading-2", "Deeper"],
      ["heading-3", "Deepest"],
    ],
  );
  assert.deepEqual(
    paragraphs[0]?.runs.filter((run) => run.marks !== 0),
    [
      { text: "bold", marks: 1 },
      { text: "italic", marks: 2 },
      { text: "co*de", marks: 4 },
    ],
  );
});

test("a mark that is opened and never closed is the sign that it is", () => {
  assert.equal(read("a **b and `c").paragraphs[0]?.text, "a **b and `c");
});

test("Markdown that goes out is what people expect", () => {
  const text = exported(
    document(
      [
        new Paragraph("body", [
          { text: "A ", marks: 0 },
          { text: "bold ", marks: 1 },
          { text: "end_", marks: 0 },
        ]),
        Paragraph.plain("heading-1", "Part"),
        Paragraph.plain("list", "one"),
        Paragraph.plain("list", "two"),
        Paragraph.plain("numbered", "first"),
        Paragraph.plain("numbered", "second"),
        Paragraph.plain("code", "a"),
        Paragraph.plain("code", "```"),
        Paragraph.plain("body", "- no list"),
      ],
      "Title",
    ),
    "markdown",
  );
  assert.equal(
    text,
    "# Title\n\nA **bold** end\\_\n\n## Part\n\n- one\n- two\n\n1. first\n2. second\n\n````\na\n```\n````\n\n\\- no list\n",
  );
});

test("HTML that goes out escapes every text and groups lists and code", () => {
  const html = exported(
    document(
      [
        new Paragraph("body", [{ text: '<b>&"', marks: 3 }]),
        Paragraph.plain("list", "one"),
        Paragraph.plain("list", "two"),
        Paragraph.plain("code", "a < b"),
        Paragraph.plain("code", "c"),
      ],
      "<script>",
    ),
    "html",
  );
  assert.match(html, /<title>&lt;script&gt;<\/title>/);
  assert.match(html, /<p><strong><em>&lt;b&gt;&amp;&quot;<\/em><\/strong><\/p>/);
  assert.match(html, /<ul><li>one<\/li><li>two<\/li><\/ul>/);
  assert.match(html, /<pre><code>a &lt; b\nc<\/code><\/pre>/);
});

test("HTML holds no element that a text asks for", () => {
  fc.assert(
    fc.property(fc.array(anyParagraph), (paragraphs) => {
      const html = exported(document(paragraphs, "<x>"), "html");
      const names = new Set([...html.matchAll(/<\/?([^\s>]*)/g)].map((match) => match[1]));
      const known =
        "!doctype html meta title body h1 h2 h3 h4 p blockquote ul ol li pre code strong em";
      for (const name of names) assert.ok(known.split(" ").includes(name ?? ""), name);
    }),
  );
});

test("plain text comes in as body paragraphs, one a line", () => {
  const { paragraphs } = imported("# one\r\n\r\ntwo\n", "text");
  assert.deepEqual(
    paragraphs.map(({ style, text }) => [style, text]),
    [
      ["body", "# one"],
      ["body", ""],
      ["body", "two"],
    ],
  );
  assert.equal(exported(document(paragraphs, "T"), "text"), "T\n\n# one\n\ntwo\n");
});
