// @ts-check
/**
 * The demo's actions over one text: what its buttons, its typing and a terminal all run.
 */

import { ActionSpec } from "../dispatcher/action_spec.js";
import { AppError } from "../dispatcher/app_error.js";
import { OffsetError } from "./text_document.js";

/** @import { CallContext, Host } from "../dispatcher/host.js" */
/** @import { TextDocument } from "./text_document.js" */

/** What one answer of `document.read` holds at most, in UTF-16 code units. */
export const MAX_READ = 65_536;
const MAX_TEXT = 100_000;

const OFFSET = { type: "integer", minimum: 0, description: "UTF-16 code units from the beginning" };
const TEXT = { type: "string", maxLength: MAX_TEXT };
const SPAN = {
  type: "object",
  properties: { start: OFFSET, end: OFFSET, length: OFFSET },
  required: ["start", "end", "length"],
  additionalProperties: false,
};

/**
 * @param {Record<string, unknown>} properties
 * @param {string[]} [required]
 */
function input(properties, required = []) {
  return { type: "object", properties, required, additionalProperties: false };
}

const WRITE = { outputSchema: SPAN, undo: true, transaction: "document" };

const ACTIONS = Object.freeze([
  ActionSpec.write("document.text.insert", "Insert text at an offset, or at the caret", {
    ...WRITE,
    inputSchema: input({ text: TEXT, at: OFFSET }, ["text"]),
    commandId: 1,
  }),
  ActionSpec.write("document.text.replace", "Replace the text from start to end", {
    ...WRITE,
    inputSchema: input({ start: OFFSET, end: OFFSET, text: TEXT }, ["start", "end", "text"]),
    commandId: 2,
  }),
  ActionSpec.write("document.text.delete", "Delete the text from start to end", {
    ...WRITE,
    inputSchema: input({ start: OFFSET, end: OFFSET }, ["start", "end"]),
    commandId: 3,
  }),
  ActionSpec.write("document.undo", "Undo the last edit", { outputSchema: SPAN, commandId: 4 }),
  ActionSpec.write("document.redo", "Do the last undone edit again", {
    outputSchema: SPAN,
    commandId: 5,
  }),
  ActionSpec.read("document.read", `Read the text, ${MAX_READ} code units at a time`, {
    inputSchema: input({ start: OFFSET, end: OFFSET }),
    outputSchema: {
      type: "object",
      properties: { text: { type: "string" }, start: OFFSET, end: OFFSET, length: OFFSET },
      required: ["text", "start", "end", "length"],
      additionalProperties: false,
    },
    commandId: 6,
  }),
]);

/**
 * Makes the host of one text.
 *
 * @param {TextDocument} text
 * @param {() => number} caret Where text goes that names no place.
 * @returns {Host}
 */
export function documentHost(text, caret) {
  /** @param {{ start: number, end: number }} span */
  const spanOf = ({ start, end }) => ({ start, end, length: text.text.length });

  /** @param {{ text: string, at?: number }} input */
  function insert({ text: inserted, at }) {
    const place = at ?? text.floor(Math.min(caret(), text.text.length));
    return spanOf(text.replace(place, place, inserted));
  }

  /**
   * @param {{ start: number, end: number, text: string }} input
   * @param {CallContext} context
   */
  function replace({ start, end, text: inserted }, { session }) {
    return spanOf(text.replace(start, end, inserted, { typed: session === undefined }));
  }

  function undo() {
    const edit = text.undo();
    if (edit === undefined) throw new Error("nothing to undo");
    return spanOf({ start: edit.start, end: edit.start + edit.removed.length });
  }

  function redo() {
    const edit = text.redo();
    if (edit === undefined) throw new Error("nothing to do again");
    return spanOf({ start: edit.start, end: edit.start + edit.inserted.length });
  }

  /** @param {{ start?: number, end?: number }} input */
  function read({ start = 0, end }) {
    const from = text.floor(Math.min(start, text.text.length));
    const to = Math.min(end ?? text.text.length, from + MAX_READ, text.text.length);
    const until = Math.max(from, text.floor(to));
    return { text: text.text.slice(from, until), ...spanOf({ start: from, end: until }) };
  }

  /** @param {string} action @param {any} value @param {CallContext} context */
  function run(action, value, context) {
    switch (action) {
      case "document.text.insert":
        return insert(value);
      case "document.text.replace":
        return replace(value, context);
      case "document.text.delete":
        return spanOf(text.replace(value.start, value.end, ""));
      case "document.undo":
        return undo();
      case "document.redo":
        return redo();
      default:
        return read(value);
    }
  }

  return {
    actions: () => ACTIONS,
    revision: () => text.revision,
    capabilities: () => 0,
    availability(action) {
      if (action === "document.undo" && !text.canUndo) {
        return { code: "NOTHING_TO_UNDO", reason: "There is no edit to undo." };
      }
      if (action === "document.redo" && !text.canRedo) {
        return { code: "NOTHING_TO_REDO", reason: "There is no undone edit." };
      }
      return null;
    },
    execute(action, value, context) {
      try {
        return run(action, value, context);
      } catch (error) {
        if (!(error instanceof OffsetError)) throw error;
        throw new AppError("INVALID_INPUT", "An offset does not fit the text as it is now.", {
          errors: [{ path: `/${error.offset}`, message: error.message }],
        });
      }
    },
    inspect() {
      const all = text.text;
      return {
        length: all.length,
        lines: all === "" ? 0 : all.split("\n").length,
        words: all.split(/\s+/).filter(Boolean).length,
        caret: caret(),
        canUndo: text.canUndo,
        canRedo: text.canRedo,
      };
    },
  };
}
