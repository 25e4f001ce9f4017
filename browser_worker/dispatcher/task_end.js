// @ts-check
/**
 * Waits for the end of a task, for a caller who would otherwise ask again and again. Holds no turn:
 * what moves the task is not kept waiting by who waits for it.
 */

import { TIMELESS } from "./runtime.js";

/** @import { Dispatcher } from "./dispatcher.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Task } from "./task_table.js" */

/**
 * Comes back at the task's end, when the time is over, when the app is shut to callers outside, and
 * when it is stopped. Where no time passes it comes back at once.
 *
 * @param {Dispatcher} dispatcher
 * @param {Task} task
 * @param {object} wait
 * @param {number} wait.milliseconds
 * @param {() => void} wait.waiting Told when the waiting begins and at each change of the task but its end.
 * @param {(stop: () => void) => void} wait.stoppable Given what stops it.
 * @returns {Eventually<void>} Never rejects.
 */
export function taskEnd(dispatcher, task, { milliseconds, waiting, stoppable }) {
  const { runtime } = dispatcher;
  if (task.ended || milliseconds <= 0 || runtime === TIMELESS) return undefined;
  return new Promise((resolve) => {
    /** @type {(() => void)[]} */
    const watches = [];
    const end = () => {
      for (const stop of watches.splice(0)) stop();
      resolve();
    };
    watches.push(
      runtime.after(milliseconds, end),
      task.onChange(() => (task.ended ? end() : waiting())),
      dispatcher.onEnabledChange(end),
    );
    stoppable(end);
    waiting();
  });
}
