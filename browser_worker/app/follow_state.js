// @ts-check
/**
 * Keeps a view up to date by fetching it again: at the beginning, at each change that is told of, at
 * each new connection, and now and then, so that a lost event costs time and never the truth. An older
 * answer never replaces a newer view. Contract: bus, state invalidation.
 */

import { reportFailure } from "./report_failure.js";

/**
 * @template V
 * @typedef {object} FollowOptions
 * @property {() => V | Promise<V>} fetch Gives the whole view.
 * @property {(view: V) => void} apply Shows it.
 * @property {(view: V) => number} [revisionOf] Whose revision it is; by default `view.revision`.
 * @property {(error: unknown) => void} [onError] A fetch or `apply` failed; it is tried again. By
 *   default the console is told.
 * @property {number} [pollSeconds] How often it looks without being told; 30 by default.
 */

/**
 * @typedef {object} FollowPowers
 * @property {(changed: (revision: number) => void) => () => void} onChange
 * @property {(connected: () => void) => () => void} onConnect
 * @property {(ms: number, callback: () => void) => () => void} setTimer
 */

/**
 * @template V
 * @param {FollowOptions<V>} options
 * @param {FollowPowers} powers
 * @returns {() => void} Ends it; an answer that is still under way is not applied.
 */
export function follow(
  { fetch, apply, revisionOf = revisionMember, onError, pollSeconds = 30 },
  powers,
) {
  let applied = -1;
  let wanted = 0;
  let again = false;
  let stopped = false;
  /** Counts connections: an answer of an earlier one is not this one's. */
  let era = 0;
  /** The latest fetch; an earlier one that is still under way holds nobody up. */
  let latest = 0;
  let fetching = false;
  let cancelTimer = () => {};

  /** @param {boolean} [atOnce] Whether one that is under way is waited for no longer. */
  async function look(atOnce = false) {
    if (stopped) return;
    if (fetching && !atOnce) {
      again = true;
      return;
    }
    fetching = true;
    again = false;
    later();
    const mine = ++latest;
    const begunIn = era;
    try {
      const view = await fetch();
      const revision = revisionOf(view);
      if (typeof revision !== "number" || Number.isNaN(revision)) {
        throw new TypeError("followAppState: a view has a revision, a number");
      }
      if (!stopped && begunIn === era && revision >= applied) {
        apply(view);
        applied = revision;
      }
    } catch (error) {
      if (!stopped && begunIn === era) fail(error);
    }
    if (mine !== latest) return;
    fetching = false;
    if (again) void look();
    else later();
  }

  /** @param {unknown} error */
  function fail(error) {
    try {
      if (onError === undefined) reportFailure(error);
      else onError(error);
    } catch (worse) {
      reportFailure(worse);
    }
  }

  function later() {
    cancelTimer();
    // Who does not come back by then is not waited for any more.
    if (!stopped) cancelTimer = powers.setTimer(pollSeconds * 1000, () => void look(true));
  }

  const stopListening = powers.onChange((revision) => {
    wanted = Math.max(wanted, revision);
    if (wanted > applied) void look();
  });
  const stopWatching = powers.onConnect(() => {
    era += 1;
    applied = -1;
    wanted = 0;
    void look(true);
  });
  void look();
  return () => {
    stopped = true;
    cancelTimer();
    stopListening();
    stopWatching();
  };
}

/** @param {any} view */
function revisionMember(view) {
  return view.revision;
}
