// @ts-check
/**
 * Says which apps do not respond, all of them in one notice: those that share a process with one that
 * is busy hang with it. It goes when they are back.
 */

import { listed } from "./app_names.js";

/** @import { Notices } from "../../page/notices.js" */

export class SilentNotice {
  /**
   * @param {Notices} notices
   * @param {HTMLElement} place Of the notices, where another may have taken this one's place.
   */
  constructor(notices, place) {
    this._notices = notices;
    this._place = place;
    /** @type {readonly string[]} */
    this._names = [];
    this._words = "";
  }

  /** @param {readonly string[]} names Of the apps that do not respond now. */
  show(names) {
    if (names.join("\n") === this._names.join("\n")) return;
    const more = names.some((name) => !this._names.includes(name));
    this._names = names;
    const shown =
      this._words !== "" && this._place.querySelector("span")?.textContent === this._words;
    if (names.length === 0) {
      if (shown) this._notices.clear();
      this._words = "";
    } else if (more || shown) {
      this._words = wordsFor(names);
      this._notices.show(this._words);
    }
  }
}

/** @param {readonly string[]} names */
function wordsFor(names) {
  if (names.length === 1) {
    return `${names[0]} has not answered for 15 seconds. Calls to it end by their own time.`;
  }
  return `${listed(names)} have not answered for 15 seconds. One that is busy can hold up others, as a browser may run several in one process. Calls to them end by their own time.`;
}
