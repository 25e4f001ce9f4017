// @ts-check
/**
 * `bascule/node`: runs a bridge, attaches a page that Playwright drives, and calls the app from Node.
 * Has no dependencies. Everything that is not listed here is the product's own and may change.
 */

export { AppClient, connect } from "./app_client.js";
export { attach } from "./attach_page.js";
export {
  ActionError,
  BasculeError,
  BridgeFailure,
  CallAborted,
  DeadlineExceeded,
} from "./bascule_error.js";
export { BridgeProcess, startBridge } from "./bridge_process.js";
export { basculeFixtures } from "./playwright_fixtures.js";

/** @typedef {import("./app_client.js").ActionDescription} ActionDescription */
/** @typedef {import("./app_client.js").ActionSummary} ActionSummary */
/** @typedef {import("./app_client.js").CallEvents} CallEvents */
/** @typedef {import("./app_client.js").CallOptions} CallOptions */
/** @typedef {import("./app_client.js").CallResult} CallResult */
/** @typedef {import("./app_client.js").Task} Task */
/** @typedef {import("./attach_page.js").AttachOptions} AttachOptions */
/** @typedef {import("./bascule_error.js").Outcome} Outcome */
/** @typedef {import("./bridge_connection.js").BridgeLike} BridgeLike */
/** @typedef {import("./bridge_process.js").BridgeOptions} BridgeOptions */
/** @typedef {import("./playwright_fixtures.js").BasculeOptions} BasculeOptions */
/** @typedef {import("./playwright_fixtures.js").BasculeTestFixtures} BasculeTestFixtures */
/** @typedef {import("./playwright_fixtures.js").BasculeWorkerFixtures} BasculeWorkerFixtures */
