// @ts-check
/** The formats in which a document leaves and comes in, in one table. */

import { toHtml } from "./html_writer.js";
import { fromMarkdown } from "./markdown_reader.js";
import { toMarkdown } from "./markdown_writer.js";
import { Paragraph } from "./paragraph.js";
import { textOf } from "./paragraph_list.js";
import { cleanText } from "./text_offsets.js";

/** @import { DocumentState } from "./text_document.js" */

/** @typedef {"markdown" | "html" | "text"} ExportFormat */
/** @typedef {"markdown" | "text"} ImportFormat */

/** @type {ReadonlyMap<ExportFormat, { label: string, extension: string, mimeType: string, write: (document: DocumentState) => string }>} */
export const EXPORT_FORMATS = new Map([
  [
    "markdown",
    { label: "Markdown", extension: "md", mimeType: "text/markdown", write: toMarkdown },
  ],
  ["html", { label: "HTML", extension: "html", mimeType: "text/html", write: toHtml }],
  ["text", { label: "Plain text", extension: "txt", mimeType: "text/plain", write: toText }],
]);

/** @type {ReadonlyMap<ImportFormat, (text: string) => DocumentState>} */
export const IMPORT_FORMATS = new Map([
  ["markdown", fromMarkdown],
  ["text", fromText],
]);

/**
 * @param {DocumentState} document
 * @param {ExportFormat} format
 */
export function exported(document, format) {
  const row = EXPORT_FORMATS.get(format);
  if (row === undefined) throw new TypeError(`no format: ${format}`);
  return row.write(document);
}

/**
 * @param {string} text
 * @param {ImportFormat} format
 * @returns {DocumentState}
 */
export function imported(text, format) {
  const read = IMPORT_FORMATS.get(format);
  if (read === undefined) throw new TypeError(`no format: ${format}`);
  return read(text);
}

/** @param {DocumentState} document */
function toText({ title, paragraphs }) {
  const heading = title.trim();
  return `${heading === "" ? "" : `${heading}\n\n`}${textOf(paragraphs)}\n`;
}

/**
 * @param {string} text
 * @returns {DocumentState}
 */
function fromText(text) {
  const lines = cleanText(text).replace(/\n$/, "").split("\n");
  return { title: "", paragraphs: lines.map((line) => Paragraph.plain("body", line)) };
}
