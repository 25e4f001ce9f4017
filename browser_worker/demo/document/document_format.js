// @ts-check
/** The formats in which a document leaves and comes in, in one table. */

import { htmlPieces } from "./html_writer.js";
import { fromMarkdown } from "./markdown_reader.js";
import { markdownPieces } from "./markdown_writer.js";
import { Paragraph } from "./paragraph.js";
import { cleanText } from "./text_offsets.js";

/** @import { DocumentState } from "./text_document.js" */

/** @typedef {"markdown" | "html" | "text"} ExportFormat */
/** @typedef {"markdown" | "text"} ImportFormat */

/** @typedef {{ text: string, paragraphs: number }} Piece Some of what is written, and how many paragraphs it is of. */

/** @type {ReadonlyMap<ExportFormat, { label: string, extension: string, mimeType: string, pieces: (document: DocumentState) => Iterable<Piece> }>} */
export const EXPORT_FORMATS = new Map([
  [
    "markdown",
    { label: "Markdown", extension: "md", mimeType: "text/markdown", pieces: markdownPieces },
  ],
  ["html", { label: "HTML", extension: "html", mimeType: "text/html", pieces: htmlPieces }],
  ["text", { label: "Plain text", extension: "txt", mimeType: "text/plain", pieces: textPieces }],
]);

/** @type {ReadonlyMap<ImportFormat, (text: string) => DocumentState>} */
export const IMPORT_FORMATS = new Map([
  ["markdown", fromMarkdown],
  ["text", fromText],
]);

/** @param {ExportFormat} format */
export function exportFormat(format) {
  const row = EXPORT_FORMATS.get(format);
  if (row === undefined) throw new TypeError(`no format: ${format}`);
  return row;
}

/**
 * @param {DocumentState} document
 * @param {ExportFormat} format
 */
export function exported(document, format) {
  return [...exportFormat(format).pieces(document)].map(({ text }) => text).join("");
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

/**
 * @param {DocumentState} document
 * @returns {Generator<Piece>}
 */
function* textPieces({ title, paragraphs }) {
  const heading = title.trim();
  if (heading !== "") yield { text: `${heading}\n\n`, paragraphs: 0 };
  for (const { text } of paragraphs) yield { text: `${text}\n`, paragraphs: 1 };
}

/**
 * @param {string} text
 * @returns {DocumentState}
 */
function fromText(text) {
  const lines = cleanText(text).replace(/\n$/, "").split("\n");
  return { title: "", paragraphs: lines.map((line) => Paragraph.plain("body", line)) };
}
