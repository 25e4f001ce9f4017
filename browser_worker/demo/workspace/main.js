// @ts-check
/** Puts the workspace together: apps and their frames, the page's elements, and the attach panel. */

import { Dispatcher } from "../../dispatcher/dispatcher.js";
import { KernelHost } from "../../kernel/terminal/kernel_host.js";
import { pagePowers } from "../../kernel/kernel_powers.js";
import { ActivationWatch } from "../../kernel/private/activation_watch.js";
import { pageAttention } from "../../kernel/private/page_attention.js";
import { browserRuntime } from "../../link/browser_runtime.js";
import { AttachPanel } from "../../link/panel/attach_panel.js";
import { ariaKeys, bindKeys, keysText } from "../page/commands.js";
import { button, dialog, element, input } from "../page/elements.js";
import { Notices } from "../page/notices.js";
import { bindShortcutsDialog } from "../page/shortcuts_dialog.js";
import { bindTheme } from "../page/theme.js";
import { installBackends } from "./backends/installed_backends.js";
import { INSTALLED, loadManifests } from "./manifests/installed_apps.js";
import { FreeAuthorisation } from "./shell/authorisation.js";
import { consentElements, grantsElements } from "./shell/owner_elements.js";
import { ownerPage } from "./shell/owner_page.js";
import { OwnerPowers } from "./shell/owner_powers.js";
import { recallTiles, rememberTiles } from "./shell/remembered_tiles.js";
import { Workspace } from "./shell/workspace.js";
import { whyNotStarted } from "./shell/start_diagnosis.js";
import { ActivityView } from "./view/activity_view.js";
import { AgentBar } from "./view/agent_bar.js";
import { askingTurns } from "./view/asking_turn.js";
import { ConsentView } from "./view/consent_view.js";
import { DockView } from "./view/dock_view.js";
import { callWords } from "./view/endpoint_names.js";
import { watchFocus } from "./view/focused_tile.js";
import { GrantsView } from "./view/grants_view.js";
import { LockView } from "./view/lock_view.js";
import { showOffer } from "./view/offer_notice.js";
import { bindPartKeys } from "./view/page_parts.js";
import { showPart } from "./view/side_parts.js";
import { SilentNotice } from "./view/silent_notice.js";
import { TilesView } from "./view/tiles_view.js";
import { TrayView } from "./view/tray_view.js";

/** @import { Command } from "../page/commands.js" */

const NAME = "Bascule Workspace";

bindTheme(button("theme"));
const noticePlace = element("notice", HTMLElement);
const notices = new Notices(noticePlace);

const { apps, failed } = await loadManifests(
  INSTALLED,
  (id) => new URL(`./apps/${id}/`, import.meta.url).href,
  (url) => fetch(url),
);

const dock = element("dock", HTMLElement);
const desk = element("desk", HTMLElement);
const tilesView = new TilesView({
  tiles: element("tiles", HTMLElement),
  aside: element("aside-tiles", HTMLElement),
  none: element("no-tiles", HTMLElement),
  apps: element("apps", HTMLElement),
});
const trayView = new TrayView({
  buttons: element("tray", HTMLElement),
  popover: element("popover", HTMLElement),
  title: element("popover-title", HTMLElement),
  stage: element("popover-stage", HTMLElement),
  close: button("popover-close"),
});

const powers = pagePowers();
/** Signing in puts another in its place. */
const authorisation = new FreeAuthorisation();
const lockView = new LockView(
  {
    dialog: dialog("locking"),
    loss: element("loss", HTMLElement),
    lost: element("lost", HTMLElement),
  },
  {
    authorisation,
    notices,
    running: () => workspace.running.map(({ id, name }) => ({ name, backed: installed.has(id) })),
  },
);
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
  tileStage: tilesView.stage,
  trayStage: trayView.stage,
  residents: element("residents", HTMLElement),
  page: {
    addEventListener: (type, listener) => window.addEventListener(type, listener),
    removeEventListener: (type, listener) => window.removeEventListener(type, listener),
    makeChannel: () => /** @type {any} */ (new MessageChannel()),
  },
  powers,
  policy: owner.policy,
  attention,
  diagnose: (url) => whyNotStarted(url, (each) => fetch(each), scriptsOf),
});
const { kernel, tiles, tray } = workspace;
const { turns, permissions, installed } = owner.join(workspace, {
  ...ownerPage(),
  onBadge: (app, badge) => trayView.setBadge(app, badge),
  onOffer: (url) => showOffer(notices, url),
});
installBackends(
  installed,
  () => workspace.apps,
  () => localStorage,
);
const frames = {
  appOf: (/** @type {Element} */ frame) => workspace.appOf(frame),
  stop: (/** @type {Element} */ frame) =>
    workspace.stopFrame(frame, "it took the keyboard from a question to you again and again"),
};
const turnOf = askingTurns(turns, () => workspace.apps);
new ConsentView(consentElements(), owner.consent, powers, { frames, turnOf });
new AgentBar(element("agent-bar", HTMLElement), turns, () => workspace.apps);

const isSilent = (/** @type {string} */ id) =>
  kernel.endpoints().some(({ endpoint, state }) => endpoint === id && state === "not-responding");
