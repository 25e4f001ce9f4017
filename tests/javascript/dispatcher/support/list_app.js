// @ts-check
/** A small app with transactions, for tests: a list of words that is put back whole. */

import { parse } from "../../../../browser_worker/contract/strict_json.js";
import { ActionSpec } from "../../../../browser_worker/dispatcher/action_spec.js";
import { Dispatcher } from "../../../../browser_worker/dispatcher/dispatcher.js";
import { RpcSession } from "../../../../browser_worker/dispatcher/rpc_session.js";
import { ManualRuntime } from "../../support/manual_runtime.js";

/** @import { Host } from "../../../../browser_worker/dispatcher/host.js" */

const WORD = {
  inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
};
const ANY = { inputSchema: { type: "object" } };

/** @type {readonly ActionSpec[]} */
export const ACTIONS = [
  ActionSpec.read("words", "Gives the words"),
  ActionSpec.write("add", "Adds a word", { ...WORD, transaction: "list", undo: true }),
  ActionSpec.write("clear", "Takes all words away", { transaction: "list" }),
  ActionSpec.write("alone", "Cannot be put back"),
  ActionSpec.write("other", "Writes elsewhere", { transaction: "other" }),
  ActionSpec.write("risky", "Does as a test says", { ...ANY, transaction: "list" }),
  ActionSpec.read("peek", "Does as a test says", ANY),
  ActionSpec.read("secret", "Needs a capability", { capabilities: 2 }),
];

/**
 * Makes the app. What it is asked is told in `log`.
 *
 * @param {(app: any) => Partial<Host>} [changes] What a test wants otherwise.
 * @param {(app: any, input: any, context: any) => unknown} [risky] What `risky` and `peek` do.
 */
export function listApp(changes = () => ({}), risky = () => ({})) {
  const runtime = new ManualRuntime();
  /** @type {string[][]} */
  const saved = [];
  const app = {
    /** @type {string[]} */
    words: [],
    revision: 1,
    held: 1,
    /** @type {unknown[]} */
    log: [],
    /** @type {unknown[]} */
    errors: [],
    runtime,
    undoSteps: 0,
    dispatcher: /** @type {Dispatcher} */ (/** @type {unknown} */ (undefined)),
  };
  /** @type {Host} */
  const host = {
    actions: () => ACTIONS,
    revision: (action) => (action === "alone" ? null : app.revision),
    capabilities: () => app.held,
    execute(action, input, context) {
      app.log.push(action);
      switch (action) {
        case "add":
          app.words.push(input.word);
          app.revision++;
          return { words: app.words };
        case "clear":
          app.words.length = 0;
          app.revision++;
          return {};
        case "words":
          return { words: app.words };
        case "risky":
        case "peek":
          return risky(app, input, context);
        default:
          return {};
      }
    },
    supportsTransaction: (domain) => domain === "list",
    beginTransaction(domain) {
      app.log.push(`begin ${domain}`);
      saved.push([...app.words, String(app.revision)]);
    },
    commitTransaction(domain) {
      app.log.push(`commit ${domain}`);
      saved.pop();
      app.undoSteps++;
    },
    rollbackTransaction(domain) {
      app.log.push(`roll back ${domain}`);
      const words = saved.pop() ?? [];
      app.revision = Number(words.pop());
      app.words = words;
    },
  };
  app.dispatcher = new Dispatcher(
    { ...host, ...changes(app) },
    {
      app: { name: "List", version: "1" },
      runtime,
      onHostError: (error) => void app.errors.push(error),
    },
  );
  app.dispatcher.setEnabled(true);
  return app;
}

/**
 * Asks by a line, as a caller outside does.
 *
 * @param {Dispatcher} dispatcher
 * @param {string} method
 * @param {unknown} [params]
 * @returns {Promise<any>} The answer.
 */
export async function ask(dispatcher, method, params = {}) {
  const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return parse((await new RpcSession(dispatcher, "s").receive(line)) ?? "null");
}

/**
 * A call of a batch.
 *
 * @param {string} word
 * @param {number} [expectedRevision]
 */
export function add(word, expectedRevision = 1) {
  return { action: "add", input: { word }, expectedRevision };
}

/** Lets every promise that is settled be heard. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
