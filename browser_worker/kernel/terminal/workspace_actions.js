// @ts-check
/** What a terminal can do with a workspace itself, beside the tools of its apps. Contract: bus, the terminal. */

import { BUS_LIMITS } from "../../contract/limits.js";
import { ActionSpec } from "../../dispatcher/action_spec.js";

const APP = { type: "string", description: "The id of an installed app." };

/** @type {readonly ActionSpec[]} */
export const WORKSPACE_ACTIONS = Object.freeze([
  ActionSpec.read(
    "workspace.apps.list",
    "Lists the installed apps; names and descriptions are the apps' own words",
    {
      outputSchema: {
        type: "object",
        properties: { untrusted: { const: true }, apps: { type: "array" } },
        required: ["untrusted", "apps"],
      },
    },
  ),
  ActionSpec.read(
    "workspace.endpoints.list",
    "Lists the endpoints that are live now: backgrounds, tiles and open popovers of the tray",
    {
      outputSchema: {
        type: "object",
        properties: { endpoints: { type: "array" } },
        required: ["endpoints"],
      },
    },
  ),
  ActionSpec.read(
    "workspace.tools.list",
    "Lists the tools of one endpoint, or of all, as the endpoints tell of them now",
    {
      inputSchema: {
        type: "object",
        properties: {
          endpoint: { type: "string", description: "One of workspace.endpoints.list." },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: {
          untrusted: { const: true },
          endpoints: {
            type: "array",
            items: {
              type: "object",
              properties: {
                endpoint: { type: "string" },
                tools: { type: "array" },
                omitted: {
                  type: "integer",
                  description: "Tools whose descriptions cannot be written in a line.",
                },
                unavailable: { type: "object" },
              },
              required: ["endpoint"],
            },
          },
        },
        required: ["untrusted", "endpoints"],
      },
    },
  ),
  ActionSpec.write(
    "workspace.tile.open",
    "Opens a tile of an app, or shows it where it is open, and waits until it is live",
    {
      inputSchema: {
        type: "object",
        properties: {
          app: APP,
          tile: { type: "string", description: "One of the app's tiles; the first by default." },
        },
        required: ["app"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { endpoint: { type: "string" } },
        required: ["endpoint"],
      },
    },
  ),
  ActionSpec.read(
    "workspace.audit.list",
    "Lists the last calls on the bus, oldest first: who called what, when, and how it ended",
    {
      inputSchema: {
        type: "object",
        properties: {
          app: { ...APP, description: "Only calls from or to this app." },
          limit: { type: "integer", minimum: 1, maximum: BUS_LIMITS.maxAuditEntries },
        },
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { entries: { type: "array" } },
        required: ["entries"],
      },
    },
  ),
  ActionSpec.read(
    "workspace.grants.list",
    "Lists what the owner of the workspace has allowed to this session; it ends with the session",
    {
      outputSchema: {
        type: "object",
        properties: {
          grants: {
            type: "array",
            description:
              "app: null is every app. tool: * is every tool, null only the list of them.",
            items: {
              type: "object",
              properties: {
                app: { type: ["string", "null"], description: "Null for every app." },
                tool: {
                  type: ["string", "null"],
                  description: "* for every tool; null to list the tools, and call none.",
                },
                since: { type: "integer", description: "Unix milliseconds." },
                ends: { const: "session", description: "It ends when the session does." },
              },
              required: ["app", "tool", "since", "ends"],
            },
          },
        },
        required: ["grants"],
      },
    },
  ),
]);
