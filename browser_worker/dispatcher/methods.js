// @ts-check
/**
 * The methods of control protocol 1, in one table: what each takes and gives. `protocolVersion`
 * is added to every result by the session.
 */

import { BRIDGE_LIMITS, JSON_LIMITS, PROTOCOL_LIMITS } from "../contract/limits.js";
import { toPlain } from "../contract/strict_json.js";
import { AppError, RpcError, toWireError } from "./app_error.js";
import { andThen } from "./eventually.js";
import {
  optionalCount,
  optionalInteger,
  optionalString,
  optionalValue,
  requiredString,
} from "./params.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Params } from "./params.js" */
/** @import { Task } from "./task_table.js" */

/**
 * @typedef {object} MethodContext
 * @property {Dispatcher} dispatcher
 * @property {string | undefined} session
 * @property {(() => boolean) | undefined} expired Whether the caller has gone by now.
 */
/** @typedef {Record<string, unknown>} Result */
/** @typedef {(context: MethodContext, params: Params) => Eventually<Result>} Method */

/** Answered even while the dispatcher is disabled. */
export const ALWAYS_ANSWERED = new Set(["agent/info"]);

/** @type {ReadonlyMap<string, Method>} */
export const METHODS = new Map([
  ["agent/info", agentInfo],
  ["actions/list", actionsList],
  ["actions/describe", actionsDescribe],
  ["actions/execute", actionsExecute],
  ["state/inspect", stateInspect],
  ["tasks/get", tasksGet],
  ["tasks/cancel", tasksCancel],
]);

/** @type {Method} */
function agentInfo({ dispatcher }) {
  // Limits of methods that are not here yet are nobody's business.
  const { maxBatchCalls: _calls, maxResourceChunkBytes: _chunk, ...protocol } = PROTOCOL_LIMITS;
  return {
    app: dispatcher.app,
    enabled: dispatcher.enabled,
    capabilities: dispatcher.capabilities(),
    limits: {
      ...JSON_LIMITS,
      ...protocol,
      maxCallSeconds: BRIDGE_LIMITS.maxCallSeconds,
    },
    methods: [...METHODS.keys()],
    ...withRevision(dispatcher),
  };
}

/** @type {Method} */
function actionsList({ dispatcher }, params) {
  const words = (optionalString(params, "query") ?? "").split(/[ \t\r\n]+/).filter(Boolean);
  const start = cursorIndex(optionalString(params, "cursor"));
  const limit =
    optionalCount(params, "limit", PROTOCOL_LIMITS.maxListLimit) ??
    PROTOCOL_LIMITS.defaultListLimit;
  return andThen(dispatcher.actions(), (specs) => {
    const found = [...specs.values()].filter((spec) => matches(spec, words));
    const page = found.slice(start, start + limit);
    /** @type {Result} */
    const result = {
      actions: page.map((spec) => summary(dispatcher, spec)),
      ...withRevision(dispatcher),
    };
    if (start + limit < found.length) result["nextCursor"] = String(start + limit);
    return result;
  });
}

/** @param {string | undefined} cursor */
function cursorIndex(cursor) {
  if (cursor === undefined) return 0;
  if (!/^[1-9]\d{0,8}$/.test(cursor)) {
    throw new RpcError("INVALID_PARAMS", "params.cursor must be a nextCursor of an earlier answer");
  }
  return Number(cursor);
}

/**
 * @param {ActionSpec} spec
 * @param {readonly string[]} words
 */
function matches(spec, words) {
  const name = lowerAscii(spec.name);
  const description = lowerAscii(spec.description);
  return words.map(lowerAscii).every((word) => name.includes(word) || description.includes(word));
}

/** @param {string} text */
function lowerAscii(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * @param {Dispatcher} dispatcher
 * @param {ActionSpec} spec
 * @returns {Result}
 */
function summary(dispatcher, spec) {
  const unavailable = dispatcher.unavailable(spec.name);
  return {
    name: spec.name,
    description: spec.description,
    kind: spec.kind,
    available: unavailable === null,
    ...(unavailable === null ? {} : { unavailable }),
  };
}

/** @type {Method} */
function actionsDescribe({ dispatcher }, params) {
  const name = requiredString(params, "action");
  return andThen(dispatcher.action(name), (spec) => ({
    action: {
      ...summary(dispatcher, spec),
      inputSchema: spec.inputSchema,
      outputSchema: spec.outputSchema,
      capabilities: spec.capabilities,
      undo: spec.undo,
      ...(spec.transaction === undefined ? {} : { transaction: spec.transaction }),
      ...(spec.commandId === undefined ? {} : { commandId: spec.commandId }),
    },
    ...withRevision(dispatcher, name),
  }));
}

/** @type {Method} */
function actionsExecute({ dispatcher, session, expired }, params) {
  const action = requiredString(params, "action");
  const expectedRevision = optionalInteger(params, "expectedRevision");
  const input = optionalValue(params, "input");
  return andThen(
    dispatcher.execute({
      action,
      input,
      ...(expectedRevision === undefined ? {} : { expectedRevision }),
      ...(session === undefined ? {} : { session }),
      ...(expired === undefined ? {} : { expired }),
    }),
    (executed) => ({
      ...(executed.status === "completed"
        ? executed
        : { status: "deferred", task: taskView(executed.task, false) }),
      ...withRevision(dispatcher, action),
    }),
  );
}

/** @type {Method} */
function stateInspect({ dispatcher }, params) {
  const { inspect } = dispatcher.host;
  if (inspect === undefined) {
    throw new AppError("UNAVAILABLE", "The app offers no inspection of its state.", {
      availability: { code: "NO_INSPECTION", reason: "The app offers no inspection of its state." },
    });
  }
  const { protocolVersion: _version, ...query } = params;
  return andThen(
    dispatcher.inTurn(() => inspect.call(dispatcher.host, toPlain(query))),
    (state) => {
      if (state === null || typeof state !== "object" || Array.isArray(state)) {
        throw new AppError("INVALID_OUTPUT", "What the app tells of its state is not an object.");
      }
      return { ...state, ...withRevision(dispatcher) };
    },
  );
}

/** @type {Method} */
function tasksGet({ dispatcher }, params) {
  const task = dispatcher.tasks.get(requiredString(params, "id"));
  return { task: taskView(task, true), ...withRevision(dispatcher) };
}

/** @type {Method} */
function tasksCancel({ dispatcher }, params) {
  const task = dispatcher.tasks.get(requiredString(params, "id"));
  task.cancel();
  return { task: taskView(task, true), ...withRevision(dispatcher) };
}

/**
 * @param {Task} task
 * @param {boolean} whole Whether action, output and error are told as well.
 * @returns {Result}
 */
function taskView(task, whole) {
  /** @type {Result} */
  const view = { id: task.id, state: task.state };
  if (whole) view["action"] = task.action;
  if (task.progress !== undefined) view["progress"] = task.progress;
  if (whole && task.state === "completed") view["output"] = task.output;
  if (whole && task.state === "failed") view["error"] = toWireError(task.error);
  return view;
}

/**
 * @param {Dispatcher} dispatcher
 * @param {string} [action]
 * @returns {Result} Empty where the host has no revision.
 */
function withRevision(dispatcher, action) {
  const revision = dispatcher.revision(action);
  return revision === null ? {} : { revision };
}
