// @ts-check
/**
 * The tiles that a person has open, in their order, and which of them has the focus. A tile that was
 * put aside keeps its place and loses its frame: what is not shown is not live. Draws nothing itself.
 */

import { BusError } from "../../../contract/bus_error.js";

/** @import { EndpointPlace } from "../../../contract/bus_names.js" */
/** @import { FrameState } from "../../../kernel/frames/mounted_frame.js" */
/** @import { AppManifest, TileManifest } from "../manifests/app_manifest.js" */

/** @typedef {FrameState | "aside"} TileState `aside`: kept in its place, without a frame. */

/**
 * @typedef {object} Frame What is needed of a mounted frame.
 * @property {HTMLIFrameElement} element
 * @property {string | null} endpoint
 * @property {(why?: string) => void} unmount
 */

/**
 * @typedef {object} OpenTile
 * @property {string} key Names it in this page.
 * @property {AppManifest} app
 * @property {TileManifest} tile
 * @property {TileState} state
 * @property {string} reason Why it is gone, in words.
 * @property {Frame | null} frame
 */

/**
 * @typedef {object} TileStage Where frames are shown.
 * @property {(tile: OpenTile) => Element | ShadowRoot} place In the document, for the tile's frame.
 * @property {(tile: OpenTile) => void} remove The tile was closed.
 */

/** @typedef {(parent: Element | ShadowRoot, frame: { place: EndpointPlace, url: string, title: string, onState: (state: FrameState, reason: string) => void }) => Frame} MountFrame */

/** More are no use to anybody, and each is a process. */
export const MAX_TILES = 12;

export class OpenTiles {
  /**
   * @param {TileStage} stage
   * @param {MountFrame} mount
   */
  constructor(stage, mount) {
    this._stage = stage;
    this._mount = mount;
    this._count = 0;
    this._instances = 0;
    this._locked = false;
    /** @type {OpenTile[]} */
    this._tiles = [];
    /** @type {string | null} */
    this._focused = null;
    /** @type {Set<() => void>} */
    this._observers = new Set();
  }

  /** In their order. @returns {readonly OpenTile[]} */
  get all() {
    return this._tiles;
  }

  /** The tile that the person works in, or worked in last. @returns {OpenTile | null} */
  get focused() {
    return this._tiles.find(({ key }) => key === this._focused) ?? null;
  }

  /**
   * @param {() => void} observer Told after any change.
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  /**
   * Opens a tile, or shows the one that is open already.
   *
   * @param {AppManifest} app
   * @param {TileManifest} tile
   * @returns {OpenTile}
   * @throws {BusError} `UI_BUSY` where too many are open.
   */
  open(app, tile) {
    const open = this._tiles.find((each) => each.app.id === app.id && each.tile.id === tile.id);
    if (open !== undefined) {
      if (open.frame === null) this.show(open.key);
      return open;
    }
    if (this._tiles.length >= MAX_TILES) {
      throw new BusError("UI_BUSY", `A workspace has at most ${MAX_TILES} tiles: close one first.`);
    }
    /** @type {OpenTile} */
    const made = { key: `${++this._count}`, app, tile, state: "aside", reason: "", frame: null };
    this._tiles.push(made);
    this._load(made);
    this._tell();
    return made;
  }

  /** Gives a tile a frame, a new one where it has one: what was in the old one is gone. @param {string} key */
  show(key) {
    const tile = this._find(key);
    if (tile === undefined) return;
    this._unload(tile);
    this._load(tile);
    this._tell();
  }

  /** Takes a tile's frame away and keeps its place. @param {string} key */
  putAside(key) {
    const tile = this._find(key);
    if (tile === undefined || tile.state === "aside") return;
    this._unload(tile);
    if (this._focused === key) this._focused = null;
    this._tell();
  }

  /** @param {string} key */
  close(key) {
    const tile = this._find(key);
    if (tile === undefined) return;
    this._unload(tile);
    this._tiles = this._tiles.filter((each) => each !== tile);
    if (this._focused === key) this._focused = null;
    this._stage.remove(tile);
    this._tell();
  }

  /**
   * Moves a tile among the others.
   *
   * @param {string} key
   * @param {number} by Places, towards the end where it is positive.
   */
  move(key, by) {
    const from = this._tiles.findIndex((each) => each.key === key);
    const to = Math.min(Math.max(from + by, 0), this._tiles.length - 1);
    if (from < 0 || to === from) return;
    this._tiles.splice(to, 0, ...this._tiles.splice(from, 1));
    this._tell();
  }

  /** Notes where the person is. @param {string} key */
  focus(key) {
    if (this._focused === key || this._find(key) === undefined) return;
    this._focused = key;
    this._tell();
  }

  /** Takes all frames away; the tiles are there again after `unlock`. */
  lock() {
    this._locked = true;
    for (const tile of this._tiles) {
      if (tile.frame === null) continue;
      this._unload(tile);
      tile.state = "loading";
    }
    this._tell();
  }

  unlock() {
    this._locked = false;
    for (const tile of this._tiles) {
      if (tile.state === "loading" && tile.frame === null) this._load(tile);
    }
    this._tell();
  }

  /** @param {string} key */
  _find(key) {
    return this._tiles.find((each) => each.key === key);
  }

  /** @param {OpenTile} open */
  _load(open) {
    open.state = "loading";
    open.reason = "";
    if (this._locked) return;
    const { app, tile } = open;
    /** @type {Frame | null} */
    let frame = null;
    frame = this._mount(this._stage.place(open), {
      // Another life of a tile is another endpoint.
      place: { app: app.id, kind: "tile", tile: tile.id, instance: `${++this._instances}` },
      url: tile.url,
      title: tile.title === app.name ? app.name : `${app.name}: ${tile.title}`,
      onState: (state, reason) => {
        if (frame === null || open.frame !== frame) return;
        open.state = state;
        open.reason = reason;
        this._tell();
      },
    });
    open.frame = frame;
  }

  /** @param {OpenTile} open */
  _unload(open) {
    const { frame } = open;
    open.frame = null;
    open.state = "aside";
    open.reason = "";
    frame?.unmount();
  }

  _tell() {
    for (const observer of [...this._observers]) observer();
  }
}
