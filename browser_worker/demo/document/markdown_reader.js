// @ts-check
/**
 * Reads the part of Markdown that a document can hold: headings, lists, quotes, fenced code,
 * bold, italic and code spans. Everything else is kept as the text that it is.
 */

import { Paragraph } from "./paragraph.js";
import { readInline } from "./markdown_inline.js";
import { cleanText } from "./text_offsets.js";

/** @import { ParagraphStyle } from "./paragraph_styles.js" */
/** @import { DocumentState } from "./text_document.js" */

/** @type {readonly (readonly [RegExp, ParagraphStyle])[]} */
const LINES = Object.freeze([
  [/^#{1,2}(?:[ \t]+|$)/, "heading-1"],
  [/^###(?:[ \t]+|$)/, "heading-2"],
  [/^#{4,6}(?:[ \t]+|$)/, "heading-3"],
  [/^>[ \t]?/, "quote"],
  [/^[-*+](?:[ \t]+|$)/, "list"],
  [/^\d{1,9}[.)](?:[ \t]+|$)/, "numbered"],
]);

/**
 * @param {string} markdown
 * @returns {DocumentState} A heading "#" at the very beginning is the title.
 */
export function fromMarkdown(markdown) {
  const lines = cleanText(markdown).split("\n");
  let title = "";
  /** @type {Paragraph[]} */
  const paragraphs = [];
  /** The paragraph whose next line may follow. @type {{ style: ParagraphStyle, text: string } | null} */
  let open = null;
  const close = () => {
    if (open !== null && open.text.trim() !== "") {
      paragraphs.push(new Paragraph(open.style, readInline(open.text.trim())));
    }
    open = null;
  };
  let index = 0;
  while (index < lines.length) {
    const line = (lines[index++] ?? "").replace(/^[ \t]+/, "").replace(/[ \t]+$/, "");
    const fence = /^(`{3,}|~{3,})[^`]*$/.exec(line)?.[1];
    if (fence !== undefined) {
      close();
      index = readCode(lines, index, fence, paragraphs);
      continue;
    }
    if (line === "") {
      close();
      continue;
    }
    const [pattern, style] = LINES.find(([prefix]) => prefix.test(line)) ?? [null, null];
    if (pattern === null || style === null) {
      // A line without a sign of its own goes on with the paragraph before it.
      if (open !== null) open.text += ` ${line}`;
      else open = { style: "body", text: line };
      continue;
    }
    const rest = line.replace(pattern, "");
    const first = paragraphs.length === 0 && open === null && title === "";
    if (first && /^#[ \t]/.test(line)) {
      title = readInline(closedHeading(rest))
        .map((run) => run.text)
        .join("");
      continue;
    }
    if (style === "quote" && open?.style === "quote" && rest.trim() !== "") {
      open.text += ` ${rest}`;
      continue;
    }
    close();
    open = { style, text: style.startsWith("heading") ? closedHeading(rest) : rest };
    if (style.startsWith("heading")) close();
  }
  close();
  return { title, paragraphs };
}

/** @param {string} text */
function closedHeading(text) {
  return text.replace(/(^|[ \t]+)#+$/, "");
}

/**
 * @param {readonly string[]} lines
 * @param {number} start The line behind the fence.
 * @param {string} fence
 * @param {Paragraph[]} paragraphs Gets the lines.
 * @returns {number} The line to go on with.
 */
function readCode(lines, start, fence, paragraphs) {
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const end = /^[ \t]*(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
    if (end !== undefined && end[0] === fence[0] && end.length >= fence.length) return index + 1;
    paragraphs.push(Paragraph.plain("code", line));
  }
  return lines.length;
}
