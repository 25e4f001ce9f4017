// @ts-check
/** The fixture host of the vectors, which `tests/vectors/fixture_host.md` describes in words. */

import { ActionSpec } from "../../../browser_worker/dispatcher/action_spec.js";
import { AppError } from "../../../browser_worker/dispatcher/app_error.js";
import { Dispatcher } from "../../../browser_worker/dispatcher/dispatcher.js";
import { TaskTable } from "../../../browser_worker/dispatcher/task_table.js";
import { findResource, listedResources, listedTemplates } from "./fixture_resources.js";

/** @import { CallContext, Host } from "../../../browser_worker/dispatcher/host.js" */
/** @import { Runtime } from "../../../browser_worker/dispatcher/runtime.js" */
/** @import { Task } from "../../../browser_worker/dispatcher/task_table.js" */

const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const OUT = { outputSchema: TEXT };
const SET = { inputSchema: { ...TEXT, additionalProperties: false }, outputSchema: TEXT };
const ANY = { inputSchema: { type: "object" } };
const SIZE = { type: "integer", minimum: 0, maximum: 300_000 };
const SIZES = {
  type: "object",
  properties: { bytes: SIZE, items: SIZE, depth: SIZE, members: SIZE, encoded: SIZE },
};
/**
 * @param {string} name
 * @param {object} schema
 */
const needs = (name, schema) => ({
  inputSchema: { type: "object", properties: { [name]: schema }, required: [name] },
});
const SECRET = "secret of the host";
/** Where a transaction can be begun, well or badly. */
const DOMAINS = ["note", "title", "broken", "crooked", "shut", "stuck", "tardy"];
const WITHOUT_REVISION = new Set(["beep", "grant", "retire", "quit"]);

