// @ts-check
/**
 * What one run of a handler calls others with: in the name of whoever stands behind the call that it
 * answers, and no longer than it runs. Contract: bus, invocations.
 */

import { BusError } from "../contract/bus_error.js";
import { busClient } from "./bus_client.js";

/** @import { Ask, MsgBusClient } from "./bus_client.js" */
/** @import { IncomingRequest } from "./incoming_request.js" */

/**
 * Makes the client of a run. What it asked for is cancelled where the run ends first.
 *
 * @param {IncomingRequest} request
 * @param {Ask} ask
 * @returns {MsgBusClient}
 */
export function scopedClient(request, ask) {
  return busClient(async (action, payload, options = {}) => {
    if (!request.running) throw overAlready();
    const { ended, invocation } = request;
    const { signal } = options;
    return ask(action, payload, {
      ...options,
      invocation,
      signal: signal === undefined ? ended : AbortSignal.any([signal, ended]),
    });
  });
}

function overAlready() {
  const text =
    "The run that this client was given to has ended; nothing was sent. Await what is called " +
    "before the handler returns.";
  return new BusError("INVOCATION_INVALID", text);
}
