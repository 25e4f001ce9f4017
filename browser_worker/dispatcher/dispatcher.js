// @ts-check
/**
 * Runs an app's actions through one set of checks, for the app's own buttons and for terminals
 * alike. It starts disabled; who may reach it from outside is the app's explicit decision.
 *
 * Knows actions, revisions, turns and tasks; knows no protocol, no browser and no event loop.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { StrictJsonError, stringify, toPlain } from "../contract/strict_json.js";
import { ActionSpec } from "./action_spec.js";
import { AppError, limitExceeded } from "./app_error.js";
import { andThen, isPromiseLike } from "./eventually.js";
import { TIMELESS } from "./runtime.js";
import { Task, TaskTable } from "./task_table.js";
import { TurnQueue } from "./turn_queue.js";

/** @import { CallContext, Host, Unavailability } from "./host.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Runtime } from "./runtime.js" */

/**
 * @typedef {object} ExternalCall One call from outside.
 * @property {string} action
 * @property {unknown} [input] As parsed: numbers may still be tokens.
 * @property {number | bigint} [expectedRevision]
 * @property {string} [session]
 */

/** @typedef {{ status: "completed", output: unknown } | { status: "deferred", task: Task }} Executed */

/**
 * @typedef {object} CallEvent What an observer is told.
 * @property {"begin" | "end"} phase
 * @property {number} call Counts calls; the same for begin and end.
 * @property {string} action
 * @property {string | undefined} session Undefined for a local call.
 * @property {boolean} [ok] At the end.
 * @property {string} [code] At the end of one that failed: the error's code.
 * @property {boolean} [deferred] At the end of one that goes on as a task.
 * @property {number} [durationMs] At the end.
 */

/** The one way to an app's actions. */
export class Dispatcher {
  /**
   * @param {Host} host
   * @param {{ app: { name: string, version: string }, runtime?: Runtime }} options Without a runtime
   *   no call is ever deferred for being slow.
   */
  constructor(host, { app, runtime = TIMELESS }) {
    this.host = host;
    this.app = Object.freeze({ name: app.name, version: app.version });
    this.tasks = new TaskTable();
    this._runtime = runtime;
    this._turns = new TurnQueue();
    this._enabled = false;
    this._calls = 0;
    /** @type {Set<(event: CallEvent) => void>} */
    this._observers = new Set();
  }

  get enabled() {
    return this._enabled;
  }

  /**
   * Opens or shuts the way from outside, at once. Local calls work either way.
   *
   * @param {boolean} enabled
   */
  setEnabled(enabled) {
    this._enabled = enabled === true;
  }

  /**
   * Watches calls as they happen.
   *
   * @param {(event: CallEvent) => void} observer What it throws changes nothing.
   * @returns {() => void} Ends the watching.
   */
  onCall(observer) {
    this._observers.add(observer);
    return () => void this._observers.delete(observer);
  }

  /** @throws {AppError} `DISABLED` */
  requireEnabled() {
    if (!this._enabled) {
      throw new AppError(
        "DISABLED",
        "The app does not take calls from outside now; enable it there.",
      );
    }
  }

  /**
   * The app's actions by name, in its own order.
   *
   * @returns {Eventually<ReadonlyMap<string, ActionSpec>>}
   */
  actions() {
    return andThen(this.host.actions(), (specs) => {
      /** @type {Map<string, ActionSpec>} */
      const byName = new Map();
      const commands = new Set();
      for (const spec of specs) {
        if (!(spec instanceof ActionSpec) || byName.has(spec.name)) {
          throw new TypeError("the host's actions are not unique ActionSpecs");
        }
        if (spec.commandId !== undefined) {
          if (commands.has(spec.commandId)) throw new TypeError("command ids are not unique");
          commands.add(spec.commandId);
        }
        byName.set(spec.name, spec);
      }
      return byName;
    });
  }

  /**
   * @param {string} name
   * @returns {Eventually<ActionSpec>} Rejects or throws `UNKNOWN_ACTION`.
   */
  action(name) {
    return andThen(this.actions(), (specs) => {
      const spec = specs.get(name);
      if (spec === undefined) {
        throw new AppError(
          "UNKNOWN_ACTION",
          "The app has no action of this name; see actions/list.",
        );
      }
      return spec;
    });
  }

  /**
   * The state number, always read from the host.
   *
   * @param {string} [action]
   * @returns {number | bigint | null}
   */
  revision(action) {
    const revision = this.host.revision(action);
    if (revision === null || revision === undefined) return null;
    if (typeof revision === "bigint" || Number.isSafeInteger(revision)) return revision;
    throw new TypeError("the host's revision is not an integer");
  }

