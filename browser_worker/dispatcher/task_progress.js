// @ts-check
/**
 * Tells an MCP client how a task goes on that it waits for: one line at each change.
 *
 * Knows no clock and sends nothing. Contract: MCP.
 */

import { stringify } from "../contract/strict_json.js";

/** @import { ProgressToken } from "../contract/mcp_messages.js" */
/** @import { Task } from "./task_table.js" */

/** The lines for one call, by its own token. Without a token there are none. */
export class TaskProgressLines {
  /** @param {ProgressToken | undefined} token */
  constructor(token) {
    this._token = token;
    this._sent = 0;
    this._told = "";
  }

  /**
   * @param {Task} task Unfinished.
   * @returns {string | undefined} What is to be sent; undefined where nothing has changed.
   */
  line({ state, progress }) {
    const now = stringify([state, progress ?? null]);
    if (this._token === undefined || this._told === now) return undefined;
    this._told = now;
    const message = progress?.["message"];
    return stringify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: {
        progressToken: this._token,
        progress: ++this._sent,
        message: typeof message === "string" && message !== "" ? message : state,
      },
    });
  }
}
