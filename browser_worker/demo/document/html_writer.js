// @ts-check
/** Writes a document, or a part of it, as HTML. Every text of the document is escaped. */

import { grouped } from "./markdown_writer.js";

/** @import { Piece } from "./document_format.js" */
/** @import { Paragraph, Run } from "./paragraph.js" */
/** @import { DocumentState } from "./text_document.js" */

/** @type {readonly (readonly [number, string])[]} Outermost first. */
const ELEMENTS = Object.freeze([
  [1, "strong"],
  [2, "em"],
  [4, "code"],
]);

/**
 * A whole page.
 *
 * @param {DocumentState} document
 * @returns {Generator<Piece>}
 */
export function* htmlPieces({ title, paragraphs }) {
  const heading = title.trim();
  const head = `<meta charset="utf-8">\n<title>${escaped(heading === "" ? "Untitled" : heading)}</title>`;
  const first = heading === "" ? "" : `<h1>${escaped(heading)}</h1>\n`;
  const text = `<!doctype html>\n<html lang="">\n${head}\n<body>\n${first}`;
  yield { text, paragraphs: 0 };
  for (const group of grouped(paragraphs)) {
    yield { text: `${block(group)}\n`, paragraphs: group.length };
  }
  yield { text: "</body>\n</html>\n", paragraphs: 0 };
}

/**
 * Paragraphs by themselves: for the clipboard.
 *
 * @param {readonly Paragraph[]} paragraphs
 */
export function toHtmlFragment(paragraphs) {
  return grouped(paragraphs)
    .map((group) => `${block(group)}\n`)
    .join("");
}

/** @param {readonly Paragraph[]} group */
function block(group) {
  const style = group[0]?.style ?? "body";
  const lines = group.map(({ runs }) => inline(runs));
  switch (style) {
    case "heading-1":
    case "heading-2":
    case "heading-3": {
      const level = Number(style.at(-1)) + 1;
      return `<h${level}>${lines.join("")}</h${level}>`;
    }
    case "quote":
      return `<blockquote>${lines.map((line) => `<p>${line}</p>`).join("")}</blockquote>`;
    case "list":
      return `<ul>${lines.map((line) => `<li>${line}</li>`).join("")}</ul>`;
    case "numbered":
      return `<ol>${lines.map((line) => `<li>${line}</li>`).join("")}</ol>`;
    case "code":
      // The parser drops a line feed right behind the tag.
      return `<pre><code>${group.map(({ text }) => escaped(text)).join("\n")}</code></pre>`;
    case "body":
      return `<p>${lines.join("")}</p>`;
  }
}

/** @param {readonly Run[]} runs */
function inline(runs) {
  return runs
    .map(({ text, marks }) => {
      const names = ELEMENTS.filter(([bit]) => marks & bit).map(([, name]) => name);
      const opened = names.map((name) => `<${name}>`).join("");
      const closed = names
        .toReversed()
        .map((name) => `</${name}>`)
        .join("");
      return opened + escaped(text) + closed;
    })
    .join("");
}

/** @param {string} text */
function escaped(text) {
  return text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}
