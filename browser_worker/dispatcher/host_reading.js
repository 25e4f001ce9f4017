// @ts-check
/**
 * What is read of a host beside its actions: its state and its resources, each in its turn. What
 * lasts too long goes on, but gives up its turn. Changes nothing. Contract: the dispatcher, resources.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { AppError } from "./app_error.js";
import { requireCaller } from "./call_checks.js";
import { andThen, isPromiseLike, watched } from "./eventually.js";
import { joined } from "./resources.js";

/** @import { CheckedHost } from "./checked_host.js" */
/** @import { Caller, Seen } from "./calls.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { ListedResource, Resource, ResourceTemplate } from "./host.js" */
/** @import { Runtime } from "./runtime.js" */
/** @import { TurnQueue } from "./turn_queue.js" */

/**
 * What a dispatcher reads of its host. Each of it is for a caller outside, who is asked for again when
 * the turn has come, or without one for the app itself. For a caller it throws or rejects `DISABLED`
 * where callers outside are not served, and `UNAVAILABLE` for one who has gone.
 */
export class HostReading {
  /**
   * @param {CheckedHost} host
   * @param {TurnQueue} turns
   * @param {Runtime} runtime
   * @param {() => void} requireEnabled Throws where callers outside are not served.
   */
  constructor(host, turns, runtime, requireEnabled) {
    this._host = host;
    this._turns = turns;
    this._runtime = runtime;
    this._requireEnabled = requireEnabled;
  }

  /**
   * Asks for a view of the app's state.
   *
   * @param {Record<string, unknown>} query
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<Record<string, unknown>>>} Throws or rejects `UNAVAILABLE` where the host
   *   offers none, `INVALID_OUTPUT` where what it gives is no object.
   */
  inspect(query, caller) {
    return this._inTurn(() => this._host.inspect(query), caller);
  }

  /**
   * Reads a part of a resource.
   *
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes, at most 65,536.
   * @param {Caller | undefined} caller
   * @returns {Eventually<Seen<Resource>>} Throws or rejects `UNKNOWN_RESOURCE`.
   */
  resource(uri, offset, limit, caller) {
    return this._inTurn(() => andThen(this._host.readResource(uri, offset, limit), there), caller);
  }

  /**
   * Reads all of a resource, part by part, in one turn.
   *
   * @param {string} uri
   * @param {number} maxBytes Of one that has more, `size` says so, and the data is not all of it.
   * @param {Caller} caller
   * @returns {Eventually<Seen<Resource>>} Throws or rejects `UNKNOWN_RESOURCE`.
   */
  wholeResource(uri, maxBytes, caller) {
    return this._inTurn(() => this._whole(uri, maxBytes, [], 0), caller);
  }

  /**
   * Asks which resources there are.
   *
   * @param {Caller} caller
   * @returns {Eventually<Seen<ListedResource[]>>} Throws or rejects `INVALID_OUTPUT`.
   */
  resources(caller) {
    return this._inTurn(() => this._host.resources(), caller);
  }

  /**
   * Asks how resources are named that are not listed.
   *
   * @param {Caller} caller
   * @returns {Eventually<Seen<ResourceTemplate[]>>} Throws or rejects `INVALID_OUTPUT`.
   */
  resourceTemplates(caller) {
    return this._inTurn(() => this._host.resourceTemplates(), caller);
  }

  /**
   * @param {string} uri
   * @param {number} maxBytes
   * @param {Uint8Array[]} parts What was read before.
   * @param {number} from Bytes of it.
   * @returns {Eventually<Resource>}
   */
  _whole(uri, maxBytes, parts, from) {
    /** @param {Resource} part @returns {Resource | undefined} The whole, where this was the last. */
    const taken = ({ mimeType, size, data }) => {
      if (size > maxBytes) return { mimeType, size, data };
      parts.push(data);
      from += data.length;
      return from >= size ? { mimeType, size, data: joined(parts, from) } : undefined;
    };
    // A loop and no recursion: an app may give it byte by byte.
    for (;;) {
      const most = PROTOCOL_LIMITS.maxResourceChunkBytes;
      const part = andThen(this._host.readResource(uri, from, most), there);
      if (isPromiseLike(part)) {
        return andThen(part, (found) => taken(found) ?? this._whole(uri, maxBytes, parts, from));
      }
      const whole = taken(part);
      if (whole !== undefined) return whole;
    }
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

/**
 * @param {Resource | null} found
 * @returns {Resource}
 */
function there(found) {
  if (found !== null) return found;
  throw new AppError("UNKNOWN_RESOURCE", "The app has no such resource.");
}
