// @ts-check
/**
 * The board as a tile shows it: what its background told last, and on top of it what the person does
 * until the background has said so too. Sends one change at a time, in order. Draws nothing.
 */

import { BOARD_BACKGROUND } from "../board_tools.js";

/** @import { AppRuntime } from "../../../../../app/app_runtime.js" */
/** @import { BoardListing, ListedShape } from "../board_tools.js" */

/** @type {BoardListing} */
const EMPTY = { revision: -1, width: 0, height: 0, canUndo: false, canRedo: false, shapes: [] };

export class ShownBoard {
  /**
   * @param {Pick<AppRuntime, "callToolWithAttachment" | "followAppState">} bus
   * @param {(message: string) => void} tell Told what went wrong, in words for a person.
   */
  constructor(bus, tell) {
    this._bus = bus;
    this._tell = tell;
    /** Listed last by the background. @type {BoardListing} */
    this._listed = EMPTY;
    /** As the person has it under their hands. @type {Map<string, ListedShape>} */
    this._held = new Map();
    /** Of those, which the background has been told. @type {Set<string>} */
    this._sent = new Set();
    this._pending = 0;
    /** The highest revision that a change of this tile's has come to. */
    this._reached = -1;
    /** @type {Promise<unknown>} */
    this._turn = Promise.resolve();
    /** @type {Set<() => void>} */
    this._observers = new Set();
    this._known = false;
  }

  /** Whether the background has told of the board. */
  get known() {
    return this._known;
  }

  get revision() {
    return this._listed.revision;
  }

  get canUndo() {
    return this._listed.canUndo;
  }

  get canRedo() {
    return this._listed.canRedo;
  }

  /** The lowest first. @returns {ListedShape[]} */
  get shapes() {
    return this._listed.shapes.map((shape) => this._held.get(shape.id) ?? shape);
  }

  /** @param {string | null} id */
  shape(id) {
    return this.shapes.find((shape) => shape.id === id);
  }

  /** @param {() => void} observer */
  onChange(observer) {
    this._observers.add(observer);
  }

  /** Keeps it up to date. @returns {() => void} Ends that. */
  follow() {
    return this._bus.followAppState("board", {
      fetch: () => this._list(),
      apply: (listed) => this._take(listed),
      onError: () => this._tell("The board’s background cannot be reached now."),
    });
  }

  /** Shows a shape otherwise, and sends nothing yet. @param {ListedShape} shape */
  hold(shape) {
    this._sent.delete(shape.id);
    this._held.set(shape.id, shape);
    this._notify();
  }

  /** Shows a shape as it is again. @param {string} id */
  release(id) {
    if (this._held.delete(id)) this._notify();
  }

  /**
   * Changes the board, after what was asked for before.
   *
   * @param {string} name Of a tool.
   * @param {Record<string, unknown>} [args]
   * @param {{ attachment?: ArrayBuffer, held?: string }} [more] `held` is the shape that was shown
   *   otherwise, and is from then on as the background says.
   * @returns {Promise<any>} Its result; undefined where it failed, which the person was told.
   */
  change(name, args = {}, { attachment, held } = {}) {
    this._pending += 1;
    if (held !== undefined) this._sent.add(held);
    const run = async () => {
      let result;
      try {
        ({ result } = await this._call(name, args, attachment));
        this._reached = Math.max(this._reached, result.revision);
      } catch (error) {
        this._tell(error instanceof Error ? error.message : String(error));
      }
      this._pending -= 1;
      if (this._pending === 0) await this._refresh();
      return result;
    };
    const turn = this._turn.then(run);
    this._turn = turn;
    return turn;
  }

  /**
   * Reads something that comes with bytes.
   *
   * @param {string} name
   * @param {Record<string, unknown>} args
   * @returns {Promise<{ result: any, attachment: ArrayBuffer | undefined }>}
   */
  read(name, args) {
    return this._call(name, args);
  }

  async _refresh() {
    try {
      this._take(await this._list());
    } catch {
      // It is followed all the same, and who follows tells.
    }
  }

  /** @returns {Promise<BoardListing>} */
  async _list() {
    return (await this._call("board_list", {})).result;
  }

  /** @param {BoardListing} listed */
  _take(listed) {
    // One from before the person's own last change would take it back for a moment.
    if (this._pending > 0 || listed.revision < this._reached) return;
    if (this._known && listed.revision < this._listed.revision) return;
    this._known = true;
    this._listed = listed;
    for (const id of this._sent) this._held.delete(id);
    this._sent.clear();
    this._notify();
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} args
   * @param {ArrayBuffer} [attachment]
   */
  _call(name, args, attachment) {
    return this._bus.callToolWithAttachment({
      target: BOARD_BACKGROUND,
      name,
      arguments: args,
      ...(attachment === undefined ? {} : { attachment }),
    });
  }

  _notify() {
    for (const observer of [...this._observers]) observer();
  }
}
