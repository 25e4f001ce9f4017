// @ts-check
/**
 * What an app imports in its frame: its place on the bus of the workspace that holds it.
 *
 * Importing it asks the workspace for a port; what is called before that has come waits for it.
 */

import { AppRuntime } from "./app_runtime.js";
import { attestedPort } from "./attested_port.js";
import { awaitPort } from "./frame_connection.js";

export { BusError } from "../contract/bus_error.js";

/** @typedef {import("./bus_client.js").CallOptions} CallOptions */
/** @typedef {import("./bus_client.js").ResultWithAttachment} ResultWithAttachment */
/** @typedef {import("./bus_client.js").ToolCall} ToolCall */
/** @typedef {import("./bus_client.js").ToolDescription} ToolDescription */
/** @typedef {import("./bus_client.js").MsgBusClient} MsgBusClient */
/** @typedef {import("./exposed_tools.js").ToolContext} ToolContext */
/** @typedef {import("./exposed_tools.js").ToolHandler} ToolHandler */
/** @typedef {import("./exposed_tools.js").ToolOptions} ToolOptions */
/** @typedef {import("./state_changes.js").StateChange} StateChange */
/**
 * @template V
 * @typedef {import("./follow_state.js").FollowOptions<V>} FollowOptions
 */

const runtime = new AppRuntime({
  now: () => performance.now(),
  setTimer: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
});

// A module of an app may be loaded elsewhere too, by its author's tests say.
if (typeof window === "undefined" || window.parent === window) {
  runtime.close("this page is in no workspace");
} else {
  awaitPort(window, (port) => runtime.connect(attestedPort(port)));
}

/** @type {AppRuntime["exposeTool"]} */
export const exposeTool = (name, options, handler) => runtime.exposeTool(name, options, handler);

/** @type {AppRuntime["removeExposedTool"]} */
export const removeExposedTool = (name) => runtime.removeExposedTool(name);

/** @type {AppRuntime["callTool"]} */
export const callTool = (call, options) => runtime.callTool(call, options);

/** @type {AppRuntime["callToolWithAttachment"]} */
export const callToolWithAttachment = (call, options) =>
  runtime.callToolWithAttachment(call, options);

/** @type {AppRuntime["listApps"]} */
export const listApps = () => runtime.listApps();

/** @type {AppRuntime["listEndpoints"]} */
export const listEndpoints = () => runtime.listEndpoints();

/** @type {AppRuntime["listTools"]} */
export const listTools = (target) => runtime.listTools(target);

/** @type {AppRuntime["publishAppStateChange"]} */
export const publishAppStateChange = (topic, revision) =>
  runtime.publishAppStateChange(topic, revision);

/** @type {AppRuntime["onAppStateChange"]} */
export const onAppStateChange = (topic, listener) => runtime.onAppStateChange(topic, listener);

/** @type {AppRuntime["followAppState"]} */
export const followAppState = (topic, options) => runtime.followAppState(topic, options);

/** @type {AppRuntime["createMsgBusClient"]} */
export const createMsgBusClient = () => runtime.createMsgBusClient();

export const { tray, clipboard, connections, ethereumProvider, vetkeys, agentMode, canister } =
  runtime.actions;
