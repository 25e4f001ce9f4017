// @ts-check
/**
 * The tools of all endpoints, asked of the endpoints themselves each time. One that does not answer in
 * time hides its own tools only, and is not waited for again until it has answered. Contract: bus,
 * exposing tools.
 */

/** @import { BusError } from "../../contract/bus_error.js" */
/** @import { EndpointSummary } from "../endpoints/endpoint_registry.js" */
/** @import { Kernel } from "../kernel.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { ToolDescriptor } from "../tools/tool_descriptors.js" */

/**
 * @typedef {object} ToolsOfEndpoint
 * @property {EndpointSummary} endpoint
 * @property {ToolDescriptor[] | null} tools Null where it did not say in time.
 * @property {BusError | null} error Why not, where the kernel knows.
 */

/** How long all of them together are waited for. */
export const DISCOVERY_SECONDS = 1;

export class LiveTools {
  /**
   * @param {Kernel} kernel
   * @param {Pick<KernelPowers, "setTimer">} powers
   */
  constructor(kernel, { setTimer }) {
    this._kernel = kernel;
    this._setTimer = setTimer;
    /** Endpoints whose last answer is overdue. @type {Set<string>} */
    this._overdue = new Set();
  }

  /**
   * @param {string} caller Who looks, as the policy is asked.
   * @returns {Promise<ToolsOfEndpoint[]>} In order of connection. Never rejects.
   */
  list(caller) {
    /** @type {ToolsOfEndpoint[]} */
    const all = this._kernel
      .endpoints()
      .map((endpoint) => ({ endpoint, tools: null, error: null }));
    const asked = all.filter(
      ({ endpoint: { endpoint, state } }) => state === "live" && !this._overdue.has(endpoint),
    );
    if (asked.length === 0) return Promise.resolve(all);
    return new Promise((resolve) => {
      const waited = new Set(asked);
      const cancelTimer = this._setTimer(DISCOVERY_SECONDS * 1000, () => {
        for (const { endpoint } of waited) this._overdue.add(endpoint.endpoint);
        resolve(all.map((each) => ({ ...each })));
      });
      for (const each of asked) {
        const { endpoint: id } = each.endpoint;
        const heard = () => {
          this._overdue.delete(id);
          waited.delete(each);
          if (waited.size > 0) return;
          cancelTimer();
          resolve(all);
        };
        this._kernel.listTools(id, caller).then(
          (tools) => {
            each.tools = tools;
            heard();
          },
          (/** @type {BusError} */ error) => {
            each.error = error;
            heard();
          },
        );
      }
    });
  }
}
