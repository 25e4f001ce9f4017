// @ts-check
/** Copying and cutting: the document's own text, and as much of its look as other programs take. */

import { toHtmlFragment } from "../document/html_writer.js";
import { Paragraph } from "../document/paragraph.js";
import { at, placeOf } from "../document/paragraph_list.js";

/** @import { DocumentSelection } from "../document/document_selection.js" */
/** @import { Span, TextDocument } from "../document/text_document.js" */
/** @import { Editor } from "./editor.js" */
/** @import { Run } from "./local_actions.js" */

/**
 * @param {{ text: TextDocument, selection: DocumentSelection, editor: Editor, run: Run }} around
 */
export function bindClipboard({ text, selection, editor, run }) {
  const { root, view } = editor;
  /** @param {ClipboardEvent} event @param {boolean} cut */
  const take = (event, cut) => {
    view.readSelection();
    const { start, end } = selection;
    if (start === end || event.clipboardData === null) return;
    event.preventDefault();
    event.clipboardData.setData("text/plain", text.text.slice(start, end));
    event.clipboardData.setData("text/html", toHtmlFragment(selected(text, { start, end })));
    if (cut) run("document.text.delete", { start, end });
  };
  root.addEventListener("copy", (event) => take(event, false));
  root.addEventListener("cut", (event) => take(event, true));
}

/**
 * @param {TextDocument} text
 * @param {Span} span
 * @returns {Paragraph[]}
 */
function selected({ paragraphs }, { start, end }) {
  const from = placeOf(paragraphs, start);
  const to = placeOf(paragraphs, end);
  return paragraphs.slice(from.index, to.index + 1).map((paragraph, index) => {
    const left = index === 0 ? from.offset : 0;
    const right = from.index + index === to.index ? to.offset : paragraph.length;
    return new Paragraph(at(paragraphs, from.index + index).style, paragraph.slice(left, right));
  });
}
