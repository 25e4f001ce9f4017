// @ts-check
/**
 * Endpoints in words for a person. An app may call itself what it likes: its endpoints always say of
 * which kind they are, and the workspace and whoever is outside never do.
 */

import { isBrowserAgent } from "../../../contract/browser_session.js";
import { KERNEL_ENDPOINT, readEndpointId } from "../../../contract/bus_names.js";
import { appWords } from "./app_names.js";

/** @import { AppManifest } from "../manifests/app_manifest.js" */

/**
 * Whether an app called itself.
 *
 * @param {string} caller
 * @param {string} target
 */
export function isWithinApp(caller, target) {
  const from = readEndpointId(caller);
  return from !== undefined && from.app === readEndpointId(target)?.app;
}

/**
 * Who called whom.
 *
 * @param {readonly AppManifest[]} apps
 * @param {string} caller
 * @param {string} target
 */
export function callWords(apps, caller, target) {
  const from = readEndpointId(caller);
  const to = readEndpointId(target);
  if (from !== undefined && to !== undefined && from.app === to.app) {
    return `${appWords(from.app, apps)}: ${from.kind} → ${to.kind}`;
  }
  return `${endpointName(apps, caller)} → ${endpointName(apps, target)}`;
}

/**
 * @param {readonly AppManifest[]} apps
 * @param {string} endpoint
 */
function endpointName(apps, endpoint) {
  if (endpoint === KERNEL_ENDPOINT) return "Workspace";
  if (isBrowserAgent(endpoint)) return "Agent of the browser";
  if (endpoint.startsWith("external:")) return "Terminal";
  const place = readEndpointId(endpoint);
  return place === undefined ? "Unknown" : `${appWords(place.app, apps)} (${place.kind})`;
}