  /**
   * Why an action cannot run now, or null.
   *
   * @param {string} name
   * @returns {Unavailability | null}
   */
  unavailable(name) {
    const found = this.host.modal?.() ?? this.host.availability?.(name) ?? null;
    return found === null ? null : { code: String(found.code), reason: String(found.reason) };
  }

  /**
   * Runs an action for the app's own interface: the same checks, but no endpoint has to be
   * enabled and no revision is asked for. Synchronous over a synchronous host with a free turn.
   *
   * @param {string} name
   * @param {unknown} [input] Plain data.
   * @returns {Eventually<any>} The output; a `Task` where the host deferred it.
   * @throws {AppError}
   */
  executeLocal(name, input) {
    return andThen(this.action(name), (spec) =>
      andThen(this._run(spec, { action: name, input }, false), (executed) =>
        executed.status === "deferred" ? executed.task : executed.output,
      ),
    );
  }

  /**
   * Runs the action of a command id, as `executeLocal` does.
   *
   * @param {number} commandId
   * @param {unknown} [input]
   * @returns {Eventually<any>}
   */
  executeCommand(commandId, input) {
    return andThen(this.actions(), (specs) => {
      const spec = [...specs.values()].find((candidate) => candidate.commandId === commandId);
      if (spec === undefined) {
        throw new AppError("UNKNOWN_ACTION", "The app has no action with this command id.");
      }
      return this.executeLocal(spec.name, input);
    });
  }

  /**
   * Runs an action for a caller outside. Contract: the checks and their order.
   *
   * @param {ExternalCall} call
   * @returns {Eventually<Executed>}
   */
  execute(call) {
    this.requireEnabled();
    return andThen(this.action(call.action), (spec) => this._run(spec, call, true));
  }

  /**
   * Runs something of the host's in turn: `state/inspect`, say.
   *
   * @template T
   * @param {() => Eventually<T>} call
   * @returns {Eventually<T>}
   */
  inTurn(call) {
    return this.host.concurrent ? call() : this._turns.run(call);
  }

  /**
   * @param {ActionSpec} spec
   * @param {ExternalCall} call
   * @param {boolean} external
   * @returns {Eventually<Executed>}
   */
  _run(spec, call, external) {
    const end = this._observe(spec.name, call.session);
    try {
      const executed = this.host.concurrent
        ? this._checked(spec, call, external, () => {})
        : this._turns.run((giveUp) => this._checked(spec, call, external, giveUp));
      if (!isPromiseLike(executed)) {
        end(executed);
        return executed;
      }
      return executed.then(
        (value) => {
          end(value);
          return value;
        },
        (error) => {
          end(undefined, error);
          throw error;
        },
      );
    } catch (error) {
      end(undefined, error);
      throw error;
    }
  }

  /**
   * All checks from the capability on, in the contract's order, and then the host.
   *
   * @param {ActionSpec} spec
   * @param {ExternalCall} call
   * @param {boolean} external
   * @param {() => void} giveUp Ends this call's turn.
   * @returns {Eventually<Executed>}
   */
  _checked(spec, call, external, giveUp) {
    // Its turn may have come long after it was asked for.
    if (external) this.requireEnabled();
    this._checkCapability(spec);
    const input = call.input === undefined ? {} : call.input;
    const errors = spec.input.errors(input);
    if (errors.length > 0) {
      throw new AppError("INVALID_INPUT", "The input does not match the action's schema.", {
        errors,
      });
    }
    if (external) this._checkRevision(spec, call.expectedRevision);
    const availability = this.unavailable(spec.name);
    if (availability !== null) {
      throw new AppError("UNAVAILABLE", availability.reason, { availability });
    }
    return this._callHost(spec, toPlain(input), call.session, external, giveUp);
  }

  /** @param {ActionSpec} spec */
  _checkCapability(spec) {
    const required = BigInt(spec.capabilities);
    if (required === 0n) return;
    const held = this.host.capabilities();
    if ((BigInt(held) & required) !== required) {
      throw new AppError(
        "CAPABILITY_REQUIRED",
        "The app does not hold a capability that this needs.",
        {
          required: spec.capabilities,
          held,
        },
      );
    }
  }

