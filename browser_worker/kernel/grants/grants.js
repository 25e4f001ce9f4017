// @ts-check
/**
 * What the owner has allowed: who may use which tools of which app, for one call, a turn or a session.
 * Each ends with what it rests on, and calls in flight end with it. Asks nobody, and keeps nothing over a
 * reload. Contract: bus, grants.
 */

import { BUS_LIMITS } from "../../contract/limits.js";
import { Observers } from "../../dispatcher/observers.js";
import { EndReason } from "../calls/call_end.js";

/** @import { BusErrorCode } from "../../contract/bus_error.js" */
/** @import { Root } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */

/** In place of a tool: to list the tools of an app; to list and to call them all. */
export const LISTING = null;
export const EVERY_TOOL = "*";

/**
 * @typedef {object} Grant
 * @property {string} id
 * @property {string} subject Whose: that of a root.
 * @property {string | null} subjectVersion Null for a terminal.
 * @property {string | null} by The app that calls on the subject's behalf; null for the subject itself.
 * @property {string | null} target An app, or null for every one.
 * @property {string | null} targetVersion Null for every app.
 * @property {string | null} tool A name, `LISTING` or `EVERY_TOOL`.
 * @property {"call" | "turn" | "session"} scope An agent's end with its turn.
 * @property {string | null} session Of the root: the turn, or the terminal's session.
 * @property {number} since Unix milliseconds.
 * @property {number | null} usedAt Unix milliseconds; null before the first use.
 * @property {number} uses
 */

/**
 * @typedef {object} Use What is to be done, for which a grant is looked for.
 * @property {Root} root
 * @property {string | null} by
 * @property {string} target An app.
 * @property {string | null} tool
 */

/** @typedef {Omit<Use, "target"> & { target: string | null }} Given A null `target` is every app. */

/** @typedef {{ grant: Grant, controller: AbortController, lastUse: number, stop: () => void }} Kept */