tilesView.show(tiles, isSilent);
trayView.show(workspace);
const dockView = new DockView(element("apps", HTMLElement), workspace, open);
dockView.showFailed(failed);

/**
 * @param {string} app
 * @param {string} [tile]
 */
async function open(app, tile = undefined) {
  try {
    const from = document.activeElement;
    await workspace.openTile(app, tile);
    // Who has gone on elsewhere meanwhile stays there.
    const key = tiles.focused?.key;
    if (document.activeElement === from && key !== undefined) tilesView.enter(key);
  } catch (error) {
    notices.show(error instanceof Error ? error.message : String(error));
  }
}

watchFocus((focused) => {
  const key = tilesView.keyOf(focused);
  if (key === null) return;
  tiles.focus(key);
  tray.close();
});

/** @param {string} page */
function scriptsOf(page) {
  const { scripts } = new DOMParser().parseFromString(page, "text/html");
  return [...scripts].flatMap((script) => script.getAttribute("src") ?? []);
}

const silentNotice = new SilentNotice(notices, noticePlace);
workspace.onChange(() => {
  tilesView.draw();
  const silent = workspace.apps.filter(({ id }) => workspace.statusOf(id) === "not responding");
  silentNotice.show(silent.map(({ name }) => name));
});

const activity = {
  part: element("activity", HTMLElement),
  button: button("show-activity"),
  view: new ActivityView(
    {
      list: element("calls", HTMLElement),
      none: element("no-calls", HTMLElement),
      all: input("all-calls"),
      hidden: element("hidden-calls", HTMLElement),
    },
    kernel.audit,
    (caller, target) => callWords(workspace.apps, caller, target),
  ),
};
const grants = {
  part: element("grants", HTMLElement),
  button: button("show-grants"),
  view: new GrantsView(grantsElements(), permissions, (words) => notices.show(words)),
};

/** @param {import("./view/side_parts.js").SidePart} side */
function toggle(side) {
  showPart(side, authorisation.authorised && side.part.checkVisibility() === false);
}

const locked = element("locked", HTMLElement);
const side = element("side", HTMLElement);
const HIDDEN_WHILE_LOCKED = [
  "dock",
  "tiles",
  "aside-tiles",
  "tray",
  "show-activity",
  "show-grants",
  "lock",
];

function drawLock() {
  const { authorised } = authorisation;
  locked.hidden = authorised;
  document.body.classList.toggle("is-locked", !authorised);
  for (const id of HIDDEN_WHILE_LOCKED) element(id, HTMLElement).inert = !authorised;
  if (!authorised) {
    notices.clear();
    for (const side of [activity, grants]) showPart(side, false);
    button("unlock").focus();
  }
}
authorisation.onChange(drawLock);
button("unlock").addEventListener("click", () => {
  authorisation.unlock();
  element("apps", HTMLElement).querySelector("button")?.focus();
});

/** @type {Command[]} */
const commands = [
  {
    name: "activity",
    label: "Activity",
    keys: { key: "j" },
    run: () => toggle(activity),
    everywhere: true,
  },
  {
    name: "grants",
    label: "Who may do what",
    keys: { key: "e" },
    run: () => toggle(grants),
    everywhere: true,
  },
  {
    name: "shortcuts",
    label: "Keyboard shortcuts",
    keys: { key: "/" },
    run: () => openShortcuts(),
    everywhere: true,
  },
  {
    name: "lock",
    label: "Lock the workspace",
    keys: { key: "l", shift: true },
    run: () => lockView.ask(),
    everywhere: true,
  },
];
const openShortcuts = bindShortcutsDialog(
  dialog("shortcuts"),
  element("shortcut-list", HTMLElement),
  commands,
);
bindKeys(commands, () => true);
bindPartKeys([element("tray", HTMLElement), dock, desk, side]);
for (const { name, id } of [
  { name: "activity", id: "show-activity" },
  { name: "grants", id: "show-grants" },
  { name: "shortcuts", id: "show-shortcuts" },
  { name: "lock", id: "lock" },
]) {
  const command = commands.find((each) => each.name === name);
  if (command === undefined || command.keys === null) continue;
  const control = button(id);
  control.setAttribute("aria-label", command.label);
  control.setAttribute("aria-keyshortcuts", ariaKeys(command.keys));
  control.title = `${command.label} (${keysText(command.keys)})`;
  control.addEventListener("click", command.run);
}

const storage = () => localStorage;
const [first] = apps;
const before = recallTiles(storage) ?? (first === undefined ? [] : [{ app: first.id }]);
for (const { app, tile } of /** @type {{ app: string, tile?: string }[]} */ (before)) {
  if (apps.some(({ id }) => id === app)) void workspace.openTile(app, tile).catch(() => {});
}
tiles.onChange(() => {
  rememberTiles(
    storage,
    tiles.all.map(({ app, tile }) => ({ app: app.id, tile: tile.id })),
  );
});

const panel = element("panel", AttachPanel);
panel.app = NAME;
const host = new KernelHost({ kernel, shell: workspace, powers, grants: owner.grants });
panel.dispatcher = new Dispatcher(host, {
  app: { name: NAME, version: "1" },
  runtime: browserRuntime,
  onHostError: (error) => console.error(error),
});
