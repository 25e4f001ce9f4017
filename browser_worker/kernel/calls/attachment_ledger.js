// @ts-check
/**
 * Counts the bytes of attachments that are under way, by endpoint and in all. Holds no buffer.
 * Contract: bus, binary attachments.
 */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";

/** @typedef {() => void} Release Gives the bytes back; again does nothing. */

export class AttachmentLedger {
  /** @param {typeof BUS_LIMITS} [limits] */
  constructor(limits = BUS_LIMITS) {
    this._limits = limits;
    /** @type {Map<string, number>} */
    this._ofEndpoints = new Map();
    this._inAll = 0;
  }

  /** Bytes under way. */
  get inAll() {
    return this._inAll;
  }

  /** @param {string} endpoint */
  of(endpoint) {
    return this._ofEndpoints.get(endpoint) ?? 0;
  }

  /**
   * Notes that an endpoint sends so many bytes.
   *
   * @param {string} endpoint
   * @param {number} bytes
   * @param {string} outcome What has been done until now, for the error.
   * @returns {Release}
   * @throws {BusError} `ATTACHMENT_LIMIT`
   */
  take(endpoint, bytes, outcome) {
    const { maxAttachmentBytesInAll, maxAttachmentBytesOfEndpoint } = this._limits;
    const own = this.of(endpoint) + bytes;
    if (own > maxAttachmentBytesOfEndpoint || this._inAll + bytes > maxAttachmentBytesInAll) {
      throw new BusError(
        "ATTACHMENT_LIMIT",
        `Too many bytes of attachments are under way, until other calls end; ${outcome}.`,
      );
    }
    this._ofEndpoints.set(endpoint, own);
    this._inAll += bytes;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this._inAll -= bytes;
      const left = this.of(endpoint) - bytes;
      if (left > 0) this._ofEndpoints.set(endpoint, left);
      else this._ofEndpoints.delete(endpoint);
    };
  }
}
