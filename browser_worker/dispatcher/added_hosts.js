// @ts-check
/**
 * Hosts whose actions stand behind the app's own: those of the browser's tools, say. The app's own
 * host comes first in everything; an added one has actions and nothing else.
 */

import { ActionSpec } from "./action_spec.js";
import { andThen, isPromiseLike } from "./eventually.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Host } from "./host.js" */

/** @typedef {Map<string, ActionSpec>} ByName */

/**
 * Offers the actions of another host behind those of a dispatcher's own. A name that the app has
 * itself is the app's. Calls of the added host take no turn where it is `concurrent`, and its
 * `revision` and `availability` count for its own actions. One that fails to list takes nothing from
 * the app.
 *
 * @param {Dispatcher} dispatcher
 * @param {Host} host
 * @returns {() => void} Takes them away again. Running calls end as they would have.
 */
export function addHost(dispatcher, host) {
  return dispatcher._checkedHost.added.add(host);
}

/** The added hosts of one dispatcher. */
export class AddedHosts {
  constructor() {
    /** @type {Set<{ host: Host }>} */
    this._added = new Set();
    /** By action. A call may be between its listing and its start when its host is taken away: what was
     * listed once is never handed to the app's own host. @type {Map<string, Host>} */
    this._owners = new Map();
  }

  /**
   * @param {Host} host
   * @returns {() => void}
   */
  add(host) {
    const place = { host };
    this._added.add(place);
    return () => void this._added.delete(place);
  }

  /** All of them, in the order of adding. */
  hosts() {
    return [...this._added].map(({ host }) => host);
  }

  /**
   * @param {string} action
   * @returns {Host | undefined} Undefined for the app's own.
   */
  ownerOf(action) {
    return this._owners.get(action);
  }

  /**
   * Puts the actions of the added hosts behind the app's own.
   *
   * @param {ByName} byName
   * @returns {Eventually<ByName>} The same map.
   */
  merge(byName) {
    for (const name of byName.keys()) this._owners.delete(name);
    /** @type {Eventually<ByName>} */
    let merged = byName;
    for (const { host } of this._added) {
      merged = andThen(merged, () =>
        andThen(actionsOf(host), (specs) => {
          for (const spec of specs) {
            if (!(spec instanceof ActionSpec) || byName.has(spec.name)) continue;
            byName.set(spec.name, spec);
            this._owners.set(spec.name, host);
          }
          return byName;
        }),
      );
    }
    return merged;
  }
}

/**
 * @param {Host} host
 * @returns {Eventually<readonly ActionSpec[]>} None where it fails.
 */
function actionsOf(host) {
  const listed = (/** @type {unknown} */ specs) => (Array.isArray(specs) ? specs : []);
  try {
    const specs = host.actions();
    return isPromiseLike(specs) ? Promise.resolve(specs).then(listed, () => []) : listed(specs);
  } catch {
    return [];
  }
}
