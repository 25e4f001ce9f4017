// @ts-check
/** The list of installed apps: what each is, how it is, and its tiles to open. */

import { bindArrowKeys } from "./arrow_keys.js";
import { icon } from "./icons.js";

/** @import { AppManifest } from "../manifests/app_manifest.js" */
/** @import { NotInstalled } from "../manifests/installed_apps.js" */
/** @import { AppStatus, Workspace } from "../shell/workspace.js" */

/** @type {Readonly<Record<AppStatus, string>>} */
const WORDS = {
  running: "Running",
  starting: "Starting",
  "not responding": "Not responding",
  stopped: "Stopped",
  "not running": "Not running",
};

/**
 * @typedef {object} DockItem
 * @property {AppManifest} app What it was made from.
 * @property {HTMLLIElement} item
 * @property {HTMLButtonElement[]} tiles
 * @property {HTMLElement} status
 * @property {HTMLElement} why
 * @property {HTMLButtonElement} restart
 */

export class DockView {
  /**
   * @param {HTMLElement} list
   * @param {Workspace} workspace
   * @param {(app: string, tile: string) => void} open A person opens a tile.
   */
  constructor(list, workspace, open) {
    this._list = list;
    this._workspace = workspace;
    this._open = open;
    /** @type {Map<string, DockItem>} */
    this._items = new Map();
    bindArrowKeys(list);
    workspace.onChange(() => this._draw());
    this._draw();
  }

  /** Shows apps that are no apps. @param {readonly NotInstalled[]} failed */
  showFailed(failed) {
    for (const { id, reason } of failed) {
      const item = document.createElement("li");
      item.className = "failed";
      item.textContent = `${id} is not installed: ${reason}.`;
      this._list.append(item);
    }
  }

  _draw() {
    const { apps } = this._workspace;
    for (const [id, { app, item }] of [...this._items]) {
      if (apps.includes(app)) continue;
      item.remove();
      this._items.delete(id);
    }
    apps.forEach((app, at) => {
      const made = this._items.get(app.id) ?? this._make(app);
      const there = this._list.children[at] ?? null;
      if (there !== made.item) this._list.insertBefore(made.item, there);
      this._update(made);
    });
  }

  /** @param {AppManifest} app */
  _make(app) {
    const item = document.createElement("li");
    const status = document.createElement("span");
    status.className = "status";
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = app.name;
    const words = document.createElement("span");
    words.className = "words";
    words.append(name, status);
    const tiles = app.tiles.map(({ id, title }, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset["app"] = app.id;
      button.dataset["tile"] = id;
      button.addEventListener("click", () => this._open(app.id, id));
      if (index === 0) {
        button.className = "app";
        button.title = app.description;
        button.append(icon(app.icon), words);
      } else {
        button.className = "more";
        button.textContent = title;
        button.setAttribute("aria-label", `${app.name}: ${title}`);
      }
      return button;
    });
    const restart = document.createElement("button");
    restart.type = "button";
    restart.className = "more";
    restart.textContent = "Start again";
    restart.setAttribute("aria-label", `Start ${app.name} again`);
    restart.addEventListener("click", () => {
      // The button goes away with its reason.
      tiles[0]?.focus();
      this._workspace.restart(app.id);
    });
    const why = document.createElement("p");
    why.className = "failed";
    why.setAttribute("role", "status");
    item.append(...tiles, why, restart);
    const made = { app, item, tiles, status, why, restart };
    this._items.set(app.id, made);
    return made;
  }

  /** @param {DockItem} item */
  _update({ app, item, tiles, status, why, restart }) {
    const now = this._workspace.statusOf(app.id);
    const open = this._workspace.tiles.all.filter((tile) => tile.app.id === app.id);
    item.dataset["status"] = now.replace(" ", "-");
    if (status.textContent !== WORDS[now]) status.textContent = WORDS[now];
    const reason = now === "stopped" ? this._workspace.reasonOf(app.id) : "";
    const told = reason === "" ? "" : `In the background ${reason}.`;
    if (why.textContent !== told) why.textContent = told;
    why.hidden = told === "";
    restart.hidden = app.background === null || (now !== "stopped" && now !== "not responding");
    for (const button of tiles) {
      const shown = open.some(({ tile, frame }) => tile.id === button.dataset["tile"] && frame);
      button.classList.toggle("open", shown);
    }
  }
}
