// @ts-check
/**
 * Asks before a lock, which ends all that runs, and says after it what is gone. Whether it may be
 * locked is not decided here.
 */

import { listed } from "./app_names.js";

/** @import { Notices } from "../../page/notices.js" */
/** @import { Authorisation } from "../shell/authorisation.js" */

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
   * @param {() => readonly string[]} parts.running The names of the apps that run.
   */
  constructor({ dialog, loss, lost }, { authorisation, notices, running }) {
    this._dialog = dialog;
    this._loss = loss;
    this._authorisation = authorisation;
    this._running = running;
    /** @type {readonly string[]} */
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
    const names = this._running();
    if (names.length === 0) {
      void this._authorisation.lock();
      return;
    }
    const they = names.length === 1 ? "it keeps" : "they keep";
    this._loss.textContent = `This stops ${listed(names)}. What ${they} in memory is lost, and apps here keep all they have in memory: save elsewhere first what you need.`;
    this._dialog.returnValue = "";
    this._dialog.showModal();
  }

  /** @param {string} first */
  _words(first) {
    const names = this._ended;
    return names.length === 0 ? first : `${first} What ${listed(names)} kept in memory is gone.`;
  }
}
