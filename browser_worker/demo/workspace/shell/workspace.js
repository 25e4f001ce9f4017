// @ts-check
/**
 * A workspace: the kernel of the bus, the handshake, and the frames of the installed apps, put
 * together. What is on the screen is somebody else's: this knows elements to mount frames in, and no
 * buttons.
 */

import { BusError } from "../../../contract/bus_error.js";
import { BackgroundFrames } from "../../../kernel/frames/background_frames.js";
import { FrameHandshake } from "../../../kernel/frames/frame_handshake.js";
import { Kernel } from "../../../kernel/kernel.js";
import { MountedFrame } from "../../../kernel/frames/mounted_frame.js";
import { OpenTiles } from "./open_tiles.js";
import { TrayPopover } from "./tray_popover.js";

/** @import { HandshakePage } from "../../../kernel/frames/frame_handshake.js" */
/** @import { KernelPowers } from "../../../kernel/kernel_powers.js" */
/** @import { Attention } from "../../../kernel/private/private_gate.js" */
/** @import { RoutingPolicy } from "../../../kernel/grants/routing_policy.js" */
/** @import { AppManifest } from "../manifests/app_manifest.js" */
/** @import { Authorisation } from "./authorisation.js" */
/** @import { MountFrame, OpenTile, TileStage } from "./open_tiles.js" */
/** @import { TrayStage } from "./tray_popover.js" */

/** @typedef {"running" | "starting" | "not responding" | "stopped" | "not running"} AppStatus */

/**
 * @typedef {object} WorkspaceOptions
 * @property {readonly AppManifest[]} apps
 * @property {Authorisation} authorisation
 * @property {TileStage} tileStage
 * @property {TrayStage} trayStage
 * @property {Element} residents In which the unseen backgrounds are mounted.
 * @property {HandshakePage} page
 * @property {KernelPowers} powers
 * @property {(url: string) => Promise<string>} [diagnose] Why a page that asked for no port did not;
 *   without it that is all that is said.
 * @property {RoutingPolicy} [policy] Who may call across apps; without one nobody but the page itself.
 * @property {Attention} [attention] Where the person is; without it nobody has the focus.
 */

/** What the shell is to a background: another one of any of them would be another process. */
const RUNTIME = Object.freeze({ installation: "local", generation: "1" });

export class Workspace {
  /** @param {WorkspaceOptions} options */
  constructor(options) {
    const { apps, authorisation, tileStage, trayStage, residents, page, powers } = options;
    const { policy, attention } = options;
    this._apps = apps;
    /** The bus. */
    this.kernel = new Kernel({
      powers,
      apps: () => this._apps,
      ...(policy === undefined ? {} : { policy }),
      ...(attention === undefined ? {} : { attention }),
    });
    /** Who may lock and unlock it. */
    this.authorisation = authorisation;
    this._handshake = new FrameHandshake(page, powers);
    const parts = { kernel: this.kernel, handshake: this._handshake, powers };
    /** @type {MountFrame} */
    const mount = (parent, frame) => {
      /** @type {MountedFrame} */
      const mounted = new MountedFrame(
        parent,
        {
          ...frame,
          onState: (state, reason) => {
            frame.onState(state, reason);
            if (state !== "silent") return;
            void options.diagnose?.(frame.url).then((why) => {
              if (mounted.state === "silent") frame.onState(state, why);
            });
          },
        },
        parts,
      );
      return mounted;
    };
    this.tiles = new OpenTiles(tileStage, mount);
    this.tray = new TrayPopover(trayStage, mount);
    /** How the last background of each app is. @type {Map<string, { state: string, reason: string }>} */
    this._residents = new Map();
    this._syncing = false;
    /** @type {Set<() => void>} */
    this._observers = new Set();
    this._backgrounds = new BackgroundFrames(residents, parts, ({ app, state, reason }) => {
      // One that gives way to another, or to nothing, tells that it is gone: that is no news.
      if (this._syncing && state === "gone") this._residents.delete(app);
      else {
        const resident = { state, reason };
        this._residents.set(app, resident);
        const url = this._apps.find(({ id }) => id === app)?.background ?? null;
        if (state === "silent" && url !== null) {
          void options.diagnose?.(url).then((why) => {
            resident.reason = why;
            this._tell();
          });
        }
      }
      this._tell();
    });
    this._stop = [
      this.kernel.onChange(() => this._tell()),
      this.tiles.onChange(() => this._tell()),
      authorisation.onChange(() => this._authorise()),
    ];
    this._authorise();
  }

  /** The installed apps. */
  get apps() {
    return this._apps;
  }

  /**
   * Watches for any change of what runs and what is shown.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  /**
   * Installs other apps instead: what is of another version, may ask for other things, or is of an app
   * that is gone, is taken away, and backgrounds that are new or changed are mounted. The others stay.
   *
   * @param {readonly AppManifest[]} apps
   */
  install(apps) {
    const before = this._apps;
    this._apps = apps;
    const kept = new Map(apps.map((app) => [app.id, app]));
    for (const app of before) {
      const { id, version } = app;
      const now = kept.get(id);
      if (now?.version === version && authorityOf(now) === authorityOf(app)) continue;
      // Before its frames are gone: what was begun by a grant is told that it is no longer given.
      if (now === undefined) this.kernel.forgetApp(id);
      else this.kernel.appChanged(id);
      for (const tile of [...this.tiles.all]) if (tile.app.id === id) this.tiles.close(tile.key);
      if (this.tray.app === id) this.tray.close();
    }
    this._syncBackgrounds();
    this._tell();
  }

