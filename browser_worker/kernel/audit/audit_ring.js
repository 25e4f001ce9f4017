// @ts-check
/**
 * The last calls that the kernel routed: who asked whom for what, when, and how it ended. In memory
 * only, and never with whole arguments or results. Contract: bus, routing policy.
 */

import { BUS_LIMITS } from "../../contract/limits.js";
import { Observers } from "../../dispatcher/observers.js";
import { summaryOf } from "./value_summary.js";
import { seen } from "../well_formed.js";

/**
 * @typedef {object} AuditedCall
 * @property {string} caller
 * @property {string} target
 * @property {string} tool
 * @property {unknown} arguments
 * @property {string | null} [root]
 * @property {boolean} [private]
 */

/** @typedef {"running" | "completed" | "failed" | "refused" | "timed out" | "cancelled"} AuditStatus */

/**
 * @typedef {object} AuditEntry
 * @property {number} number Counts the calls of this kernel from 1.
 * @property {string} caller
 * @property {string} target
 * @property {string} tool
 * @property {number} startedAt Unix milliseconds.
 * @property {AuditStatus} status
 * @property {number | null} durationMs To a tenth; null while it runs.
 * @property {string} arguments A summary.
 * @property {string | null} outcome A summary of the result, or the error's code and message.
 * @property {string | null} root Whom it was made for, by the name of its grants; null for the page itself.
 * @property {boolean} private Of a private action: for the owner's eyes only.
 */

/**
 * @typedef {((status: Exclude<AuditStatus, "running">, outcome: unknown) => void)
 *   & { waits: () => void, letThrough: () => void }} Audited Notes how a call ended, once; and before
 *   that, that it waits for the owner's answer, and that it was let through to its target.
 */

export class AuditRing {
  /**
   * @param {{ now: () => number, wallNow: () => number }} clock
   * @param {number} [maxEntries]
   */
  constructor(clock, maxEntries = BUS_LIMITS.maxAuditEntries) {
    this._clock = clock;
    this._maxEntries = maxEntries;
    this._count = 0;
    this._privates = 0;
    /** Oldest first. @type {AuditEntry[]} */
    this._entries = [];
    /** Which of them came as far as their target. @type {WeakSet<AuditEntry>} */
    this._letThrough = new WeakSet();
    /** Which of them wait for the owner's answer. @type {Set<AuditEntry>} */
    this._waiting = new Set();
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /**
   * Watches for entries that come and end.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /**
   * @param {(entry: AuditEntry, letThrough: boolean) => boolean} [wanted] `letThrough`: the call was decided
   *   on, and was for its target to know of.
   * @returns {AuditEntry[]} Copies, oldest first.
   */
  entries(wanted = () => true) {
    return this._entries
      .filter((entry) => wanted(entry, this._letThrough.has(entry)))
      .map((entry) => ({ ...entry }));
  }

  /** The numbers of the calls that wait for the owner's answer. @returns {Set<number>} */
  waiting() {
    return new Set([...this._waiting].map(({ number }) => number));
  }

  /**
   * Notes the beginning of a call.
   *
   * @param {AuditedCall} call
   *   Of a private action nothing but its name is kept.
   * @returns {Audited}
   */
  begin({ caller, target, tool, arguments: given, root = null, private: isPrivate = false }) {
    const startedAt = this._clock.now();
    /** @type {AuditEntry} */
    const entry = {
      number: ++this._count,
      caller,
      target: summaryText(target),
      tool: summaryText(tool),
      startedAt: this._clock.wallNow(),
      status: "running",
      durationMs: null,
      arguments: isPrivate ? "" : summaryText(summaryOf(given)),
      outcome: null,
      root,
      private: isPrivate,
    };
    this._entries.push(entry);
    this._forgetOldest(isPrivate);
    this._observers.notify();
    /** @type {(...end: Parameters<Audited>) => void} */
    const end = (status, outcome) => {
      if (entry.status !== "running") return;
      entry.status = status;
      this._waiting.delete(entry);
      // A clock of a page has a fraction of many digits, which says nothing.
      entry.durationMs = Math.max(0, Math.round((this._clock.now() - startedAt) * 10) / 10);
      entry.outcome = summaryText(typeof outcome === "string" ? outcome : summaryOf(outcome));
      if (isPrivate && status === "completed") entry.outcome = null;
      this._observers.notify();
    };
    return Object.assign(end, {
      waits: () => {
        if (entry.status !== "running") return;
        this._waiting.add(entry);
        this._observers.notify();
      },
      letThrough: () => {
        this._letThrough.add(entry);
        if (this._waiting.delete(entry)) this._observers.notify();
      },
    });
  }

  /**
   * Private actions have a room of their own: a badge that changes often hides no call.
   *
   * @param {boolean} isPrivate
   */
  _forgetOldest(isPrivate) {
    const most = isPrivate ? BUS_LIMITS.maxPrivateAuditEntries : this._maxEntries;
    if (isPrivate) this._privates += 1;
    const kept = isPrivate ? this._privates : this._entries.length - this._privates;
    if (kept <= most) return;
    const oldest = this._entries.findIndex((entry) => entry.private === isPrivate);
    this._entries.splice(oldest, 1);
    if (isPrivate) this._privates -= 1;
  }
}

/** @param {string} text Whoever called may have written it. */
function summaryText(text) {
  return seen(text, BUS_LIMITS.maxSummaryChars);
}
