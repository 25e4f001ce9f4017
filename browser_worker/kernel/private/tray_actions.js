// @ts-check
/**
 * What an app does to its own place in the tray: a number on its button, and closing its popover.
 * Draws neither. Contract: bus, private actions.
 */

import { BUS_LIMITS } from "../../contract/limits.js";
import { payloadReader } from "./private_parts.js";

/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { PrivateKernel } from "./private_parts.js" */

/**
 * @typedef {object} TrayPowers
 * @property {(app: string, badge: number | null) => void} onBadge Shows the number, or none.
 * @property {(app: string, endpoint: string) => void} onDismiss Closes the popover that is that endpoint.
 * @property {Pick<KernelPowers, "setTimer">} powers
 */

const readState = payloadReader("tray.set_state", {
  badge: { type: ["integer", "null"], minimum: 0, maximum: BUS_LIMITS.maxBadge },
});
const readDismissal = payloadReader("tray.dismiss");

/**
 * @param {PrivateKernel} kernel
 * @param {TrayPowers} more
 */
export function addTrayActions(kernel, { onBadge, onDismiss, powers }) {
  /** Which background said so. @type {Map<string, Endpoint>} */
  const badges = new Map();

  // A number that nobody keeps any more would stand there for ever.
  kernel.addKeeper({
    endpointGone: (endpoint) => {
      const { app } = endpoint.place;
      if (badges.get(app) !== endpoint) return;
      badges.delete(app);
      onBadge(app, null);
    },
  });

  kernel.private.on("tray.set_state", (payload, { app, endpoint }) => {
    const { badge } = readState(payload);
    if (badge === null) badges.delete(app);
    else badges.set(app, endpoint);
    onBadge(app, badge);
    return {};
  });

  kernel.private.on("tray.dismiss", (payload, { app, endpoint }) => {
    readDismissal(payload);
    // The frame goes with its port: what asked has its answer first.
    powers.setTimer(0, () => {
      if (endpoint.open) onDismiss(app, endpoint.id);
    });
    return {};
  });
}
