// @ts-check
/** A host that does in one place or another what no host should. */

import { ActionSpec, AppError, Dispatcher } from "../../../../browser_worker/index.js";
import { ManualRuntime } from "../../support/manual_runtime.js";
import { ACTIONS, listApp } from "./list_app.js";

/** What a host may do instead of what it should. @type {[string, () => unknown][]} */
export const FAULTS = [
  ["throws", () => { throw new Error("secret of the host"); }],
  ["throws nothing", () => { throw undefined; }],
  ["throws an error of the contract", () => { throw new AppError("UNKNOWN_TASK", "So."); }],
  ["rejects", () => Promise.reject(new Error("secret of the host"))],
  ["hangs", () => new Promise(() => {})],
  ["gives what never calls back", () => ({ then() {} })],
  ["gives what throws from then", () => ({ then() { throw new Error("secret of the host"); } })],
  ["gives what cannot be looked at", () => ({ get then() { throw new Error("secret of the host"); } })],
  ["gives a revoked proxy", () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; }],
  ["gives undefined", () => undefined],
  ["gives null", () => null],
  ["gives text", () => "\ud800"],
  ["gives a number", () => NaN],
  ["gives a big number", () => 2n ** 5000n],
  ["gives an object", () => ({ code: 1, reason: {}, data: {}, mimeType: 1, size: -1 })],
  ["gives a list", () => [1, [2], () => {}]],
  ["gives a function", () => () => {}],
  ["gives what holds itself", () => { /** @type {any} */ const loop = {}; loop.loop = loop; return loop; }],
  ["gives too much", () => ({ text: "x".repeat(2_000_000) })],
]; // prettier-ignore

export const PLACES = [
  "actions",
  "revision",
  "capabilities",
  "execute",
  "availability",
  "modal",
  "inspect",
  "supportsTransaction",
  "beginTransaction",
  "commitTransaction",
  "rollbackTransaction",
  "readResource",
  "resources",
  "resourceTemplates",
];

/**
 * An app whose host behaves until it is told to break.
 *
 * @param {ReadonlyMap<string, () => unknown>} faults
 */
export function faulty(faults) {
  const state = { broken: false };
  const app = listApp(() => ({
    inspect: () => ({}),
    readResource: () => ({ mimeType: "a/b", size: 1, data: new Uint8Array(1) }),
    actions: () => [...ACTIONS, ActionSpec.read("ui.render", "Renders", { inputSchema: true })],
  }));
  const honest = /** @type {any} */ (app.dispatcher.host);
  const host = { ...honest };
  for (const place of PLACES) {
    host[place] = (/** @type {unknown[]} */ ...given) => {
      const fault = state.broken ? faults.get(place) : undefined;
      return fault === undefined ? honest[place]?.(...given) : fault();
    };
  }
  const runtime = new ManualRuntime();
  const dispatcher = new Dispatcher(host, { app: { name: "Faulty", version: "1" }, runtime });
  dispatcher.setEnabled(true);
  return { dispatcher, runtime, state };
}
