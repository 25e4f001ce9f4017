// @ts-check
/**
 * What happens to calls of terminals while they run: whoever asked may give one up, and is told how far
 * it is. One look at all of them at a time, since a host is not told and has to look.
 * Contract: the dispatcher, deferred calls.
 */

import { isObject } from "../../contract/json_number.js";
import { summaryOf } from "../audit/value_summary.js";
import { wellFormed } from "../well_formed.js";

/** @import { CallContext } from "../../dispatcher/host.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */

/**
 * @typedef {object} Watched
 * @property {CallContext} context
 * @property {AbortController} controller
 * @property {unknown} progress The last; undefined where it was told, or there is none.
 */

/** How soon a tool hears that it was given up, and how often progress is passed on. */
const LOOK_MS = 250;
const MAX_PROGRESS_CHARS = 500;
const REASON = "progress";

export class CallWatch {
  /** @param {Pick<KernelPowers, "setTimer">} powers */
  constructor({ setTimer }) {
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
   * @param {(watched: { signal: AbortSignal, look: () => void, onProgress: (value: unknown) => void }) => Promise<T>} run
   *   `look`: looks at once whether it was given up.
   * @returns {Promise<T>} As `run` gives it. The signal aborts where the call was given up.
   */
  async run(context, run) {
    /** @type {Watched} */
    const watched = { context, controller: new AbortController(), progress: undefined };
    this._running.add(watched);
    if (this._cancelTimer === null) this._await();
    try {
      return await run({
        signal: watched.controller.signal,
        look: () => this._look(watched),
        onProgress: (value) => void (watched.progress = value),
      });
    } finally {
      pass(watched);
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
    if (watched.context.cancelRequested()) watched.controller.abort();
    pass(watched);
  }
}

/** @param {Watched} watched */
function pass(watched) {
  const { context, progress } = watched;
  if (progress === undefined) return;
  watched.progress = undefined;
  try {
    context.report(told(progress));
  } catch {
    // Deeper or longer than a task tells it.
    context.report(asText(summaryOf(progress, MAX_PROGRESS_CHARS)));
  }
}

/**
 * An object is told as it is, with a text for whoever reads no more than that.
 *
 * @param {unknown} progress
 */
function told(progress) {
  if (!isObject(progress)) {
    return asText(
      typeof progress === "string" ? progress : summaryOf(progress, MAX_PROGRESS_CHARS),
    );
  }
  const text = [progress["message"], progress["phase"], progress["stage"]].find(
    (each) => typeof each === "string",
  );
  return { ...progress, ...(text === undefined ? { reason: REASON } : asText(String(text))) };
}

/** @param {string} text */
function asText(text) {
  return { reason: REASON, message: wellFormed(text, MAX_PROGRESS_CHARS) };
}
