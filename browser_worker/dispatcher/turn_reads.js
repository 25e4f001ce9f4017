// @ts-check
/**
 * What is read of a host without an action, each in its turn: its state, its resources. What lasts
 * too long goes on, but gives up its turn.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { AppError } from "./app_error.js";
import { requireCaller } from "./call_checks.js";
import { andThen, watched } from "./eventually.js";

/** @import { CheckedHost } from "./checked_host.js" */
/** @import { Caller, Seen } from "./calls.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { ListedResource, Resource, ResourceTemplate } from "./host.js" */
/** @import { Runtime } from "./runtime.js" */
/** @import { TurnQueue } from "./turn_queue.js" */

/** Who reads for a caller. Without a caller it is the app itself, which needs nothing enabled. */
export class TurnReads {
  /**
   * @param {object} around
   * @param {CheckedHost} around.host
   * @param {TurnQueue} around.turns
   * @param {Runtime} around.runtime
   * @param {() => void} around.requireEnabled Throws while callers outside are not let in.
   */
  constructor({ host, turns, runtime, requireEnabled }) {
    this._host = host;
    this._turns = turns;
    this._runtime = runtime;
    this._requireEnabled = requireEnabled;
  }

  /**
   * @param {Record<string, unknown>} query
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<Record<string, unknown>>>}
   * @throws {AppError} `UNAVAILABLE`, `INVALID_OUTPUT`; here and below `DISABLED` for a caller outside
   */
  state(query, caller) {
    return this._inTurn(() => this._host.inspect(query), caller);
  }

  /**
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes, at most 65,536.
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<Resource>>}
   * @throws {AppError} `UNKNOWN_RESOURCE`
   */
  resource(uri, offset, limit, caller) {
    const read = () =>
      andThen(this._host.readResource(uri, offset, limit), (found) => {
        if (found === null) throw new AppError("UNKNOWN_RESOURCE", "The app has no such resource.");
        return found;
      });
    return this._inTurn(read, caller);
  }

  /**
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<ListedResource[]>>}
   * @throws {AppError} `INVALID_OUTPUT`
   */
  resources(caller) {
    return this._inTurn(() => this._host.resources(), caller);
  }

  /**
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<ResourceTemplate[]>>}
   * @throws {AppError} `INVALID_OUTPUT`
   */
  resourceTemplates(caller) {
    return this._inTurn(() => this._host.resourceTemplates(), caller);
  }

  /**
   * @template T
   * @param {() => Eventually<T>} call
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<T>>}
   */
  _inTurn(call, caller) {
    const checked = () => {
      // Its turn may have come long after it was asked for.
      if (caller !== undefined) {
        this._requireEnabled();
        requireCaller(caller);
      }
      return andThen(call(), (value) => ({ value, revision: this._host.revision() }));
    };
    if (this._host.concurrent) return checked();
    return this._turns.run((giveUp) => {
      const cancel = this._runtime.after(PROTOCOL_LIMITS.maxTurnSeconds * 1000, giveUp);
      return watched(checked, cancel, cancel);
    });
  }
}
