// @ts-check
/**
 * Attaches a page that Playwright drives to a bridge, as a person would: opens the attach link, presses
 * the button. Takes any object with Playwright's methods and imports nothing of it.
 */

import { setTimeout as wait } from "node:timers/promises";

import { connect } from "./app_client.js";
import { BridgeFailure } from "./bascule_error.js";

/** @import { AppClient } from "./app_client.js" */
/** @import { BridgeProcess } from "./bridge_process.js" */

/**
 * @typedef {object} LocatorLike
 * @property {(options?: { timeout?: number }) => Promise<void>} click
 */
/**
 * @typedef {object} PageLike What is used of Playwright's `Page`.
 * @property {(url: string) => Promise<unknown>} goto
 * @property {(role: "button", options: { name: string, exact: boolean }) => LocatorLike} getByRole
 */
/**
 * @template {PageLike} [P=PageLike]
 * @typedef {string | LocatorLike | ((page: P) => LocatorLike)} AttachButton The button's name, a locator,
 *   or what makes a locator of the page.
 */
/**
 * @template {PageLike} [P=PageLike]
 * @typedef {{ button?: AttachButton<P>, timeoutMs?: number }} AttachOptions
 */

const ATTACH_MS = 15_000;
/** A page that went away is known to be gone after two seconds. */
const DETACH_MS = 5_000;
const LOOK_MS = 25;

/**
 * Attach a page to a bridge.
 *
 * @template {PageLike} P
 * @param {P} page
 * @param {Pick<BridgeProcess, "url" | "token" | "link">} bridge
 * @param {AttachOptions<P>} [options] The button is the one named "Attach" unless said otherwise.
 * @returns {Promise<void>} when it is attached
 * @throws {BridgeFailure} NOT_ATTACHED when it is not within `timeoutMs`, 15 s by default
 */
export async function attach(page, bridge, { button = "Attach", timeoutMs = ATTACH_MS } = {}) {
  const until = Date.now() + timeoutMs;
  const client = connect(bridge);
  try {
    if (!(await becomes(client, false, Math.min(DETACH_MS, timeoutMs)))) {
      throw new BridgeFailure("ALREADY_ATTACHED", "Another page is attached to this bridge.");
    }
    await page.goto(bridge.link);
    await locate(page, button).click({ timeout: Math.max(1, until - Date.now()) });
    if (!(await becomes(client, true, until - Date.now()))) {
      throw new BridgeFailure("NOT_ATTACHED", `The page did not attach within ${timeoutMs} ms.`, {
        hint: "Does the button call attach() with the link that the page was opened with?",
      });
    }
  } finally {
    await client.close();
  }
}

/**
 * Leave the page's app, so that the next page can attach.
 *
 * @param {PageLike} page
 * @param {Pick<BridgeProcess, "url" | "token">} bridge
 * @returns {Promise<void>} when the bridge has no page, or has ended
 */
export async function detach(page, bridge) {
  const client = connect(bridge);
  try {
    await page.goto("about:blank");
    await becomes(client, false, DETACH_MS);
  } catch (error) {
    if (!(error instanceof BridgeFailure)) throw error;
  } finally {
    await client.close();
  }
}

/**
 * @template {PageLike} P
 * @param {P} page
 * @param {AttachButton<P>} button
 */
function locate(page, button) {
  if (typeof button === "string") return page.getByRole("button", { name: button, exact: true });
  return typeof button === "function" ? button(page) : button;
}

/**
 * A bridge tells by its status only whether a page is attached.
 *
 * @param {AppClient} client
 * @param {boolean} attached
 * @param {number} ms
 * @returns {Promise<boolean>} whether it came to be so
 */
async function becomes(client, attached, ms) {
  const until = Date.now() + ms;
  for (;;) {
    if ((await client.status())["attached"] === attached) return true;
    if (Date.now() >= until) return false;
    await wait(LOOK_MS);
  }
}
