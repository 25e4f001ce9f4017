// @ts-check
/**
 * What an app imports: describe its actions, dispatch them, and attach the page to a bridge.
 *
 * Everything that is not listed here is the product's own and may change.
 */

export { JsonNumber } from "./contract/json_number.js";
export { ActionSpec } from "./dispatcher/action_spec.js";
export { AgentEndpoint } from "./dispatcher/agent_endpoint.js";
export { AppError } from "./dispatcher/app_error.js";
export { Dispatcher } from "./dispatcher/dispatcher.js";
export { attach, recallAttachment } from "./link/attach.js";
export { AttachLinkError, readAttachLink } from "./link/attach_link.js";
export { browserRuntime } from "./link/browser_runtime.js";
export { AttachPanel } from "./link/panel/attach_panel.js";

/** @typedef {import("./dispatcher/action_spec.js").ActionOptions} ActionOptions */
/** @typedef {import("./dispatcher/call_observers.js").CallEvent} CallEvent */
/** @typedef {import("./dispatcher/host.js").CallContext} CallContext */
/** @typedef {import("./dispatcher/host.js").Host} Host */
/** @typedef {import("./dispatcher/host.js").Unavailability} Unavailability */
/** @typedef {import("./link/attach.js").AttachOptions} AttachOptions */
/** @typedef {import("./link/attachment.js").Attachment} Attachment */
