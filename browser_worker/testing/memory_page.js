// @ts-check
/**
 * What the page does for the apps of a workspace in memory, without a page: numbers in the tray and a
 * clipboard are what a test can look at. Reads no clipboard of the machine's, and writes none.
 */

import { addClipboardAction } from "../kernel/private/clipboard_action.js";
import { addTrayActions } from "../kernel/private/tray_actions.js";

/** @import { Consent } from "../kernel/consent/consent_queue.js" */
/** @import { Kernel } from "../kernel/kernel.js" */
/** @import { KernelPowers } from "../kernel/kernel_powers.js" */
/** @import { Attention } from "../kernel/private/private_gate.js" */

/**
 * @typedef {object} MemoryPageParts
 * @property {Consent} consent
 * @property {Attention} attention The kernel's own.
 * @property {Pick<KernelPowers, "setTimer">} powers
 * @property {(endpoint: string) => void} onDismiss Takes away the tray that is this endpoint.
 */

export class MemoryPage {
  /**
   * @param {Kernel} kernel
   * @param {MemoryPageParts} parts
   */
  constructor(kernel, { consent, attention, powers, onDismiss }) {
    /** The number that an app shows in the tray. @type {Map<string, number>} */
    this.badges = new Map();
    /** What apps wrote to the clipboard, oldest first. @type {string[]} */
    this.copied = [];
    addTrayActions(kernel, {
      powers,
      onBadge: (app, badge) => {
        if (badge === null) this.badges.delete(app);
        else this.badges.set(app, badge);
      },
      onDismiss: (_app, endpoint) => onDismiss(endpoint),
    });
    addClipboardAction(kernel, {
      consent,
      attention: {
        staysWith: async (endpoint) =>
          attention.activation().active && attention.focusedEndpoint() === endpoint,
      },
      writeText: async (text) => void this.copied.push(text),
    });
  }
}