export class Grants {
  /**
   * @param {Pick<KernelPowers, "wallNow">} clock
   * @param {() => readonly AppSummary[]} apps The installed apps: a grant is for the versions of now.
   * @param {number} [maxGrants]
   */
  constructor({ wallNow }, apps, maxGrants = BUS_LIMITS.maxGrants) {
    this._wallNow = wallNow;
    this._apps = apps;
    this._maxGrants = maxGrants;
    this._count = 0;
    this._uses = 0;
    this._locks = 0;
    /** How often each app was removed or changed. @type {Map<string, number>} */
    this._changes = new Map();
    /** Oldest first. @type {Map<string, Kept>} */
    this._kept = new Map();
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /**
   * Watches for grants that come, are used, and end.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /** Copies of all, oldest first. */
  all() {
    return [...this._kept.values()].map(({ grant }) => ({ ...grant }));
  }

  /**
   * The version of an app that is installed now.
   *
   * @param {string} app
   * @returns {string | null} Null for one that is not installed.
   */
  versionOf(app) {
    return this._apps().find(({ id }) => id === app)?.version ?? null;
  }

  /**
   * What a yes about an app rests on: another text than before where it rests on nothing any more.
   *
   * @param {string} app
   */
  standingOf(app) {
    return JSON.stringify([this._locks, this._changes.get(app) ?? 0, this.versionOf(app)]);
  }

  /**
   * Whether it is allowed already. A grant for another version of the target is taken back where it is
   * met.
   *
   * @param {Use} use
   * @returns {Grant | null}
   */
  find(use) {
    for (const { grant } of [...this._kept.values()]) {
      // What is for one call is no other's.
      if (grant.scope === "call" || !covers(grant, use)) continue;
      if (this._isCurrent(grant)) return grant;
      this._end(grant.id, "its target has changed");
    }
    return null;
  }

  /**
   * Counts a use of what was found.
   *
   * @param {Grant} grant
   * @returns {AbortSignal} Aborts, with a `BusError`, when the grant is taken back: what was begun by it
   *   ends too.
   * @throws {BusError} Where it has been taken back.
   */
  use({ id, subject }) {
    const kept = this._kept.get(id);
    if (kept === undefined) throw taken(subject, "it was taken back");
    kept.grant.uses += 1;
    kept.grant.usedAt = this._wallNow();
    kept.lastUse = ++this._uses;
    this._observers.notify();
    return kept.controller.signal;
  }

  /**
   * Allows something until it is taken back. What is allowed already stays as it is. Where there are too
   * many, the one goes that nobody has used for longest.
   *
   * @param {Given} given
   * @returns {Grant}
   * @throws {BusError} Where the root has been stopped.
   */
  give(given) {
    const known = [...this._kept.values()].find(
      ({ grant }) =>
        grant.scope !== "call" &&
        grant.target === given.target &&
        covers(grant, { ...given, target: given.target ?? "" }) &&
        this._isCurrent(grant),
    );
    return known?.grant ?? this._add(given, given.root.kind === "agent" ? "turn" : "session").grant;
  }

  /**
   * Allows one call, and nothing else.
   *
   * @param {Use} use
   * @param {AbortSignal} ended Aborts when the call is over, and the grant with it.
   * @returns {AbortSignal} As `use` gives it.
   * @throws {BusError} Where the root has been stopped.
   */
  giveOnce(use, ended) {
    const { grant } = this._add(use, "call");
    const signal = this.use(grant);
    const onEnd = () => void this._end(grant.id, "the call has ended");
    if (ended.aborted) onEnd();
    else ended.addEventListener("abort", onEnd);
    return signal;
  }

  /**
   * Takes one back.
   *
   * @param {string} id
   * @returns {boolean} Whether there was one.
   */
  revoke(id) {
    return this._end(id, "the owner took it back");
  }

  /** Takes all back. */
  revokeAll() {
    this._endWhere(() => true, "the owner took it back");
  }

  /** @param {string} app That was removed, or is of another version now: as caller, between, or as target. */
  forgetApp(app) {
    this._changes.set(app, (this._changes.get(app) ?? 0) + 1);
    this._endWhere((grant) => concerns(grant, app), `${app} was removed, or has changed`);
  }

  /** @param {string} subject A terminal whose session has ended, or an agent that was disabled. */
  endSession(subject) {
    this._endWhere((grant) => grant.subject === subject, "the session has ended");
  }

  /** The workspace was locked. */
  lock() {
    this._locks += 1;
    this._endWhere(() => true, "the workspace was locked");
  }

  /**
   * @param {Given} given
   * @param {Grant["scope"]} scope
   * @returns {Kept}
   * @throws {BusError} Where the root has been stopped.
   */
  _add({ root, by, target, tool }, scope) {
    root.signal?.throwIfAborted();
    if (this._kept.size >= this._maxGrants) this._endIdlest();
    /** @type {Grant} */
    const grant = {
      id: `grant${++this._count}`,
      subject: root.subject,
      subjectVersion: root.version,
      by,
      target,
      targetVersion: target === null ? null : this.versionOf(target),
      tool,
      scope,
      session: root.session,
      since: this._wallNow(),
      usedAt: null,
      uses: 0,
    };
    const onStop = () => void this._end(grant.id, "what it was given for has ended");
    root.signal?.addEventListener("abort", onStop);
    const kept = {
      grant,
      controller: new AbortController(),
      lastUse: ++this._uses,
      stop: () => root.signal?.removeEventListener("abort", onStop),
    };
    this._kept.set(grant.id, kept);
    this._observers.notify();
    return kept;
  }

  /** @param {Grant} grant */
  _isCurrent({ target, targetVersion }) {
    return target === null || targetVersion === this.versionOf(target);
  }

  _endIdlest() {
    let idlest = /** @type {Kept | null} */ (null);
    for (const kept of this._kept.values()) {
      if (idlest === null || kept.lastUse < idlest.lastUse) idlest = kept;
    }
    if (idlest !== null) this._end(idlest.grant.id, "there were too many others");
  }

  /**
   * @param {(grant: Grant) => boolean} which
   * @param {string} why
   */
  _endWhere(which, why) {
    for (const { grant } of [...this._kept.values()]) if (which(grant)) this._end(grant.id, why);
  }

  /**
   * @param {string} id
   * @param {string} why
   */
  _end(id, why) {
    const kept = this._kept.get(id);
    if (kept === undefined) return false;
    // It is gone before anybody is told: who is told may ask again at once.
    this._kept.delete(id);
    kept.stop();
    kept.controller.abort(taken(kept.grant.subject, why));
    this._observers.notify();
    return true;
  }
}

/**
 * @param {Grant} grant
 * @param {Use} use
 */
function covers(grant, { root, by, target, tool }) {
  return (
    grant.subject === root.subject &&
    // A run of an older version goes on until its frame is gone: it has what it was given, no more.
    grant.subjectVersion === root.version &&
    (grant.scope !== "turn" || grant.session === root.session) &&
    grant.by === by &&
    (grant.target === null || grant.target === target) &&
    (grant.tool === EVERY_TOOL || grant.tool === tool)
  );
}

/**
 * @param {Grant} grant
 * @param {string} app
 */
function concerns({ subject, by, target }, app) {
  return target === app || by === app || isOfApp(subject, app);
}

/** @param {string} subject */
function isOfAgent(subject) {
  return subject.startsWith("agent:");
}

/**
 * @param {string} subject
 * @param {string} app
 */
function isOfApp(subject, app) {
  return subject === `app:${app}` || subject.startsWith(`agent:${app}:`);
}

/**
 * @param {string} subject
 * @param {string} why
 */
function taken(subject, why) {
  /** @type {BusErrorCode} */
  const code = isOfAgent(subject) ? "AGENT_MODE_REVOKED" : "OWNER_REQUIRED";
  const text = `The leave for this call is no longer given (${why})`;
  return new EndReason(code, text, { data: { reason: "revoked" } });
}
