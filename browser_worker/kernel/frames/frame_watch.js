// @ts-check
/**
 * Tells when a frame is not where it was mounted any more: it was removed, or an element around it, or
 * it was moved, which gives it another window. No event says so. Contract: bus, liveness.
 */

/** @import { KernelPowers } from "../kernel_powers.js" */

/** For what a mutation observer does not see: a shadow root that is taken away with its host, say. */
const LOOK_MS = 1_000;

export class FrameWatch {
  /**
   * @param {HTMLIFrameElement} element In its page.
   * @param {KernelPowers} powers
   * @param {() => void} onLost Told once.
   */
  constructor(element, powers, onLost) {
    this._element = element;
    this._window = element.contentWindow;
    this._powers = powers;
    this._onLost = onLost;
    this._cancelTimer = () => {};
    const view = /** @type {Window & typeof globalThis} */ (element.ownerDocument.defaultView);
    // The observer is told in the microtask after the change, before anything else runs.
    this._observer = new view.MutationObserver(() => this._check());
    this._observer.observe(element.getRootNode(), { childList: true, subtree: true });
    this._look();
  }

  stop() {
    this._observer.disconnect();
    this._cancelTimer();
  }

  _look() {
    this._cancelTimer = this._powers.setTimer(LOOK_MS, () => {
      if (this._check()) this._look();
    });
  }

  /** @returns {boolean} Whether it is there. */
  _check() {
    const { isConnected, contentWindow } = this._element;
    if (isConnected && contentWindow === this._window) return true;
    this.stop();
    this._onLost();
    return false;
  }
}
