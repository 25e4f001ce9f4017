// @ts-check
/**
 * The kernel's tools by which an app asks for leave to call a backend's method for good, and gives it back.
 * Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { refusalOf } from "../consent/refusals.js";
import { reservePrompt } from "./canister_prompts.js";
import { requireCurrent, targetOf } from "./canister_tools.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { Root } from "../calls/invocations.js" */
/** @import { KernelTools } from "../tools/kernel_tools.js" */
/** @import { CanisterParts } from "./canister_tools.js" */

/** @typedef {{ op: "reserve" | "release", app?: string, method: string }} RequestInput */

const TEXT = { type: "string", maxLength: 200 };

/**
 * @param {KernelTools} tools
 * @param {CanisterParts} parts
 */
export function addBackendCallTools(tools, parts) {
  tools.add("backend_calls.request", {
    description: {
      title: "Keep leave for a backend's method",
      description:
        "Reserves leave to call one method of an app's backend without a question each time, by the owner's yes, or releases it. It is kept over reloads, for these versions of the apps.",
      inputSchema: {
        type: "object",
        properties: { op: { enum: ["reserve", "release"] }, app: TEXT, method: TEXT },
        required: ["op", "method"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { reserved: { type: "boolean" } },
        required: ["reserved"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: false },
    },
    asksOwner: true,
    run: async (/** @type {RequestInput} */ input, source, signal) => {
      const { app: caller, root } = own(source);
      if (input.op === "reserve") await reserve(parts, input, { source, root, caller, signal });
      else {
        parts.grants.release({ caller, app: targetOf(input, source), method: input.method });
      }
      return { reserved: input.op === "reserve" };
    },
  });
  tools.add("backend_calls.list", {
    description: {
      title: "List kept leaves",
      description: "Lists the backends' methods that the calling app may call without a question.",
      inputSchema: { type: "object", additionalProperties: false },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    needsScope: false,
    run: (_input, { app }) => {
      if (app === null) throw notAnApp();
      const versions = new Map(parts.apps().map(({ id, version }) => [id, version]));
      const grants = parts.grants.all().filter(({ caller }) => caller === app);
      return {
        grants: grants.map(({ callerVersion, app: target, appVersion, method, since }) => ({
          app: target,
          method,
          since,
          // What was granted to other versions grants nothing now, and is asked for again.
          current: versions.get(app) === callerVersion && versions.get(target) === appVersion,
        })),
      };
    },
  });
}

/**
 * @param {CanisterParts} parts
 * @param {RequestInput} input
 * @param {{ source: CallSource, root: Root, caller: string, signal: AbortSignal }} asked
 */
async function reserve(parts, input, { source, root, caller, signal }) {
  const found = await parts.installed.method(targetOf(input, source), input.method);
  const { app, version: appVersion, method } = found;
  const { version: callerVersion } = root;
  if (callerVersion === null || appVersion === null) throw notAnApp();
  const call = { caller, callerVersion, app, appVersion, method: method.name };
  if (parts.grants.find(call) !== null) return;
  const apps = parts.apps();
  const answer = await parts.consent.ask(
    reservePrompt({ root, source, via: [], found, apps }),
    signal,
  );
  if (!answer.allowed) {
    throw refusalOf(answer, { what: `call the backend of ${app} from now on`, agent: false });
  }
  requireCurrent(parts.installed, found);
  if (parts.apps().find(({ id }) => id === caller)?.version !== callerVersion) throw notAnApp();
  parts.grants.reserve(call);
}

/**
 * Only an app itself gets a leave that outlives the session: nobody has it get one for them.
 *
 * @param {CallSource} source
 * @returns {{ app: string, root: Root }}
 */
function own({ app, root }) {
  if (app === null || root === null || root.kind === "external") throw notAnApp();
  if (root.kind === "app" && root.app === app) return { app, root };
  throw new BusError(
    "OWNER_REQUIRED",
    "Only an app itself asks for leave to keep, and not for an agent, a terminal or another app; nothing was granted.",
  );
}

function notAnApp() {
  return new BusError(
    "OWNER_REQUIRED",
    "Leave to call backends is kept for installed apps only; nothing was granted.",
  );
}
