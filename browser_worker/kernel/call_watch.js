// @ts-check
/**
 * What happens to calls of terminals while they run: whoever asked may give one up, and one that lasts
 * is told of as a task. One look at all of them at a time, since a host is not told and has to look.
 * Contract: the dispatcher, deferred calls.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { summaryOf } from "./value_summary.js";
import { wellFormed } from "./well_formed.js";

/** @import { CallContext } from "../dispatcher/host.js" */
/** @import { KernelPowers } from "./kernel_powers.js" */

/**
 * @typedef {object} Watched
 * @property {CallContext} context
 * @property {AbortController} controller
 * @property {number} lastsAt When it is a task by now, in `now`'s milliseconds.
 * @property {unknown} progress The last; undefined where it was told, or there is none.
 */

/** How soon a tool hears that it was given up, and how often progress is passed on. */
const LOOK_MS = 250;
const MAX_PROGRESS_CHARS = 500;

export class CallWatch {
  /** @param {Pick<KernelPowers, "now" | "setTimer">} powers */
  constructor({ now, setTimer }) {
    this._now = now;
    this._setTimer = setTimer;
    /** @type {Set<Watched>} */
    this._running = new Set();
    /** @type {(() => void) | null} */
    this._cancelTimer = null;
  }

  /**
   * Runs a call under watch.
   *
   * @template T
   * @param {CallContext} context
   * @param {(watched: { signal: AbortSignal, onProgress: (value: unknown) => void }) => Promise<T>} run
   * @returns {Promise<T>} As `run` gives it. The signal aborts where the call was given up.
   */
  async run(context, run) {
    /** @type {Watched} */
    const watched = {
      context,
      controller: new AbortController(),
      // A look later, so that what the dispatcher says of a slow call is not said last.
      lastsAt: this._now() + PROTOCOL_LIMITS.maxTurnSeconds * 1000 + LOOK_MS,
      progress: undefined,
    };
    this._running.add(watched);
    if (this._cancelTimer === null) this._await();
    try {
      return await run({
        signal: watched.controller.signal,
        onProgress: (value) => void (watched.progress = value),
      });
    } finally {
      this._running.delete(watched);
      if (this._running.size === 0) {
        this._cancelTimer?.();
        this._cancelTimer = null;
      }
    }
  }

  _await() {
    this._cancelTimer = this._setTimer(LOOK_MS, () => {
      this._await();
      for (const watched of this._running) this._look(watched);
    });
  }

  /** @param {Watched} watched */
  _look(watched) {
    const { context, controller, lastsAt, progress } = watched;
    if (context.cancelRequested()) controller.abort();
    // To tell of a short call would make a task of it.
    if (progress === undefined || this._now() < lastsAt) return;
    watched.progress = undefined;
    context.defer("progress", told(progress));
  }
}

/** @param {unknown} progress */
function told(progress) {
  const text = typeof progress === "string" ? progress : summaryOf(progress, MAX_PROGRESS_CHARS);
  return wellFormed(text, MAX_PROGRESS_CHARS);
}
