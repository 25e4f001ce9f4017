// @ts-check
/**
 * The panel that attaches the page to a bridge: it shows the state, its cause and its cure, and
 * the calls as they come. It attaches on a person's click only, once for each link.
 */

import { readAttachLink } from "../link/attach_link.js";
import { attach } from "../link/attach.js";

/** @import { AttachConfiguration } from "../link/attach_link.js" */
/** @import { Attachment } from "../link/attachment.js" */
/** @import { CallEvent, Dispatcher } from "../dispatcher/dispatcher.js" */

const SHOWN_CALLS = 8;
/** The states in which calls may still come, or come again. */
const LIVE = new Set(["connecting", "attached", "suspended"]);

/**
 * @typedef {object} PanelParts
 * @property {HTMLElement} dot
 * @property {HTMLElement} state
 * @property {HTMLElement} message
 * @property {HTMLButtonElement} attach
 * @property {HTMLButtonElement} detach
 * @property {HTMLFormElement} linkForm
 * @property {HTMLInputElement} link
 * @property {HTMLOListElement} calls
 * @property {HTMLElement} noCalls
 */

/** Drives the panel's elements. */
export class AttachPanel {
  /**
   * @param {PanelParts} parts
   * @param {Dispatcher} dispatcher
   * @param {string} app The name by which the bridge knows this page.
   */
  constructor(parts, dispatcher, app) {
    this._parts = parts;
    this._dispatcher = dispatcher;
    this._app = app;
    /** @type {AttachConfiguration | null} */
    this._configuration = null;
    /** @type {Attachment | null} */
    this._attachment = null;
    parts.attach.addEventListener("click", (event) => {
      if (event.isTrusted) this._start();
    });
    parts.detach.addEventListener("click", () => void this._attachment?.detach());
    parts.linkForm.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = parts.link;
      parts.link.value = "";
      this._takePasted(value);
    });
    dispatcher.onCall((event) => this._showCall(event));
    const takeOpened = () => this._take(() => readAttachLink(), "");
    takeOpened();
    addEventListener("hashchange", takeOpened);
  }

  /** @param {string} text */
  _takePasted(text) {
    const none = "That is no attach link. Paste the one that the bridge printed.";
    if (!URL.canParse(text, location.href)) {
      this._show(none);
      return;
    }
    // A pasted link was never this page's address: there is none to clean.
    const untouched = { state: null, replaceState: () => {} };
    const place = new URL(text, location.href);
    this._take(() => readAttachLink({ location: place, history: untouched }), none);
  }

  /**
   * @param {() => AttachConfiguration | null} read
   * @param {string} none What to say where there is no link.
   */
  _take(read, none) {
    try {
      const found = read();
      if (found !== null) this._configuration = found;
      this._show(found === null ? none : "");
    } catch (error) {
      this._show(error instanceof Error ? error.message : String(error));
    }
  }

  _start() {
    const configuration = this._configuration;
    if (configuration === null) return;
    // One click, one attachment: a link that was used up is not used again by itself.
    this._configuration = null;
    // A new link replaces an attachment that still waits for a bridge that is gone.
    void this._attachment?.detach();
    const attachment = attach({ ...configuration, app: this._app, dispatcher: this._dispatcher });
    this._attachment = attachment;
    const follow = () => {
      if (attachment !== this._attachment) return;
      this._dispatcher.setEnabled(LIVE.has(attachment.state));
      this._show("");
    };
    attachment.addEventListener("statechange", follow);
    follow();
  }

  /** @param {string} trouble What is wrong with a link, or nothing. */
  _show(trouble) {
    const { dot, state, message, attach: attachButton, detach, linkForm } = this._parts;
    const now = this._attachment?.state ?? "detached";
    const live = LIVE.has(now);
    const offered = this._configuration !== null;
    dot.dataset["state"] = now;
    state.textContent = now;
    attachButton.hidden = !offered;
    detach.hidden = !live;
    linkForm.hidden = live || offered;
    if (trouble !== "") message.textContent = trouble;
    else if (offered) {
      message.textContent = "A terminal on this machine asks to use this page. Attach it?";
    } else if (this._attachment !== null) message.textContent = this._attachment.message;
    else {
      message.textContent = `Run “bascule browser-bridge --origin ${location.origin}” and open the link that it prints, or paste it here.`;
    }
  }

  /** @param {CallEvent} event */
  _showCall(event) {
    if (event.phase !== "end" || event.session === undefined) return;
    const { calls, noCalls } = this._parts;
    const row = document.createElement("li");
    const name = document.createElement("span");
    name.textContent = event.action;
    const outcome = document.createElement("span");
    outcome.textContent = event.ok
      ? `${Math.round(event.durationMs ?? 0)} ms`
      : (event.code ?? "failed");
    outcome.className = event.ok ? "quiet" : "failed";
    row.append(name, outcome);
    calls.prepend(row);
    while (calls.children.length > SHOWN_CALLS) calls.lastElementChild?.remove();
    noCalls.hidden = true;
  }
}
