// @ts-check
/** Which apps this workspace has, in the order in which it shows them. One more is one more line. */

import { ManifestError, readManifest } from "./app_manifest.js";

/** @import { AppManifest } from "./app_manifest.js" */

/** Each is a folder below `apps/` with a `manifest.json`. */
export const INSTALLED = Object.freeze(["notes", "writer", "board", "assistant"]);

/** @typedef {{ id: string, reason: string }} NotInstalled An app that cannot be used, and why. */

const MAX_MANIFEST_CHARS = 16_384;

/**
 * Loads the manifests. One that is missing or wrong costs nobody but its app.
 *
 * @param {readonly string[]} ids
 * @param {(id: string) => string} folderOf The address of an app's folder, with a slash at its end.
 * @param {(url: string) => Promise<{ ok: boolean, text: () => Promise<string> }>} fetch
 * @returns {Promise<{ apps: AppManifest[], failed: NotInstalled[] }>}
 */
export async function loadManifests(ids, folderOf, fetch) {
  /** @type {AppManifest[]} */
  const apps = [];
  /** @type {NotInstalled[]} */
  const failed = [];
  const loaded = await Promise.allSettled(ids.map((id) => load(id, folderOf(id), fetch)));
  loaded.forEach((outcome, index) => {
    if (outcome.status === "fulfilled") apps.push(outcome.value);
    else failed.push({ id: ids[index] ?? "", reason: reasonOf(outcome.reason) });
  });
  return { apps, failed };
}

/**
 * @param {string} id
 * @param {string} folder
 * @param {(url: string) => Promise<{ ok: boolean, text: () => Promise<string> }>} fetch
 */
async function load(id, folder, fetch) {
  const answer = await fetch(`${folder}manifest.json`);
  if (!answer.ok) throw new ManifestError("its manifest is missing");
  const text = await answer.text();
  if (text.length > MAX_MANIFEST_CHARS) throw new ManifestError("its manifest is too long");
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ManifestError("its manifest is no JSON");
  }
  return readManifest(value, id, folder);
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof ManifestError ? error.message : "its manifest could not be loaded";
}
