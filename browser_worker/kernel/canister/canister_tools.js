// @ts-check
/**
 * The kernel's tools that describe backends, and that call one with the owner's consent. Which app's backend
 * it is, is a name; its schema is the installed interface's. Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { requireYesFor } from "../consent/ask_for.js";
import { MAX_METHOD_CHARS } from "./canister_interface.js";
import { prepare } from "./canister_run.js";
import { callPrompt } from "./canister_prompts.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { Invocations } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { BackendCallGrants } from "./backend_call_grants.js" */
/** @import { FoundMethod, InstalledCanisters } from "./installed_canisters.js" */

/**
 * @typedef {object} CanisterParts
 * @property {InstalledCanisters} installed
 * @property {BackendCallGrants} grants
 * @property {Consent} consent
 * @property {() => readonly AppSummary[]} apps
 * @property {Pick<Invocations, "via">} invocations
 */

const APP = { type: "string", maxLength: 40, description: "The caller's own app by default." };
const METHOD = { type: "string", maxLength: MAX_METHOD_CHARS };
const KIND = { enum: ["query", "update"] };

/**
 * @param {KernelTools} tools
 * @param {CanisterParts} parts
 */
export function addCanisterTools(tools, parts) {
  tools.add("canister.schema", {
    description: {
      title: "Describe a backend",
      description:
        "Lists the methods of an app's installed backend, or with a method tells the JSON Schema of its arguments and its result.",
      inputSchema: {
        type: "object",
        properties: { app: APP, method: METHOD },
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    needsScope: false,
    run: async (/** @type {{ app?: string, method?: string }} */ input, source) => {
      const app = targetOf(input, source);
      if (input.method !== undefined) {
        const { method, preapproved } = await parts.installed.method(app, input.method);
        const { name, kind, inputSchema, outputSchema, attachments } = method;
        return { app, method: name, kind, preapproved, inputSchema, outputSchema, attachments };
      }
      const { methods } = await parts.installed.interfaceOf(app);
      return { app, methods: [...methods.values()].map(({ name, kind }) => ({ name, kind })) };
    },
  });
  tools.add("canister.call_dialog", {
    description: {
      title: "Call a backend",
      description:
        "Calls a method of an app's installed backend after the owner has seen it and said yes. Arguments are as canister.schema describes them.",
      inputSchema: {
        type: "object",
        properties: { app: APP, method: METHOD, arguments: { type: "object" } },
        required: ["method"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { app: APP, method: METHOD, kind: KIND, result: {} },
        required: ["app", "method", "kind", "result"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    asksOwner: true,
    run: (input, source, signal) => callWithConsent(parts, input, source, signal),
  });
}

/**
 * @param {CanisterParts} parts
 * @param {{ app?: string, method: string, arguments?: Record<string, unknown> }} input
 * @param {CallSource} source
 * @param {AbortSignal} signal
 */
async function callWithConsent(parts, input, source, signal) {
  const { arguments: given = {} } = input;
  const found = await parts.installed.method(targetOf(input, source), input.method);
  // The owner is not asked about a call that cannot be made.
  const call = prepare(found, given, undefined);
  const granted = grantOf(parts, found, source);
  if (granted === null && source.root !== null) {
    const { root } = source;
    const via = parts.invocations.via(source.invocation);
    const prompt = callPrompt({ root, source, via, found, apps: parts.apps() }, given);
    const what = `call the backend of ${found.app}`;
    await requireYesFor(parts.consent, root, prompt, signal, what);
    requireCurrent(parts.installed, found);
  }
  const { result } = await call.run([signal, granted, source.invocation?.signal]);
  const { app, method } = found;
  return { app, method: method.name, kind: method.kind, result };
}

/**
 * The leave that an app has for good. It is for what the app does for itself: whoever has the app do it,
 * an agent or another app, was not granted it.
 *
 * @param {CanisterParts} parts
 * @param {FoundMethod} found
 * @param {CallSource} source
 * @returns {AbortSignal | null}
 */
function grantOf({ grants }, { app, version: appVersion, method }, { root, app: caller }) {
  if (root?.kind !== "app" || root.app === null || root.app !== caller) return null;
  if (root.version === null || appVersion === null) return null;
  const call = { caller, callerVersion: root.version, app, appVersion, method: method.name };
  return grants.find(call)?.signal ?? null;
}

/**
 * @param {InstalledCanisters} installed
 * @param {FoundMethod} found
 */
export function requireCurrent(installed, found) {
  if (installed.isCurrent(found)) return;
  throw new BusError(
    "OWNER_REQUIRED",
    "The backend has changed since the owner was asked; nothing was run. Ask again.",
  );
}

/**
 * @param {{ app?: string }} input
 * @param {CallSource} source
 */
export function targetOf(input, source) {
  const app = input.app ?? source.app;
  if (app !== null) return app;
  throw new BusError(
    "INVALID_INPUT",
    "Whoever is no app says whose backend it is; nothing was run.",
  );
}
