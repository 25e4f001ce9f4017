// @ts-check
/** The signals that a call ends with: of whoever stands behind it, and of the leave that it has. */

import { BusError } from "../../contract/bus_error.js";
import { EndReason } from "./call_end.js";

export class EndLinks {
  /** @param {(error: BusError) => void} onEnd Told once, with why. */
  constructor(onEnd) {
    this._onEnd = onEnd;
    /** @type {(() => void)[]} */
    this._unlink = [];
    this._over = false;
  }

  /** @param {AbortSignal | null | undefined} signal One that is aborted already ends it at once. */
  add(signal) {
    if (signal === null || signal === undefined || this._over) return;
    const onAbort = () => {
      if (this._over) return;
      this.clear();
      this._onEnd(reasonOf(signal));
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort);
    this._unlink.push(() => signal.removeEventListener("abort", onAbort));
  }

  /** The call is over: nothing is heard any more. */
  clear() {
    this._over = true;
    for (const unlink of this._unlink.splice(0)) unlink();
  }
}

/** @param {AbortSignal} signal */
function reasonOf({ reason }) {
  if (reason instanceof BusError) return reason;
  return new EndReason("CANCELLED", "Who stands behind the call has stopped it");
}
