// @ts-check
/** The fixture host of `tests/vectors/control_protocol.json`. */

import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";

/** @import { Runtime } from "../../../browser_worker/dispatcher/runtime.js" */

const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const OUT = { outputSchema: TEXT };

const ACTIONS = [
  ActionSpec.read("note.read", "Read the note", OUT),
  ActionSpec.write("note.set", "Set the note", {
    ...OUT,
    inputSchema: { ...TEXT, additionalProperties: false },
    undo: true,
    transaction: "note",
    commandId: 100,
  }),
  ActionSpec.read("note.big", "Give the number back", {
    ...OUT,
    inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  }),
  ActionSpec.write("beep", "Make a sound"),
  ActionSpec.read("locked", "Needs a capability", { capabilities: 2 }),
  ActionSpec.write("away", "Is away"),
  ActionSpec.read("liar", "Breaks its promise", OUT),
  ActionSpec.read("fails", "Throws"),
  ActionSpec.read("huge", "Gives too much"),
  ActionSpec.read("later", "Takes its time", OUT),
  ActionSpec.read("short", "Takes little", {
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", maxLength: 2 },
        code: { type: "string", pattern: "^\\d$" },
        price: { type: "number", multipleOf: 0.01 },
      },
    },
  }),
  ActionSpec.read("doomed", "Fails in the end"),
];

/**
 * @param {{ runtime?: Runtime }} [options]
 */
export function makeFixture({ runtime } = {}) {
  let text = "";
  let revision = 7;
  /** @type {import("../../../browser_worker/dispatcher/task_table.js").Task[]} */
  const tasks = [];
  /** @type {string[]} */
  const executed = [];
  /** @type {import("../../../browser_worker/dispatcher/host.js").Host} */
  const host = {
    actions: () => ACTIONS,
    revision: (action) => (action === "beep" ? null : revision),
    capabilities: () => 1,
    availability: (action) => (action === "away" ? { code: "AWAY", reason: "It is away." } : null),
    inspect: (query) => ({ asked: query, length: text.length }),
    execute(action, input) {
      executed.push(action);
      switch (action) {
        case "note.set":
          if (input.text !== text) revision++;
          text = input.text;
          return { text };
        case "note.read":
          return { text };
        case "note.big":
          return { text: String(input.n) };
        case "liar":
          return { text: 1 };
        case "fails":
          throw new Error("secret of the host");
        case "huge":
          return { text: "x".repeat(300_000) };
        case "later": {
          const task = dispatcher.tasks.create(action);
          task.start();
          task.report({ percent: 10 });
          tasks.push(task);
          return task;
        }
        case "doomed":
          tasks.push(dispatcher.tasks.create(action));
          return tasks.at(-1);
        default:
          return {};
      }
    },
  };
  const dispatcher = new Dispatcher(host, {
    app: { name: "Fixture", version: "1" },
    ...(runtime ? { runtime } : {}),
  });
  dispatcher.setEnabled(true);
  return {
    host,
    dispatcher,
    executed,
    tick() {
      for (const task of tasks) {
        if (task.action === "doomed") task.fail(new Error("secret of the host"));
        else if (!task.checkpoint()) task.complete({ text: "done" });
      }
    },
  };
}
