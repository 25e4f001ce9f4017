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
export { RpcSession } from "./dispatcher/rpc_session.js";
export { TaskTable } from "./dispatcher/task_table.js";
export { attach, recallAttachment } from "./link/attach.js";
export { AttachLinkError, readAttachLink } from "./link/attach_link.js";
export { browserRuntime } from "./link/browser_runtime.js";
export { AttachPanel } from "./link/panel/attach_panel.js";
export { offerModelContextTools } from "./webmcp/offer_tools.js";
export { registerWithModelContext } from "./webmcp/register_actions.js";

/** @typedef {import("./dispatcher/action_spec.js").ActionOptions} ActionOptions */
/** @typedef {import("./dispatcher/batch.js").BatchItem} BatchItem */
/** @typedef {import("./dispatcher/batch.js").BatchResult} BatchResult */
/** @typedef {import("./dispatcher/call_observers.js").CallEvent} CallEvent */
/** @typedef {import("./dispatcher/calls.js").Batch} Batch */
/** @typedef {import("./dispatcher/calls.js").ExternalCall} ExternalCall */
/** @typedef {import("./dispatcher/host.js").CallContext} CallContext */
/** @typedef {import("./dispatcher/host.js").Host} Host */
/** @typedef {import("./dispatcher/host.js").ListedResource} ListedResource */
/** @typedef {import("./dispatcher/host.js").Resource} Resource */
/** @typedef {import("./dispatcher/host.js").ResourceTemplate} ResourceTemplate */
/** @typedef {import("./dispatcher/host.js").Unavailability} Unavailability */
/** @typedef {import("./dispatcher/runtime.js").Runtime} Runtime */
/** @typedef {import("./dispatcher/task_table.js").Task} Task */
/** @typedef {import("./link/attach.js").AttachOptions} AttachOptions */
/** @typedef {import("./link/attachment.js").Attachment} Attachment */
/** @typedef {import("./webmcp/model_context.js").ModelContextLike} ModelContextLike */
/** @typedef {import("./webmcp/offer_tools.js").OfferOptions} OfferOptions */
/** @typedef {import("./webmcp/register_actions.js").RegisterOptions} RegisterOptions */
