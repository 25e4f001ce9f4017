// @ts-check
/**
 * The word processor's actions over one document: what its buttons, its typing and a terminal all
 * run. Synchronous throughout, so that typing waits for nothing.
 */

import { AppError } from "../../dispatcher/app_error.js";
import { DOCUMENT_ACTIONS } from "./document_actions.js";
import { imported } from "./document_format.js";
import { DocumentLimitError } from "./document_limits.js";
import { LiveDocument } from "./live_document.js";
import { exportChunk, find, inspect, listParagraphs, outline, read } from "./document_readers.js";
import { EXPORT_ACTION, Exports } from "./export_task.js";
import { findMatches } from "./finder.js";
import { KeptFiles } from "./kept_files.js";
import { drawnPage } from "./page_picture.js";
import { Paragraph } from "./paragraph.js";
import { placeOf, startOf } from "./paragraph_list.js";
import { markBits } from "./paragraph_styles.js";
import { OffsetError, cleanText } from "./text_offsets.js";

/** @import { CallContext, Host } from "../../dispatcher/host.js" */
/** @import { ImportFormat } from "./document_format.js" */
/** @import { ExportPowers } from "./export_task.js" */
/** @import { DocumentSelection } from "./document_selection.js" */
/** @import { PicturePowers } from "./page_picture.js" */
/** @import { Mark, ParagraphStyle } from "./paragraph_styles.js" */
/** @import { Span, TextDocument } from "./text_document.js" */

/** @typedef {(input: any, context: CallContext) => unknown} Handler */

/** @typedef {ExportPowers & PicturePowers} HostPowers What the actions need of the page around the document. */

/** The one domain of transactions. */
const DOMAIN = "document";

/**
 * Makes the host of one document.
 *
 * @param {TextDocument} document
 * @param {DocumentSelection} selection
 * @param {HostPowers} powers
 * @returns {Host}
 */
export function documentHost(document, selection, powers) {
  const files = new KeptFiles();
  const live = new LiveDocument(document);
  const handlers = new Map([
    ...editingHandlers(document, selection),
    ...filingHandlers(document, files, powers),
  ]);
  return {
    actions: () => DOCUMENT_ACTIONS,
    revision: () => document.revision,
    capabilities: () => 0,
    availability(action) {
      if (action === "document.undo" && !document.canUndo) {
        return { code: "NOTHING_TO_UNDO", reason: "There is no edit to undo." };
      }
      if (action === "document.redo" && !document.canRedo) {
        return { code: "NOTHING_TO_REDO", reason: "There is no undone edit." };
      }
      return null;
    },
    execute(action, input, context) {
      const handler = handlers.get(action);
      if (handler === undefined) throw new TypeError(`no handler for ${action}`);
      try {
        return handler(input, context);
      } catch (error) {
        throw explained(error);
      }
    },
    inspect: () => inspect(document, selection),
    supportsTransaction: (domain) => domain === DOMAIN,
    beginTransaction() {
      document.begin();
      selection.begin();
    },
    commitTransaction() {
      document.commit();
      selection.commit();
    },
    rollbackTransaction() {
      document.rollback();
      selection.rollback();
    },
    resources: () => [live.listed(), ...files.list()],
    readResource: (uri, offset, limit) =>
      live.read(uri, offset, limit) ?? files.read(uri, offset, limit),
  };
}

/**
 * What gives a file, and changes nothing of the document.
 *
 * @param {TextDocument} document
 * @param {KeptFiles} files
 * @param {HostPowers} powers
 * @returns {[string, Handler][]}
 */
function filingHandlers(document, files, powers) {
  const exports = new Exports(document, files, powers);
  return [
    [EXPORT_ACTION, ({ format }) => exports.start(format)],
    [
      "ui.render",
      ({ format, width, paragraph = 0 }) => {
        document.checkParagraph(paragraph);
        const { data, extension, mimeType, picture } = drawnPage(
          document,
          { format, width, first: paragraph },
          powers,
        );
        const resource = files.keep("picture", extension, mimeType, data);
        const { next } = picture;
        return {
          resource,
          mimeType,
          width: picture.width,
          height: picture.height,
          ...(next === undefined ? {} : { nextParagraph: next }),
        };
      },
    ],
  ];
}

/**
 * @param {TextDocument} document
 * @param {DocumentSelection} selection
 * @returns {[string, Handler][]}
 */
