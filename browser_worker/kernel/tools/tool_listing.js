// @ts-check
/** One question to an endpoint which tools it has. It ends exactly once. Contract: bus, exposing tools. */

import { isObject } from "../../contract/json_number.js";
import { errorFrom } from "../app_errors.js";
import { endedCall } from "../calls/call_end.js";

/** @import { BusError } from "../../contract/bus_error.js" */
/** @import { Endpoint } from "../endpoints/endpoint.js" */
/** @import { ToolDescriptor, ToolReader } from "./tool_descriptors.js" */

/** @typedef {{ tools: ToolDescriptor[] } | { error: BusError }} Listed */

/**
 * @typedef {object} ToolListingParts
 * @property {ToolReader} reader
 * @property {(decided: (refusal: BusError | null) => void) => void} decide
 * @property {() => void} asked Told when the endpoint is asked, and has so long from now.
 * @property {(listed: Listed) => void} ended Told once.
 */

export class ToolListing {
  /**
   * @param {Endpoint} target
   * @param {ToolListingParts} parts
   */
  constructor(target, parts) {
    /** @readonly */
    this.target = target;
    this._parts = parts;
    this._asked = 0;
    this._over = false;
  }

  /** To list runs nothing. */
  get hasBegun() {
    return false;
  }

  /** Whether it waits for leave. */
  get waits() {
    return this._asked === 0;
  }

  begin() {
    this._parts.decide((refusal) => {
      if (this._over) return;
      if (refusal !== null) this._finish({ error: refusal });
      else this._ask();
    });
  }

  /** @param {BusError} error */
  end(error) {
    this._finish({ error: endedCall(error, this.hasBegun) });
  }

  _ask() {
    this._parts.asked();
    const done = (/** @type {import("../endpoints/endpoint.js").Outcome} */ outcome) => {
      this._asked = 0;
      if ("ok" in outcome) {
        const list = isObject(outcome.ok) ? outcome.ok["tools"] : undefined;
        const tools = this._parts.reader.readAll(list).map(({ descriptor }) => descriptor);
        this._finish({ tools });
      } else this._finish({ error: errorFrom(this.target, outcome.error, false) });
    };
    this._asked = this.target.ask("tools.describe", {}, { done });
  }

  /** @param {Listed} listed */
  _finish(listed) {
    if (this._over) return;
    this._over = true;
    if (this._asked > 0) this.target.forget(this._asked, "the list is not waited for any more");
    this._parts.ended(listed);
  }
}
