// @ts-check
/** The word processor without a page: a document, its actions and a dispatcher. */

import assert from "node:assert/strict";
import { documentHost } from "../../../../browser_worker/demo/document/document_host.js";
import { DocumentSelection } from "../../../../browser_worker/demo/document/document_selection.js";
import { fromMarkdown } from "../../../../browser_worker/demo/document/markdown_reader.js";
import { TextDocument } from "../../../../browser_worker/demo/document/text_document.js";
import { AppError } from "../../../../browser_worker/dispatcher/app_error.js";
import { Dispatcher } from "../../../../browser_worker/dispatcher/dispatcher.js";
import { Pauses } from "./pauses.js";

/** @param {string} [markdown] */
export function setUp(markdown = "") {
  const text = new TextDocument(fromMarkdown(markdown));
  const selection = new DocumentSelection(text);
  const pauses = new Pauses();
  /** @type {Dispatcher} */
  const dispatcher = new Dispatcher(
    documentHost(text, selection, {
      tasks: () => dispatcher.tasks,
      pause: pauses.pause,
      measure: (words, { size }) => words.length * size * 0.5,
      png: ({ width, height }) => new TextEncoder().encode(`PNG ${width} ${height}`),
    }),
    { app: { name: "Write", version: "1" } },
  );
  dispatcher.setEnabled(true);
  /** As a person does. @param {string} action @param {unknown} [input] @returns {any} */
  const local = (action, input) => dispatcher.executeLocal(action, input);
  /** As a terminal does. @param {string} action @param {unknown} [input] @returns {any} */
  const remote = (action, input) => {
    const done = dispatcher.execute({
      action,
      input,
      session: "terminal",
      expectedRevision: text.revision,
    });
    return /** @type {any} */ (done).output ?? /** @type {any} */ (done).task;
  };
  return { text, selection, dispatcher, pauses, local, remote };
}

/**
 * @param {() => unknown} call
 * @param {string} code
 * @param {string} [path] Of the input that was refused.
 */
export function refuses(call, code, path) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    if (path !== undefined) {
      assert.deepEqual(
        /** @type {{ path: string }[]} */ (error.data["errors"]).map((each) => each.path),
        [path],
      );
    }
    return true;
  });
}
