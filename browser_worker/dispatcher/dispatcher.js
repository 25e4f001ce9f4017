// @ts-check
/**
 * Runs an app's actions through one set of checks, for the app's own buttons and for terminals
 * alike. It starts disabled; who may reach it from outside is the app's explicit decision.
 *
 * Knows actions, revisions, turns and tasks; knows no protocol, no browser and no event loop.
 */

import { PROTOCOL_LIMITS } from "../contract/limits.js";
import { stringify, toPlain } from "../contract/strict_json.js";
import { ActionSpec } from "./action_spec.js";
import { AppError, contractCode } from "./app_error.js";
import { CallObservers } from "./call_observers.js";
import { andThen, watched } from "./eventually.js";
import { HostCall } from "./host_call.js";
import { outputError } from "./json_copy.js";
import { firstNotJson } from "./not_json.js";
import { Observers } from "./observers.js";
import { TIMELESS } from "./runtime.js";
import { Task, TaskTable } from "./task_table.js";
import { TurnQueue } from "./turn_queue.js";

/** @import { Host, Unavailability } from "./host.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Runtime } from "./runtime.js" */

/**
 * @typedef {object} ExternalCall One call from outside.
 * @property {string} action
 * @property {unknown} [input] As parsed: numbers may still be tokens.
 * @property {number | bigint} [expectedRevision]
 * @property {string} [session]
 * @property {() => boolean} [expired] Whether the caller has gone by now.
 */

/** @typedef {{ status: "completed", output: unknown } | { status: "deferred", task: Task }} Executed */

/** @typedef {import("./call_observers.js").CallEvent} CallEvent */

/** The one way to an app's actions. */
export class Dispatcher {
  /**
   * @param {Host} host
   * @param {object} options
   * @param {{ name: string, version: string }} options.app
   * @param {Runtime} [options.runtime] Without one no call is ever deferred for being slow.
   * @param {(error: unknown) => void} [options.onHostError] Told what a caller outside sees as
   *   `HOST_ERROR` only: for the app's own console.
   */
  constructor(host, { app, runtime = TIMELESS, onHostError = () => {} }) {
    this.host = host;
    this.app = Object.freeze({ name: app.name, version: app.version });
    this.tasks = new TaskTable();
    this._runtime = runtime;
    this._onHostError = onHostError;
    this._turns = new TurnQueue();
    this._enabled = false;
    this._observers = new CallObservers(() => runtime.now());
    this._enabledObservers = /** @type {Observers<boolean>} */ (new Observers());
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
    if (this._enabled === enabled) return;
    this._enabled = enabled === true;
    this._enabledObservers.notify(this._enabled);
  }

  /**
   * @param {(enabled: boolean) => void} observer Watches `setEnabled`. What it throws changes nothing.
   */
  onEnabled(observer) {
    return this._enabledObservers.add(observer);
  }

  /**
   * Watches calls as they happen.
   *
   * @param {(event: CallEvent) => void} observer What it throws changes nothing.
   * @returns {() => void} Ends the watching.
   */
  onCall(observer) {
    return this._observers.add(observer);
  }

  /**
   * Passes on what a host threw, and nothing of the contract's own errors.
   *
   * @param {unknown} error
   */
  reportHostError(error) {
    if (contractCode(error) !== undefined) return;
    try {
      this._onHostError(error);
    } catch {
      // Who is told only listens.
    }
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
   * The capability bits that the host holds now.
   *
   * @returns {number | bigint}
   */
  capabilities() {
    const held = this.host.capabilities();
    if (typeof held === "bigint" || Number.isSafeInteger(held)) return held;
    throw new TypeError("the host's capabilities are no integer");
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
   * Runs something of the host's in turn: `state/inspect`, say. What lasts too long goes on, but
   * gives up its turn.
   *
   * @template T
   * @param {() => Eventually<T>} call
   * @returns {Eventually<T>}
   */
  inTurn(call) {
    if (this.host.concurrent) return call();
    return this._turns.run((giveUp) => {
      const cancel = this._runtime.after(PROTOCOL_LIMITS.maxTurnSeconds * 1000, giveUp);
      return watched(call, cancel, cancel);
    });
  }

  /**
   * @param {ActionSpec} spec
   * @param {ExternalCall} call
   * @param {boolean} external
   * @returns {Eventually<Executed>}
   */
  _run(spec, call, external) {
    const { done, failed } = this._observers.begin({
      action: spec.name,
      kind: spec.kind,
      session: call.session,
    });
    return watched(
      () =>
        this.host.concurrent
          ? this._checked(spec, call, external, () => {})
          : this._turns.run((giveUp) => this._checked(spec, call, external, giveUp)),
      (executed) => done(executed.status === "deferred"),
      failed,
    );
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
    if (call.expired?.()) {
      const reason = "The caller's time ran out before its turn came; nothing was run.";
      throw new AppError("UNAVAILABLE", reason, { availability: { code: "EXPIRED", reason } });
    }
    this._checkCapability(spec);
    const input = call.input === undefined ? {} : call.input;
    // What came from outside was parsed; what the app itself gives may be anything.
    const wrong = external ? undefined : firstNotJson(input);
    const errors = wrong === undefined ? spec.input.errors(input) : [wrong];
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
    const running = new HostCall(
      {
        host: this.host,
        tasks: this.tasks,
        runtime: this._runtime,
        onHostError: (error) => this.reportHostError(error),
        completed: (done, answer) => this._completed(done, answer),
      },
      spec,
      { session: call.session, external, giveUp },
    );
    return running.run(toPlain(input));
  }

  /** @param {ActionSpec} spec */
  _checkCapability(spec) {
    const required = BigInt(spec.capabilities);
    if (required === 0n) return;
    const held = this.capabilities();
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
          "A write needs expectedRevision: send the revision of the last answer; agent/info has it too.",
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
   * @param {unknown} answer
   * @returns {Executed}
   */
  _completed(spec, answer) {
    if (answer instanceof Task) {
      if (!this.tasks.owns(answer)) throw new TypeError("the task is of another dispatcher");
      answer.judgeOutput((output) => this.checkOutput(spec, output));
      return { status: "deferred", task: answer };
    }
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
      throw outputError(error, output);
    }
    const errors = spec.output.errors(output);
    if (errors.length > 0) {
      throw new AppError("INVALID_OUTPUT", "The action ran, but what it gave breaks its schema.", {
        errors,
      });
    }
  }
}
