// @ts-check
/**
 * Typing: turns what a person does in the editable page into actions. Every letter goes through
 * the dispatcher, and nothing on the way waits.
 */

import { at, placeOf, startOf } from "../document/paragraph_list.js";
import { MARK_NAMES, PARAGRAPH_STYLES, markBit, marksOf } from "../document/paragraph_styles.js";
import { characterBeside, inputIntent } from "./editor_input.js";
import { EditorView } from "./editor_view.js";

/** @import { DocumentSelection } from "../document/document_selection.js" */
/** @import { Mark } from "../document/paragraph_styles.js" */
/** @import { Span, TextDocument } from "../document/text_document.js" */
/** @import { Run } from "./local_actions.js" */

/** The editor of one document. */
export class Editor {
  /**
   * @param {object} parts
   * @param {HTMLElement} parts.root An element that can be edited.
   * @param {TextDocument} parts.text
   * @param {DocumentSelection} parts.selection
   * @param {Run} parts.run
   */
  constructor({ root, text, selection, run }) {
    this.root = root;
    this._text = text;
    this._selection = selection;
    this._run = run;
    /** Marks for what is typed next, where a person has switched some. @type {number | null} */
    this._nextMarks = null;
    this.view = new EditorView(root, text, selection, ({ start, end, text: typed }) =>
      this._replace({ start, end }, typed),
    );
    selection.onSet(() => (this._nextMarks = null));
    root.addEventListener("beforeinput", (event) => this._onBeforeInput(event));
    root.addEventListener("paste", (event) => {
      event.preventDefault();
      this._insert(event.clipboardData?.getData("text/plain") ?? "");
    });
    root.addEventListener("drop", (event) => this._onDrop(event));
    // Dragging a text would delete and insert by the browser's own rules.
    root.addEventListener("dragstart", (event) => event.preventDefault());
  }

  /** The marks that the selection has, or that what is typed next will have. */
  get marks() {
    return this._nextMarks ?? this._text.marksBetween(this._selection.start, this._selection.end);
  }

  get style() {
    return this._paragraph().style;
  }

  /** @param {Mark} mark */
  toggleMark(mark) {
    this.view.readSelection();
    const { start, end, collapsed } = this._selection;
    const on = (this.marks & markBit(mark)) === 0;
    if (collapsed) this._nextMarks = this.marks ^ markBit(mark);
    else this._run("document.text.format", { mark, on, start, end });
  }

  focus() {
    this.root.focus({ preventScroll: true });
    this.view.showSelection();
  }

  /** @param {InputEvent} event */
  _onBeforeInput(event) {
    // What cannot be stopped is read from the DOM once it is there.
    if (this.view.composing || !event.cancelable) return;
    event.preventDefault();
    const carried = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    const intent = inputIntent(event.inputType, carried);
    const [target] = event.getTargetRanges();
    this.view.readSelection();
    const span = target === undefined ? this._selected() : this.view.spanOf(target);
    switch (intent.kind) {
      case "insert":
        if (!this._autoStyle(intent.text)) this._replace(span, intent.text);
        break;
      case "break":
        if (!this._endStyle()) this._replace(this._selected(), "\n");
        break;
      case "delete":
        this._delete(span, intent.direction);
        break;
      case "command":
        if (intent.command === "undo" || intent.command === "redo") {
          this._run(`document.${intent.command}`);
        } else this.toggleMark(intent.command);
        break;
      case "nothing":
        break;
    }
    this._reveal();
  }

  /** @param {DragEvent} event */
  _onDrop(event) {
    event.preventDefault();
    const dropped = event.dataTransfer?.getData("text/plain") ?? "";
    const place = document.caretPositionFromPoint(event.clientX, event.clientY);
    if (dropped === "" || place === null || !this.root.contains(place.offsetNode)) return;
    const range = document.createRange();
    range.setStart(place.offsetNode, place.offset);
    this._replace(this.view.spanOf(range), dropped);
    this.focus();
  }

  /** @param {string} text */
  _insert(text) {
    this.view.readSelection();
    if (text !== "") this._replace(this._selected(), text);
    this._reveal();
  }

  /**
   * @param {Span} span
   * @param {string} text
   */
  _replace({ start, end }, text) {
    if (start === end && text === "") return;
    const marks = this._nextMarks === null ? {} : { marks: marksOf(this._nextMarks) };
    this._run("document.text.replace", { start, end, text, ...marks });
  }

  /**
   * @param {Span} span
   * @param {"backward" | "forward" | "none"} direction
   */
  _delete(span, direction) {
    const { collapsed, focus } = this._selection;
    const { offset } = this._place();
    const { length } = this._paragraph();
    let { start, end } = collapsed ? span : this._selected();
    if (collapsed && direction === "backward" && offset === 0) {
      if (this.style !== "body") {
        this._run("document.paragraph.style", { style: "body" });
        return;
      }
      // Browsers do not agree on what stands before a paragraph.
      [start, end] = [Math.max(0, focus - 1), focus];
    } else if (collapsed && direction === "forward" && offset === length) {
      [start, end] = [focus, Math.min(focus + 1, this._text.length)];
    } else if (start === end) {
      ({ start, end } = characterBeside(this._text.text, focus, direction));
    }
    if (start < end) this._run("document.text.delete", { start, end });
  }

  /**
   * A sign and a space at the beginning of a paragraph ask for a style.
   *
   * @param {string} typed
   * @returns {boolean} Whether they did.
   */
  _autoStyle(typed) {
    if (typed !== " " || !this._selection.collapsed || this.style !== "body") return false;
    const { index, offset } = this._place();
    const before = this._paragraph().text.slice(0, offset);
    const [style] =
      [...PARAGRAPH_STYLES].find(([, { prefix }]) => prefix !== "" && prefix === before) ?? [];
    if (style === undefined) return false;
    const start = startOf(this._text.paragraphs, index);
    this._run("document.text.delete", { start, end: start + offset });
    this._run("document.paragraph.style", { style, paragraph: index });
    return true;
  }

  /**
   * A new line in an empty item of a list, a quote or code ends it.
   *
   * @returns {boolean} Whether it did.
   */
  _endStyle() {
    if (this.style === "body" || this._paragraph().length > 0) return false;
    this._run("document.paragraph.style", { style: "body" });
    return true;
  }

  _selected() {
    return { start: this._selection.start, end: this._selection.end };
  }

  _place() {
    return placeOf(this._text.paragraphs, this._selection.start);
  }

  _paragraph() {
    return at(this._text.paragraphs, this._place().index);
  }

  /** Scrolls as little as the caret needs to be seen. */
  _reveal() {
    const { focus } = this._selection;
    this.reveal({ start: focus, end: focus });
  }

  /** @param {Span} span */
  reveal(span) {
    if (this.view.composing) return;
    const range = this.view.rangeOf(span);
    const { startContainer: node } = range;
    const element = node instanceof Element ? node : node.parentElement;
    const rect = range.getClientRects()[0] ?? element?.getBoundingClientRect();
    if (rect === undefined) return;
    const top = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const bottom = innerHeight - 64;
    if (rect.top < top) scrollBy({ top: rect.top - top - 16 });
    else if (rect.bottom > bottom) scrollBy({ top: rect.bottom - bottom + 16 });
  }
}

/**
 * @param {number} bits
 * @returns {ReadonlyMap<Mark, boolean>} For each mark, whether it is on.
 */
export function marksOn(bits) {
  return new Map(MARK_NAMES.map((mark) => [mark, (bits & markBit(mark)) !== 0]));
}
