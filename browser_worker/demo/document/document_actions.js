// @ts-check
/** What the word processor says of its actions: names, schemas, bounds. What they do is the host's. */

import { ActionSpec } from "../../dispatcher/action_spec.js";
import { EXPORT_FORMATS, IMPORT_FORMATS } from "./document_format.js";
import { DOCUMENT_LIMITS } from "./document_limits.js";
import { EXPORT_ACTION } from "./export_task.js";
import { MAX_MATCHES } from "./finder.js";
import {
  MAX_PICTURE_HEIGHT,
  MAX_PICTURE_WIDTH,
  MIN_PICTURE_WIDTH,
  PICTURE_FORMATS,
  PICTURE_WIDTH,
} from "./page_picture.js";
import { MARK_NAMES, STYLE_NAMES } from "./paragraph_styles.js";

/** What one answer of a reading action holds at most, in UTF-16 code units. */
export const MAX_READ = 65_536;
export const MAX_LISTED = 200;
export const MAX_HEADINGS = 500;
export const MAX_SHOWN_MATCHES = 100;
/** What one paragraph of a list shows of its text, in UTF-16 code units. */
export const MAX_EXCERPT = 200;
const MAX_TEXT = 200_000;
const MAX_QUERY = 1_000;

const OFFSET = { type: "integer", minimum: 0, description: "UTF-16 code units from the beginning" };
const PARAGRAPH = { type: "integer", minimum: 0, description: "Number of a paragraph, from 0" };
const COUNT = { type: "integer", minimum: 0 };
const TEXT = { type: "string", maxLength: MAX_TEXT, description: "A line feed begins a paragraph" };
const FORMAT = { type: "string", enum: [...EXPORT_FORMATS.keys()] };
const STYLE = { type: "string", enum: [...STYLE_NAMES] };
const MARK = { type: "string", enum: [...MARK_NAMES] };
const MARKS = {
  type: "array",
  items: MARK,
  uniqueItems: true,
  description: "Marks of the new characters; without them those of the characters around",
};
const QUERY = {
  query: { type: "string", minLength: 1, maxLength: MAX_QUERY, description: "Taken literally" },
  matchCase: { type: "boolean", description: "Capital and small letters differ; false by default" },
  wholeWord: { type: "boolean", description: "Not within a longer word; false by default" },
};

/**
 * @param {Record<string, unknown>} properties
 * @param {string[]} [required]
 */
