// @ts-check
/**
 * Each MCP tool as a method of control protocol 1: what it takes, and what its result shows beside
 * its data. Knows no lines. Contract: MCP, tools.
 */

import { compile } from "../contract/schema.js";
import { toPlain } from "../contract/strict_json.js";
import { AppError } from "./app_error.js";
import { andThen } from "./eventually.js";
import { TOOLS } from "./mcp_catalog.js";
import { picture } from "./mcp_resources.js";
import { METHODS } from "./methods.js";
import { taskEnd } from "./task_end.js";

/** @import { Validator } from "../contract/schema.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Block } from "./mcp_answers.js" */
/** @import { MethodContext, Result } from "./methods.js" */
/** @import { Params } from "./params.js" */
/** @import { Task } from "./task_table.js" */

/**
 * @typedef {object} Waiting What a call that waits is watched by.
 * @property {(task: Task) => void} tell Says how a task stands, while its end is waited for.
 * @property {(stop: () => void) => void} stoppable Given what ends the waiting.
 */
/** @typedef {MethodContext & Waiting} ToolContext */
/** @typedef {{ structured: Result, content: readonly Block[] }} ToolResult */

/** @type {ReadonlyMap<string, string>} */
const METHOD_OF = new Map([
  ["actions_search", "actions/list"],
  ["actions_describe", "actions/describe"],
  ["actions_execute", "actions/execute"],
  ["actions_batch", "actions/batch"],
  ["state_inspect", "state/inspect"],
  ["task_status", "tasks/get"],
  ["task_cancel", "tasks/cancel"],
  ["resource_read", "resources/read"],
  ["view_render", "view/render"],
]);

/** Made at the first call of each: most pages never see one. @type {Map<string, Validator>} */
const validators = new Map();

/**
 * Runs a tool.
 *
 * @param {ToolContext} context
 * @param {string} name One of the nine.
 * @param {Params} given The arguments.
 * @returns {Eventually<ToolResult>}
 * @throws {AppError} `INVALID_INPUT` for arguments that the tool does not take, and what its method throws.
 */
export function runTool(context, name, given) {
  const errors = validatorOf(name).errors(given);
  if (errors.length > 0) {
    throw new AppError("INVALID_INPUT", `The arguments of ${name} are not what it takes.`, {
      errors,
    });
  }
  if (name === "task_status") return taskStatus(context, given);
  return andThen(method(name)(context, given), (structured) =>
    name === "view_render" ? withPicture(context, structured) : { structured, content: [] },
  );
}

/** @param {string} name */
function validatorOf(name) {
  let validator = validators.get(name);
  if (validator === undefined) {
    validator = compile(TOOLS.find((tool) => tool.name === name)?.inputSchema);
    validators.set(name, validator);
  }
  return validator;
}

/** @param {string} name */
function method(name) {
  const run = METHODS.get(METHOD_OF.get(name) ?? "");
  if (run === undefined) throw new TypeError(`no such tool: ${name}`);
  return run;
}

/**
 * @param {ToolContext} context
 * @param {Params} given
 * @returns {Eventually<ToolResult>}
 */
function taskStatus(context, given) {
  const { dispatcher, tell, stoppable } = context;
  const task = dispatcher.tasks.get(String(given["id"]));
  const waited = taskEnd(dispatcher, task, {
    milliseconds: Number(toPlain(given["waitMs"] ?? 0)),
    waiting: () => tell(task),
    stoppable,
  });
  return andThen(waited, () => {
    // It may have been shut meanwhile, and the task may have made room for another.
    dispatcher.requireEnabled();
    return andThen(method("task_status")(context, { id: given["id"] }), (structured) => ({
      structured,
      content: [],
    }));
  });
}

/**
 * @param {ToolContext} context
 * @param {Result} structured
 * @returns {Eventually<ToolResult>}
 */
function withPicture(context, structured) {
  const { resource, mimeType } = structured;
  if (typeof resource !== "string") return { structured, content: [] };
  const told = typeof mimeType === "string" ? mimeType : undefined;
  return andThen(picture(context, resource, told), (block) => ({ structured, content: [block] }));
}
