// @ts-check
/**
 * The resident frames of a workspace: one for each app that declares a background, unseen and out of
 * reach of pointer and keyboard. Contract: bus, background lifecycle.
 */

import { BUS_LIMITS } from "../contract/limits.js";
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

export class BackgroundFrames {
  /**
   * @param {Element} parent
   * @param {FrameParts} parts
   * @param {(state: BackgroundState) => void} [onState]
   */
  constructor(parent, parts, onState = () => {}) {
    this._parts = parts;
    this._onState = onState;
    /** @type {Map<string, { identity: string, frame: MountedFrame }>} */
    this._frames = new Map();
    this._holder = parent.ownerDocument.createElement("div");
    this._holder.inert = true;
    this._holder.setAttribute("aria-hidden", "true");
    this._holder.style.cssText =
      "position:fixed;inset-inline-start:0;inset-block-start:0;inline-size:0;block-size:0;overflow:hidden;visibility:hidden;pointer-events:none";
    parent.append(this._holder);
  }

  /** Apps whose background is mounted. */
  get apps() {
    return [...this._frames.keys()];
  }

  /**
   * Brings the frames in line with the registry: new ones are mounted, changed ones replaced, those that
   * are gone taken away.
   *
   * @param {readonly BackgroundEntry[]} entries One for each app at most.
   */
  sync(entries) {
    const wanted = new Map(entries.map((entry) => [entry.app, entry]));
    for (const [app, { identity, frame }] of [...this._frames]) {
      const entry = wanted.get(app);
      if (entry !== undefined && identityOf(entry) === identity) continue;
      this._frames.delete(app);
      frame.unmount();
    }
    for (const entry of wanted.values()) {
      if (!this._frames.has(entry.app)) this._mount(entry);
    }
  }

  /** Takes all of them away: the workspace is locked, or goes. */
  clear() {
    this.sync([]);
  }

  /** For good. */
  close() {
    this.clear();
    this._holder.remove();
  }

  /** @param {BackgroundEntry} entry */
  _mount(entry) {
    const { app, url } = entry;
    if (this._frames.size >= BUS_LIMITS.maxBackgrounds) {
      const reason = `a workspace has at most ${BUS_LIMITS.maxBackgrounds} backgrounds`;
      this._onState({ app, state: "refused", reason });
      return;
    }
    const frame = new MountedFrame(
      this._holder,
      {
        place: { app, kind: "background" },
        url,
        title: `${app}, in the background`,
        onState: (state, reason) => this._onState({ app, state, reason }),
      },
      this._parts,
    );
    frame.element.tabIndex = -1;
    this._frames.set(app, { identity: identityOf(entry), frame });
  }
}

/** @param {BackgroundEntry} entry */
function identityOf({ app, version, installation, generation, url, mode }) {
  return JSON.stringify([app, version, installation, generation, url, mode]);
}
