// @ts-check
/**
 * Keeps the keyboard in a dialog of the page while it is open. A frame can take the focus by script even
 * where a dialog makes it inert; whatever the person types then would go to it. Contract: bus, consent.
 */

import { activeElement } from "../../../kernel/frames/active_element.js";
import { TheftCount } from "./theft_count.js";

/** Between two other frames the focus moves without an event. */
const LOOK_MS = 100;
/** @typedef {{ setTimer: (ms: number, callback: () => void) => () => void }} KeeperPowers */

/**
 * @typedef {object} KeeperFrames
 * @property {(frame: Element) => string | null} appOf The app that a frame is of; null for one of none.
 * @property {(frame: Element) => void} stop Takes a frame away whose app takes the keyboard again and again:
 *   not even one that is not drawn could be kept from it, in Chromium.
 */

export class KeyboardKeeper {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {KeeperPowers} powers
   * @param {object} more
   * @param {(attended: boolean) => void} more.onAttended Told whether the dialog has the keyboard, and the
   *   page is seen.
   * @param {KeeperFrames} more.frames
   */
  constructor(dialog, powers, { onAttended, frames }) {
    this._dialog = dialog;
    this._powers = powers;
    this._onAttended = onAttended;
    this._frames = frames;
    this._keeps = false;
    /** A document says that it has the focus also while a frame in it has. */
    this._windowHasIt = document.hasFocus();
    /** Where in the dialog the keyboard was. @type {HTMLElement | null} */
    this._last = null;
    this._thefts = new TheftCount(frames.appOf);
    this._cancelTimer = () => {};
    window.addEventListener("blur", () => this._window(false));
    window.addEventListener("focus", () => this._window(true));
    document.addEventListener("focusin", () => this._note());
    document.addEventListener("visibilitychange", () => this._note());
  }

  /** Whether the dialog is seen and has the keyboard. */
  get attended() {
    return (
      document.visibilityState === "visible" &&
      document.hasFocus() &&
      this._windowHasIt &&
      this._dialog.contains(document.activeElement)
    );
  }

  /** Begins; the keyboard is where it is given back to. @param {HTMLElement} first */
  keep(first) {
    this._keeps = true;
    this._last = first;
    this._look();
  }

  release() {
    this._keeps = false;
    this._cancelTimer();
    this._thefts.clear();
  }

  /** @param {boolean} hasIt */
  _window(hasIt) {
    this._windowHasIt = hasIt;
    this._note();
    // Not within the event: the browser is about to give the focus to the frame, and would go on.
    if (!hasIt && this._keeps) this._lookIn(0);
  }

  _note() {
    if (!this._keeps) return;
    const { activeElement } = document;
    if (this._dialog.contains(activeElement)) {
      this._last = /** @type {HTMLElement} */ (activeElement);
    }
    this._onAttended(this.attended);
  }

  /** @param {number} ms */
  _lookIn(ms) {
    this._cancelTimer();
    this._cancelTimer = this._powers.setTimer(ms, () => this._look());
  }

  _look() {
    if (!this._keeps) return;
    this._note();
    // Where the whole browser is left for another program, nothing is to be had back.
    if (!this.attended && document.hasFocus()) this._takeBack(activeElement(document));
    this._lookIn(LOOK_MS);
  }

  /** @param {Element | null} holder */
  _takeBack(holder) {
    // Another dialog of the page's own, which the person opened over this one.
    if (holder?.closest("dialog:modal") && !this._dialog.contains(holder)) return;
    if (holder?.localName === "iframe") {
      /** @type {HTMLElement} */ (holder).blur();
      if (this._thefts.add(holder)) this._frames.stop(holder);
    }
    // The window first: an element's focus is nothing while a frame has the keyboard.
    window.focus();
    const last = this._last?.isConnected ? this._last : this._dialog;
    last.focus({ preventScroll: true });
    this._note();
  }
}
