// @ts-check
/** Shows for a moment what a terminal has just written, so that nobody wonders where it came from. */

import { movedOffset } from "../document/text_offsets.js";
import { highlight } from "./highlights.js";

/** @import { Dispatcher } from "../../dispatcher/dispatcher.js" */
/** @import { Span, TextDocument } from "../document/text_document.js" */
/** @import { EditorView } from "./editor_view.js" */

const SHOWN_MS = 2_500;

/**
 * @param {Dispatcher} dispatcher
 * @param {TextDocument} text
 * @param {EditorView} view
 */
export function showTerminalEdits(dispatcher, text, view) {
  let fromTerminal = false;
  /** @type {Span[]} */
  let spans = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  // The host is synchronous: between a call's begin and its end nobody else edits.
  dispatcher.onCall(({ phase, session }) => {
    fromTerminal = phase === "begin" && session !== undefined;
  });
  text.onChange((edits) => {
    for (const edit of edits) {
      spans = spans.map(({ start, end }) => ({
        start: movedOffset(start, edit),
        end: movedOffset(end, edit),
      }));
      if (fromTerminal && edit.inserted > 0) {
        spans.push({ start: edit.start, end: edit.start + edit.inserted });
      }
    }
    if (!fromTerminal || edits.length === 0) return;
    // The view has rendered them before it was known here whose they are.
    if (!view.composing) show();
    clearTimeout(timer);
    timer = setTimeout(() => {
      spans = [];
      show();
    }, SHOWN_MS);
  });
  const show = () =>
    highlight(
      "from-terminal",
      view,
      spans.filter((span) => span.start < span.end),
    );
  view.onRender(show);
}
