// @ts-check
/**
 * For how long a no is heard, so that nobody is worn down by asking. A subject that was refused is not
 * asked about for a while, and twice as long with each refusal. Terminals choose their own names, so
 * their refusals are counted together as well. Contract: bus, consent.
 */

import { BUS_LIMITS } from "../../contract/limits.js";

/** @typedef {"denied" | "timeout"} Refusal */
/** @typedef {{ count: number, until: number, reason: Refusal }} CoolDown `until` in milliseconds of `now`. */
/** @typedef {{ reason: Refusal | "others", retryAfterMs: number }} Cooling */

const TERMINAL = "external:bridge:";

export class CoolDowns {
  /** @param {() => number} now Milliseconds. */
  constructor(now) {
    this._now = now;
    /** @type {Map<string, CoolDown>} */
    this._of = new Map();
    /** Of the terminals together. @type {CoolDown | null} */
    this._ofTerminals = null;
    /** Terminals that the owner said yes to: what others do is not counted against them. @type {Set<string>} */
    this._known = new Set();
  }

  /**
   * Whether a subject is not to be asked about now, and why: for its own sake, or for that of others,
   * whose name it may have had.
   *
   * @param {string} subject
   * @returns {Cooling | null} `retryAfterMs`: when it may be.
   */
  find(subject) {
    const own = this._left(this._of.get(subject));
    const ofTerminals = this._countsWith(subject) ? this._ofTerminals : null;
    const others =
      ofTerminals !== null && ofTerminals.count >= BUS_LIMITS.maxRefusalsOfTerminals
        ? this._left(ofTerminals)
        : null;
    if (own !== null && own.retryAfterMs >= (others?.retryAfterMs ?? 0)) return own;
    return others === null ? null : { ...others, reason: "others" };
  }

  /**
   * A subject was refused.
   *
   * @param {string} subject
   * @param {Refusal} reason
   * @returns {number} Milliseconds for which it need not ask.
   */
  refused(subject, reason) {
    this._forgetOld();
    const own = this._next(this._of.get(subject), reason, 1);
    this._of.set(subject, own);
    if (subject.startsWith(TERMINAL)) {
      const free = BUS_LIMITS.maxRefusalsOfTerminals;
      this._ofTerminals = this._next(this._ofTerminals ?? undefined, reason, free);
    }
    return this.find(subject)?.retryAfterMs ?? 0;
  }

  /** The owner said yes to it: what it was refused before is forgotten. @param {string} subject */
  allowed(subject) {
    this._of.delete(subject);
    if (subject.startsWith(TERMINAL)) this._known.add(subject);
  }

  /** A subject is gone. A no is still heard, a yes was for that one. @param {string} subject */
  forget(subject) {
    this._known.delete(subject);
  }

  clear() {
    this._of.clear();
    this._known.clear();
    this._ofTerminals = null;
  }

  /** @param {string} subject Whether what other terminals were refused is heard for it. */
  _countsWith(subject) {
    return subject.startsWith(TERMINAL) && !this._known.has(subject);
  }

  /**
   * @param {CoolDown | undefined} before
   * @param {Refusal} reason
   * @param {number} free The count at which the shortest cool-down begins.
   * @returns {CoolDown}
   */
  _next(before, reason, free) {
    const count = (before?.count ?? 0) + 1;
    const { firstCoolDownSeconds: first, maxCoolDownSeconds: most } = BUS_LIMITS;
    const seconds = Math.min(first * 2 ** Math.max(0, count - free), most);
    return { count, until: this._now() + seconds * 1_000, reason };
  }

  /** @param {CoolDown | undefined} coolDown @returns {{ reason: Refusal, retryAfterMs: number } | null} */
  _left(coolDown) {
    const left = coolDown === undefined ? 0 : coolDown.until - this._now();
    if (coolDown === undefined || left <= 0) return null;
    return { reason: coolDown.reason, retryAfterMs: Math.ceil(left) };
  }

  /** Who has not been refused for long begins anew; subjects come and go, as sessions of terminals do. */
  _forgetOld() {
    const longAgo = this._now() - BUS_LIMITS.maxCoolDownSeconds * 1_000;
    for (const [subject, { until }] of this._of) {
      if (until < longAgo) this._of.delete(subject);
    }
    if (this._ofTerminals !== null && this._ofTerminals.until < longAgo) this._ofTerminals = null;
  }
}
