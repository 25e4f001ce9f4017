// @ts-check
/**
 * One call of a host's `execute`, from its start to its answer: an output, or a task where it
 * waits for a person or lasts too long. Contract: the dispatcher, deferred calls.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { isPromiseLike } from "./eventually.js";
import { progressCopy } from "./task_table.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { CheckedHost } from "./checked_host.js" */
/** @import { Ended, Executed } from "./calls.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { CallContext } from "./host.js" */
/** @import { Runtime } from "./runtime.js" */
/** @import { Task, TaskTable } from "./task_table.js" */

/**
 * @typedef {object} Surroundings What a call needs of its dispatcher.
 * @property {CheckedHost} host
 * @property {TaskTable} tasks
 * @property {Runtime} runtime
 * @property {(error: unknown) => void} onHostError Told what a host threw after its call was answered.
 * @property {(spec: ActionSpec, answer: unknown) => Executed} completed Checks what a host answered.
 */

const SLOW = Object.freeze({
  reason: "slow",
  message: "The app is still working on it; ask for the task.",
});

/** One running call. */
export class HostCall {
  /**
   * @param {Surroundings} around
   * @param {ActionSpec} spec
   * @param {object} how
   * @param {string | undefined} how.session
   * @param {boolean} how.external A local call is never answered as deferred: it only gives up its turn.
   * @param {() => void} how.giveUp
   * @param {(executed: Executed) => Ended} how.seal Adds the revision to an answer, and `failed` is told of
   *   a failure, before the turn goes to another call that may move the revision on.
   * @param {() => void} how.failed
   */
  constructor(around, spec, { session, external, giveUp, seal, failed }) {
    this._around = around;
    this._spec = spec;
    this._session = session;
    this._external = external;
    this._giveUp = giveUp;
    this._seal = seal;
    this._failed = failed;
    /** @type {Task | undefined} */
    this._task = undefined;
    this._over = false;
    /** What the handler asked for before its promise was there. @type {Record<string, unknown> | undefined} */
    this._asked = undefined;
    /** What the handler has told without asking for a task. @type {Record<string, unknown> | undefined} */
    this._progress = undefined;
    /** @type {((executed: () => Executed) => void) | undefined} */
    this._answer = undefined;
  }

  /**
   * @param {unknown} input Plain data.
   * @returns {Eventually<Ended>}
   */
  run(input) {
    const { host, runtime, completed } = this._around;
    /** @type {CallContext} */
    const context = Object.freeze({
      session: this._session,
      cancelRequested: () => this._task?.state === "cancelling",
      defer: (/** @type {string} */ reason, /** @type {string} */ message) =>
        this._defer(progressCopy({ reason: String(reason), message: String(message) })),
      report: (/** @type {Record<string, unknown>} */ progress) => {
        this._progress = progressCopy(progress);
        this._task?.report(this._progress);
      },
    });
    const answer = host.execute(this._spec.name, input, context);
    if (!isPromiseLike(answer)) {
      this._over = true;
      return this._seal(completed(this._spec, answer));
    }
    return new Promise((resolve, reject) => {
      const fail = (/** @type {unknown} */ error) => {
        this._failed();
        reject(error);
      };
      this._answer = (executed) => {
        try {
          resolve(this._seal(executed()));
        } catch (error) {
          fail(error);
        }
      };
      const cancelTimer = runtime.after(PROTOCOL_LIMITS.maxTurnSeconds * 1000, () => {
        // What it waits for was told already, and is still what it waits for.
        if (this._task === undefined) this._defer(this._progress ?? SLOW);
      });
      const end = (/** @type {() => void} */ how) => {
        this._over = true;
        cancelTimer();
        how();
      };
      Promise.resolve(answer).then(
        (value) =>
          end(() =>
            this._task
              ? this._finish(this._task, value)
              : this._answer?.(() => completed(this._spec, value)),
          ),
        (error) => end(() => (this._task ? this._stop(this._task, error) : fail(error))),
      );
      if (this._asked) this._defer(this._asked);
    });
  }

  /**
   * Gives up the turn and, where it was asked from outside, answers with a task.
   *
   * @param {Record<string, unknown>} progress Known to be fit to be told.
   */
  _defer(progress) {
    if (this._over) return;
    if (this._answer === undefined) {
      this._asked = progress;
      return;
    }
    if (this._task !== undefined) this._tell(this._task, progress);
    else if (this._external) this._answerWithTask(progress, this._answer);
    this._giveUp();
  }

  /**
   * @param {Task} task
   * @param {Record<string, unknown>} progress
   */
  _tell(task, progress) {
    if (progress === this._progress) task.report(progress);
    else task.reportWaiting(progress);
  }

  /**
   * @param {Record<string, unknown>} progress
   * @param {(executed: () => Executed) => void} answer
   */
  _answerWithTask(progress, answer) {
    /** @type {Task} */
    let task;
    try {
      task = this._around.tasks.create(this._spec.name);
    } catch {
      return; // No place for another task: the caller waits for the call itself.
    }
    this._task = task;
    task.start();
    this._tell(task, progress);
    answer(() => ({ status: "deferred", task }));
  }

  /**
   * @param {Task} task
   * @param {unknown} value
   */
  _finish(task, value) {
    try {
      const executed = this._around.completed(this._spec, value);
      if (executed.status === "deferred") throw new TypeError("a deferred call gave another task");
      task.complete(executed.output);
    } catch (error) {
      this._fail(task, error);
    }
  }

  /**
   * A call that throws after it was asked to cancel has stopped as it was asked to.
   *
   * @param {Task} task
   * @param {unknown} error
   */
  _stop(task, error) {
    if (!task.checkpoint()) this._fail(task, error);
  }

  /**
   * @param {Task} task
   * @param {unknown} error
   */
  _fail(task, error) {
    task.fail(error);
    this._around.onHostError(error);
  }
}
