// @ts-check
/**
 * The editable page. The browser shows carets and composes characters; what is typed becomes
 * actions before it becomes DOM, and the DOM follows the document. What changes the DOM by itself,
 * an input method or a spelling checker, is read from it and becomes an action afterwards.
 */

import { textOf } from "../document/paragraph_list.js";
import { difference, movedOffset } from "../document/text_offsets.js";
import {
  offsetOf,
  paragraphElement,
  patchElement,
  pointOf,
  rangeOf,
  shownText,
} from "./editor_dom.js";

/** @import { DocumentSelection } from "../document/document_selection.js" */
/** @import { Paragraph } from "../document/paragraph.js" */
/** @import { Span, TextDocument } from "../document/text_document.js" */
/** @import { TextEdit } from "../document/text_offsets.js" */

const WATCHED = { childList: true, characterData: true, subtree: true };

/** Shows a document in an element and reads back what others do to that element. */
export class EditorView {
  /**
   * @param {HTMLElement} root
   * @param {TextDocument} text
   * @param {DocumentSelection} selection
   * @param {(change: { start: number, end: number, text: string }) => void} onForeign Told what the
   *   browser itself has typed.
   */
  constructor(root, text, selection, onForeign) {
    this.root = root;
    this._text = text;
    this._selection = selection;
    this._onForeign = onForeign;
    /** @type {readonly Paragraph[]} */
    this._shown = [];
    /** @type {Set<Node>} Elements whose DOM is not of our making. */
    this._dirty = new Set();
    /** @type {TextEdit[] | null} What was edited while the input method composes. */
    this._meanwhile = null;
    /** @type {Set<() => void>} */
    this._listeners = new Set();
    this._observer = new MutationObserver((records) => this._takeForeign(records));
    this._observer.observe(root, WATCHED);
    text.onChange((edits) => this._follow(edits));
    selection.onSet(() => this.showSelection());
    root.addEventListener("compositionstart", () => (this._meanwhile = []));
    root.addEventListener("compositionend", () => this._composed());
    root.addEventListener("focus", () => this.showSelection());
    // The last move of a caret that leaves is told of too late.
    root.addEventListener("blur", () => this._readSelection());
    document.addEventListener("selectionchange", () => this.readSelection());
    this.render();
  }

  get composing() {
    return this._meanwhile !== null;
  }

  /**
   * @param {() => void} listener Told when the DOM shows a new state of the document.
   */
  onRender(listener) {
    this._listeners.add(listener);
  }

  /** @param {readonly TextEdit[]} edits */
  _follow(edits) {
    // The DOM is the input method's until it is done; what comes meanwhile is shown then.
    if (this._meanwhile !== null) this._meanwhile.push(...edits);
    else this.render();
  }

  /** Makes the DOM show the document. */
  render() {
    const before = this._shown;
    const after = this._text.paragraphs;
    const { root } = this;
    if (this._dirty.has(root) || before.length !== root.childNodes.length) {
      root.replaceChildren(...after.map(paragraphElement));
    } else {
      const clean = (/** @type {number} */ index) => !this._dirty.has(childAt(root, index));
      let first = 0;
      const most = Math.min(before.length, after.length);
      while (first < most && before[first] === after[first] && clean(first)) first++;
      let tail = 0;
      while (
        tail < most - first &&
        before.at(-1 - tail) === after.at(-1 - tail) &&
        clean(before.length - 1 - tail)
      ) {
        tail++;
      }
      this._replace(
        first,
        before.slice(first, before.length - tail),
        after.slice(first, after.length - tail),
      );
    }
    this._dirty.clear();
    this._observer.takeRecords();
    this._shown = after;
    this.showSelection();
    for (const listener of this._listeners) listener();
  }

  /**
   * @param {number} first
   * @param {readonly Paragraph[]} before
   * @param {readonly Paragraph[]} after
   */
  _replace(first, before, after) {
    const { root } = this;
    const common = Math.min(before.length, after.length);
    for (let index = 0; index < common; index++) {
      const element = childAt(root, first + index);
      const [old, now] = [before[index], after[index]];
      if (old === undefined || now === undefined) break;
      const patched =
        !this._dirty.has(element) && element instanceof Element && patchElement(element, old, now);
      if (!patched) element.replaceWith(paragraphElement(now));
    }
    for (let index = before.length; index > common; index--) {
      childAt(root, first + index - 1).remove();
    }
    const place = root.childNodes[first + common] ?? null;
    const fresh = document.createDocumentFragment();
    fresh.append(...after.slice(common).map(paragraphElement));
    root.insertBefore(fresh, place);
  }

