// @ts-check
/**
 * The tools that an app exposes: described when the kernel asks, checked and run when it calls.
 * Contract: bus, exposing tools.
 */

import {
  checkInputAttachment,
  checkOutputAttachment,
  readAttachmentRule,
  requireSendable,
} from "../contract/bus_attachments.js";
import { BusError, problemsData } from "../contract/bus_error.js";
import { checkJson, copyJson } from "../contract/bus_json.js";
import { isToolName } from "../contract/bus_names.js";
import { BUS_LIMITS } from "../contract/limits.js";
import { compile } from "../contract/schema.js";

/** @import { AttachmentRule } from "../contract/bus_attachments.js" */
/** @import { Validator } from "../contract/schema.js" */
/** @import { MsgBusClient } from "./bus_client.js" */
/** @import { IncomingRequest } from "./incoming_request.js" */
/** @import { Answer } from "./outgoing_requests.js" */

/**
 * @typedef {object} ToolOptions
 * @property {string} [title] For a person.
 * @property {string} description For a person, or a model, who has never seen the app.
 * @property {Record<string, unknown>} [inputSchema] JSON Schema of the arguments; without one there are
 *   none.
 * @property {Record<string, unknown>} [outputSchema] JSON Schema of the result.
 * @property {Record<string, unknown>} [annotations] As MCP has them, `readOnlyHint` say; and
 *   `bascule:attachments` for a tool that takes or gives a buffer.
 */

/**
 * @typedef {object} ToolContext What a handler is told besides its arguments.
 * @property {string} caller The endpoint that calls, as the kernel knows it.
 * @property {AbortSignal} signal Aborts where nobody waits for the result any more.
 * @property {MsgBusClient} kernel Calls others for whoever stands behind this call, until the handler
 *   ends; await what it calls. What calls them by the app's own client instead is refused while the
 *   app answers to another app, a terminal or an agent.
 * @property {ArrayBuffer | undefined} attachment What the call brought; the handler's own now.
 * @property {(value: unknown) => void} reportProgress Tells the caller how far it is: JSON of at most
 *   64 KiB, at most 2,000 times. Throws a `BusError` for what cannot be sent.
 * @property {(buffer: ArrayBuffer) => void} replyAttachment Sends a buffer with the result. It is the
 *   caller's then.
 */

/** @typedef {(args: any, context: ToolContext) => unknown} ToolHandler Gives JSON, or a promise of it. */

/**
 * @typedef {object} Exposed
 * @property {Record<string, unknown>} descriptor
 * @property {number} version
 * @property {Validator} input
 * @property {Validator | null} output
 * @property {AttachmentRule | null} attachments
 * @property {ToolHandler} handler
 */

const NO_ARGUMENTS = Object.freeze({ type: "object", additionalProperties: false });

export class ExposedTools {
  /** @param {(request: IncomingRequest) => MsgBusClient} clientOf */
  constructor(clientOf) {
    this._clientOf = clientOf;
    /** @type {Map<string, Exposed>} */
    this._tools = new Map();
    this._versions = 0;
  }

  /**
   * @param {string} name
   * @param {ToolOptions} options
   * @param {ToolHandler} handler
   * @throws {TypeError} For a name that is none, or what is missing; `SchemaError` for a bad schema.
   * @throws {BusError} For a description that cannot be sent.
   */
  expose(name, options, handler) {
    if (!isToolName(name)) {
      throw new TypeError(
        "a tool's name is 1 to 40 of a-z, 0-9, _ and -, not beginning with _ or -",
      );
    }
    if (typeof options?.description !== "string" || options.description === "") {
      throw new TypeError(`${name}: a tool needs a description`);
    }
    if (typeof handler !== "function") throw new TypeError(`${name}: a tool needs a handler`);
    if (!this._tools.has(name) && this._tools.size >= BUS_LIMITS.maxTools) {
      throw new TypeError(`an endpoint exposes at most ${BUS_LIMITS.maxTools} tools`);
    }
    const { title, description, inputSchema = NO_ARGUMENTS, outputSchema, annotations } = options;
    /** @type {Record<string, unknown>} */
    const descriptor = { name, description, inputSchema };
    if (title !== undefined) descriptor["title"] = title;
    if (outputSchema !== undefined) descriptor["outputSchema"] = outputSchema;
    if (annotations !== undefined) descriptor["annotations"] = annotations;
    const copy = copyJson(descriptor, {
      maxBytes: BUS_LIMITS.maxDescriptorBytes,
      what: `description of ${name}`,
    });
    this._tools.set(name, {
      descriptor: copy,
      version: ++this._versions,
      input: compile(copy["inputSchema"]),
      output: outputSchema === undefined ? null : compile(copy["outputSchema"]),
      attachments: readAttachmentRule(
        /** @type {Record<string, unknown> | undefined} */ (copy["annotations"]),
      ),
      handler,
    });
  }

  /**
   * @param {string} name
   * @returns {boolean} Whether there was one.
   */
  remove(name) {
    return this._tools.delete(name);
  }

  /**
   * @param {unknown} name Undefined for all of them.
   * @returns {Answer}
   */
  describe(name) {
    const named = name === undefined ? [...this._tools.values()] : [this._tools.get(String(name))];
    const ok = {
      tools: named
        .filter((tool) => tool !== undefined)
        .map(({ descriptor, version }) => ({ ...descriptor, version })),
    };
    checkJson(ok, { what: "list of tools" });
    return { ok, attachment: undefined };
  }

  /**
   * Runs a tool.
   *
   * @param {IncomingRequest} request
   * @returns {Promise<Answer>}
   */
  async invoke(request) {
    const { name, version, arguments: given, caller } = request.payload;
    const { attachment } = request;
    const tool = this._tools.get(String(name));
    // It was exposed anew, or removed, since the kernel looked: it looks again.
    if (tool === undefined || tool.version !== version) {
      return { ok: { changed: true }, attachment };
    }
    const problems = tool.input.errors(given);
    if (problems.length > 0) {
      const text = `The arguments are not what ${name} takes; nothing was run.`;
      throw new BusError("INVALID_INPUT", text, { data: problemsData(problems) });
    }
    checkInputAttachment(tool.attachments, attachment);
    /** @type {ArrayBuffer | undefined} */
    let reply;
    /** Most handlers call nobody. @type {MsgBusClient | undefined} */
    let client;
    const kernel = () => (client ??= this._clientOf(request));
    const result = await tool.handler(given, {
      caller: String(caller),
      get signal() {
        return request.signal;
      },
      get kernel() {
        return kernel();
      },
      attachment,
      reportProgress: (value) => request.progress(value),
      replyAttachment: (buffer) => {
        requireSendable(buffer);
        reply = buffer;
      },
    });
    const sent = checkedResult(tool, result);
    checkOutputAttachment(tool.attachments, reply);
    return { ok: { result: sent }, attachment: reply };
  }
}

/**
 * @param {Exposed} tool
 * @param {unknown} result
 */
function checkedResult({ descriptor, output }, result) {
  // A handler that only does something gives nothing back.
  const value = result === undefined ? {} : copyJson(result, { what: "result" });
  const problems = output?.errors(value) ?? [];
  if (problems.length === 0) return value;
  const text = `${descriptor["name"]} ran, but gave something else than it promises.`;
  throw new BusError("INVALID_OUTPUT", text, { data: problemsData(problems) });
}
