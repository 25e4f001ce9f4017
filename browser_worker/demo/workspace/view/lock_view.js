// @ts-check
/**
 * Asks before a lock, which ends all that runs, and says after it what is gone. Whether it may be
 * locked is not decided here.
 */

import { listed } from "./app_names.js";

/** @import { Notices } from "../../page/notices.js" */
/** @import { Authorisation } from "../shell/authorisation.js" */

/**
 * @typedef {object} RunningApp
 * @property {string} name
 * @property {boolean} backed Whether it has a backend, which a lock does not end.
 */

/**
 * @typedef {object} LockElements
 * @property {HTMLDialogElement} dialog
 * @property {HTMLElement} loss What the dialog says is lost.
 * @property {HTMLElement} lost What the locked page says is gone.
 */

export class LockView {
  /**
   * Made before anything else that hears of a lock: it looks at what runs until then.
   *
   * @param {LockElements} elements
   * @param {object} parts
   * @param {Authorisation} parts.authorisation
   * @param {Notices} parts.notices
   * @param {() => readonly RunningApp[]} parts.running
   */
  constructor({ dialog, loss, lost }, { authorisation, notices, running }) {
    this._dialog = dialog;
    this._loss = loss;
    this._authorisation = authorisation;
    this._running = running;
    /** @type {readonly RunningApp[]} */
    this._ended = [];
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "lock") void authorisation.lock();
    });
    authorisation.onChange(() => {
      if (!authorisation.authorised) {
        this._ended = running();
        // Somebody else has locked it meanwhile.
        if (dialog.open) dialog.close("");
        lost.textContent = this._words("No app runs.");
      } else if (this._ended.length > 0) {
        notices.show(this._words("Apps have begun anew."));
      }
    });
  }

  /** A person wants to lock it. */
  ask() {
    if (!this._authorisation.authorised || this._dialog.open) return;
    const running = this._running();
    if (running.length === 0) {
      void this._authorisation.lock();
      return;
    }
    this._loss.textContent = lossOf(running);
    this._dialog.returnValue = "";
    this._dialog.showModal();
  }

  /** @param {string} first */
  _words(first) {
    const names = namesOf(this._ended, false);
    return names.length === 0 ? first : `${first} What ${listed(names)} kept in memory is gone.`;
  }
}

/** @param {readonly RunningApp[]} apps */
function lossOf(apps) {
  const words = [`This stops ${listed(apps.map(({ name }) => name))}.`];
  const lost = namesOf(apps, false);
  if (lost.length > 0) {
    const keep = lost.length === 1 ? "keeps" : "keep";
    words.push(
      `What ${listed(lost)} ${keep} is in memory only, and is lost: save elsewhere first what you need.`,
    );
  }
  const kept = namesOf(apps, true);
  if (kept.length > 0) {
    const [have, backend] = kept.length === 1 ? ["has", "its backend"] : ["have", "their backends"];
    words.push(`What ${listed(kept)} ${have} in ${backend} stays.`);
  }
  return words.join(" ");
}

/**
 * @param {readonly RunningApp[]} apps
 * @param {boolean} backed
 */
function namesOf(apps, backed) {
  return apps.filter((app) => app.backed === backed).map(({ name }) => name);
}
