// @ts-check
/**
 * Fixtures for Playwright Test: `export const test = base.extend(basculeFixtures)`. A test that takes
 * `app` has its page attached, and calls the app's actions. Imports nothing of Playwright.
 */

import { connect } from "./app_client.js";
import { attach, detach } from "./attach_page.js";
import { startBridge } from "./bridge_process.js";

/** @import { AppClient } from "./app_client.js" */
/** @import { AttachButton, PageLike } from "./attach_page.js" */
/** @import { BridgeOptions, BridgeProcess } from "./bridge_process.js" */

/**
 * @typedef {object} BasculeOptions The option `basculeOptions`: of `startBridge` and of `attach`.
 * @property {string} [origin] By default that of the project's `baseURL`.
 * @property {string} [page]
 * @property {boolean} [channel]
 * @property {string} [command]
 * @property {AttachButton<any>} [button]
 */
/** @typedef {{ app: AppClient }} BasculeTestFixtures */
/** @typedef {{ basculeOptions: BasculeOptions, basculeBridge: BridgeProcess }} BasculeWorkerFixtures */

/**
 * @typedef {object} WorkerInfoLike
 * @property {{ use: { baseURL?: string | undefined } }} project
 */
/**
 * @typedef {object} TestInfoLike
 * @property {string} [status]
 * @property {string} expectedStatus
 * @property {(name: string, options: { body: string, contentType: string }) => Promise<void>} attach
 */
/**
 * @template T
 * @typedef {(value: T) => Promise<void>} Use
 */

/**
 * @param {{ basculeOptions: BasculeOptions }} fixtures
 * @param {Use<BridgeProcess>} use
 * @param {WorkerInfoLike} workerInfo
 */
async function basculeBridge({ basculeOptions }, use, workerInfo) {
  const { baseURL } = workerInfo.project.use;
  const { origin, page, channel, command } = basculeOptions;
  const place = origin ?? (baseURL === undefined ? undefined : new URL(baseURL).origin);
  if (place === undefined) throw new TypeError("set use.baseURL, or origin in use.basculeOptions");
  /** @type {BridgeOptions} */
  const options = { origin: place, ...definedOf({ page: page ?? baseURL, channel, command }) };
  const bridge = await startBridge(options);
  await use(bridge);
  await bridge.close();
}

/**
 * @param {{ page: PageLike, basculeBridge: BridgeProcess, basculeOptions: BasculeOptions }} fixtures
 * @param {Use<AppClient>} use
 * @param {TestInfoLike} testInfo
 */
async function app({ page, basculeBridge: bridge, basculeOptions }, use, testInfo) {
  await attach(page, bridge, definedOf({ button: basculeOptions.button }));
  const client = connect(bridge);
  const { next } = await client.calls(null);
  await use(client);
  if (testInfo.status !== testInfo.expectedStatus) {
    const body = await report(bridge, client, next);
    await testInfo.attach("bascule", { body, contentType: "text/plain" });
  }
  await client.close();
  await detach(page, bridge);
}

/**
 * `app`: a client of the app in the test's own page, which is attached before the test and detached
 * after it. `basculeBridge`: the bridge of this worker. `basculeOptions`: how it is run.
 *
 * @type {{
 *   basculeOptions: [BasculeOptions, { option: true, scope: "worker" }],
 *   basculeBridge: [typeof basculeBridge, { scope: "worker" }],
 *   app: typeof app,
 * }}
 */
export const basculeFixtures = {
  basculeOptions: [{}, { option: true, scope: "worker" }],
  basculeBridge: [basculeBridge, { scope: "worker" }],
  app,
};

/**
 * @param {BridgeProcess} bridge
 * @param {AppClient} client
 * @param {number} after The calls before that are of other tests.
 */
async function report(bridge, client, after) {
  const calls = await client.calls(after).then(
    ({ events }) => events.map((event) => JSON.stringify(event)),
    (error) => [String(error)],
  );
  return ["The calls of this test:", ...calls, "The bridge's log:", ...bridge.log].join("\n");
}

/**
 * @template {object} T
 * @param {T} members
 * @returns {{ [K in keyof T]?: Exclude<T[K], undefined> }} those that are not undefined
 */
function definedOf(members) {
  return /** @type {any} */ (
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  );
}
