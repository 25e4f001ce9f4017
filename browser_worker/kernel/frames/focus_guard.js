// @ts-check
/**
 * Keeps the keyboard from frames that nobody sees. Chromium lets a frame take the focus by script even
 * where it is hidden and inert, and whatever a person types then goes to it. Contract: bus, background
 * lifecycle.
 */

import { activeElement } from "./active_element.js";
import { giveKeyboard } from "./give_keyboard.js";

/** @import { KernelPowers } from "../kernel_powers.js" */

/** Between two other frames the focus moves without an event. */
const LOOK_MS = 250;

export class FocusGuard {
  /**
   * @param {ShadowRoot} holder Of the frames that may not have it.
   * @param {KernelPowers} powers
   * @param {(frame: Element) => void} onTaken Takes the frame away: one that stays could take the focus
   *   again without any event.
   */
  constructor(holder, powers, onTaken) {
    this._holder = holder;
    this._powers = powers;
    this._onTaken = onTaken;
    /** Where the focus was before. @type {HTMLElement | null} */
    this._before = null;
    this._wasTaken = false;
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
    if (this._wasTaken) {
      // What the frame's process had asked for when it ended can come after what was done here.
      this._wasTaken = false;
      this._giveBack();
    }
    this._see();
    this._cancelTimer = this._powers.setTimer(LOOK_MS, () => this._look());
  }

  _see() {
    const active = /** @type {HTMLElement | null} */ (activeElement(this._holder.ownerDocument));
    if (active === null || !this._holder.contains(active)) {
      this._before = active;
      return;
    }
    active.blur();
    this._onTaken(active);
    this._wasTaken = true;
    this._giveBack();
  }

  _giveBack() {
    // The window first: an element's focus is nothing while a frame has the keyboard.
    this._view.focus();
    if (this._before?.isConnected) giveKeyboard(this._before);
  }
}