  /**
   * Opens a tile, or shows it where it is open, and waits until it is on the bus.
   *
   * @param {string} app
   * @param {string} [tile] The app's first one by default.
   * @returns {Promise<string>} Its endpoint. Rejects with a `BusError`: `LOCKED`, `UNKNOWN_ENDPOINT` for
   *   what is not installed, `UI_BUSY` for too many tiles, `ENDPOINT_GONE` where it does not start.
   */
  async openTile(app, tile = undefined) {
    if (this.kernel.locked) throw new BusError("LOCKED", "The workspace is locked.");
    const manifest = this._apps.find(({ id }) => id === app);
    const found = manifest?.tiles.find(({ id }) => tile === undefined || id === tile);
    if (manifest === undefined || found === undefined) {
      throw new BusError("UNKNOWN_ENDPOINT", "No such app or tile is installed.");
    }
    const open = this.tiles.open(manifest, found);
    this.tiles.focus(open.key);
    return this._started(open);
  }

  /** The apps that have anything on the bus. */
  get running() {
    const live = new Set(this.kernel.endpoints().map(({ app }) => app));
    return this._apps.filter(({ id }) => live.has(id));
  }

  /** The endpoint of the tile that the person works in; null where there is none on the bus. */
  get focusedEndpoint() {
    return this.tiles.focused?.frame?.endpoint ?? null;
  }

  /**
   * The endpoint of a tile's frame.
   *
   * @param {Element} element
   * @returns {string | null}
   */
  endpointOf(element) {
    return this._tileOf(element)?.frame?.endpoint ?? null;
  }

  /**
   * The app that a frame is of, a tile's or the open tray's.
   *
   * @param {Element} element
   * @returns {string | null} Its id: an app is installed once at most.
   */
  appOf(element) {
    return this._tileOf(element)?.app.id ?? (this.tray.holds(element) ? this.tray.app : null);
  }

  /**
   * Takes a frame away that does harm. Its tile stays, and says why.
   *
   * @param {Element} element
   * @param {string} why In words, without a full stop.
   */
  stopFrame(element, why) {
    const tile = this._tileOf(element);
    if (tile !== undefined) tile.frame?.unmount(why);
    else if (this.tray.holds(element)) this.tray.close();
  }

  /**
   * How an app is, all its endpoints together.
   *
   * @param {string} app
   * @returns {AppStatus}
   */
  statusOf(app) {
    const endpoints = this.kernel.endpoints().filter((endpoint) => endpoint.app === app);
    const resident = this._residents.get(app)?.state;
    const tiles = this.tiles.all.filter((tile) => tile.app.id === app);
    if (endpoints.some(({ state }) => state === "not-responding")) return "not responding";
    if (["gone", "silent", "refused"].includes(resident ?? "")) return "stopped";
    if (resident === "loading" || tiles.some(({ state }) => state === "loading")) return "starting";
    return endpoints.length > 0 ? "running" : "not running";
  }

  /** Why an app's background does not run, in words; empty where it does. @param {string} app */
  reasonOf(app) {
    const { state = "", reason = "" } = this._residents.get(app) ?? {};
    if (state === "gone") return `it was stopped: ${reason}`;
    return state === "silent" || state === "refused" ? `it did not start: ${reason}` : "";
  }

  /** Starts an app's background anew. @param {string} app */
  restart(app) {
    if (!this.authorisation.authorised) return;
    this._syncBackgrounds((id) => id !== app);
    this._syncBackgrounds();
  }

  /** Takes all of it away, for good. */
  close() {
    for (const stop of this._stop) stop();
    this.tray.close();
    this.tiles.lock();
    this._backgrounds.close();
    this._handshake.close();
    this.kernel.close();
  }

  /** @param {Element} element */
  _tileOf(element) {
    return this.tiles.all.find(({ frame }) => frame?.element === element);
  }

  _authorise() {
    if (this.authorisation.authorised) {
      this.kernel.unlock();
      this._syncBackgrounds();
      this.tiles.unlock();
    } else {
      this.kernel.lock();
      this.tray.close();
      this.tiles.lock();
      this._backgrounds.clear();
      this._residents.clear();
    }
    this._tell();
  }

  /** @param {(app: string) => boolean} [wanted] */
  _syncBackgrounds(wanted = () => true) {
    if (!this.authorisation.authorised) return;
    const entries = this._apps.flatMap((app) => {
      const { id, version, background: url } = app;
      if (url === null || !wanted(id)) return [];
      return [{ app: id, version, url, ...RUNTIME, mode: `sandboxed ${authorityOf(app)}` }];
    });
    this._syncing = true;
    this._backgrounds.sync(entries);
    this._syncing = false;
    for (const app of this._backgrounds.apps) {
      if (!this._residents.has(app)) this._residents.set(app, { state: "loading", reason: "" });
    }
  }

  /**
   * @param {OpenTile} open
   * @returns {Promise<string>}
   */
  _started(open) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const endpoint = open.frame?.endpoint ?? null;
        if (open.state === "connected" && endpoint !== null) resolve(endpoint);
        else if (this.kernel.locked) reject(new BusError("LOCKED", "The workspace was locked."));
        else if (open.state === "loading") return false;
        else {
          const why = open.reason || "it was closed";
          reject(new BusError("ENDPOINT_GONE", `The tile did not start: ${why}.`));
        }
        return true;
      };
      if (look()) return;
      const stop = this.tiles.onChange(() => {
        if (look()) stop();
      });
    });
  }

  _tell() {
    for (const observer of [...this._observers]) observer();
  }
}

/**
 * What an app may ask for, as something to compare.
 *
 * @param {AppManifest} app
 */
function authorityOf({ declares }) {
  return JSON.stringify(declares);
}
