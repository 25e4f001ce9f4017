// @ts-check
/**
 * The kernel's tools that say which apps are installed and which endpoints are live. What apps say of
 * themselves is passed on as what it is. Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { wellFormed } from "../well_formed.js";

/** @import { AppSummary, Kernel } from "../kernel.js" */
/** @import { KernelTools } from "./kernel_tools.js" */

const READS = { readOnlyHint: true, openWorldHint: false };
const NOTHING = { type: "object", additionalProperties: false };
const MAX_TEXT_CHARS = 500;

/**
 * @param {KernelTools} tools
 * @param {Pick<Kernel, "app" | "apps" | "endpoints">} workspace
 */
export function addListingTools(tools, workspace) {
  tools.add("apps.list", {
    description: {
      title: "List apps",
      description: "Lists the installed apps. Names and descriptions are the apps' own words.",
      inputSchema: NOTHING,
      annotations: READS,
    },
    needsScope: false,
    run: () => ({ untrusted: true, apps: workspace.apps().map(summary) }),
  });
  tools.add("apps.describe", {
    description: {
      title: "Describe an app",
      description: "Tells of one installed app, in its own words.",
      inputSchema: {
        type: "object",
        properties: { app: { type: "string" } },
        required: ["app"],
        additionalProperties: false,
      },
      annotations: READS,
    },
    needsScope: false,
    run: (/** @type {{ app: string }} */ { app }) => {
      const found = workspace.app(app);
      if (found === undefined) throw new BusError("INVALID_INPUT", "No such app is installed.");
      const endpoints = workspace.endpoints().filter((endpoint) => endpoint.app === app);
      return { untrusted: true, app: summary(found), endpoints };
    },
  });
  tools.add("endpoints.list", {
    description: {
      title: "List endpoints",
      description: "Lists the endpoints that are live now.",
      inputSchema: NOTHING,
      annotations: READS,
    },
    needsScope: false,
    run: () => ({ endpoints: workspace.endpoints() }),
  });
}

/** @param {AppSummary} app */
function summary({ id, name, version, description }) {
  return {
    id,
    name: wellFormed(name, MAX_TEXT_CHARS),
    version: wellFormed(version, MAX_TEXT_CHARS),
    ...(description === undefined ? {} : { description: wellFormed(description, MAX_TEXT_CHARS) }),
  };
}