function object(properties, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

const SPAN = object({ start: OFFSET, end: OFFSET, length: OFFSET });
const CHUNK = { text: { type: "string" }, start: OFFSET, end: OFFSET, length: OFFSET };
const LISTED = {
  paragraph: PARAGRAPH,
  start: OFFSET,
  end: OFFSET,
  style: STYLE,
  text: { type: "string", maxLength: MAX_EXCERPT },
};

/** All writes are in one domain, so that a batch of them can be one. */
const EDIT = { outputSchema: SPAN, undo: true, transaction: "document" };

/** @type {readonly ActionSpec[]} */
export const DOCUMENT_ACTIONS = Object.freeze([
  ActionSpec.write("document.text.insert", "Insert text at an offset, or at the caret", {
    ...EDIT,
    inputSchema: object({ text: TEXT, at: OFFSET, marks: MARKS }, ["text"]),
    commandId: 1,
  }),
  ActionSpec.write("document.text.replace", "Replace the text from start to end", {
    ...EDIT,
    inputSchema: object({ start: OFFSET, end: OFFSET, text: TEXT, marks: MARKS }, [
      "start",
      "end",
      "text",
    ]),
    commandId: 2,
  }),
  ActionSpec.write("document.text.delete", "Delete the text from start to end", {
    ...EDIT,
    inputSchema: object({ start: OFFSET, end: OFFSET }),
    commandId: 3,
  }),
  ActionSpec.write("document.undo", "Undo the last edit, whoever made it", {
    outputSchema: SPAN,
    commandId: 4,
  }),
  ActionSpec.write("document.redo", "Do the last undone edit again", {
    outputSchema: SPAN,
    commandId: 5,
  }),
  ActionSpec.read("document.read", `Read the text, ${MAX_READ} code units at a time`, {
    inputSchema: object({ start: OFFSET, end: OFFSET }, []),
    outputSchema: object(CHUNK),
    commandId: 6,
  }),
  ActionSpec.write(
    "document.text.format",
    "Make the text from start to end (or the selection) bold, italic or code, or plain again with on: false",
    {
      ...EDIT,
      inputSchema: object({ mark: MARK, on: { type: "boolean" }, start: OFFSET, end: OFFSET }, [
        "mark",
      ]),
      commandId: 7,
    },
  ),
  ActionSpec.write(
    "document.paragraph.style",
    "Give a style to one paragraph, to all paragraphs from start to end, or to those of the selection",
    {
      ...EDIT,
      inputSchema: object({ style: STYLE, paragraph: PARAGRAPH, start: OFFSET, end: OFFSET }, [
        "style",
      ]),
      commandId: 8,
    },
  ),
  ActionSpec.write(
    "document.paragraph.insert",
    "Insert whole paragraphs of one style before a paragraph, or at the end of the document",
    {
      ...EDIT,
      inputSchema: object({ text: TEXT, style: STYLE, before: PARAGRAPH }, ["text"]),
      commandId: 9,
    },
  ),
  ActionSpec.read(
    "document.paragraphs",
    `List paragraphs with their offsets, styles and first ${MAX_EXCERPT} code units, ${MAX_LISTED} at a time`,
    {
      inputSchema: object(
        { first: PARAGRAPH, count: { type: "integer", minimum: 1, maximum: MAX_LISTED } },
        [],
      ),
      outputSchema: object({ paragraphs: { type: "array", items: object(LISTED) }, total: COUNT }),
      commandId: 10,
    },
  ),
  ActionSpec.read("document.outline", `List the title and the first ${MAX_HEADINGS} headings`, {
    outputSchema: object({
      title: { type: "string" },
      headings: { type: "array", items: object(LISTED) },
      total: COUNT,
    }),
    commandId: 11,
  }),
  ActionSpec.read(
    "document.find",
    `Find a text; gives the first ${MAX_SHOWN_MATCHES} matches from an offset on, and how many there are`,
    {
      inputSchema: object({ ...QUERY, from: OFFSET }, ["query"]),
      outputSchema: object({
        matches: {
          type: "array",
          items: object({
            start: OFFSET,
            end: OFFSET,
            paragraph: PARAGRAPH,
            snippet: { type: "string" },
          }),
        },
        total: COUNT,
        complete: { type: "boolean", description: "Whether all matches from there on were given" },
      }),
      commandId: 12,
    },
  ),
  ActionSpec.write(
    "document.replaceAll",
    `Replace the matches of a text, ${MAX_MATCHES} at most, as one step of undo; gives how many there were`,
    {
      outputSchema: object({ replaced: COUNT, length: OFFSET }),
      undo: true,
      transaction: "document",
      inputSchema: object({ ...QUERY, replacement: { ...TEXT, maxLength: MAX_QUERY } }, [
        "query",
        "replacement",
      ]),
      commandId: 13,
    },
  ),
  ActionSpec.write(
    "document.select",
    "Select the text from start to end in the page, or set the caret; changes no text and no revision",
    {
      outputSchema: SPAN,
      // What an atomic batch has selected goes back with it.
      transaction: "document",
      inputSchema: object({ start: OFFSET, end: OFFSET }, ["start"]),
      commandId: 14,
    },
  ),
  ActionSpec.write("document.title.set", "Set the document's title", {
    outputSchema: object({ title: { type: "string" } }),
    undo: true,
    transaction: "document",
    inputSchema: object({
      title: { type: "string", maxLength: DOCUMENT_LIMITS.maxTitleCodeUnits },
    }),
    commandId: 15,
  }),
  ActionSpec.read(
    "document.export",
    `Give the whole document in a format, ${MAX_READ} code units at a time`,
    {
      inputSchema: object({ format: FORMAT, from: OFFSET }, ["format"]),
      outputSchema: object({ format: { type: "string" }, ...CHUNK }),
      commandId: 16,
    },
  ),
  ActionSpec.write(
    "document.import",
    "Replace the whole document, title included, by Markdown or plain text; can be undone",
    {
      ...EDIT,
      inputSchema: object({
        format: { type: "string", enum: [...IMPORT_FORMATS.keys()] },
        text: { type: "string", maxLength: MAX_TEXT },
      }),
      commandId: 17,
    },
  ),
  ActionSpec.write("document.clear", "Begin an empty document; can be undone", {
    ...EDIT,
    commandId: 18,
  }),
  ActionSpec.read(
    EXPORT_ACTION,
    "Write the whole document as a file that resources/read gives; a task, which fails where the document changes meanwhile",
    {
      inputSchema: object({ format: FORMAT }),
      outputSchema: object({
        resource: { type: "string" },
        mimeType: { type: "string" },
        size: { ...COUNT, description: "Bytes" },
        format: FORMAT,
        revision: { ...COUNT, description: "Of the document that was written" },
      }),
      commandId: 19,
    },
  ),
  ActionSpec.read(
    "ui.render",
    `Draw the title and the text from a paragraph on as a picture, at most ${MAX_PICTURE_HEIGHT} pixels high, that resources/read gives`,
    {
      inputSchema: object(
        {
          format: {
            type: "string",
            enum: [...PICTURE_FORMATS],
            description: `${PICTURE_FORMATS[0]} by default; png where a model is to see it`,
          },
          width: {
            type: "integer",
            minimum: MIN_PICTURE_WIDTH,
            maximum: MAX_PICTURE_WIDTH,
            description: `Pixels; ${PICTURE_WIDTH} by default`,
          },
          paragraph: { ...PARAGRAPH, description: "The first that is drawn; 0 by default" },
        },
        [],
      ),
      outputSchema: object(
        {
          resource: { type: "string" },
          mimeType: { type: "string" },
          width: COUNT,
          height: COUNT,
          nextParagraph: { ...PARAGRAPH, description: "Where the next picture begins" },
        },
        ["resource", "mimeType", "width", "height"],
      ),
      commandId: 20,
    },
  ),
]);
