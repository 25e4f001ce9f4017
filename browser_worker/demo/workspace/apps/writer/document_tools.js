// @ts-check
/**
 * The document's actions as tools of the bus. They run behind the same dispatcher as a person's typing
 * and a terminal's calls. A name of an action becomes one of a tool by `toolName`: dots and capital
 * letters are no part of those. Files and pictures go as attachments, not as resources.
 */

import { BusError } from "../../../../contract/bus_error.js";
import { AppError } from "../../../../dispatcher/app_error.js";
import { EXPORT_ACTION } from "../../../document/export_task.js";

/** @import { AppRuntime } from "../../../../app/app_runtime.js" */
/** @import { ToolContext, ToolOptions } from "../../../../app/exposed_tools.js" */
/** @import { ActionSpec } from "../../../../dispatcher/action_spec.js" */
/** @import { Dispatcher } from "../../../../dispatcher/dispatcher.js" */
/** @import { Task } from "../../../../dispatcher/task_table.js" */
/** @import { ExportPowers } from "../../../document/export_task.js" */

const IMPORT_ACTION = "document.import";
const RENDER_ACTION = "ui.render";
/** Their outputs name a resource, which here is the attachment. */
const GIVES_FILE = new Set([EXPORT_ACTION, RENDER_ACTION]);
/** What replaces all that there was. */
const DESTRUCTIVE = new Set([IMPORT_ACTION, "document.clear"]);
const READ_BYTES = 65_536;

/** @type {ReadonlyMap<string, Record<string, unknown>>} */
const ATTACHMENTS = new Map([
  [IMPORT_ACTION, { api: 1, input: { mediaTypes: ["text/markdown", "text/plain"] } }],
  [EXPORT_ACTION, { api: 1, output: { mediaTypes: ["text/markdown", "text/html", "text/plain"] } }],
  [RENDER_ACTION, { api: 1, output: { mediaTypes: ["image/svg+xml", "image/png"] } }],
]);

/**
 * The name that an action has on the bus: `document.replaceAll` is `document_replace_all`.
 *
 * @param {string} action
 */
export function toolName(action) {
  return action.replaceAll(".", "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Exposes all actions of a dispatcher, and opens it for calls from outside.
 *
 * @param {Pick<AppRuntime, "exposeTool">} bus
 * @param {Dispatcher} dispatcher Over a synchronous host.
 * @param {ExportPowers["pause"]} pause
 */
export function exposeDocument(bus, dispatcher, pause) {
  const specs = /** @type {ReadonlyMap<string, ActionSpec>} */ (dispatcher.actions());
  dispatcher.setEnabled(true);
  for (const spec of specs.values()) {
    bus.exposeTool(toolName(spec.name), toolOptions(spec), async (args, context) => {
      try {
        return await new ToolRun(dispatcher, spec.name, context).run(args, pause);
      } catch (error) {
        throw busError(error);
      }
    });
  }
}

/**
 * @param {ActionSpec} spec
 * @returns {ToolOptions}
 */
function toolOptions({ name, kind, description, inputSchema, outputSchema }) {
  const attachments = ATTACHMENTS.get(name);
  return {
    description:
      name === IMPORT_ACTION
        ? `${description}. The text comes in the arguments, or as an attachment in UTF-8`
        : GIVES_FILE.has(name)
          ? `${described(description)}. The attachment is it`
          : description,
    inputSchema:
      name === IMPORT_ACTION
        ? withoutMember(inputSchema, "text", { optional: true })
        : /** @type {Record<string, unknown>} */ (inputSchema),
    outputSchema: GIVES_FILE.has(name)
      ? withoutMember(outputSchema, "resource")
      : /** @type {Record<string, unknown>} */ (outputSchema),
    annotations: {
      readOnlyHint: kind === "read",
      ...(DESTRUCTIVE.has(name) ? { destructiveHint: true } : {}),
      ...(attachments === undefined ? {} : { "bascule:attachments": attachments }),
    },
  };
}

/** Without what it says of resources and tasks, which the bus has not. @param {string} description */
function described(description) {
  return description.replace(/(?:,| as a file) that resources\/read gives.*$/, "");
}

/**
 * @param {any} schema Of an object.
 * @param {string} member
 * @param {{ optional?: boolean }} [how] It stays, and need not be there.
 * @returns {Record<string, unknown>}
 */
function withoutMember({ properties, required, ...rest }, member, { optional = false } = {}) {
  const { [member]: gone, ...others } = properties;
  return {
    ...rest,
    properties: optional ? { ...others, [member]: gone } : others,
    required: required.filter((/** @type {string} */ name) => name !== member),
  };
}

/** One call of one action. */
class ToolRun {
  /**
   * @param {Dispatcher} dispatcher
   * @param {string} action
   * @param {ToolContext} context
   */
  constructor(dispatcher, action, context) {
    this._dispatcher = dispatcher;
    this._action = action;
    this._context = context;
  }

  /**
   * @param {Record<string, unknown>} args
   * @param {ExportPowers["pause"]} pause
   */
  async run(args, pause) {
    const ended = await this._dispatcher.execute({
      action: this._action,
      input: this._action === IMPORT_ACTION ? this._importInput(args) : args,
      // Not the person's own: their caret stays, and they see what was written.
      session: this._context.caller,
      // The workspace has judged whether the caller knows the app as it is.
      expectedRevision: this._dispatcher.revision(this._action) ?? 0,
    });
    const output =
      ended.status === "deferred" ? await this._finished(ended.task, pause) : ended.output;
    return GIVES_FILE.has(this._action) ? this._withFile(output) : output;
  }

  /** @param {Record<string, unknown>} args */
  _importInput(args) {
    const { attachment } = this._context;
    if ((attachment === undefined) === (args["text"] === undefined)) {
      const text = "The text comes in the arguments or as an attachment, one of both.";
      throw new BusError("INVALID_INPUT", `${text} Nothing was changed.`);
    }
    if (attachment === undefined) return args;
    try {
      return { ...args, text: new TextDecoder("utf-8", { fatal: true }).decode(attachment) };
    } catch {
      throw new BusError("INVALID_INPUT", "The attachment is no UTF-8. Nothing was changed.");
    }
  }

  /**
   * @param {Task} task
   * @param {ExportPowers["pause"]} pause
   */
  async _finished(task, pause) {
    const { signal } = this._context;
    let told;
    while (!task.ended) {
      if (signal.aborted) task.cancel();
      if (task.progress !== undefined && task.progress !== told) {
        told = task.progress;
        this._context.reportProgress(told);
      }
      await new Promise((resolve) => void pause(() => resolve(undefined)));
    }
    if (task.state === "completed") return task.output;
    if (task.state === "failed") throw task.error;
    throw new BusError("CANCELLED", "It was cancelled; nothing was written.");
  }

  /** @param {any} output */
  async _withFile({ resource, ...rest }) {
    /** @type {Uint8Array | null} */
    let file = null;
    for (let offset = 0; file === null || offset < file.length; offset += READ_BYTES) {
      const part = await this._dispatcher.readResource(resource, offset, READ_BYTES);
      file ??= new Uint8Array(part.size);
      file.set(part.data, offset);
    }
    this._context.replyAttachment(/** @type {ArrayBuffer} */ (file.buffer));
    return rest;
  }
}

/** @param {unknown} error */
function busError(error) {
  if (!(error instanceof AppError)) return error;
  const { code, message, data } = error;
  if (code === "INVALID_INPUT") return new BusError("INVALID_INPUT", message, { data });
  return new BusError("TOOL_FAILED", message, { data: { ...data, code } });
}