  /**
   * @param {ActionSpec} spec
   * @param {number | bigint | undefined} expected
   */
  _checkRevision(spec, expected) {
    const actual = this.revision(spec.name);
    if (expected === undefined) {
      if (spec.kind === "write" && actual !== null) {
        throw new AppError(
          "REVISION_REQUIRED",
          "A write needs expectedRevision: read the state first and send its revision.",
        );
      }
      return;
    }
    if (actual === null || BigInt(expected) !== BigInt(actual)) {
      throw new AppError(
        "STALE_REVISION",
        "The state has changed since that revision; read it again.",
        {
          expected,
          actual,
        },
      );
    }
  }

  /**
   * @param {ActionSpec} spec
   * @param {unknown} input
   * @param {string | undefined} session
   * @param {boolean} external
   * @param {() => void} giveUp
   * @returns {Eventually<Executed>}
   */
  _callHost(spec, input, session, external, giveUp) {
    /** @type {Task | undefined} */
    let task;
    /** @type {CallContext} */
    const context = { session, cancelRequested: () => task?.state === "cancelling" };
    const answer = this.host.execute(spec.name, input, context);
    if (!isPromiseLike(answer)) return this._completed(spec, answer);
    const settled = Promise.resolve(answer);
    if (!external) return settled.then((value) => this._completed(spec, value));
    return new Promise((resolve, reject) => {
      const cancel = this._runtime.after(PROTOCOL_LIMITS.maxTurnSeconds * 1000, () => {
        try {
          task = this._defer(spec);
        } catch {
          return; // No place for another task: the call goes on as it is.
        }
        giveUp();
        resolve({ status: "deferred", task });
      });
      settled.then(
        (value) => {
          cancel();
          if (task === undefined) {
            andSettle(() => this._completed(spec, value), resolve, reject);
          } else {
            this._finish(spec, task, value);
          }
        },
        (error) => {
          cancel();
          if (task === undefined) reject(error);
          else if (!task.checkpoint()) task.fail(error);
        },
      );
    });
  }

  /** @param {ActionSpec} spec */
  _defer(spec) {
    const task = this.tasks.create(spec.name);
    task.start();
    task.report({ reason: "slow", message: "The app is still working on it; ask for the task." });
    return task;
  }

  /**
   * @param {ActionSpec} spec
   * @param {Task} task
   * @param {unknown} value
   */
  _finish(spec, task, value) {
    try {
      const executed = this._completed(spec, value);
      if (executed.status === "completed") task.complete(executed.output);
      else task.fail(new AppError("INVALID_OUTPUT", "A deferred call gave another task."));
    } catch (error) {
      task.fail(error);
    }
  }

  /**
   * @param {ActionSpec} spec
   * @param {unknown} answer
   * @returns {Executed}
   */
  _completed(spec, answer) {
    if (answer instanceof Task) return { status: "deferred", task: answer };
    const output = answer === undefined ? {} : answer;
    this.checkOutput(spec, output);
    return { status: "completed", output };
  }

  /**
   * Checks what a host gave, after the fact: the action has run.
   *
   * @param {ActionSpec} spec
   * @param {unknown} output
   * @throws {AppError} `INVALID_OUTPUT` or `LIMIT_EXCEEDED`
   */
  checkOutput(spec, output) {
    try {
      stringify(output);
    } catch (error) {
      if (error instanceof StrictJsonError && error.kind === "limit") throw limitExceeded(error);
      throw new AppError("INVALID_OUTPUT", "The action ran, but what it gave is not JSON.");
    }
    const errors = spec.output.errors(output);
    if (errors.length > 0) {
      throw new AppError("INVALID_OUTPUT", "The action ran, but what it gave breaks its schema.", {
        errors,
      });
    }
  }

  /**
   * @param {string} action
   * @param {string | undefined} session
   * @returns {(executed?: Executed, error?: unknown) => void}
   */
  _observe(action, session) {
    if (this._observers.size === 0) return () => {};
    const call = ++this._calls;
    const start = this._runtime.now();
    this._notify({ phase: "begin", call, action, session });
    return (executed, error) => {
      /** @type {CallEvent} */
      const event = {
        phase: "end",
        call,
        action,
        session,
        ok: error === undefined,
        deferred: executed?.status === "deferred",
        durationMs: this._runtime.now() - start,
      };
      if (error !== undefined) event.code = error instanceof AppError ? error.code : "HOST_ERROR";
      this._notify(event);
    };
  }

  /** @param {CallEvent} event */
  _notify(event) {
    for (const observer of this._observers) {
      try {
        observer(event);
      } catch {
        // An observer only watches.
      }
    }
  }
}

/**
 * @template T
 * @param {() => T} make
 * @param {(value: T) => void} resolve
 * @param {(error: unknown) => void} reject
 */
function andSettle(make, resolve, reject) {
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
}
