// @ts-check
/** An app with a dispatcher of its own, as a terminal and the browser see it. */

import assert from "node:assert/strict";

import {
  ActionSpec,
  AgentEndpoint,
  AppError,
  Dispatcher,
} from "../../../../browser_worker/index.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

/** @import { Host } from "../../../../browser_worker/index.js" */

const COUNT = {
  type: "object",
  properties: { by: { type: "integer" } },
  required: ["by"],
  additionalProperties: false,
};

/**
 * @param {Partial<Host>} [changes]
 */
export function makeApp(changes = {}) {
  let count = 0;
  /** @type {unknown[]} */
  const errors = [];
  const runtime = new ManualRuntime();
  const dispatcher = new Dispatcher(
    {
      actions: () => [
        ActionSpec.read("app.count", "Tells the count"),
        ActionSpec.write("app.add", "Adds to the count", { inputSchema: COUNT }),
      ],
      revision: () => count,
      capabilities: () => 0,
      execute(action, input) {
        if (action === "app.count") return { count };
        if (input.by > 100) {
          throw new AppError("UNAVAILABLE", "Too much at once.", {
            availability: { code: "TOO_MUCH", reason: "Too much at once." },
          });
        }
        if (input.by < 0) throw new Error("a secret of the app");
        count += input.by;
        return { count };
      },
      ...changes,
    },
    { app: { name: "App", version: "1" }, runtime, onHostError: (error) => errors.push(error) },
  );
  dispatcher.setEnabled(true);
  const endpoint = new AgentEndpoint(dispatcher);
  let ids = 0;
  /**
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   * @returns {Promise<any>} The whole answer.
   */
  const ask = async (method, params = {}) => {
    const line = JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params });
    const answer = await endpoint.request(line, { session: "s" });
    assert.ok(answer !== null);
    return JSON.parse(answer);
  };
  /**
   * @param {string} action
   * @param {Record<string, unknown>} [input]
   */
  const execute = (action, input = {}) => ask("actions/execute", { action, input });
  const names = async () => {
    const { result } = await ask("actions/list", {});
    return result.actions.map((/** @type {{ name: string }} */ { name }) => name);
  };
  return { dispatcher, ask, execute, names, errors, runtime };
}
