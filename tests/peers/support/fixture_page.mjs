// @ts-check
/**
 * The fixture app in JavaScript, as a page of a bridge whose address it reads from standard input:
 * the twin of `fixture_app.py`, so that official clients judge both dispatchers by the same words.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";

import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { AppError } from "../../../browser_worker/dispatcher/app_error.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { browserRuntime } from "../../../browser_worker/link/browser_runtime.js";
import { attachPage } from "../../javascript/node/support/attached_page.js";

/** @import { Host } from "../../../browser_worker/dispatcher/host.js" */
/** @import { Task } from "../../../browser_worker/dispatcher/task_table.js" */

const TICK_MS = 20;
const PNG = Buffer.from("\x89PNG\r\n\x1a\nfixture", "latin1");
const BIG = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
/** @type {Record<string, { what: string, mimeType: string, data: Buffer }>} */
const RESOURCES = {
  "test://static-text": {
    what: "A text",
    mimeType: "text/plain",
    data: Buffer.from("This is the content of the static text resource."),
  },
  "test://static-binary": { what: "A picture", mimeType: "image/png", data: PNG },
  "test://watched-resource": {
    what: "Another text",
    mimeType: "text/plain",
    data: Buffer.from("Nobody can subscribe to it."),
  },
  "test://umlauts": {
    what: "Letters of two bytes and of four",
    mimeType: "text/plain",
    data: Buffer.from("Grüße, 🌉"),
  },
  "test://big": {
    what: "More than one answer takes",
    mimeType: "application/octet-stream",
    data: BIG,
  },
};
const TEMPLATE = /^test:\/\/template\/(?<id>[^/]+)\/data$/;
const TEXT = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};
const COUNT = {
  type: "object",
  properties: { to: { type: "integer", minimum: 1 } },
  required: ["to"],
  additionalProperties: false,
};
const ACTIONS = [
  ActionSpec.read("note.read", "Read the note", { outputSchema: TEXT }),
  ActionSpec.write("note.set", "Set the note", {
    inputSchema: TEXT,
    outputSchema: TEXT,
    transaction: "note",
  }),
  ActionSpec.read("note.echo", "Give back what it is given", { inputSchema: { type: "object" } }),
  ActionSpec.read("note.refuse", "Refuses, and says why"),
  ActionSpec.read("note.fail", "Fails without a word"),
  ActionSpec.read("count", "Counts as a task, one at each tick", { inputSchema: COUNT }),
  ActionSpec.read("ui.render", "Draw the note"),
];

let note = "";
let revision = 7;
let saved = { note, revision };
/** @type {Map<Task, { done: number, total: number }>} */
const counting = new Map();

/** @param {string} uri */
function found(uri) {
  if (Object.hasOwn(RESOURCES, uri)) return RESOURCES[uri];
  const id = TEMPLATE.exec(uri)?.groups?.["id"];
  if (id === undefined) return undefined;
  const told = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { mimeType: "application/json", data: Buffer.from(JSON.stringify(told)) };
}

/** @type {Host} */
const host = {
  actions: () => ACTIONS,
  revision: () => revision,
  capabilities: () => 0,
  execute(action, input) {
    switch (action) {
      case "note.set":
        note = input.text;
        revision += 1;
        break;
      case "note.echo":
        return { given: input };
      case "note.refuse":
        throw new AppError("UNAVAILABLE", "The note is shut today.", { day: "Monday" });
      case "note.fail":
        throw new Error("a secret of the host");
      case "count": {
        const task = dispatcher.tasks.create(action);
        task.start();
        counting.set(task, { done: 0, total: input.to });
        return task;
      }
      case "ui.render":
        return { resource: "test://static-binary", mimeType: "image/png", width: 20, height: 10 };
    }
    return { text: note };
  },
  inspect: (query) => ({ note, asked: query }),
  resources: () =>
    Object.entries(RESOURCES).map(([uri, { what, mimeType, data }]) => ({
      uri,
      name: uri.slice("test://".length),
      description: what,
      mimeType,
      size: data.length,
    })),
  resourceTemplates: () => [
    {
      uriTemplate: "test://template/{id}/data",
      name: "data",
      title: "Data by id",
      mimeType: "application/json",
    },
  ],
  readResource(uri, offset, limit) {
    const resource = found(uri);
    if (resource === undefined) return null;
    const { mimeType, data } = resource;
    return { mimeType, size: data.length, data: data.subarray(offset, offset + limit) };
  },
  supportsTransaction: (domain) => domain === "note",
  beginTransaction() {
    saved = { note, revision };
  },
  commitTransaction() {
    saved = { note, revision };
  },
  rollbackTransaction() {
    ({ note, revision } = saved);
  },
};
const dispatcher = new Dispatcher(host, {
  app: { name: "Peers' app", version: "4.2" },
  runtime: browserRuntime,
});
dispatcher.setEnabled(true);

function tick() {
  for (const [task, { done, total }] of counting) {
    if (task.checkpoint()) {
      counting.delete(task);
    } else if (done === total) {
      task.complete({ counted: total });
      counting.delete(task);
    } else {
      task.report({ done: done + 1, total, message: `at ${done + 1}` });
      counting.set(task, { done: done + 1, total });
    }
  }
}

const [line] = await once(createInterface({ input: process.stdin }), "line");
await attachPage(JSON.parse(line), dispatcher);
setInterval(tick, TICK_MS);
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
