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
import { HINTS, resultForModel } from "./mcp_errors.js";
import { picture } from "./mcp_resources.js";
import { METHODS } from "./methods.js";

/** @import { Validator } from "../contract/schema.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Block } from "./mcp_answers.js" */
/** @import { MethodContext, Result } from "./methods.js" */
/** @import { Params } from "./params.js" */
/** @import { TaskWatch } from "./task_watch.js" */

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
 * @param {MethodContext} context
 * @param {string} name One of the nine.
 * @param {Params} given The arguments.
 * @param {TaskWatch} watch Waits, where the tool is asked to.
 * @returns {Eventually<ToolResult>}
 * @throws {AppError} `INVALID_INPUT` for arguments that the tool does not take, and what its method throws.
 */
export function runTool(context, name, given, watch) {
  const errors = validatorOf(name).errors(given);
  if (errors.length > 0) {
    throw new AppError("INVALID_INPUT", `The arguments of ${name} are not what it takes.`, {
      errors,
      hint: HINTS["INVALID_PARAMS"],
    });
  }
  if (name === "task_status") return taskStatus(context, given, watch);
  return andThen(method(name)(context, given), (structured) =>
    name === "view_render"
      ? withPicture(context, structured)
      : plain(resultForModel(name, structured)),
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
 * @param {MethodContext} context
 * @param {Params} given
 * @param {TaskWatch} watch
 * @returns {Eventually<ToolResult>}
 */
function taskStatus(context, given, watch) {
  const { dispatcher } = context;
  const task = dispatcher.tasks.get(String(given["id"]));
  const waited = watch.wait(task, Number(toPlain(given["waitMs"] ?? 0)));
  return andThen(waited, () => {
    // The way may have been shut meanwhile.
    dispatcher.requireEnabled();
    return andThen(method("task_status")(context, given), (structured) =>
      plain(resultForModel("task_status", structured)),
    );
  });
}

/**
 * @param {Result} structured
 * @returns {ToolResult}
 */
function plain(structured) {
  return { structured, content: [] };
}

/**
 * @param {MethodContext} context
 * @param {Result} structured
 * @returns {Eventually<ToolResult>}
 */
function withPicture(context, structured) {
  const { resource, mimeType } = structured;
  if (typeof resource !== "string") return plain(structured);
  const told = typeof mimeType === "string" ? mimeType : undefined;
  return andThen(picture(context, resource, told), (block) => ({ structured, content: [block] }));
}
