// @ts-check
/**
 * Writes a whole document as a file, in slices between which a person can type. It is of one
 * revision: where the document changes meanwhile, it fails and keeps nothing.
 */

import { AppError } from "../../dispatcher/app_error.js";
import { exportFormat } from "./document_format.js";

/** @import { Task, TaskTable } from "../../dispatcher/task_table.js" */
/** @import { ExportFormat } from "./document_format.js" */
/** @import { KeptFiles } from "./kept_files.js" */
/** @import { TextDocument } from "./text_document.js" */

export const EXPORT_ACTION = "document.export.file";

/** A slice takes a few milliseconds at most: one piece, or as many as make this many code units. */
export const SLICE_CODE_UNITS = 16_384;
export const MAX_EXPORTS = 4;

/**
 * @typedef {object} ExportPowers
 * @property {() => TaskTable} tasks The table of the dispatcher that the app runs behind.
 * @property {(callback: () => void) => void} pause Calls back once, after what is waiting by now.
 */

/** The exports of one document. */
export class Exports {
  /**
   * @param {TextDocument} document
   * @param {KeptFiles} files
   * @param {ExportPowers} powers
   */
  constructor(document, files, { tasks, pause }) {
    this._document = document;
    this._files = files;
    this._tasks = tasks;
    this._pause = pause;
    this._running = 0;
  }

  /**
   * Begins one.
   *
   * @param {ExportFormat} format
   * @returns {Task} It can be cancelled between any two slices.
   * @throws {AppError} `LIMIT_EXCEEDED`
   */
  start(format) {
    if (this._running >= MAX_EXPORTS) {
      throw new AppError("LIMIT_EXCEEDED", "Too many exports are running; wait for one.", {
        limit: "exports",
        maximum: MAX_EXPORTS,
      });
    }
    const task = this._tasks().create(EXPORT_ACTION);
    task.start();
    this._running++;
    const run = new ExportRun(this._document, this._files, format, task);
    const step = () => {
      if (run.step()) this._pause(step);
      else this._running--;
    };
    this._pause(step);
    return task;
  }
}

/** One export on its way. */
class ExportRun {
  /**
   * @param {TextDocument} document
   * @param {KeptFiles} files
   * @param {ExportFormat} format
   * @param {Task} task
   */
  constructor(document, files, format, task) {
    this._document = document;
    this._files = files;
    this._format = format;
    this._task = task;
    this._revision = document.revision;
    this._row = exportFormat(format);
    this._pieces = this._row.pieces(document)[Symbol.iterator]();
    this._encoder = new TextEncoder();
    /** @type {Uint8Array[]} */
    this._written = [];
    this._done = 0;
    this._total = document.paragraphs.length;
    this._report();
  }

  /** @returns {boolean} Whether there is more to do. */
  step() {
    if (this._task.checkpoint()) return false;
    try {
      // Nobody edits between this and the end of the step: what is kept is of this revision.
      this._requireRevision();
      const more = this._slice();
      this._report();
      if (!more) this._task.complete(this._keep());
      return more;
    } catch (error) {
      this._task.fail(error);
      return false;
    }
  }

  _requireRevision() {
    const actual = this._document.revision;
    if (actual === this._revision) return;
    throw new AppError("STALE_REVISION", "The document changed while it was being exported.", {
      expected: this._revision,
      actual,
    });
  }

  /** @returns {boolean} Whether there is more to write. */
  _slice() {
    let slice = "";
    while (slice.length < SLICE_CODE_UNITS) {
      const { done, value } = this._pieces.next();
      if (done) {
        this._written.push(this._encoder.encode(slice));
        return false;
      }
      slice += value.text;
      this._done += value.paragraphs;
    }
    this._written.push(this._encoder.encode(slice));
    return true;
  }

  _report() {
    const message = `Written ${this._done} of ${this._total} paragraphs.`;
    this._task.report({ reason: "export", message, done: this._done, total: this._total });
  }

  _keep() {
    const size = this._written.reduce((sum, { length }) => sum + length, 0);
    const data = new Uint8Array(size);
    let at = 0;
    for (const part of this._written) {
      data.set(part, at);
      at += part.length;
    }
    const { extension, mimeType } = this._row;
    const resource = this._files.keep("export", extension, mimeType, data);
    return { resource, mimeType, size, format: this._format, revision: this._revision };
  }
}
