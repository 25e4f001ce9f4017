// @ts-check
/** On whose behalf a call is made, as tests of the policy need it: apps, agents' turns, terminals. */

/** @import { Root } from "../../../browser_worker/kernel/calls/invocations.js" */

/**
 * @param {Partial<Root>} [more]
 * @returns {Root}
 */
export function appRoot(more = {}) {
  return {
    kind: "app",
    subject: "app:board",
    app: "board",
    version: "1",
    entrypoint: null,
    session: null,
    signal: null,
    ...more,
  };
}

/**
 * @param {string} session Of the turn.
 * @param {AbortSignal | null} [signal]
 */
export function turnRoot(session, signal = null) {
  return appRoot({
    kind: "agent",
    subject: "agent:board:agent_run",
    entrypoint: "agent_run",
    session,
    signal,
  });
}

export function terminalRoot(session = "external:bridge:s") {
  return appRoot({ kind: "external", subject: session, app: null, version: null, session });
}