function editingHandlers(document, selection) {
  /** @param {Span} span */
  const output = ({ start, end }) => ({ start, end, length: document.length });
  /**
   * A person's caret goes behind what they did; a terminal's edit leaves it where it is.
   *
   * @param {Span} span
   * @param {CallContext} context
   */
  const edited = (span, { session }) => {
    if (session === undefined) selection.set(span.end);
    return output(span);
  };
  /** @param {readonly Mark[] | undefined} marks */
  const bits = (marks) => (marks === undefined ? undefined : markBits(marks));

  /** @param {{ start?: number, end?: number }} input @returns {Span} */
  function spanOr({ start, end }) {
    if (start === undefined && end === undefined) return selection;
    if (start === undefined) throw new OffsetError("start", "is needed where end is given");
    const span = { start, end: end ?? start };
    document.checkSpan(span.start, span.end);
    return span;
  }

  /** @param {{ style: ParagraphStyle, paragraph?: number, start?: number, end?: number }} input */
  function setStyle({ style, paragraph, ...rest }) {
    const { start, end } = rest;
    if (paragraph !== undefined && (start !== undefined || end !== undefined)) {
      throw new OffsetError("paragraph", "cannot be given together with start or end");
    }
    let [first, last] = [paragraph ?? 0, paragraph ?? 0];
    if (paragraph === undefined) {
      const span = spanOr(rest);
      first = placeOf(document.paragraphs, span.start).index;
      last = placeOf(document.paragraphs, span.end).index;
    }
    document.setStyle(first, last, style);
    const from = startOf(document.paragraphs, first);
    const to = startOf(document.paragraphs, last) + (document.paragraphs[last]?.length ?? 0);
    return output({ start: from, end: to });
  }

  /** @param {{ text: string, style?: ParagraphStyle, before?: number }} input */
  function insertParagraphs({ text, style = "body", before }) {
    if (before !== undefined) document.checkParagraph(before, 0, "before");
    const lines = cleanText(text)
      .split("\n")
      .map((line) => Paragraph.plain(style, line));
    return output(document.insertParagraphs(before ?? document.paragraphs.length, lines));
  }

  /** @param {{ mark: Mark, on?: boolean, start?: number, end?: number }} input */
  function format({ mark, on = true, ...rest }) {
    const { start, end } = spanOr(rest);
    document.setMark(start, end, mark, on);
    return output({ start, end });
  }

  /** @param {{ query: string, replacement: string, matchCase?: boolean, wholeWord?: boolean }} input */
  function replaceAll({ query, replacement, matchCase, wholeWord }) {
    const matches = findMatches(document.text, query, { matchCase, wholeWord });
    document.replaceAll(matches, replacement);
    return { replaced: matches.length, length: document.length };
  }

  /** @param {Span | undefined} span @param {CallContext} context */
  function again(span, context) {
    return span === undefined ? output({ start: 0, end: 0 }) : edited(span, context);
  }

  return [
    [
      "document.text.insert",
      ({ text, at = selection.end, marks }, context) => {
        document.checkOffset("at", at);
        return edited(document.replace(at, at, text, { marks: bits(marks) }), context);
      },
    ],
    [
      "document.text.replace",
      ({ start, end, text, marks }, context) =>
        edited(
          document.replace(start, end, text, {
            typed: context.session === undefined,
            marks: bits(marks),
          }),
          context,
        ),
    ],
    [
      "document.text.delete",
      ({ start, end }, context) =>
        edited(document.replace(start, end, "", { typed: context.session === undefined }), context),
    ],
    ["document.text.format", format],
    ["document.paragraph.style", setStyle],
    ["document.paragraph.insert", insertParagraphs],
    ["document.undo", (_input, context) => again(document.undo(), context)],
    ["document.redo", (_input, context) => again(document.redo(), context)],
    ["document.read", (input) => read(document, input)],
    ["document.paragraphs", (input) => listParagraphs(document, input)],
    ["document.outline", () => outline(document)],
    ["document.find", (input) => find(document, input)],
    ["document.replaceAll", replaceAll],
    [
      "document.select",
      ({ start, end = start }) => {
        document.checkSpan(start, end);
        selection.set(start, end);
        return output({ start, end });
      },
    ],
    [
      "document.title.set",
      ({ title }, { session }) => {
        document.setTitle(title, { typed: session === undefined });
        return { title: document.title };
      },
    ],
    ["document.export", (input) => exportChunk(document, input)],
    [
      "document.import",
      (/** @type {{ text: string, format: ImportFormat }} */ { text, format: form }) => {
        document.load(imported(text, form));
        return output({ start: 0, end: document.length });
      },
    ],
    [
      "document.clear",
      () => {
        document.load({ title: "", paragraphs: [] });
        return output({ start: 0, end: 0 });
      },
    ],
  ];
}

/**
 * Says what was wrong with an input that only the document as it is now can judge.
 *
 * @param {unknown} error
 * @returns {unknown}
 */
function explained(error) {
  if (error instanceof OffsetError) {
    return new AppError("INVALID_INPUT", "The input does not fit the document as it is now.", {
      errors: [{ path: `/${error.offset}`, message: error.message }],
    });
  }
  if (error instanceof DocumentLimitError) {
    return new AppError("LIMIT_EXCEEDED", "The document would be too large; nothing was changed.", {
      limit: error.limit,
      maximum: error.maximum,
    });
  }
  return error;
}
