// @ts-check
/** Marks stretches of the page without touching its DOM, where the browser can. */

/** @import { Span } from "../document/text_document.js" */
/** @import { EditorView } from "./editor_view.js" */

const SHOWN = 500;

/**
 * @param {string} name As the style sheet knows it.
 * @param {EditorView} view
 * @param {readonly Span[]} spans Of many only the first few hundred are marked.
 */
export function highlight(name, view, spans) {
  if (!("highlights" in CSS)) return;
  if (spans.length === 0) {
    CSS.highlights.delete(name);
    return;
  }
  const ranges = spans.slice(0, SHOWN).map((span) => view.rangeOf(span));
  CSS.highlights.set(name, new Highlight(...ranges));
}
