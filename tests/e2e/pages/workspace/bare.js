// @ts-check
/**
 * The workspace as its shell puts it together, for tests that install, lock and open by script, and answer
 * for its owner.
 */

import { readManifest } from "../../demo/workspace/manifests/app_manifest.js";
import { FreeAuthorisation } from "../../demo/workspace/shell/authorisation.js";
import { ownerPage } from "../../demo/workspace/shell/owner_page.js";
import { OwnerPowers } from "../../demo/workspace/shell/owner_powers.js";
import { Workspace } from "../../demo/workspace/shell/workspace.js";
import { pagePowers } from "../../kernel/kernel_powers.js";
import { ActivationWatch } from "../../kernel/private/activation_watch.js";
import { pageAttention } from "../../kernel/private/page_attention.js";

/** @param {string} id */
const at = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id */
async function manifest(id) {
  const folder = new URL(`/demo/workspace/apps/${id}/`, location.href).href;
  return readManifest(await (await fetch(`${folder}manifest.json`)).json(), id, folder);
}

const apps = await Promise.all([manifest("notes"), manifest("other")]);
const [assistant, board] = await Promise.all([manifest("assistant"), manifest("board")]);
const authorisation = new FreeAuthorisation();
const powers = pagePowers();
const attention = new ActivationWatch({
  view: pageAttention(window),
  frames: (frame) => workspace.endpointOf(frame),
  powers,
});
const owner = new OwnerPowers(powers, () => workspace.apps, attention);
/** @type {Workspace} */
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
  powers,
  policy: owner.policy,
  attention,
});
const joined = owner.join(workspace, { ...ownerPage(), onBadge: () => {}, onOffer: () => {} });

/** @param {string} app @param {string} [tile] */
const code = (app, tile) =>
  workspace.openTile(app, tile).then(
    () => "opened",
    (error) => error.code,
  );

/** Says yes to the question that is shown, as far as it goes. */
function allow() {
  const shown = owner.consent.current;
  const choice = shown?.prompt.choices.at(-1)?.id ?? "";
  return shown !== null && owner.consent.answer(shown.id, { allow: true, choice });
}

Object.assign(globalThis, { workspace, apps, assistant, board, authorisation, code, owner, allow });
Object.assign(globalThis, { turns: joined.turns });
