// @ts-check
/** Writes a document as Markdown: what `markdown_reader.js` reads back as the same document. */

import { ALL_MARKS } from "./paragraph_styles.js";

/** @import { Piece } from "./document_format.js" */
/** @import { Paragraph, Run } from "./paragraph.js" */
/** @import { ParagraphStyle } from "./paragraph_styles.js" */
/** @import { DocumentState } from "./text_document.js" */

/** The title has the one "#". @type {ReadonlyMap<ParagraphStyle, string>} */
const PREFIXES = new Map([
  ["heading-1", "## "],
  ["heading-2", "### "],
  ["heading-3", "#### "],
  ["quote", "> "],
  ["list", "- "],
]);

/** @type {readonly (readonly [number, string])[]} Outermost first. */
const DELIMITERS = Object.freeze([
  [1, "**"],
  [2, "*"],
]);
const CODE = 4;

/**
 * Empty paragraphs outside of code are left out: Markdown has no word for them.
 *
 * @param {DocumentState} document
 * @returns {Generator<Piece>}
 */
export function* markdownPieces({ title, paragraphs }) {
  const heading = title.trim();
  let apart = "";
  if (heading !== "") {
    yield { text: `# ${escaped(heading)}\n`, paragraphs: 0 };
    apart = "\n";
  }
  for (const group of grouped(paragraphs)) {
    const text = block(group);
    yield { text: text && `${apart}${text}\n`, paragraphs: group.length };
    if (text !== "") apart = "\n";
  }
}

/**
 * Paragraphs that belong together: the items of one list, the lines of one piece of code.
 *
 * @param {readonly Paragraph[]} paragraphs
 * @returns {Paragraph[][]}
 */
export function grouped(paragraphs) {
  /** @type {Paragraph[][]} */
  const groups = [];
  for (const paragraph of paragraphs) {
    const last = groups.at(-1);
    const joins = !/^(body|heading-\d)$/.test(paragraph.style);
    if (joins && last?.[0]?.style === paragraph.style) last.push(paragraph);
    else groups.push([paragraph]);
  }
  return groups;
}

/** @param {readonly Paragraph[]} group */
function block(group) {
  const style = group[0]?.style ?? "body";
  if (style === "code") {
    const text = group.map((paragraph) => paragraph.text).join("\n");
    const fence = longest(text, /`+/g, 2);
    return `${fence}\n${text}\n${fence}`;
  }
  const lines = group.filter(({ text }) => text.trim() !== "").map(({ runs }) => inline(runs));
  if (style === "numbered") return lines.map((line, index) => `${index + 1}. ${line}`).join("\n");
  const prefix = PREFIXES.get(style) ?? "";
  return lines.map((line) => prefix + line).join(style === "quote" ? "\n>\n" : "\n");
}

/**
 * Marks never begin or end with a space, as Markdown wants it.
 *
 * @param {readonly Run[]} runs
 */
function inline(runs) {
  let open = 0;
  let line = "";
  for (const { text, marks } of pieces(runs)) {
    if (text.trim() === "" && (marks & CODE) === 0) {
      line += escaped(text);
      continue;
    }
    // Delimiters stand at the characters, never at the spaces between.
    const spaces = /\s*$/.exec(line)?.[0] ?? "";
    line = line.slice(0, line.length - spaces.length) + switched(open & ~marks);
    line += spaces + switched(~open & marks);
    line += marks & CODE ? codeSpan(text) : escaped(text);
    open = marks & ALL_MARKS & ~CODE;
  }
  const spaces = /\s*$/.exec(line)?.[0] ?? "";
  line = line.slice(0, line.length - spaces.length) + switched(open);
  return edges(line, spaces);
}

/**
 * @param {readonly Run[]} runs
 * @returns {Run[]} With the spaces at the edges of each in runs of their own.
 */
function pieces(runs) {
  return runs.flatMap(({ text, marks }) => {
    if (marks & CODE) return [{ text, marks }];
    const [, before = "", middle = "", after = ""] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
    return [before, middle, after]
      .filter((piece) => piece !== "")
      .map((piece) => ({ text: piece, marks }));
  });
}

/** @param {number} bits */
function switched(bits) {
  return DELIMITERS.filter(([bit]) => bits & bit)
    .map(([, delimiter]) => delimiter)
    .join("");
}

/** @param {string} text */
function codeSpan(text) {
  const fence = longest(text, /`+/g, 0);
  const pad = /^`|`$|^ .* $|^\s+$/s.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/**
 * A fence that the text does not hold.
 *
 * @param {string} text
 * @param {RegExp} ticks
 * @param {number} least One less than the fewest backticks.
 */
function longest(text, ticks, least) {
  const runs = (text.match(ticks) ?? []).map((run) => run.length);
  return "`".repeat(runs.reduce((most, length) => Math.max(most, length), least) + 1);
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[\\`*_[\]<>&#~|]/g, "\\$&");
}

/**
 * Keeps what stands at the edges of a line from meaning something else, or nothing.
 *
 * @param {string} line
 * @param {string} spaces Those behind it.
 */
function edges(line, spaces) {
  return (
    line
      .replace(/^\s+/, entities)
      .replace(/^([-+])(?=\s|$)/, "\\$1")
      .replace(/^(\d+)([.)])(?=\s|$)/, "$1\\$2")
      .replace(/^(-+|=+)$/, "\\$1") + entities(spaces)
  );
}

/** @param {string} spaces */
function entities(spaces) {
  return [...spaces].map((space) => `&#${space.codePointAt(0)};`).join("");
}
