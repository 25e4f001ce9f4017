// @ts-check
/**
 * Keeps a view up to date by fetching it again: at the beginning, at each change that is told of, at
 * each new connection, and now and then, so that a lost event costs time and never the truth. An older
 * answer never replaces a newer view. Contract: bus, state invalidation.
 */

/**
 * @template V
 * @typedef {object} FollowOptions
 * @property {() => V | Promise<V>} fetch Gives the whole view.
 * @property {(view: V) => void} apply Shows it.
 * @property {(view: V) => number} [revisionOf] Whose revision it is; by default `view.revision`.
 * @property {(error: unknown) => void} [onError] A fetch or `apply` failed; it is tried again.
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
  let fetching = false;
  let again = false;
  let stopped = false;
  /** Counts connections: an answer of an earlier one is not this one's. */
  let era = 0;
  let cancelTimer = () => {};

  async function look() {
    if (stopped) return;
    if (fetching) {
      again = true;
      return;
    }
    fetching = true;
    const mine = era;
    try {
      const view = await fetch();
      const revision = revisionOf(view);
      if (!stopped && mine === era && revision >= applied) {
        applied = revision;
        apply(view);
      }
    } catch (error) {
      if (!stopped) onError?.(error);
    }
    fetching = false;
    later();
    if (again) {
      again = false;
      void look();
    }
  }

  function later() {
    cancelTimer();
    if (!stopped) cancelTimer = powers.setTimer(pollSeconds * 1000, () => void look());
  }

  const stopListening = powers.onChange((revision) => {
    wanted = Math.max(wanted, revision);
    if (wanted > applied) void look();
  });
  const stopWatching = powers.onConnect(() => {
    era += 1;
    applied = -1;
    wanted = 0;
    void look();
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
