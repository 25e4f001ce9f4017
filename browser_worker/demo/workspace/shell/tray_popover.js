// @ts-check
/**
 * The one popover of the tray that is open: its frame lives as long as it is shown. Draws nothing
 * itself.
 */

/** @import { AppManifest } from "../manifests/app_manifest.js" */
/** @import { Frame, MountFrame } from "./open_tiles.js" */

/**
 * @typedef {object} TrayStage
 * @property {(app: AppManifest) => Element | ShadowRoot} show Shows an empty popover, and gives the place in it.
 * @property {(app: AppManifest) => void} hide
 */

export class TrayPopover {
  /**
   * @param {TrayStage} stage
   * @param {MountFrame} mount
   */
  constructor(stage, mount) {
    this._stage = stage;
    this._mount = mount;
    this._instances = 0;
    /** @type {{ app: AppManifest, frame: Frame } | null} */
    this._open = null;
  }

  /** Whose popover is open. */
  get app() {
    return this._open?.app.id ?? null;
  }

  /** The endpoint of what is open; null where nothing is, or it is not connected. */
  get endpoint() {
    return this._open?.frame.endpoint ?? null;
  }

  /** Whether that is the frame which is open. @param {Element} element */
  holds(element) {
    return this._open?.frame.element === element;
  }

  /** Opens an app's popover, or closes it where it is open. @param {AppManifest} app One with a tray. */
  toggle(app) {
    const same = this.app === app.id;
    this.close();
    if (same || app.tray === null) return;
    const frame = this._mount(this._stage.show(app), {
      place: { app: app.id, kind: "tray", instance: `${++this._instances}` },
      url: app.tray.url,
      title: app.tray.title,
      onState: (state) => {
        if (state === "gone" && this._open?.frame === frame) this.close();
      },
    });
    this._open = { app, frame };
  }

  /** Takes the popover and its frame away. */
  close() {
    const open = this._open;
    if (open === null) return;
    this._open = null;
    open.frame.unmount();
    this._stage.hide(open.app);
  }
}
