// @ts-check
/** One request of the kernel's to an app, and how far it is. Contract: bus, the envelope, progress. */

import { BusError } from "../contract/bus_error.js";
import { copyJson } from "../contract/bus_json.js";
import { BUS_LIMITS } from "../contract/limits.js";

/** @import { Exec } from "../contract/bus_messages.js" */

const PROGRESS = Object.freeze({ maxBytes: BUS_LIMITS.maxProgressBytes, what: "progress" });

export class IncomingRequest {
  /**
   * @param {Exec} message
   * @param {ArrayBuffer | undefined} attachment
   * @param {(id: number, value: unknown) => void} postProgress
   */
  constructor({ id, payload: { action, payload } }, attachment, postProgress) {
    /** @readonly */
    this.id = id;
    /** @readonly */
    this.action = action;
    /** @readonly */
    this.payload = payload;
    /** @readonly */
    this.attachment = attachment;
    this._postProgress = postProgress;
    this._events = 0;
    this._open = true;
    this._aborted = false;
    /** Most handlers never look at their signal. @type {AbortController | null} */
    this._controller = null;
  }

  /** Aborts where nobody waits for the answer any more. @returns {AbortSignal} */
  get signal() {
    if (this._controller === null) {
      this._controller = new AbortController();
      if (this._aborted) this._controller.abort(nobodyWaits());
    }
    return this._controller.signal;
  }

  /** Whether nobody waits for the answer any more. */
  get aborted() {
    return this._aborted;
  }

  abort() {
    this._aborted = true;
    this._controller?.abort(nobodyWaits());
  }

  /** It was answered: nothing more is told of it. */
  close() {
    this._open = false;
  }

  /**
   * Tells how far it is.
   *
   * @param {unknown} value
   * @throws {BusError} `NOT_JSON`, `TOO_LARGE`
   */
  progress(value) {
    const copy = copyJson(value, PROGRESS);
    if (++this._events > BUS_LIMITS.maxProgressEvents) {
      const most = BUS_LIMITS.maxProgressEvents;
      throw new BusError("TOO_LARGE", `A request reports progress at most ${most} times.`, {
        data: { limit: "events", maximum: most },
      });
    }
    // Where nobody waits any more, it is no error of the tool's.
    if (this._open && !this._aborted) this._postProgress(this.id, copy);
  }
}

function nobodyWaits() {
  return new BusError("CANCELLED", "Nobody waits for the result any more.");
}
