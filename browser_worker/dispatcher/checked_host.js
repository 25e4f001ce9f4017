// @ts-check
/**
 * A host as far as it may be believed: each answer of it is of the right type, or an error. The
 * only place that calls a host, and the hosts that were added behind it.
 */

import { AddedHosts } from "./added_hosts.js";
import { ActionSpec } from "./action_spec.js";
import { AppError } from "./app_error.js";
import { andThen, isPromiseLike } from "./eventually.js";
import { plainOutput } from "./outputs.js";
import { checkedList, checkedResource, checkedTemplates } from "./resources.js";

/** @import { Eventually } from "./eventually.js" */
/** @import { CallContext, Host, ListedResource, Resource } from "./host.js" */
/** @import { ResourceTemplate, Unavailability } from "./host.js" */

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {number | bigint}
 */
function integer(value, what) {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) {
    return /** @type {number | bigint} */ (value);
  }
  throw new TypeError(`the host's ${what} is not an integer`);
}

/**
 * Takes an answer that cannot be a promise: how that would end, nobody could be told.
 *
 * @template T
 * @param {T} answer
 * @param {string} what
 * @returns {T}
 */
function atOnce(answer, what) {
  if (!isPromiseLike(answer)) return answer;
  Promise.resolve(answer).catch(() => {});
  throw new TypeError(`the host's ${what} has to answer at once, and gave a promise`);
}

/**
 * @param {Unavailability | null} found
 * @returns {Unavailability | null}
 */
function unavailability(found) {
  if (found === null) return null;
  const { code, reason } = atOnce(found, "availability");
  if (typeof code !== "string" || typeof reason !== "string") {
    throw new TypeError("an unavailability is a code and a reason");
  }
  return { code, reason };
}

/** What a dispatcher asks of its host. */
export class CheckedHost {
  /** @param {Host} host */
  constructor(host) {
    this._host = host;
    /** Hosts whose actions stand behind the app's own. @readonly */
    this.added = new AddedHosts();
  }

  /** Whether calls may overlap. */
  get concurrent() {
    return Boolean(this._host.concurrent);
  }

  /**
   * Whether calls of one action may overlap with others.
   *
   * @param {string} action
   */
  overlaps(action) {
    return Boolean(this._of(action).concurrent);
  }

  /** @param {string | undefined} action @returns {Host} The one that runs it. */
  _of(action) {
    return (action === undefined ? undefined : this.added.ownerOf(action)) ?? this._host;
  }

  /** Tells all of them that a session is over. @param {string} session */
  sessionEnded(session) {
    for (const host of [this._host, ...this.added.hosts()]) host.sessionEnded?.(session);
  }

  /** Tells all of them that a session's callers cannot be reached. @param {string} session */
  sessionUnreached(session) {
    for (const host of [this._host, ...this.added.hosts()]) host.sessionUnreached?.(session);
  }

  /**
   * The app's actions by name, in its own order.
   *
   * @returns {Eventually<ReadonlyMap<string, ActionSpec>>}
   */
  actions() {
    return andThen(this._host.actions(), (specs) => {
      /** @type {Map<string, ActionSpec>} */
      const byName = new Map();
      const commands = new Set();
      for (const spec of specs) {
        if (!(spec instanceof ActionSpec) || byName.has(spec.name)) {
          throw new TypeError("the host's actions are not unique ActionSpecs");
        }
        if (spec.commandId !== undefined) {
          if (commands.has(spec.commandId)) throw new TypeError("command ids are not unique");
          commands.add(spec.commandId);
        }
        byName.set(spec.name, spec);
      }
      return this.added.merge(byName);
    });
  }

  /**
   * The state number, always read from the host.
   *
   * @param {string} [action]
   * @returns {number | bigint | null}
   */
  revision(action) {
    const revision = atOnce(this._of(action).revision(action), "revision");
    return revision === null || revision === undefined ? null : integer(revision, "revision");
  }

  /**
   * The capability bits that the host holds now.
   *
   * @returns {number | bigint}
   */
  capabilities() {
    return integer(atOnce(this._host.capabilities(), "capabilities"), "capabilities");
  }

  /**
   * Why an action cannot run now, or null.
   *
   * @param {string} action
   * @returns {Unavailability | null}
   */
  unavailable(action) {
    return unavailability(this._host.modal?.() ?? this._of(action).availability?.(action) ?? null);
  }

  /**
   * Why an action that is not listed cannot be looked for now, or null where there is none of its name.
   *
   * @param {string} action
   * @returns {Unavailability | null}
   */
  missing(action) {
    return unavailability(this._host.missing?.(action) ?? null);
  }

  /**
   * @param {string} action
   * @param {unknown} input
   * @param {CallContext} context
   * @returns {unknown}
   */
  execute(action, input, context) {
    return this._of(action).execute(action, input, context);
  }

  /**
   * @param {Record<string, unknown>} query
   * @returns {Eventually<Record<string, unknown>>} A copy.
   */
  inspect(query) {
    if (this._host.inspect === undefined) {
      const reason = "The app offers no inspection of its state.";
      throw new AppError("UNAVAILABLE", reason, {
        availability: { code: "NO_INSPECTION", reason },
      });
    }
    return andThen(this._host.inspect(query), (state) => {
      if (state === null || typeof state !== "object" || Array.isArray(state)) {
        throw new AppError("INVALID_OUTPUT", "What the app tells of its state is not an object.");
      }
      // The next call may change what is live before this answer is written.
      return plainOutput(state);
    });
  }

  /**
   * @param {string} uri
   * @param {number} offset
   * @param {number} limit
   * @returns {Eventually<Resource | null>} With every number of it checked.
   */
  readResource(uri, offset, limit) {
    const answer = this._host.readResource?.(uri, offset, limit) ?? null;
    return andThen(answer, (found) =>
      found === null || found === undefined ? null : checkedResource(found, offset, limit),
    );
  }

  /**
   * What can be read, as far as the host lists it.
   *
   * @returns {Eventually<ListedResource[]>}
   */
  resources() {
    return andThen(this._host.resources?.() ?? [], checkedList);
  }

  /** @returns {Eventually<ResourceTemplate[]>} */
  resourceTemplates() {
    return andThen(this._host.resourceTemplates?.() ?? [], checkedTemplates);
  }

  /** @param {string} domain */
  supportsTransaction(domain) {
    return atOnce(this._host.supportsTransaction?.(domain), "supportsTransaction") === true;
  }

  /**
   * These three are done when they return.
   *
   * @param {string} domain
   */
  beginTransaction(domain) {
    atOnce(this._transactions().beginTransaction(domain), "beginTransaction");
  }

  /** @param {string} domain */
  commitTransaction(domain) {
    atOnce(this._transactions().commitTransaction(domain), "commitTransaction");
  }

  /** @param {string} domain */
  rollbackTransaction(domain) {
    atOnce(this._transactions().rollbackTransaction(domain), "rollbackTransaction");
  }

  /** One without these methods does not support what it says: calling them throws. */
  _transactions() {
    return /** @type {Required<Host>} */ (this._host);
  }
}
