// @ts-check
/** What an app asks about its own agent mode, on its port alone. Contract: bus, agent mode, private actions. */

import { BusError } from "../../contract/bus_error.js";

/** @import { PrivateRequests } from "../private/private_requests.js" */
/** @import { AgentMode } from "./agent_mode.js" */
/** @import { AgentTurns } from "./agent_turns.js" */

/**
 * @param {Pick<PrivateRequests, "on">} requests
 * @param {{ mode: AgentMode, turns: AgentTurns }} agent
 */
export function addAgentActions(requests, { mode, turns }) {
  /** @param {string} app */
  const status = (app) => ({ ...mode.status(app), turn: turns.runs(app) });
  requests.on("agent.mode.request", async ({ entrypoint }, { app, signal }) => {
    if (typeof entrypoint !== "string") {
      throw new BusError("INVALID_MESSAGE", "A request names an entrypoint; nothing was asked.");
    }
    // The answer to that question is the click in the page itself that this always takes.
    await mode.request(app, entrypoint, signal);
    return status(app);
  });
  requests.on("agent.mode.status", (_payload, { app }) => status(app));
  requests.on("agent.mode.disable", (_payload, { app }) => {
    mode.disable(app);
    return status(app);
  });
}
