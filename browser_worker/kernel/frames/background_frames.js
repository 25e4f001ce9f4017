// @ts-check
/**
 * The resident frames of a workspace: one for each app that declares a background, unseen and out of
 * reach of pointer and keyboard. Contract: bus, background lifecycle.
 */

import { BUS_LIMITS } from "../../contract/limits.js";
import { FocusGuard } from "./focus_guard.js";
import { framePlace } from "./frame_place.js";
import { MountedFrame } from "./mounted_frame.js";

/** @import { FrameParts, FrameState } from "./mounted_frame.js" */

/**
 * @typedef {object} BackgroundEntry What makes a resident process what it is: a change of any of it is
 *   another process.
 * @property {string} app
 * @property {string} version
 * @property {string} installation
 * @property {string} generation Of the runtime that the shell provides.
 * @property {string} url
 * @property {string} mode Of security.
 */

/** @typedef {{ app: string, state: FrameState | "refused", reason: string }} BackgroundState */

/** @typedef {{ identity: string, frame: MountedFrame }} Resident */

const UNSEEN = Object.freeze({
  position: "fixed",
  insetInlineStart: "0",
  insetBlockStart: "0",
  inlineSize: "0",
  blockSize: "0",
  overflow: "hidden",
  visibility: "hidden",
  pointerEvents: "none",
});

export class BackgroundFrames {
  /**
   * @param {Element} parent In a document that is shown.
   * @param {FrameParts} parts
   * @param {(state: BackgroundState) => void} [onState] What it throws changes nothing.
   */
  constructor(parent, parts, onState = () => {}) {
    this._parts = parts;
    this._onState = onState;
    /** @type {Map<string, Resident>} */
    this._residents = new Map();
    this._closed = false;
    this._holder = parent.ownerDocument.createElement("div");
    this._holder.inert = true;
    this._holder.setAttribute("aria-hidden", "true");
    Object.assign(this._holder.style, UNSEEN);
    parent.append(this._holder);
    this._place = framePlace(this._holder);
    this._guard = new FocusGuard(this._place, parts.powers, (frame) => this._focusTaken(frame));
  }

  /** Apps whose background was mounted; one that has ended by itself is among them. */
  get apps() {
    return [...this._residents.keys()];
  }

  /**
   * Brings the frames in line with the registry: new ones are mounted, changed ones replaced, those that
   * are gone taken away. One that has ended by itself is left so.
   *
   * @param {readonly BackgroundEntry[]} entries One for each app; of several the last one counts.
   */
  sync(entries) {
    if (this._closed) return;
    const wanted = new Map(entries.map((entry) => [entry.app, entry]));
    for (const [app, resident] of [...this._residents]) {
      const entry = wanted.get(app);
      if (entry === undefined || identityOf(entry) !== resident.identity)
        this._unmount(app, resident);
    }
    for (const entry of wanted.values()) {
      if (!this._residents.has(entry.app)) this._mount(entry);
    }
  }

  /** Takes all of them away: the workspace is locked, or goes. */
  clear() {
    for (const [app, resident] of [...this._residents]) this._unmount(app, resident);
  }

  /** For good. */
  close() {
    this.clear();
    this._closed = true;
    this._guard.stop();
    this._holder.remove();
  }

  /**
   * @param {string} app
   * @param {Resident} resident
   */
  _unmount(app, resident) {
    // Whoever is told of one that goes may have mounted another in its place.
    if (this._residents.get(app) !== resident) return;
    this._residents.delete(app);
    resident.frame.unmount();
  }

  /** @param {BackgroundEntry} entry */
  _mount(entry) {
    const { app, url } = entry;
    if (this._residents.size >= BUS_LIMITS.maxBackgrounds) {
      this._refuse(app, `a workspace has at most ${BUS_LIMITS.maxBackgrounds} backgrounds`);
      return;
    }
    try {
      const frame = new MountedFrame(
        this._place,
        {
          place: { app, kind: "background" },
          url,
          title: `${app}, in the background`,
          onState: (state, reason) => this._onState({ app, state, reason }),
        },
        this._parts,
      );
      frame.element.tabIndex = -1;
      this._residents.set(app, { identity: identityOf(entry), frame });
    } catch (error) {
      // One app that cannot be mounted is no reason to mount no other.
      this._refuse(app, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * @param {string} app
   * @param {string} reason
   */
  _refuse(app, reason) {
    try {
      this._onState({ app, state: "refused", reason });
    } catch {
      // Who watches decides nothing.
    }
  }

  /** @param {Element} element */
  _focusTaken(element) {
    for (const { frame } of this._residents.values()) {
      if (frame.element === element)
        frame.unmount("it took the keyboard, which a background may not");
    }
  }
}

/** @param {BackgroundEntry} entry */
function identityOf({ app, version, installation, generation, url, mode }) {
  return JSON.stringify([app, version, installation, generation, url, mode]);
}
