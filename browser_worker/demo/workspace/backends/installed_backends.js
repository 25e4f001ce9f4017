// @ts-check
/** Which apps of this workspace have a backend. One more is one more line. */

import { notesBackend } from "./notes_backend.js";

/** @import { CanisterConnector } from "../../../kernel/canister/canister_connector.js" */
/** @import { InstalledCanisters } from "../../../kernel/canister/installed_canisters.js" */
/** @import { AppManifest } from "../manifests/app_manifest.js" */
/** @import { NoteStorage } from "./notes_backend.js" */

/** @type {Readonly<Record<string, (storage: () => NoteStorage) => CanisterConnector>>} */
const BACKENDS = Object.freeze({ notes: notesBackend });

/**
 * Installs the backends of the apps whose manifests declare one. An app without one has none.
 *
 * @param {Pick<InstalledCanisters, "install">} installed
 * @param {() => readonly Pick<AppManifest, "id" | "declares">[]} apps Of now: another version of an app may
 *   declare other methods.
 * @param {() => NoteStorage} storage Of the page; reading it may throw.
 */
export function installBackends(installed, apps, storage) {
  const declared = (/** @type {string} */ app) =>
    apps().find(({ id }) => id === app)?.declares.backend ?? null;
  for (const [app, make] of Object.entries(BACKENDS)) {
    if (declared(app) === null) continue;
    installed.install(app, make(storage), {
      preapproved: () => declared(app)?.preapproved ?? [],
    });
  }
}
