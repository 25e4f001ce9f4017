// @ts-check
/** What the notes offer on the bus: the tools, and word of each change. */

import { BusError } from "../../../../contract/bus_error.js";
import { NOTE_LIMITS } from "./note_store.js";

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { ToolContext } from "../../../../app/exposed_tools.js" */
/** @import { Draft, NoteStore } from "./note_store.js" */

/** @typedef {Pick<AppRuntime, "exposeTool" | "publishAppStateChange">} NoteBus */

const READS = { readOnlyHint: true, openWorldHint: false };
const ADDS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
const CHANGES = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

const ID = {
  type: "string",
  pattern: "^[0-9]{1,15}$",
  description: "As a search or an add gave it.",
};
const TITLE = { type: "string", maxLength: NOTE_LIMITS.maxTitleChars };
const TEXT = { type: "string", maxLength: NOTE_LIMITS.maxTextChars };
const NUMBER = { type: "integer", minimum: 0 };
const NOTE = record({ id: ID, title: TITLE, text: TEXT, revision: NUMBER, changedAt: NUMBER });
const MATCH = record({
  id: ID,
  title: TITLE,
  excerpt: { type: "string" },
  revision: NUMBER,
  changedAt: NUMBER,
});

/** So many are looked at in one go: between two the app answers others. */
const CHUNK = 50;

/**
 * @param {NoteBus} bus
 * @param {NoteStore} store
 * @param {() => Promise<void>} pause Lets others have a turn.
 * @param {() => boolean} [isKept] Whether the last changes outlive the workspace, where they are to.
 */
export function exposeNotes(bus, store, pause, isKept = () => true) {
  bus.exposeTool(
    "notes_search",
    {
      title: "Search notes",
      description:
        "Finds the notes that have every word of the query, the last changed first; all of them where it has no word.",
      inputSchema: record(
        {
          query: { type: "string", maxLength: 200 },
          limit: { type: "integer", minimum: 1, maximum: NOTE_LIMITS.maxMatches },
        },
        ["query"],
      ),
      outputSchema: record(
        {
          matches: { type: "array", items: MATCH },
          total: NUMBER,
          revision: NUMBER,
          notKept: {
            const: true,
            description: "What was changed could not be kept: it is lost with the workspace.",
          },
        },
        ["matches", "total", "revision"],
      ),
      annotations: READS,
    },
    ({ query, limit = 50 }) => ({
      ...store.search(query, limit),
      ...(isKept() ? {} : { notKept: true }),
    }),
  );
  bus.exposeTool(
    "notes_read",
    {
      title: "Read a note",
      description: "Gives one note whole.",
      inputSchema: record({ id: ID }),
      outputSchema: record({ note: NOTE }),
      annotations: READS,
    },
    ({ id }) => ({ note: store.read(id) }),
  );
  bus.exposeTool(
    "notes_add",
    {
      title: "Add a note",
      description: "Adds a note and gives it with its id.",
      inputSchema: record({ title: TITLE, text: TEXT }, ["title"]),
      outputSchema: record({ note: NOTE }),
      annotations: ADDS,
    },
    ({ title, text = "" }) => ({ note: store.add([{ title, text }])[0] }),
  );
  bus.exposeTool(
    "notes_update",
    {
      title: "Change a note",
      description:
        "Puts another title or text in a note. With a revision it does so only if the note still has that one.",
      inputSchema: record({ id: ID, title: TITLE, text: TEXT, revision: NUMBER }, ["id"]),
      outputSchema: record({ note: NOTE }),
      annotations: { ...CHANGES, idempotentHint: true },
    },
    ({ id, title, text, revision }) => ({ note: store.update(id, { title, text }, revision) }),
  );
  bus.exposeTool(
    "notes_delete",
    {
      title: "Delete a note",
      description: "Deletes a note for good.",
      inputSchema: record({ id: ID }),
      outputSchema: record({ deleted: ID }),
      annotations: CHANGES,
    },
    ({ id }) => {
      store.delete(id);
      return { deleted: id };
    },
  );
  bus.exposeTool(
    "notes_import",
    {
      title: "Import notes",
      description: `Adds up to ${NOTE_LIMITS.maxImport} notes at once, all or none, and tells how far it is.`,
      inputSchema: record({
        notes: {
          type: "array",
          minItems: 1,
          maxItems: NOTE_LIMITS.maxImport,
          items: record({ title: TITLE, text: TEXT }, ["title"]),
        },
      }),
      outputSchema: record({ imported: NUMBER }),
      annotations: ADDS,
    },
    ({ notes }, context) => importNotes(store, notes, context, pause),
  );
  const publish = () => {
    for (const topic of ["notes", "state"]) {
      // Whoever misses it looks again by itself.
      bus.publishAppStateChange(topic, store.revision).catch(() => {});
    }
  };
  store.onChange(publish);
  publish();
}

/**
 * @param {NoteStore} store
 * @param {readonly { title: string, text?: string }[]} notes
 * @param {Pick<ToolContext, "reportProgress" | "signal">} context
 * @param {() => Promise<void>} pause
 */
async function importNotes(store, notes, { reportProgress, signal }, pause) {
  /** @type {Draft[]} */
  const drafts = [];
  for (let at = 0; at < notes.length; at += CHUNK) {
    for (const { title, text = "" } of notes.slice(at, at + CHUNK)) {
      drafts.push({ title: title.trim(), text });
    }
    reportProgress({ phase: "reading", completed: drafts.length, total: notes.length });
    await pause();
    if (signal.aborted)
      throw new BusError("CANCELLED", "The import was cancelled; nothing was added.");
  }
  return { imported: store.add(drafts).length };
}

/**
 * @param {Record<string, object>} properties
 * @param {readonly string[]} [required] All of them by default.
 */
function record(properties, required = Object.keys(properties)) {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}
