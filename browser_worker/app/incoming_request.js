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
  constructor({ id, payload: { action, payload, invocation } }, attachment, postProgress) {
    /** @readonly */
    this.id = id;
    /** @readonly */
    this.action = action;
    /** @readonly */
    this.payload = payload;
    /** @readonly */
    this.attachment = attachment;
    /** @readonly Proves, to the kernel alone, which call this is. @type {string | undefined} */
    this.invocation = typeof invocation === "string" ? invocation : undefined;
    this._postProgress = postProgress;
    this._events = 0;
    this._open = true;
    this._aborted = false;
    /** Most handlers never look at their signal. @type {AbortController | null} */
    this._controller = null;
    /** Nor do they call others. @type {AbortController | null} */
    this._ended = null;
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

  /** Whether its handler runs, and somebody waits for what it gives. */
  get running() {
    return this._open && !this._aborted;
  }

  /** Aborts when it no longer runs, whatever the reason. @returns {AbortSignal} */
  get ended() {
    if (this._ended === null) {
      this._ended = new AbortController();
      if (!this.running) this._ended.abort();
    }
    return this._ended.signal;
  }

  abort() {
    this._aborted = true;
    this._controller?.abort(nobodyWaits());
    this._ended?.abort();
  }

  /** It was answered: nothing more is told of it. */
  close() {
    this._open = false;
    this._ended?.abort();
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
    if (this.running) this._postProgress(this.id, copy);
  }
}

function nobodyWaits() {
  return new BusError("CANCELLED", "Nobody waits for the result any more.");
}
