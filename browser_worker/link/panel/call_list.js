// @ts-check
/**
 * The calls that a person is shown: newest first, bounded, each from its beginning to its end. Knows no
 * DOM. Rows are replaced, never changed, so that whoever draws them sees which are new.
 */

import { isObject } from "../../contract/json_number.js";
import { contractCode } from "../../dispatcher/app_error.js";
import { shownName } from "./shown_name.js";

/** @import { AppError } from "../../dispatcher/app_error.js" */
/** @import { SessionEvent } from "../../dispatcher/agent_endpoint.js" */
/** @import { Task } from "../../dispatcher/task_table.js" */

/**
 * @typedef {object} CallRow
 * @property {number} key Unique in its list.
 * @property {string} name The action's, or where there is none the tool's or the method's.
 * @property {string} session
 * @property {"read" | "write" | null} kind Null while it is not known, as for an action that there is not.
 * @property {"running" | "done" | "deferred" | "failed"} phase
 * @property {boolean} asks Whether it waits for a person's yes.
 * @property {string | null} code The error's code.
 * @property {number | null} durationMs
 * @property {number} startMs On the clock that the list was given.
 * @property {number} wallMs When it began, Unix milliseconds.
 */

/** What only asks about the app's actions, not for its content: an agent asks it all the time. */
export const UNSHOWN = new Set([
  ...["agent/info", "actions/list", "actions/describe", "tasks/get"],
  ...["actions_search", "actions_describe", "task_status"],
  ...["server/discover", "initialize", "ping", "tools/list"],
  ...["resources/list", "resources/templates/list"],
]);
/** By method, or by MCP tool. @type {ReadonlyMap<string, "read" | "write">} */
const KINDS = new Map([
  ["state/inspect", "read"],
  ["resources/read", "read"],
  ["view/render", "read"],
  ["tasks/cancel", "write"],
  ["actions/batch", "write"],
  ["state_inspect", "read"],
  ["resource_read", "read"],
  ["view_render", "read"],
  ["task_cancel", "write"],
  ["actions_batch", "write"],
]);

/** Of a task that has ended. @type {ReadonlyMap<string, CallRow["phase"]>} */
const PHASES = new Map([
  ["completed", "done"],
  ["cancelled", "failed"],
  ["failed", "failed"],
]);

export class CallList {
  /** @type {CallRow[]} newest first */
  #rows = [];
  /** @type {Map<string, number>} the row of each request that runs */
  #running = new Map();
  /** @type {Map<string, "read" | "write">} */
  #kinds = new Map();
  #keys = 0;
  #clock;
  #maxRows;
  #onTask;

  /**
   * @param {() => { monotonicMs: number, wallMs: number }} clock
   * @param {number} [maxRows]
   * @param {() => void} [onTask] Told when a call that goes on as a task has changed.
   */
  constructor(clock, maxRows = 50, onTask = () => {}) {
    this.#clock = clock;
    this.#maxRows = maxRows;
    this.#onTask = onTask;
  }

  /** @returns {readonly CallRow[]} newest first */
  get rows() {
    return this.#rows;
  }

  /** How many run now, those that no row is left for included. */
  get running() {
    return this.#running.size;
  }

  /**
   * @param {SessionEvent} event
   * @param {number} source Whose it is: each endpoint counts its requests anew.
   * @param {(id: string) => Task | undefined} [taskOf] Finds what a call goes on as.
   * @returns {CallRow | null} the row that has begun
   */
  take(event, source, taskOf = () => undefined) {
    if (event.request === undefined || event.method === undefined) return null;
    const request = `${source}:${event.request}`;
    if (event.phase === "end") this.#end(request, event, taskOf);
    return event.phase === "begin" && !UNSHOWN.has(event.tool ?? event.method)
      ? this.#begin(request, event)
      : null;
  }

  /**
   * Learns what an action is, from the dispatcher, which alone knows it.
   *
   * @param {string} action
   * @param {"read" | "write"} kind
   */
  learn(action, kind) {
    if (this.#kinds.get(action) === kind) return;
    this.#kinds.set(action, kind);
    this.#rows = this.#rows.map((row) =>
      row.name === action && row.kind === null ? { ...row, kind } : row,
    );
  }

  /** Removes every row that has ended. */
  clear() {
    this.#rows = this.#rows.filter((row) => row.phase === "running");
  }

  /**
   * @param {string} request
   * @param {SessionEvent} event
   */
  #begin(request, { session, method = "", tool = method, action }) {
    const { monotonicMs, wallMs } = this.#clock();
    const kind = action === undefined ? KINDS.get(tool) : this.#kinds.get(action);
    /** @type {CallRow} */
    const row = {
      key: ++this.#keys,
      name: action ?? tool,
      session,
      kind: kind ?? null,
      phase: "running",
      asks: false,
      code: null,
      durationMs: null,
      startMs: monotonicMs,
      wallMs,
    };
    this.#running.set(request, row.key);
    this.#rows = [row, ...this.#rows.slice(0, this.#maxRows - 1)];
    return row;
  }

  /**
   * @param {string} request
   * @param {SessionEvent} event
   * @param {(id: string) => Task | undefined} taskOf
   */
  #end(request, { ok, deferred, task, code }, taskOf) {
    const key = this.#running.get(request);
    if (key === undefined) return;
    this.#running.delete(request);
    this.#lasted(key, ok ? (deferred ? "deferred" : "done") : "failed", { code: code ?? null });
    const goesOn = task === undefined ? undefined : taskOf(task);
    if (goesOn !== undefined) this.#follow(key, goesOn);
  }

  /**
   * @param {number} key
   * @param {Task} task
   */
  #follow(key, task) {
    const look = () => {
      const asks = !task.ended && task.progress?.["reason"] === "consent";
      const phase = PHASES.get(task.state) ?? "deferred";
      const code = phase === "failed" ? codeOf(task) : null;
      if (!this.#lasted(key, phase, { asks, code }) || task.ended) stop();
      this.#onTask();
    };
    const stop = task.onChange(look);
    look();
  }

  /**
   * @param {number} key
   * @param {CallRow["phase"]} phase
   * @param {Partial<CallRow>} how
   * @returns {boolean} Whether it has a row yet: those that came after it may have pushed it out.
   */
  #lasted(key, phase, how) {
    const at = this.#rows.findIndex((row) => row.key === key);
    const row = this.#rows[at];
    if (row === undefined) return false;
    const durationMs = Math.max(0, this.#clock().monotonicMs - row.startMs);
    this.#rows = this.#rows.with(at, { ...row, ...how, phase, durationMs });
    return true;
  }
}

/** @param {Task} task */
function codeOf({ state, error }) {
  return state === "cancelled"
    ? "CANCELLED"
    : (whyNot(error) ?? contractCode(error) ?? "HOST_ERROR");
}

/**
 * Of an action that is not available the app says why, by a code of its own: a person learns more of it.
 *
 * @param {unknown} error
 * @returns {string | undefined}
 */
function whyNot(error) {
  if (contractCode(error) !== "UNAVAILABLE") return undefined;
  const { availability } = /** @type {AppError} */ (error).data;
  const code = isObject(availability) ? availability["code"] : undefined;
  return typeof code === "string" && code !== "" ? shownName(code, 40) : undefined;
}
