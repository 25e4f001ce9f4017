// @ts-check
/** A terminal before a workspace in memory: lines in, lines out, and a clock that a test moves. */

import assert from "node:assert/strict";

import { parse, toPlain } from "../../../browser_worker/contract/strict_json.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { KernelHost } from "../../../browser_worker/kernel/terminal/kernel_host.js";
import { makeKernel } from "./test_kernel.js";

/** @import { KernelOptions } from "../../../browser_worker/kernel/kernel.js" */

/** @param {Partial<KernelOptions>} [options] */
export function makeTerminal(options = {}) {
  const made = makeKernel(options);
  const { kernel, time, ports, powers } = made;
  const shell = {
    /** @type {string | null} */
    focusedEndpoint: null,
    /** @type {(app: string, tile?: string) => Promise<string>} */
    openTile: (app, tile) => Promise.resolve(`app:${app}:tile:${tile ?? "main"}:instance:1`),
  };
  const host = new KernelHost({ kernel, shell, powers });
  /** @type {unknown[]} */
  const hostErrors = [];
  const dispatcher = new Dispatcher(host, {
    app: { name: "Workspace", version: "1" },
    runtime: { now: time.now, after: time.after },
    onHostError: (error) => void hostErrors.push(error),
  });
  dispatcher.setEnabled(true);
  const session = new RpcSession(dispatcher, "s1");

  /**
   * Sends a line. Its answer comes with `settled`.
   *
   * @param {string} method
   * @param {unknown} params
   * @returns {Promise<any>} `{result}` or `{error}`.
   */
  const send = async (method, params) => {
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return toPlain(parse((await session.receive(line)) ?? "null"));
  };
  /**
   * Delivers what is under way until a promise is settled.
   *
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  const settled = async (promise) => {
    let over = false;
    promise.then(
      () => void (over = true),
      () => void (over = true),
    );
    for (let turn = 0; turn < 20 && !over; turn++) await ports.settle();
    assert.ok(over, "it did not end");
    return promise;
  };
  /** @param {string} method @param {unknown} [params] */
  const ask = (method, params = {}) => settled(send(method, params));
  /** @param {string} action @param {unknown} [input] @param {Record<string, unknown>} [more] */
  const execute = (action, input = {}, more = {}) =>
    ask("actions/execute", { action, input, ...more });
  const names = async () =>
    (await ask("actions/list", { query: "app." })).result.actions.map(
      (/** @type {{ name: string }} */ { name }) => name,
    );
  return { ...made, host, shell, dispatcher, hostErrors, send, settled, ask, execute, names };
}
