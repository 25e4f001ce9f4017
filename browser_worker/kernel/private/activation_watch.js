// @ts-check
/**
 * Which tile the person works in, and whose a click was. A click in any frame counts for the page
 * around it, and a frame that was never clicked can take the focus by script: then it looks as if it
 * had been. So this also knows whether the focus came, or the pointer lay elsewhere, while a click
 * was fresh. Contract: bus, private actions.
 */

import { readEndpointId } from "../../contract/bus_names.js";

/** @import { KernelPowers } from "../kernel_powers.js" */

/**
 * @typedef {object} AttentionView What is looked at of the page.
 * @property {() => Element | null} activeFrame The frame that has the keyboard.
 * @property {() => Element | null} pointedFrame The frame that the pointer lies on.
 * @property {() => boolean} isActive Whether a click or a key is fresh, in this page or any frame of it.
 * @property {(listener: (pressed: boolean) => void) => () => void} listen Tells of what may have changed
 *   that; `pressed`: the person pressed something in the page itself. The result ends it.
 */

/** From frame to frame the focus moves without an event in the page around them. */
const LOOK_MS = 250;
/** How closely, and for how long, it is looked whether a click was the tile's own. */
const CLOSE_LOOK_MS = 4;
const CLOSE_LOOKS = 30;
/** For how long a click in a tile can be on its way to the page, at the same pace. */
const LATE_LOOKS = 125;

export class ActivationWatch {
  /**
   * @param {object} options
   * @param {AttentionView} options.view
   * @param {(frame: Element) => string | null} options.frames The endpoint that a frame is.
   * @param {Pick<KernelPowers, "setTimer">} options.powers
   */
  constructor({ view, frames, powers }) {
    this._view = view;
    this._frames = frames;
    this._powers = powers;
    this._frame = view.activeFrame();
    this._pointed = view.pointedFrame();
    // What was clicked before anybody looked is not known.
    this._moved = view.isActive();
    this._stopListening = view.listen((pressed) => void this._look(pressed));
    this._cancelTimer = () => {};
    this._lookOn();
  }

  /** The endpoint of the tile that has the keyboard; null where no tile has it. */
  focusedEndpoint() {
    this._look();
    const id = this._frame === null ? null : this._frames(this._frame);
    return readEndpointId(id)?.kind === "tile" ? id : null;
  }

  /**
   * @returns {{ active: boolean, moved: boolean }} `active`: a click or a key is fresh. `moved`: it may
   *   have been meant for another part of the page than the one that has the keyboard now.
   */
  activation() {
    return { active: this._look(), moved: this._moved };
  }

  /**
   * Looks closely for a moment. A tile that loses the keyboard can ask for something, and take it back,
   * before this page is told that it was gone.
   *
   * @param {string} endpoint
   * @returns {Promise<boolean>} Whether the fresh click is surely that tile's own.
   */
  async staysWith(endpoint) {
    for (let looks = 0; looks < CLOSE_LOOKS; looks++) {
      const { active, moved } = this.activation();
      if (!active || moved || this.focusedEndpoint() !== endpoint) return false;
      await this._closeLook();
    }
    return true;
  }

  /**
   * Waits until the page has been told of a click in that tile, and for half a second at most: what a
   * frame sends in a click can be here before the click is.
   *
   * @param {string} endpoint
   * @returns {Promise<void>}
   */
  async caughtUp(endpoint) {
    for (let looks = 0; looks < LATE_LOOKS; looks++) {
      if (this.activation().active && this.focusedEndpoint() === endpoint) return;
      await this._closeLook();
    }
  }

  /** Ends the watching, for good. */
  stop() {
    this._stopListening();
    this._cancelTimer();
  }

  /** Until it is to be looked again, closely. */
  _closeLook() {
    return new Promise((resolve) => void this._powers.setTimer(CLOSE_LOOK_MS, () => resolve(null)));
  }

  _lookOn() {
    this._look();
    this._cancelTimer = this._powers.setTimer(LOOK_MS, () => this._lookOn());
  }

  /**
   * @param {boolean} [pressed] In the page itself, whose click is no frame's.
   * @returns {boolean} Whether a click or a key is fresh.
   */
  _look(pressed = false) {
    const active = this._view.isActive();
    const frame = this._view.activeFrame();
    const pointed = this._view.pointedFrame();
    const came = frame !== this._frame;
    this._frame = frame;
    // A frame can take the focus back before anybody sees where it was. The pointer lies there, or lay
    // there until now.
    const elsewhere = pressed || isOther(pointed, frame) || isOther(this._pointed, frame);
    this._pointed = pointed;
    this._moved = active && (this._moved || came || elsewhere);
    return active;
  }
}

/**
 * @param {Element | null} pointed
 * @param {Element | null} frame
 */
function isOther(pointed, frame) {
  return pointed !== null && pointed !== frame;
}
