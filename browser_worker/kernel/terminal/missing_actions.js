// @ts-check
/**
 * Why a tool of an app is not among the actions, where that is not because there is none of its name:
 * the app is installed and cannot be asked now. Contract: bus, the terminal.
 */

import { appOfAction } from "./kernel_actions.js";

/** @import { Unavailability } from "../../dispatcher/host.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { ToolsOfEndpoint } from "./live_tools.js" */

/** @type {Readonly<Unavailability>} */
export const LOCKED = Object.freeze({
  code: "LOCKED",
  reason: "The workspace is locked; a person unlocks it in its page.",
});

/**
 * @param {string} action
 * @param {Pick<Kernel, "app" | "locked">} kernel
 * @param {readonly ToolsOfEndpoint[]} listed What the endpoints said when they were asked.
 * @returns {Unavailability | null} Null where all that the app has has told its tools.
 */
export function missingAction(action, kernel, listed) {
  const app = appOfAction(action);
  if (app === null || action.split(".").length !== 3) return null;
  const ofApp = listed.filter(({ endpoint }) => endpoint.app === app);
  if (ofApp.length === 0 && kernel.app(app) === undefined) return null;
  if (kernel.locked) return LOCKED;
  if (ofApp.length === 0) {
    const reason =
      `No part of the app ${app} runs now, so that nothing can be asked of it: open it with ` +
      "workspace.tile.open, or start it in the workspace's page.";
    return { code: "NOT_RUNNING", reason };
  }
  const silent = ofApp.find(({ tools }) => tools === null);
  if (silent === undefined) return null;
  const { endpoint, error } = silent;
  if (error !== null && !PASSING.has(error.code)) {
    const reason = `${endpoint.endpoint} does not tell its tools: ${error.message}`;
    return { code: error.code, reason };
  }
  const reason =
    `${endpoint.endpoint} did not say in time which tools it has: it, or another app of its ` +
    "process, is busy or hangs. Nothing was run; try again, or have a person restart it.";
  return { code: "NOT_RESPONDING", reason };
}

/** It was asked, and no answer came. */
const PASSING = new Set(["TIMEOUT", "ENDPOINT_GONE", "CANCELLED"]);
