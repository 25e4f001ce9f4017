// @ts-check
/**
 * Work that goes on after its call was answered. The host drives a task at points where it is
 * safe to stop; a request to cancel is `cancelling` first and `cancelled` at such a point.
 */

import { AppError } from "./app_error.js";

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
    /** @type {unknown} */
    this.output = undefined;
    /** @type {unknown} */
    this.error = undefined;
  }

  /** Whether it has come to an end. */
  get ended() {
    return STEPS[this.state].length === 0;
  }

  /** Says that work has begun. */
  start() {
    return this._move("running");
  }

  /** @param {Record<string, unknown>} progress What to tell who asks; plain data. */
  report(progress) {
    if (!this.ended) this.progress = progress;
  }

  /**
   * A point where it is safe to stop.
   *
   * @returns {boolean} True when the work is to stop now: the task is then cancelled.
   */
  checkpoint() {
    return this._move("cancelled");
  }

  /** @param {unknown} output */
  complete(output) {
    if (this._move("completed")) this.output = output;
  }

  /** @param {unknown} error An `AppError` is told as it is, anything else as `HOST_ERROR`. */
  fail(error) {
    if (this._move("failed")) this.error = error;
  }

  /** Asks to cancel; what has ended stays as it is. */
  cancel() {
    this._move("cancelling");
  }

  /**
   * @param {TaskState} next
   * @returns {boolean} Whether the table has this step.
   */
  _move(next) {
    if (!STEPS[this.state].includes(next)) return false;
    this.state = next;
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
