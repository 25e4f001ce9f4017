// @ts-check
/** Endpoints in words for a person, by the names that apps have. */

import { KERNEL_ENDPOINT, readEndpointId } from "../../../contract/bus_names.js";

/** @import { AppManifest } from "../manifests/app_manifest.js" */

/**
 * @param {readonly AppManifest[]} apps
 * @param {string} endpoint
 */
export function endpointName(apps, endpoint) {
  if (endpoint === KERNEL_ENDPOINT) return "Workspace";
  if (endpoint.startsWith("external:")) return "Terminal";
  const place = readEndpointId(endpoint);
  if (place === undefined) return "Unknown";
  const app = apps.find(({ id }) => id === place.app);
  const name = app?.name ?? place.app;
  return place.kind === "background" ? name : `${name} (${place.kind})`;
}
