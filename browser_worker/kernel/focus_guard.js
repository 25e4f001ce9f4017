// @ts-check
/**
 * Keeps the keyboard from frames that nobody sees. Chromium lets a frame take the focus by script even
 * where it is hidden and inert, and whatever a person types then goes to it. Contract: bus, background
 * lifecycle.
 */

/** @import { KernelPowers } from "./kernel_powers.js" */

/** Between two other frames the focus moves without an event. */
const LOOK_MS = 250;

export class FocusGuard {
  /**
   * @param {Element} holder Of the frames that may not have it.
   * @param {KernelPowers} powers
   * @param {(frame: Element) => void} onTaken Told of each time, after the focus was given back.
   */
  constructor(holder, powers, onTaken) {
    this._holder = holder;
    this._powers = powers;
    this._onTaken = onTaken;
    /** Where the focus was before. @type {HTMLElement | null} */
    this._before = null;
    this._cancelTimer = () => {};
    this._view = /** @type {Window} */ (holder.ownerDocument.defaultView);
    this._check = () => this._see();
    this._view.addEventListener("blur", this._check);
    this._view.addEventListener("focusin", this._check);
    this._look();
  }

  stop() {
    this._view.removeEventListener("blur", this._check);
    this._view.removeEventListener("focusin", this._check);
    this._cancelTimer();
  }

  _look() {
    this._see();
    this._cancelTimer = this._powers.setTimer(LOOK_MS, () => this._look());
  }

  _see() {
    const root = /** @type {Document | ShadowRoot} */ (this._holder.getRootNode());
    const active = /** @type {HTMLElement | null} */ (root.activeElement);
    if (active === null || !this._holder.contains(active)) {
      this._before = active;
      return;
    }
    active.blur();
    if (this._before?.isConnected) this._before.focus({ preventScroll: true });
    this._onTaken(active);
  }
}
