// @ts-check
/**
 * Work that goes on after its call was answered. The host drives a task at points where it is
 * safe to stop; a request to cancel is `cancelling` first and `cancelled` at such a point.
 */

import { JSON_LIMITS } from "../contract/limits.js";
import { AppError } from "./app_error.js";
import { jsonCopy, outputError } from "./json_copy.js";
import { Observers } from "./observers.js";

/** @typedef {"queued" | "running" | "cancelling" | "cancelled" | "completed" | "failed"} TaskState */

/** @type {Readonly<Record<TaskState, readonly TaskState[]>>} */
const STEPS = Object.freeze({
  queued: ["running", "cancelling", "completed", "failed"],
  running: ["cancelling", "completed", "failed"],
  cancelling: ["cancelled", "completed", "failed"],
  cancelled: [],
  completed: [],
  failed: [],
});

const MAX_TASKS = 256;
const PROGRESS_LIMITS = Object.freeze({ ...JSON_LIMITS, maxEncodedBytes: 4_096, maxDepth: 8 });

/**
 * @param {unknown} progress
 * @returns {Record<string, unknown>}
 * @throws {Error} For what is no object of at most 4 KiB of JSON.
 */
export function progressCopy(progress) {
  const copy = jsonCopy(progress, PROGRESS_LIMITS);
  if (copy === null || typeof copy !== "object" || Array.isArray(copy)) {
    throw new TypeError("progress is an object");
  }
  return copy;
}

/** One piece of work. Made by `TaskTable.create`. */
export class Task {
  /**
   * @param {string} id
   * @param {string} action
   */
  constructor(id, action) {
    this.id = id;
    this.action = action;
    /** @type {TaskState} */
    this.state = "queued";
    /** @type {Record<string, unknown> | undefined} */
    this.progress = undefined;
    /** Whether its progress says what a caller waits for. */
    this._waits = false;
    /** @type {unknown} */
    this.output = undefined;
    /** @type {unknown} */
    this.error = undefined;
    /** @type {(output: unknown) => void} */
    this._judge = () => {};
    /** Most tasks are watched by nobody. @type {Observers<Task> | undefined} */
    this._observers = undefined;
  }

  /**
   * Watches its state and progress.
   *
   * @param {(task: Task) => void} observer What it throws changes nothing.
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    this._observers ??= new Observers();
    return this._observers.add(observer);
  }

  /** Whether it has come to an end. */
  get ended() {
    return STEPS[this.state].length === 0;
  }

  /** Says that work has begun. */
  start() {
    return this._move("running");
  }

  /**
   * @param {Record<string, unknown>} progress What to tell who asks: an object of at most 4 KiB of JSON.
   * @throws {Error} For anything else: it is the app's mistake.
   */
  report(progress) {
    this._report(progress, false);
  }

  /**
   * As `report`, of what its caller waits for, and not of how far the work is: it ends with the task.
   *
   * @param {Record<string, unknown>} progress
   * @throws {Error} As `report`.
   */
  reportWaiting(progress) {
    this._report(progress, true);
  }

  /**
   * @param {Record<string, unknown>} progress
   * @param {boolean} waits
   */
  _report(progress, waits) {
    const copy = progressCopy(progress);
    if (this.ended) return;
    this.progress = copy;
    this._waits = waits;
    this._observers?.notify(this);
  }

  /**
   * A point where it is safe to stop.
   *
   * @returns {boolean} True when the work is to stop now: the task is then cancelled.
   */
  checkpoint() {
    return this._move("cancelled");
  }

  /**
   * Ends it with its output, or as failed where the output is not what the action promises.
   *
   * @param {unknown} output Plain data; it is copied.
   */
  complete(output) {
    try {
      const copy = jsonCopy(output);
      this._judge(copy);
      this._move("completed", { output: copy });
    } catch (error) {
      this.fail(outputError(error, output));
    }
  }

  /**
   * Binds the task to what its action promises. The dispatcher does this when it is given the
   * task; it may have been completed before.
   *
   * @param {(output: unknown) => void} judge Throws for an output that breaks the promise.
   */
  judgeOutput(judge) {
    this._judge = judge;
    if (this.state !== "completed") return;
    try {
      judge(this.output);
    } catch (error) {
      this.state = "failed";
      this.output = undefined;
      this.error = error;
    }
  }

  /** @param {unknown} error An `AppError` is told as it is, anything else as `HOST_ERROR`. */
  fail(error) {
    this._move("failed", { error });
  }

  /** Asks to cancel; what has ended stays as it is. */
  cancel() {
    this._move("cancelling");
  }

  /**
   * @param {TaskState} next
   * @param {{ output?: unknown, error?: unknown }} [end] What it ends with.
   * @returns {boolean} Whether the table has this step.
   */
  _move(next, end = {}) {
    if (!STEPS[this.state].includes(next)) return false;
    this.state = next;
    // Of a task that was cancelled it would say that somebody is asked still.
    if (this.ended && this._waits) this.progress = undefined;
    if ("output" in end) this.output = end.output;
    if ("error" in end) this.error = end.error;
    this._observers?.notify(this);
    return true;
  }
}

/** The tasks of one app, the newest 256 of them. */
export class TaskTable {
  constructor() {
    /** @type {Map<string, Task>} */
    this._tasks = new Map();
    this._count = 0;
  }

  /**
   * Makes a task. Ended ones make room, oldest first.
   *
   * @param {string} action
   * @returns {Task}
   * @throws {AppError} `LIMIT_EXCEEDED` when every place holds unfinished work.
   */
  create(action) {
    if (this._tasks.size >= MAX_TASKS) {
      const ended = [...this._tasks.values()].find((task) => task.ended);
      if (ended === undefined) {
        throw new AppError("LIMIT_EXCEEDED", "Too many tasks are unfinished; wait for one.", {
          limit: "tasks",
          maximum: MAX_TASKS,
        });
      }
      this._tasks.delete(ended.id);
    }
    const task = new Task(`task-${++this._count}`, action);
    this._tasks.set(task.id, task);
    return task;
  }

  /**
   * @param {Task} task
   * @returns {boolean} Whether it was made here and is still kept.
   */
  owns(task) {
    return this._tasks.get(task.id) === task;
  }

  /**
   * @param {string} id
   * @returns {Task}
   * @throws {AppError} `UNKNOWN_TASK`
   */
  get(id) {
    const task = this._tasks.get(id);
    if (task === undefined) throw new AppError("UNKNOWN_TASK", "No task has this id (any more).");
    return task;
  }
}
