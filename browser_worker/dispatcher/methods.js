// @ts-check
/**
 * The methods of control protocol 1, in one table: what each takes and gives. `protocolVersion`
 * is added to every result by the session.
 */

import { isObject } from "../contract/json_number.js";
import { BRIDGE_LIMITS, JSON_LIMITS, PROTOCOL_LIMITS } from "../contract/limits.js";
import { toPlain } from "../contract/strict_json.js";
import { AppError, RpcError, sendableError } from "./app_error.js";
import { andThen } from "./eventually.js";
import { fitting } from "./list_page.js";
import {
  optionalBoolean,
  optionalCount,
  optionalInteger,
  optionalOffset,
  optionalString,
  optionalValue,
  requiredObjects,
  requiredString,
} from "./params.js";
import { base64 } from "./resources.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { BatchItem } from "./batch.js" */
/** @import { CallData, Caller } from "./calls.js" */
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
  ["actions/batch", actionsBatch],
  ["state/inspect", stateInspect],
  ["tasks/get", tasksGet],
  ["tasks/cancel", tasksCancel],
  ["resources/read", resourcesRead],
  ["view/render", viewRender],
]);

/** @type {Method} */
function agentInfo({ dispatcher }) {
  return {
    app: dispatcher.app,
    enabled: dispatcher.enabled,
    capabilities: dispatcher.capabilities(),
    limits: {
      ...JSON_LIMITS,
      ...PROTOCOL_LIMITS,
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
    const page = fitting(summaries(dispatcher, found.slice(start, start + limit)));
    const end = start + page.length;
    /** @type {Result} */
    const result = { actions: page, ...withRevision(dispatcher) };
    if (end < found.length) result["nextCursor"] = String(end);
    return result;
  });
}

/**
 * @param {Dispatcher} dispatcher
 * @param {readonly ActionSpec[]} specs
 * @returns {Generator<Result>}
 */
function* summaries(dispatcher, specs) {
  for (const spec of specs) yield summary(dispatcher, spec);
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
function actionsExecute(context, params) {
  const call = callData(params);
  return andThen(context.dispatcher.execute({ ...call, ...caller(context) }), (ended) => ({
    ...(ended.status === "completed"
      ? { status: ended.status, output: ended.output }
      : deferred(ended)),
    ...asMember(ended.revision),
  }));
}

/**
 * @param {Params} params
 * @returns {CallData}
 */
function callData(params) {
  const action = requiredString(params, "action");
  const expectedRevision = optionalInteger(params, "expectedRevision");
  const input = optionalValue(params, "input");
  return { action, input, ...(expectedRevision === undefined ? {} : { expectedRevision }) };
}

/**
 * Who calls, as a dispatcher is told.
 *
 * @param {MethodContext} context
 * @returns {Caller}
 */
export function caller({ session, expired }) {
  return {
    ...(session === undefined ? {} : { session }),
    ...(expired === undefined ? {} : { expired }),
  };
}

/** @param {{ task: Task }} executed */
function deferred({ task }) {
  return { status: "deferred", task: taskView(task, false) };
}

/** @type {Method} */
function actionsBatch(context, params) {
  const { dispatcher } = context;
  const atomic = optionalBoolean(params, "atomic", false);
  const stopOnError = optionalBoolean(params, "stopOnError", true);
  const calls = requiredObjects(params, "calls", PROTOCOL_LIMITS.maxBatchCalls).map(callData);
  const batch = { calls, atomic, stopOnError, ...caller(context) };
  return andThen(dispatcher.batch(batch), (done) => ({
    atomic: done.atomic,
    committed: done.committed,
    results: done.results.map(batchItem),
    ...asMember(done.revision),
  }));
}

/**
 * @param {BatchItem} item
 * @returns {Result}
 */
function batchItem(item) {
  if ("error" in item) return { ok: false, error: sendableError(item.error) };
  if ("skipped" in item) return { ...item };
  return {
    ok: true,
    ...(item.status === "completed" ? { output: item.output } : deferred(item)),
    ...asMember(item.revision),
  };
}

/** @type {Method} */
function stateInspect(context, params) {
  const { dispatcher } = context;
  const query = toPlain(withoutVersion(params));
  return andThen(dispatcher.inspectAtRevision(query, caller(context)), ({ value, revision }) => ({
    ...value,
    ...asMember(revision),
  }));
}

/**
 * @param {Params} params
 * @returns {Params} What is for the app.
 */
function withoutVersion({ protocolVersion: _version, ...rest }) {
  return rest;
}

/** @type {Method} */
function resourcesRead(context, params) {
  const uri = requiredString(params, "uri");
  const offset = optionalOffset(params, "offset");
  const most = PROTOCOL_LIMITS.maxResourceChunkBytes;
  const limit = optionalCount(params, "limit", most) ?? most;
  // No resource goes on past what a number can count: there a host is asked about its end.
  const from = typeof offset === "bigint" ? Number.MAX_SAFE_INTEGER : offset;
  const found = context.dispatcher.readResourceAtRevision(uri, from, limit, caller(context));
  return andThen(found, ({ value: { mimeType, size, data }, revision }) => {
    const end = from + data.length;
    return {
      uri,
      mimeType,
      size,
      offset,
      data: base64(data),
      ...(end < size ? { nextOffset: end } : {}),
      ...asMember(revision),
    };
  });
}

/** @type {Method} */
function viewRender(context, params) {
  const picture = context.dispatcher.render(withoutVersion(params), caller(context));
  return andThen(picture, (ended) => ({
    ...(ended.status === "completed" ? rendered(ended.output) : deferred(ended)),
    ...asMember(ended.revision),
  }));
}

/**
 * @param {unknown} output
 * @returns {Result}
 */
function rendered(output) {
  if (isObject(output)) return output;
  throw new AppError("INVALID_OUTPUT", "What the app rendered is not an object.");
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
  if (whole && task.state === "failed") view["error"] = sendableError(task.error);
  return view;
}

/**
 * @param {Dispatcher} dispatcher
 * @param {string} [action]
 * @returns {Result} Empty where the host has no revision.
 */
function withRevision(dispatcher, action) {
  return asMember(dispatcher.revision(action));
}

/** @param {number | bigint | null} revision */
function asMember(revision) {
  return revision === null ? {} : { revision };
}
