// @ts-check
/** What a host gave, held against what the action promises. */

import { AppError } from "./app_error.js";
import { jsonCopy, outputError } from "./json_copy.js";
import { Task } from "./task_table.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { Executed } from "./calls.js" */
/** @import { TaskTable } from "./task_table.js" */

/**
 * Makes of what a host gave the end of its call. Undefined is `{}`.
 *
 * @param {TaskTable} tasks
 * @param {ActionSpec} spec
 * @param {unknown} answer
 * @returns {Executed}
 * @throws {AppError | TypeError} As `checkedOutput`, or for a task of another table.
 */
export function completed(tasks, spec, answer) {
  if (!(answer instanceof Task)) {
    const output = checkedOutput(spec, answer === undefined ? {} : answer);
    return { status: "completed", output };
  }
  if (!tasks.owns(answer)) throw new TypeError("the task is of another dispatcher");
  answer.judgeOutput((output) => judgeOutput(spec, output));
  return { status: "deferred", task: answer };
}

/**
 * Takes what a host gave as it will be sent. It is after the fact: the action has run.
 *
 * @param {ActionSpec} spec
 * @param {unknown} output
 * @returns {unknown} A copy.
 * @throws {AppError} `INVALID_OUTPUT` or `LIMIT_EXCEEDED`
 */
function checkedOutput(spec, output) {
  const copy = plainOutput(output);
  judgeOutput(spec, copy);
  return copy;
}

/**
 * Copies what a host gave: what the app does to its own meanwhile changes no answer.
 *
 * @template T
 * @param {T} output
 * @returns {T}
 * @throws {AppError} Where it cannot be sent.
 */
export function plainOutput(output) {
  try {
    return jsonCopy(output);
  } catch (error) {
    throw outputError(error, output);
  }
}

/**
 * @param {ActionSpec} spec
 * @param {unknown} output
 * @throws {AppError} `INVALID_OUTPUT`
 */
function judgeOutput(spec, output) {
  const errors = spec.output.errors(output);
  if (errors.length > 0) {
    throw new AppError("INVALID_OUTPUT", "The action ran, but what it gave breaks its schema.", {
      errors,
    });
  }
}
