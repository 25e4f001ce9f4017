// @ts-check
/** The workspace as its shell puts it together, for tests that install, lock and open by script. */

import { readManifest } from "../../demo/workspace/manifests/app_manifest.js";
import { FreeAuthorisation } from "../../demo/workspace/shell/authorisation.js";
import { Workspace } from "../../demo/workspace/shell/workspace.js";
import { pagePowers } from "../../kernel/kernel_powers.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id */
async function manifest(id) {
  const folder = new URL(`/demo/workspace/apps/${id}/`, location.href).href;
  return readManifest(await (await fetch(`${folder}manifest.json`)).json(), id, folder);
}

const apps = await Promise.all([manifest("notes"), manifest("other")]);
const authorisation = new FreeAuthorisation();
const workspace = new Workspace({
  apps,
  authorisation,
  tileStage: { place: () => at("tiles"), remove: () => {} },
  trayStage: { show: () => at("tray"), hide: () => {} },
  residents: at("residents"),
  page: {
    addEventListener: (type, listener) => window.addEventListener(type, listener),
    removeEventListener: (type, listener) => window.removeEventListener(type, listener),
    makeChannel: () => /** @type {any} */ (new MessageChannel()),
  },
  powers: pagePowers(),
});

/** @param {string} app @param {string} [tile] */
const code = (app, tile) =>
  workspace.openTile(app, tile).then(
    () => "opened",
    (error) => error.code,
  );

Object.assign(globalThis, { workspace, apps, authorisation, code });
