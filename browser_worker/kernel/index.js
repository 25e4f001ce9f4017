// @ts-check
/**
 * What a trusted page imports to hold apps in frames: the kernel of the bus, and how frames come to
 * their ports.
 *
 * Everything that is not listed here is the product's own and may change.
 */

export { BusError } from "../contract/bus_error.js";
export { addAuditTools } from "./audit_tools.js";
export { BackgroundFrames } from "./background_frames.js";
export { addCanisters } from "./canister/add_canisters.js";
export { candidInterface, jsonInterface } from "./canister/canister_interface.js";
export { HttpCanister } from "./canister/http_canister.js";
export { LocalCanister, withAttachment } from "./canister/local_canister.js";
export { ConsentQueue } from "./consent/consent_queue.js";
export { FrameHandshake } from "./frame_handshake.js";
export { Grants } from "./grants.js";
export { Kernel } from "./kernel.js";
export { KernelHost } from "./kernel_host.js";
export { pagePowers } from "./kernel_powers.js";
export { MountedFrame } from "./mounted_frame.js";
export { OwnerPolicy } from "./owner_policy.js";
export { addPermissionTools } from "./permission_tools.js";
export { OWNER_ONLY } from "./routing_policy.js";

/** @typedef {import("../contract/bus_names.js").EndpointPlace} EndpointPlace */
/** @typedef {import("./audit_ring.js").AuditEntry} AuditEntry */
/** @typedef {import("./background_frames.js").BackgroundEntry} BackgroundEntry */
/** @typedef {import("./consent/consent_queue.js").ConsentAnswer} ConsentAnswer */
/** @typedef {import("./consent/consent_queue.js").Prompt} Prompt */
/** @typedef {import("./endpoint.js").Endpoint} Endpoint */
/** @typedef {import("./endpoint_registry.js").EndpointSummary} EndpointSummary */
/** @typedef {import("./grants.js").Grant} Grant */
/** @typedef {import("./kernel.js").AppSummary} AppSummary */
/** @typedef {import("./kernel.js").KernelOptions} KernelOptions */
/** @typedef {import("./kernel.js").TrustedCall} TrustedCall */
/** @typedef {import("./kernel.js").TrustedResult} TrustedResult */
/** @typedef {import("./kernel_powers.js").KernelPowers} KernelPowers */
/** @typedef {import("./kernel_tools.js").KernelTool} KernelTool */
/** @typedef {import("./routing_policy.js").Decision} Decision */
/** @typedef {import("./routing_policy.js").Question} Question */
/** @typedef {import("./routing_policy.js").RoutingPolicy} RoutingPolicy */
/** @typedef {import("./tool_descriptors.js").ToolDescriptor} ToolDescriptor */
