// @ts-check
/** Finds another app's tool by asking that app, as an agent has to: nothing is known of it beforehand. */

import { BusError } from "../../../../contract/bus_error.js";

/** @import { MsgBusClient } from "../../../../app/bus_client.js" */

export class FoundTools {
  /** @param {MsgBusClient} client */
  constructor(client) {
    this._client = client;
    /** The names of the tools of an endpoint, once it was asked. @type {Map<string, Promise<Set<string>>>} */
    this._names = new Map();
  }

  /**
   * Calls a tool of an app's background.
   *
   * @param {string} app
   * @param {string} name
   * @param {Record<string, unknown>} given
   * @returns {Promise<any>} Rejects with a `BusError`: also where the owner does not allow it.
   */
  async call(app, name, given) {
    const target = `app:${app}:background`;
    if (!(await this._namesOf(target)).has(name)) {
      const text = `The app ${app} has no tool ${name} now; nothing was run.`;
      throw new BusError("UNKNOWN_TOOL", text);
    }
    return this._client.callTool({ target, name, arguments: given });
  }

  /** The other apps that run now, by their backgrounds. @returns {Promise<string[]>} */
  async apps() {
    const endpoints = await this._client.listEndpoints();
    return endpoints
      .filter(({ app, kind }) => kind === "background" && app !== "assistant")
      .map(({ app }) => String(app));
  }

  /** @param {string} app @returns {Promise<string[]>} */
  async namesOf(app) {
    return [...(await this._namesOf(`app:${app}:background`))];
  }

  /** @param {string} target */
  _namesOf(target) {
    let names = this._names.get(target);
    if (names === undefined) {
      names = this._client
        .listTools(target)
        .then((tools) => new Set(tools.map(({ name }) => name)));
      this._names.set(target, names);
    }
    return names;
  }
}
