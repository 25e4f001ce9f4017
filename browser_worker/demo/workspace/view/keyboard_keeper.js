// @ts-check
/**
 * Keeps the keyboard in a dialog of the page while it is open. A frame can take the focus by script even
 * where a dialog makes it inert; whatever the person types then would go to it. Contract: bus, consent.
 */

/** Between two other frames the focus moves without an event. */
const LOOK_MS = 100;
/** An app that ends some work may put its cursor into a field. One that goes on does it on purpose. */
const THEFTS = 3;

/** @typedef {{ setTimer: (ms: number, callback: () => void) => () => void }} KeeperPowers */

export class KeyboardKeeper {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {KeeperPowers} powers
   * @param {object} told
   * @param {(attended: boolean) => void} told.onAttended Whether the dialog has the keyboard, and the page
   *   is seen.
   * @param {(frame: Element) => void} told.onThief A frame that takes it again and again.
   */
  constructor(dialog, powers, { onAttended, onThief }) {
    this._dialog = dialog;
    this._powers = powers;
    this._onAttended = onAttended;
    this._onThief = onThief;
    this._keeps = false;
    /** Where in the dialog the keyboard was. @type {HTMLElement | null} */
    this._last = null;
    /** @type {Map<Element, number>} */
    this._thefts = new Map();
    this._cancelTimer = () => {};
    const check = () => this._see();
    for (const type of ["focus", "blur", "focusin"]) window.addEventListener(type, check);
    document.addEventListener("visibilitychange", check);
  }

  /** Whether the dialog is seen and has the keyboard. */
  get attended() {
    return (
      document.visibilityState === "visible" &&
      document.hasFocus() &&
      this._dialog.contains(document.activeElement)
    );
  }

  /** Begins; the keyboard is where it is given back to. @param {HTMLElement} first */
  keep(first) {
    this._keeps = true;
    this._last = first;
    this._thefts.clear();
    this._look();
  }

  release() {
    this._keeps = false;
    this._cancelTimer();
  }

  _look() {
    this._see();
    this._cancelTimer();
    if (this._keeps) this._cancelTimer = this._powers.setTimer(LOOK_MS, () => this._look());
  }

  _see() {
    if (!this._keeps) return;
    const { activeElement } = document;
    if (this._dialog.contains(activeElement)) {
      this._last = /** @type {HTMLElement} */ (activeElement);
    } else if (!isInAnotherDialog(activeElement)) {
      // It was away, if only for a moment: who gives it back does not hide that.
      this._onAttended(false);
      this._giveBack(activeElement);
    }
    this._onAttended(this.attended);
  }

  /** @param {Element | null} thief */
  _giveBack(thief) {
    if (thief?.localName === "iframe") {
      const thefts = (this._thefts.get(thief) ?? 0) + 1;
      this._thefts.set(thief, thefts);
      /** @type {HTMLElement} */ (thief).blur();
      if (thefts >= THEFTS) this._onThief(thief);
    }
    // The window first: an element's focus is nothing while a frame has the keyboard.
    window.focus();
    const last = this._last?.isConnected ? this._last : this._dialog;
    last.focus({ preventScroll: true });
  }
}

/** The page's own, which the person opened over it. @param {Element | null} element */
function isInAnotherDialog(element) {
  return element !== null && element.closest("dialog:modal") !== null;
}
