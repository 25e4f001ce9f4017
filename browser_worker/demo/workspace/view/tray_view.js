// @ts-check
/** The buttons of the tray, and the popover that they open. */

import { framePlace } from "../../../kernel/frames/frame_place.js";
import { bindArrowKeys } from "./arrow_keys.js";
import { icon } from "./icons.js";

/** @import { AppManifest } from "../manifests/app_manifest.js" */
/** @import { TrayPopover, TrayStage } from "../shell/tray_popover.js" */
/** @import { Workspace } from "../shell/workspace.js" */

/**
 * @typedef {object} TrayElements
 * @property {HTMLElement} buttons
 * @property {HTMLElement} popover
 * @property {HTMLElement} title
 * @property {HTMLElement} stage
 * @property {HTMLButtonElement} close
 */

/** More digits are wider than the button. */
const MOST_SHOWN = 99;

export class TrayView {
  /** @param {TrayElements} elements */
  constructor(elements) {
    this._elements = elements;
    /** @type {Map<string, { app: AppManifest, button: HTMLButtonElement }>} */
    this._made = new Map();
    /** @type {Map<string, number>} */
    this._badges = new Map();
    this._place = framePlace(elements.stage);
    bindArrowKeys(elements.buttons);
  }

  /** @returns {TrayStage} */
  get stage() {
    const { popover, title } = this._elements;
    return {
      show: (app) => {
        title.textContent = app.tray?.title ?? app.name;
        popover.showPopover();
        this._made.get(app.id)?.button.setAttribute("aria-expanded", "true");
        return this._place;
      },
      hide: (app) => {
        // Who had the keyboard in the popover gets it back where it was opened.
        const within = popover.contains(document.activeElement);
        popover.hidePopover();
        const button = this._made.get(app.id)?.button;
        button?.setAttribute("aria-expanded", "false");
        if (within) button?.focus();
      },
    };
  }

  /** @param {Workspace} workspace */
  show(workspace) {
    const { tray } = workspace;
    workspace.onChange(() => this._draw(workspace));
    this._draw(workspace);
    this._bindClosing(tray);
  }

  /**
   * Shows an app's number on its button, or none.
   *
   * @param {string} app
   * @param {number | null} badge
   */
  setBadge(app, badge) {
    if (badge === null) this._badges.delete(app);
    else this._badges.set(app, badge);
    const made = this._made.get(app);
    if (made !== undefined) this._drawBadge(made);
  }

  /** @param {{ app: AppManifest, button: HTMLButtonElement }} made */
  _drawBadge({ app, button }) {
    const title = app.tray?.title ?? app.name;
    const badge = this._badges.get(app.id);
    const words = badge === undefined ? title : `${title}, ${badge}`;
    button.title = words;
    button.setAttribute("aria-label", words);
    const shown = button.querySelector(".badge") ?? document.createElement("span");
    shown.className = "badge";
    shown.textContent =
      badge === undefined ? "" : badge > MOST_SHOWN ? `${MOST_SHOWN}+` : `${badge}`;
    if (badge === undefined) shown.remove();
    else button.append(shown);
  }

  /** @param {TrayPopover} tray */
  _bindClosing(tray) {
    const { popover, close, buttons } = this._elements;
    close.addEventListener("click", () => tray.close());
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || tray.app === null) return;
      // It is the dialog's, which lies over the popover.
      if (document.querySelector("dialog:modal") !== null) return;
      event.preventDefault();
      tray.close();
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!(target instanceof Node)) return;
      if (!popover.contains(target) && !buttons.contains(target)) tray.close();
    });
  }

  /** @param {Workspace} workspace */
  _draw({ apps, tray }) {
    for (const [id, { app, button }] of [...this._made]) {
      if (apps.includes(app)) continue;
      button.remove();
      this._made.delete(id);
    }
    for (const app of apps) {
      if (app.tray === null || this._made.has(app.id)) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-haspopup", "dialog");
      button.setAttribute("aria-expanded", "false");
      button.append(icon(app.icon));
      button.addEventListener("click", () => {
        tray.toggle(app);
        if (tray.app === app.id) this._elements.close.focus();
      });
      this._elements.buttons.append(button);
      const made = { app, button };
      this._made.set(app.id, made);
      this._drawBadge(made);
    }
    this._elements.buttons.hidden = this._made.size === 0;
  }
}
