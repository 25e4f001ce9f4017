// @ts-check
/**
 * The background's kept document as a storage of strings, so that the page saves as it does anywhere.
 * It is read once, before the page begins; what is set is there at once and sent on behind.
 */

import { STORAGE_KEY } from "../../../document/saved_document.js";
import { KEEP, KEPT, WRITER_BACKGROUND } from "./kept_document.js";

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { StringStorage } from "../../../document/saved_document.js" */

/**
 * @param {Pick<AppRuntime, "callToolWithAttachment">} bus
 * @returns {Promise<StringStorage>} Rejects with a `BusError` where the background cannot be reached.
 */
export async function openKeptStorage(bus) {
  const { attachment } = await bus.callToolWithAttachment({
    target: WRITER_BACKGROUND,
    name: KEPT,
  });
  /** @type {Map<string, string>} */
  const values = new Map();
  if (attachment !== undefined) values.set(STORAGE_KEY, new TextDecoder().decode(attachment));
  const sender = new Sender(bus);
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem(key, value) {
      values.set(key, value);
      // What was put aside as damaged is kept by nobody: it came from here.
      if (key === STORAGE_KEY) sender.send(value);
    },
  };
}

/** Sends one text at a time, and of those that wait only the newest. */
class Sender {
  /** @param {Pick<AppRuntime, "callToolWithAttachment">} bus */
  constructor(bus) {
    this._bus = bus;
    this._sending = false;
    this._failed = false;
    /** @type {string | null} */
    this._waiting = null;
  }

  /**
   * @param {string} value
   * @throws {Error} Where the last one did not arrive. This one is tried nevertheless.
   */
  send(value) {
    this._waiting = value;
    if (!this._sending) void this._run();
    if (this._failed) throw new Error("the writer's background cannot be reached");
  }

  async _run() {
    this._sending = true;
    while (this._waiting !== null) {
      const bytes = new TextEncoder().encode(this._waiting);
      this._waiting = null;
      try {
        await this._bus.callToolWithAttachment({
          target: WRITER_BACKGROUND,
          name: KEEP,
          attachment: bytes.buffer,
        });
        this._failed = false;
      } catch {
        this._failed = true;
      }
    }
    this._sending = false;
  }
}
