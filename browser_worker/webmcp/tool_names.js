// @ts-check
/** Which action name a tool of the browser has: legal, unique, and the same for as long as the page lives. */

import { PROTOCOL_LIMITS } from "../contract/limits.js";

/** What every such action's name begins with. */
export const PREFIX = "webmcp.";

/** The names given so far. */
export class ToolNames {
  constructor() {
    /** @type {WeakMap<object, Map<string, string>>} */
    this._names = new WeakMap();
    this._taken = new Set();
  }

  /**
   * `webmcp.` and the tool's name, with `_` for what no action name may hold. Where another tool has
   * that one already, of a frame say, `-2` and so on follows. A name is never given to another tool.
   *
   * @param {object} owner Of whose tools this is one: a document's window.
   * @param {string} tool
   * @returns {string}
   */
  of(owner, tool) {
    const names = this._names.get(owner) ?? new Map();
    this._names.set(owner, names);
    const known = names.get(tool);
    if (known !== undefined) return known;
    const whole = PREFIX + tool.replace(/[^A-Za-z0-9._-]/gu, "_");
    let name = whole.slice(0, PROTOCOL_LIMITS.maxActionNameChars);
    for (let count = 2; this._taken.has(name); count++) {
      const end = `-${count}`;
      name = whole.slice(0, PROTOCOL_LIMITS.maxActionNameChars - end.length) + end;
    }
    names.set(tool, name);
    this._taken.add(name);
    return name;
  }
}