  /**
   * The offsets of a range of the DOM.
   *
   * @param {StaticRange | Range} range
   * @returns {Span}
   */
  spanOf({ startContainer, startOffset, endContainer, endOffset }) {
    const { root, _shown: shown } = this;
    const ends = [
      offsetOf(root, shown, startContainer, startOffset),
      offsetOf(root, shown, endContainer, endOffset),
    ].map((offset) => Math.min(offset, this._text.length));
    return { start: Math.min(...ends), end: Math.max(...ends) };
  }

  /**
   * @param {Span} span
   * @returns {Range}
   */
  rangeOf(span) {
    return rangeOf(this.root, this._shown, span);
  }

  /** Takes over what is selected by now, which the browser tells of late only. */
  readSelection() {
    if (document.activeElement === this.root) this._readSelection();
  }

  _readSelection() {
    if (this.composing) return;
    const now = this._domSelection();
    if (now === null) return;
    if (now.anchor === this._selection.anchor && now.focus === this._selection.focus) return;
    this._text.endTyping();
    this._selection.set(now.anchor, now.focus);
  }

  _domSelection() {
    const found = document.getSelection();
    if (!found?.anchorNode || !found.focusNode) return null;
    if (!this.root.contains(found.anchorNode) || !this.root.contains(found.focusNode)) return null;
    return {
      anchor: offsetOf(this.root, this._shown, found.anchorNode, found.anchorOffset),
      focus: offsetOf(this.root, this._shown, found.focusNode, found.focusOffset),
      // A caret between paragraphs stands in none, and the browser's keys go astray from there.
      within: found.anchorNode !== this.root && found.focusNode !== this.root,
    };
  }

  /** Shows the selection, where the page has the focus. */
  showSelection() {
    if (this.composing || document.activeElement !== this.root) return;
    const { anchor, focus } = this._selection;
    const now = this._domSelection();
    if (now?.within && now.anchor === anchor && now.focus === focus) return;
    const from = pointOf(this.root, this._shown, anchor);
    const to = pointOf(this.root, this._shown, focus);
    document.getSelection()?.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
  }

  /** @param {MutationRecord[]} records */
  _takeForeign(records) {
    for (const { target } of records) this._dirty.add(this._childOf(target));
    if (this._dirty.size > 0 && !this.composing) this._readBack();
  }

  /** @param {Node} node */
  _childOf(node) {
    let child = node;
    while (child !== this.root && child.parentNode !== null && child.parentNode !== this.root) {
      child = child.parentNode;
    }
    return child.parentNode === null ? this.root : child;
  }

  _composed() {
    for (const { target } of this._observer.takeRecords()) this._dirty.add(this._childOf(target));
    this._readBack();
  }

  /** Makes an action of what the DOM shows and the document does not have. */
  _readBack() {
    const meanwhile = this._meanwhile ?? [];
    this._meanwhile = null;
    const before = textOf(this._shown);
    const after = shownText(this.root);
    if (before !== after) {
      const caret = this._foreignCaret();
      const { start, end, inserted } = difference(before, after, caret);
      const moved = (/** @type {number} */ offset) =>
        Math.min(meanwhile.reduce(movedOffset, offset), this._text.length);
      const from = moved(start);
      this._onForeign({ start: from, end: Math.max(from, moved(end)), text: inserted });
    }
    if (this._dirty.size > 0 || meanwhile.length > 0) this.render();
  }

  /** Where the caret stands in the text that the DOM shows. */
  _foreignCaret() {
    const found = document.getSelection();
    if (!found?.focusNode || !this.root.contains(found.focusNode)) return undefined;
    if (found.focusNode === this.root) return undefined;
    const range = document.createRange();
    const child = this._childOf(found.focusNode);
    range.setStart(child, 0);
    range.setEnd(found.focusNode, found.focusOffset);
    let offset = range.toString().length;
    for (let node = child.previousSibling; node !== null; node = node.previousSibling) {
      offset += (node.textContent?.length ?? 0) + 1;
    }
    return offset;
  }
}

/**
 * @param {Element} root
 * @param {number} index
 * @returns {ChildNode}
 */
function childAt(root, index) {
  const child = root.childNodes[index];
  if (child === undefined) throw new RangeError(`the editor shows no paragraph ${index}`);
  return child;
}
