// @ts-check
/**
 * What a trusted page imports to hold apps in frames: the kernel of the bus, and how frames come to
 * their ports.
 *
 * Everything that is not listed here is the product's own and may change.
 */

export { BusError } from "../contract/bus_error.js";
export { addAgent } from "./agent/add_agent.js";
export { addAuditTools } from "./audit/audit_tools.js";
export { BackgroundFrames } from "./frames/background_frames.js";
export { addCanisters } from "./canister/add_canisters.js";
export { candidInterface, jsonInterface } from "./canister/canister_interface.js";
export { HttpCanister } from "./canister/http_canister.js";
export { LocalCanister, withAttachment } from "./canister/local_canister.js";
export { ConsentQueue } from "./consent/consent_queue.js";
export { FrameHandshake } from "./frames/frame_handshake.js";
export { framePlace } from "./frames/frame_place.js";
export { Grants } from "./grants/grants.js";
export { addInstallOffer } from "./tools/install_offer.js";
export { Kernel } from "./kernel.js";
export { KernelHost } from "./terminal/kernel_host.js";
export { pagePowers } from "./kernel_powers.js";
export { MountedFrame } from "./frames/mounted_frame.js";
export { addOpenTileTool } from "./tools/open_tile_tool.js";
export { OwnerPolicy } from "./grants/owner_policy.js";
export { addPermissionTools } from "./grants/permission_tools.js";
export { ActivationWatch } from "./private/activation_watch.js";
export { addClipboardAction } from "./private/clipboard_action.js";
export { addConnectionActions } from "./private/connection_actions.js";
export { enteredCredentials } from "./private/entered_credentials.js";
export { WebCryptoKeys } from "./private/key_provider.js";
export { memoryKeys, storedKeys } from "./private/key_stores.js";
export { pageAttention } from "./private/page_attention.js";
export { addTrayActions } from "./private/tray_actions.js";
export { addVetkeyActions } from "./private/vetkey_actions.js";
export { addWalletActions } from "./private/wallet_actions.js";
export { pageWalletEvents } from "./private/wallet_directory.js";
export { OWNER_ONLY } from "./grants/routing_policy.js";

/** @typedef {import("../contract/bus_names.js").EndpointPlace} EndpointPlace */
/** @typedef {import("./audit/audit_ring.js").AuditEntry} AuditEntry */
/** @typedef {import("./frames/background_frames.js").BackgroundEntry} BackgroundEntry */
/** @typedef {import("./canister/canister_connector.js").CanisterConnector} CanisterConnector */
/** @typedef {import("./canister/canister_interface.js").CanisterInterface} CanisterInterface */
/** @typedef {import("./consent/consent_queue.js").ConsentAnswer} ConsentAnswer */
/** @typedef {import("./consent/consent_queue.js").Prompt} Prompt */
/** @typedef {import("./endpoints/endpoint.js").Endpoint} Endpoint */
/** @typedef {import("./endpoints/endpoint_registry.js").EndpointSummary} EndpointSummary */
/** @typedef {import("./grants/grants.js").Grant} Grant */
/** @typedef {import("./kernel.js").AppSummary} AppSummary */
/** @typedef {import("./kernel.js").KernelOptions} KernelOptions */
/** @typedef {import("./kernel.js").TrustedCall} TrustedCall */
/** @typedef {import("./kernel.js").TrustedResult} TrustedResult */
/** @typedef {import("./kernel_powers.js").KernelPowers} KernelPowers */
/** @typedef {import("./tools/kernel_tools.js").KernelTool} KernelTool */
/** @typedef {import("./private/entered_credentials.js").ConnectionProvider} ConnectionProvider */
/** @typedef {import("./private/key_provider.js").KeyProvider} KeyProvider */
/** @typedef {import("./private/private_gate.js").AppDeclarations} AppDeclarations */
/** @typedef {import("./private/private_gate.js").Attention} Attention */
/** @typedef {import("./grants/routing_policy.js").Decision} Decision */
/** @typedef {import("./grants/routing_policy.js").Question} Question */
/** @typedef {import("./grants/routing_policy.js").RoutingPolicy} RoutingPolicy */
/** @typedef {import("./tools/tool_descriptors.js").ToolDescriptor} ToolDescriptor */
