// @ts-check
/**
 * Waits in the app itself for the end of a task, and tells of its progress meanwhile.
 *
 * Holds no turn. Where no time passes it does not wait. Contract: MCP, `task_status`.
 */

import { TIMELESS } from "./runtime.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { CallMark } from "./in_flight.js" */
/** @import { TaskProgressLines } from "./task_progress.js" */
/** @import { Task } from "./task_table.js" */

/** One wait. */
export class TaskWatch {
  /**
   * @param {Dispatcher} dispatcher
   * @param {CallMark} mark Says that the caller does not want it any more.
   * @param {TaskProgressLines} progress
   * @param {((line: string) => void) | undefined} notify
   */
  constructor(dispatcher, mark, progress, notify) {
    this._dispatcher = dispatcher;
    this._mark = mark;
    this._progress = progress;
    this._notify = notify;
  }

  /**
   * Waits until the task has ended, the time is over, the caller does not want it any more, or calls
   * from outside are shut out.
   *
   * @param {Task} task
   * @param {number} milliseconds
   * @returns {Eventually<void>} Never rejects.
   */
  wait(task, milliseconds) {
    const { runtime } = this._dispatcher;
    if (task.ended || milliseconds <= 0 || runtime === TIMELESS || this._mark.cancelled) {
      return undefined;
    }
    return new Promise((resolve) => {
      /** @type {(() => void)[]} */
      const watches = [];
      const end = () => {
        for (const stop of watches.splice(0)) stop();
        resolve();
      };
      watches.push(
        runtime.after(milliseconds, end),
        task.onChange(() => (task.ended ? end() : this._tell(task))),
        this._dispatcher.onEnabledChange(end),
        this._mark.onCancel(end),
      );
      this._tell(task);
    });
  }

  /** @param {Task} task */
  _tell(task) {
    const line = this._progress.line(task);
    if (line === undefined) return;
    try {
      this._notify?.(line);
    } catch {
      // Who takes the lines only listens.
    }
  }
}