/** @type {readonly ActionSpec[]} */
export const ACTIONS = Object.freeze([
  ActionSpec.read("note.read", "Read the note", OUT),
  ActionSpec.write("note.set", "Set the note", {
    ...SET,
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
  ActionSpec.read("echo", "Gives back what it is given", { inputSchema: true }),
  ActionSpec.read("make", "Makes an output of a size", { inputSchema: SIZES }),
  ActionSpec.write("title.set", "Set the title", { ...SET, undo: true, transaction: "title" }),
  ActionSpec.write("undo", "Take the last change back", OUT),
  ...["broken", "crooked", "shut", "stuck", "tardy", "frail"].map((domain) =>
    ActionSpec.write(`${domain}.set`, "Set it in a bad domain", { ...SET, transaction: domain }),
  ),
  ActionSpec.write("half.fails", "Changes and throws", { transaction: "note" }),
  ActionSpec.write("half.lies", "Changes and lies", { ...OUT, transaction: "note" }),
  ActionSpec.write("half.later", "Changes and promises", { ...OUT, transaction: "note" }),
  ActionSpec.write("half.task", "Changes and goes on", { ...OUT, transaction: "note" }),
  ActionSpec.write("half.huge", "Changes and gives too much", { transaction: "note" }),
  ActionSpec.write("grant", "Change the capabilities", {
    ...needs("bits", { type: "integer", minimum: 0 }),
    transaction: "note",
  }),
  ActionSpec.write("retire", "Make an action unavailable", {
    ...needs("action", { type: "string" }),
    transaction: "note",
  }),
  ActionSpec.write("quit", "Shut the way from outside", { transaction: "note" }),
  ActionSpec.write("solo.set", "Move a revision of its own"),
  ActionSpec.read("soon", "Gives a promise", OUT),
  ActionSpec.read("slow", "Waits for a tick", { ...ANY, ...OUT }),
  ActionSpec.write("slow.set", "Waits for a tick and changes the text", SET),
  ActionSpec.read("ask", "Asks a person", { ...ANY, ...OUT }),
  ActionSpec.read("task.done", "Gives a task that has ended", { ...ANY, ...OUT }),
  ActionSpec.read("task.foreign", "Gives a task of another table"),
  ActionSpec.read("refuses", "Throws an error of the contract", ANY),
  ActionSpec.read("ui.render", "Draw the page", {
    inputSchema: {
      type: "object",
      properties: {
        scale: { type: "integer", minimum: 1, maximum: 4 },
        resource: { type: "string" },
      },
    },
  }),
]);

/** @param {number | bigint} count */
function wordyActions(count) {
  return Array.from({ length: Number(count) }, (_, n) =>
    ActionSpec.read(`wordy.${n}`, "n".repeat(12_000)),
  );
}

/** What the app knows, and how it changes. */
class Notes {
  constructor() {
    this.texts = { note: "", title: "" };
    /** @type {number | bigint | null} */
    this.revision = 7;
    this.solo = 100;
    /** @type {number | bigint} */
    this.capabilities = 1;
    this.modal = false;
    /** How many parts are listed, or what goes wrong. @type {number | bigint | string} */
    this.listed = 0;
    /** How many actions with long descriptions there are. @type {number | bigint} */
    this.wordy = 0;
    /** @type {Set<string>} */
    this.retired = new Set();
    /** @type {{ note: string, title: string }[]} */
    this.history = [];
    /** @type {{ texts: { note: string, title: string }, revision: number | bigint | null } | undefined} */
    this.saved = undefined;
    /** What the host was asked to do, in order. @type {string[]} */
    this.log = [];
  }

  /**
   * @param {"note" | "title"} which
   * @param {string} text
   */
  set(which, text) {
    if (text !== this.texts[which]) {
      if (this.saved === undefined) this.history.push(this.texts);
      this.texts = { ...this.texts, [which]: text };
      this.move();
    }
    return { text };
  }

  move() {
    if (this.revision !== null) this.revision++;
  }

  undo() {
    const before = this.history.pop();
    if (before !== undefined) {
      this.texts = before;
      this.move();
    }
    return { text: this.texts.note };
  }

  /** @param {string} domain */
  begin(domain) {
    this.log.push(`begin ${domain}`);
    if (domain === "shut") throw new Error(SECRET);
    this.saved = { texts: this.texts, revision: this.revision };
    return domain === "tardy" ? Promise.resolve() : undefined;
  }

  /** @param {string} domain */
  commit(domain) {
    this.log.push(`commit ${domain}`);
    if (domain === "stuck") throw new Error(SECRET);
    const before = this.saved;
    this.saved = undefined;
    if (before !== undefined && before.texts !== this.texts) this.history.push(before.texts);
  }

  /** @param {string} domain */
  rollBack(domain) {
    this.log.push(`roll back ${domain}`);
    if (domain === "broken") throw new Error(SECRET);
    if (this.saved === undefined) return;
    this.texts = this.saved.texts;
    if (domain !== "crooked") this.revision = this.saved.revision;
    this.saved = undefined;
  }
}

/** @param {any} input */
function made({ bytes = 0, items = 0, depth = 0, members = 0, encoded = 0 }) {
  let nest = /** @type {unknown[]} */ ([]);
  for (let at = 1; at < Number(depth); at++) nest = [nest];
  return {
    ...(bytes ? { text: "x".repeat(Number(bytes)) } : {}),
    ...(items ? { items: Array.from({ length: Number(items) }, () => [0, 0, 0]) } : {}),
    ...(depth ? { nest } : {}),
    ...(members
      ? {
          all: Object.fromEntries(
            Array.from({ length: Number(members) }, (_, at) => [`m${at}`, 0]),
          ),
        }
      : {}),
    ...(encoded ? { parts: Array.from({ length: 8 }, () => "y".repeat(Number(encoded))) } : {}),
  };
}

/** @param {{ runtime?: Runtime }} [options] */
export function makeFixture({ runtime } = {}) {
  const notes = new Notes();
  /** @type {Task[]} */
  const tasks = [];
  /** @type {(() => void)[]} */
  let waiting = [];
  const tickComes = () => /** @type {Promise<void>} */ (new Promise((go) => waiting.push(go)));

  /** @param {any} input */
  async function slow(input) {
    await tickComes();
    if (input.fails) throw new Error(SECRET);
    return { text: input.lies ? 1 : "late" };
  }

  /**
   * @param {any} input
   * @param {CallContext} context
   */
  function ask(input, context) {
    context.defer("person", "Somebody is asked.");
    if (input.known) return { text: "known" };
    return (async () => {
      await tickComes();
      if (input.again) {
        context.defer("person", "Somebody is asked again.");
        await tickComes();
      }
      if (context.cancelRequested()) throw new Error("stopped as it was asked to");
      return { text: "yes" };
    })();
  }

  /** @param {string} action */
  function task(action) {
    const created = dispatcher.tasks.create(action);
    tasks.push(created);
    return created;
  }

  /** @param {any} input */
  function done(input) {
    const ended = dispatcher.tasks.create("task.done");
    ended.complete({ text: input.lies ? 1 : "done" });
    return ended;
  }

  /**
   * @param {string} action
   * @param {any} input
   * @param {CallContext} context
   * @returns {unknown}
   */
  function execute(action, input, context) {
    notes.log.push(action);
    switch (action) {
      case "note.read":
        return { text: notes.texts.note };
      case "title.set":
        return notes.set("title", input.text);
      case "note.big":
        return { text: String(input.n) };
      case "liar":
        return { text: 1 };
      case "fails":
        throw new Error(SECRET);
      case "huge":
        return { text: "x".repeat(300_000) };
      case "later": {
        const created = task(action);
        created.start();
        created.report({ percent: 10 });
        return created;
      }
      case "doomed":
        return task(action);
      case "echo":
        return { value: input };
      case "make":
        return made(input);
      case "undo":
        return notes.undo();
      case "half.fails":
        notes.set("note", "half");
        throw new Error(SECRET);
      case "half.lies":
        notes.set("note", "half");
        return { text: 1 };
      case "half.later":
        return Promise.resolve(notes.set("note", "half"));
      case "half.task":
        notes.set("note", "half");
        return task(action);
      case "half.huge":
        notes.set("note", "half");
        return { text: "x".repeat(300_000) };
      case "grant":
        notes.capabilities = input.bits;
        return {};
      case "retire":
        notes.retired.add(input.action);
        return {};
      case "quit":
        dispatcher.setEnabled(false);
        return {};
      case "solo.set":
        notes.solo++;
        return {};
      case "soon":
        return Promise.resolve({ text: "soon" });
      case "slow":
        return slow(input);
      case "slow.set":
        return tickComes().then(() => notes.set("note", input.text));
      case "ask":
        return ask(input, context);
      case "task.done":
        return done(input);
      case "task.foreign":
        return new TaskTable().create(action);
      case "refuses":
        throw new AppError("STALE_REVISION", "The note has changed meanwhile.", { ...input });
      case "ui.render": {
        const scale = Number(input.scale ?? 1);
        const [width, height] = [10 * scale, 5 * scale];
        const uri = input.resource ?? "note:image";
        const [mimeType] = findResource(uri, notes.texts.note) ?? ["image/png"];
        return { resource: uri, mimeType, width, height };
      }
      default:
        return action.endsWith(".set") ? notes.set("note", input.text) : {};
    }
  }

  /** @param {any} query */
  function inspect(query) {
    const seen = { asked: query, length: [...notes.texts.note].length };
    if (query.fails) throw new Error(SECRET);
    if (query.lies) return /** @type {any} */ ([]);
    return query.slow ? tickComes().then(() => seen) : seen;
  }

  /**
   * @param {string} uri
   * @param {number} offset
   * @param {number} limit
   */
  function readResource(uri, offset, limit) {
    if (uri === "note:fails") throw new Error(SECRET);
    if (uri === "note:lies") {
      return { mimeType: "text/plain", size: 10, data: new Uint8Array(limit + 1) };
    }
    const found = findResource(uri, notes.texts.note);
    if (found === undefined) return null;
    const [mimeType, data] = found;
    const end = offset + (uri === "note:drips" ? Math.min(3, limit) : limit);
    const part = { mimeType, size: data.length, data: data.slice(offset, end) };
    return uri === "note:slow" ? tickComes().then(() => part) : part;
  }

  /** @param {any} entries */
  function listed(entries) {
    if (notes.listed === "fails") throw new Error(SECRET);
    return notes.listed === "slow" ? tickComes().then(() => entries) : entries;
  }

  /** @type {Host} */
  const host = {
    actions: () => (notes.wordy ? [...ACTIONS, ...wordyActions(notes.wordy)] : ACTIONS),
    revision(action) {
      if (action === "solo.set") return notes.solo;
      return action !== undefined && WITHOUT_REVISION.has(action) ? null : notes.revision;
    },
    capabilities: () => notes.capabilities,
    availability(action) {
      if (action === "away") return { code: "AWAY", reason: "It is away." };
      return notes.retired.has(action) ? { code: "RETIRED", reason: "It is retired." } : null;
    },
    modal: () => (notes.modal ? { code: "DIALOG", reason: "A dialog is open." } : null),
    execute,
    inspect,
    readResource,
    resources: () => listed(listedResources(notes.texts.note, notes.listed)),
    resourceTemplates: () => listed(listedTemplates(notes.listed)),
    supportsTransaction: (domain) => DOMAINS.includes(domain),
    beginTransaction: (domain) => notes.begin(domain),
    commitTransaction: (domain) => notes.commit(domain),
    rollbackTransaction: (domain) => notes.rollBack(domain),
  };
  const dispatcher = new Dispatcher(host, {
    app: { name: "Fixture", version: "1" },
    ...(runtime ? { runtime } : {}),
  });
  dispatcher.setEnabled(true);
  return {
    host,
    dispatcher,
    notes,
    executed: notes.log,
    tick() {
      for (const each of tasks) {
        if (each.action === "doomed") each.fail(new Error(SECRET));
        else if (!each.checkpoint()) each.complete({ text: "done" });
      }
      const going = waiting;
      waiting = [];
      for (const go of going) go();
    },
  };
}
