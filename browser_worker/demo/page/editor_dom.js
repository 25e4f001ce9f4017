// @ts-check
/**
 * Paragraphs as elements, and places between: what stands where in the editor's DOM. It reads and
 * writes elements and listens to nothing.
 */

import { at, placeOf, startOf } from "../document/paragraph_list.js";
import { difference } from "../document/text_offsets.js";

/** @import { Paragraph, Run } from "../document/paragraph.js" */
/** @import { ParagraphStyle } from "../document/paragraph_styles.js" */

/** @type {ReadonlyMap<ParagraphStyle, string>} The page's own heading is the only h1. */
const ELEMENTS = new Map([
  ["heading-1", "h2"],
  ["heading-2", "h3"],
  ["heading-3", "h4"],
  ["quote", "blockquote"],
]);

/** @type {readonly (readonly [number, string])[]} Outermost first. */
const MARK_ELEMENTS = Object.freeze([
  [1, "strong"],
  [2, "em"],
  [4, "code"],
]);

/**
 * @param {Paragraph} paragraph
 * @returns {HTMLElement}
 */
export function paragraphElement(paragraph) {
  const element = document.createElement(ELEMENTS.get(paragraph.style) ?? "p");
  element.dataset["style"] = paragraph.style;
  if (paragraph.style === "code") element.spellcheck = false;
  if (paragraph.runs.length === 0) element.append(document.createElement("br"));
  else element.append(...paragraph.runs.map(runNode));
  return element;
}

/**
 * @param {Run} run
 * @returns {Node}
 */
function runNode({ text, marks }) {
  /** @type {Node} */
  let node = document.createTextNode(text);
  for (const [bit, name] of MARK_ELEMENTS.toReversed()) {
    if ((marks & bit) === 0) continue;
    const element = document.createElement(name);
    element.append(node);
    node = element;
  }
  return node;
}

/**
 * Makes an element show a paragraph's new text without taking its nodes away, where only texts
 * have changed: spelling marks and the browser's own state stay.
 *
 * @param {Element} element
 * @param {Paragraph} before What it shows now.
 * @param {Paragraph} after
 * @returns {boolean} False where it has to be made anew.
 */
export function patchElement(element, before, after) {
  if (before.style !== after.style || before.runs.length !== after.runs.length) return false;
  if (after.runs.length === 0) return true;
  if (before.runs.some((run, index) => run.marks !== after.runs[index]?.marks)) return false;
  const nodes = textNodes(element);
  if (nodes.length !== after.runs.length) return false;
  nodes.forEach((node, index) => {
    const text = after.runs[index]?.text ?? "";
    if (node.data === text) return;
    const { start, end, inserted } = difference(node.data, text);
    node.replaceData(start, end - start, inserted);
  });
  return true;
}

/**
 * @param {Node} root
 * @returns {Text[]}
 */
function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const found = [];
  while (walker.nextNode()) found.push(/** @type {Text} */ (walker.currentNode));
  return found;
}

/**
 * The text that the editor shows, whatever the browser has made of its elements.
 *
 * @param {Element} root
 */
export function shownText(root) {
  return [...root.childNodes].map((node) => node.textContent ?? "").join("\n");
}

/**
 * The offset of a place in the DOM.
 *
 * @param {Element} root
 * @param {readonly Paragraph[]} paragraphs What the DOM shows.
 * @param {Node} node Within the root, or the root.
 * @param {number} offset
 */
export function offsetOf(root, paragraphs, node, offset) {
  if (node === root) {
    const index = Math.min(offset, paragraphs.length);
    return index < paragraphs.length
      ? startOf(paragraphs, index)
      : startOf(paragraphs, index - 1) + at(paragraphs, index - 1).length;
  }
  let child = node;
  while (child.parentNode !== null && child.parentNode !== root) child = child.parentNode;
  const index = Array.prototype.indexOf.call(root.childNodes, child);
  const range = document.createRange();
  range.setStart(child, 0);
  range.setEnd(node, offset);
  const within = range.toString().length;
  const last = Math.min(index, paragraphs.length - 1);
  return startOf(paragraphs, last) + within;
}

/**
 * The place of an offset in the DOM.
 *
 * @param {Element} root
 * @param {readonly Paragraph[]} paragraphs What the DOM shows.
 * @param {number} offset
 * @returns {{ node: Node, offset: number }}
 */
export function pointOf(root, paragraphs, offset) {
  const place = placeOf(paragraphs, offset);
  const element = root.children[place.index] ?? root;
  let rest = place.offset;
  let last = null;
  for (const node of textNodes(element)) {
    if (rest <= node.length) return { node, offset: rest };
    rest -= node.length;
    last = node;
  }
  return last === null ? { node: element, offset: 0 } : { node: last, offset: last.length };
}

/**
 * @param {Element} root
 * @param {readonly Paragraph[]} paragraphs
 * @param {{ start: number, end: number }} span
 * @returns {Range}
 */
export function rangeOf(root, paragraphs, { start, end }) {
  const range = document.createRange();
  const from = pointOf(root, paragraphs, start);
  const to = pointOf(root, paragraphs, end);
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}
