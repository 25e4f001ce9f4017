// @ts-check
/**
 * Runs an app's actions through one set of checks, for the app's own buttons and for terminals
 * alike. It starts disabled; who may reach it from outside is the app's explicit decision.
 *
 * Knows actions, revisions, turns and tasks; knows no protocol, no browser and no event loop.
 */

import { AppError, contractCode } from "./app_error.js";
import { Batches } from "./batches.js";
import { CallChecks, actionNamed } from "./call_checks.js";
import { CallObservers } from "./call_observers.js";
import { CheckedHost } from "./checked_host.js";
import { andThen, watched } from "./eventually.js";
import { HostCall } from "./host_call.js";
import { HostReading } from "./host_reading.js";
import { Observers } from "./observers.js";
import { completed } from "./outputs.js";
import { TIMELESS } from "./runtime.js";
import { TaskTable } from "./task_table.js";
import { TurnQueue } from "./turn_queue.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { BatchResult } from "./batch.js" */
/** @import { Batch, Caller, Ended, Executed, ExternalCall, Outside, Seen } from "./calls.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { Host, Resource, Unavailability } from "./host.js" */
/** @import { Surroundings } from "./host_call.js" */
/** @import { Runtime } from "./runtime.js" */

/** @typedef {import("./call_observers.js").CallEvent} CallEvent */

/** The action that gives a picture of the app. */
const RENDER_ACTION = "ui.render";

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
    /** @readonly */
    this.runtime = runtime;
    this._onHostError = onHostError;
    this._checkedHost = new CheckedHost(host);
    this._checks = new CallChecks(this._checkedHost);
    this._turns = new TurnQueue();
    /** @readonly */
    this.reading = new HostReading(this._checkedHost, this._turns, runtime, () =>
      this.requireEnabled(),
    );
    this._enabled = false;
    /** How often it was disabled: what callers were granted before that is void. */
    this.timesDisabled = 0;
    this._observers = new CallObservers(() => runtime.now());
    this._enabledObservers = /** @type {Observers<boolean>} */ (new Observers());
    /** @type {Surroundings} */
    this._around = {
      host: this._checkedHost,
      tasks: this.tasks,
      runtime,
      onHostError: (error) => this.reportHostError(error),
      completed: (spec, answer) => completed(this.tasks, spec, answer),
    };
    this._batches = new Batches({
      ...this._around,
      checks: this._checks,
      observers: this._observers,
      turns: this._turns,
      execute: (call, left) =>
        this._execute(call, { revision: () => this.revision(call.action), left }),
      requireEnabled: () => this.requireEnabled(),
      onError: (error) => this.reportHostError(error),
      disable: () => this.setEnabled(false),
    });
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
    if (!this._enabled) this.timesDisabled++;
    this._enabledObservers.notify(this._enabled);
  }

  /**
   * Watches `setEnabled`.
   *
   * @param {(enabled: boolean) => void} observer What it throws changes nothing.
   * @returns {() => void} Ends the watching.
   */
  onEnabledChange(observer) {
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

  /** Tells the host that a session is over; whoever carries sessions says so. @param {string} session */
  sessionEnded(session) {
    try {
      this._checkedHost.sessionEnded(session);
    } catch (error) {
      this.reportHostError(error);
    }
  }

  /** Tells the host that who waits for a session's calls is not reached now. @param {string} session */
  sessionUnreached(session) {
    try {
      this._checkedHost.sessionUnreached(session);
    } catch (error) {
      this.reportHostError(error);
    }
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
    return this._checkedHost.actions();
  }

  /**
   * @param {string} name
   * @returns {Eventually<ActionSpec>} Rejects or throws `UNKNOWN_ACTION`, or `UNAVAILABLE`.
   */
  action(name) {
    return andThen(this.actions(), (specs) => actionNamed(specs, name, this._checkedHost));
  }

  /**
   * The state number of the app or of one action, always read from the host.
   *
   * @param {string} [action]
   * @returns {number | bigint | null}
   */
  revision(action) {
    return this._checkedHost.revision(action);
  }

  /**
   * The capability bits that the host holds now.
   *
   * @returns {number | bigint}
   */
  capabilities() {
    return this._checkedHost.capabilities();
  }

  /**
   * Why an action cannot run now, or null.
   *
   * @param {string} name
   * @returns {Unavailability | null}
   */
  unavailable(name) {
    return this._checkedHost.unavailable(name);
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
      andThen(this._run(spec, { action: name, input }), outputOf),
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
   * @returns {Eventually<Ended>}
   */
  execute(call) {
    return this._execute(call, { revision: () => this.revision(call.action) });
  }

  /**
   * Runs an action for a caller outside who knows no revisions and waits for the end, as an agent of
   * the browser does: on whatever the state is when its turn comes, and never deferred for being slow.
   *
   * @param {string} name
   * @param {unknown} input Plain data.
   * @param {Caller & { session: string }} caller
   * @returns {Eventually<any>} As of `executeLocal`.
   * @throws {AppError}
   */
  executeLatest(name, input, caller) {
    this.requireEnabled();
    return andThen(this.action(name), (spec) =>
      andThen(this._run(spec, { action: name, input, ...caller }), outputOf),
    );
  }

  /**
   * Runs the app's own `ui.render` for a caller outside. The revision is the app's.
   *
   * @param {unknown} input As parsed.
   * @param {Caller} [caller]
   * @returns {Eventually<Ended>}
   */
  render(input, caller = {}) {
    const call = { action: RENDER_ACTION, input, ...caller };
    return this._execute(call, { revision: () => this.revision() });
  }

  /**
   * @param {ExternalCall} call
   * @param {Outside} outside
   * @returns {Eventually<Ended>}
   */
  _execute(call, outside) {
    this.requireEnabled();
    return andThen(this.action(call.action), (spec) => this._run(spec, call, outside));
  }

  /**
   * Runs several calls for a caller outside: in order, each with its own turn, checks and end, up to
   * the first that fails or to the last; or `atomic`, as one unit in one turn. Contract: batches.
   *
   * @param {Batch} batch
   * @returns {Eventually<BatchResult>}
   * @throws {AppError} `DISABLED`; for an atomic batch what `Transaction.run` says.
   */
  batch(batch) {
    this.requireEnabled();
    return this._batches.run(batch);
  }

  /**
   * Asks for a view of the app's state, in turn.
   *
   * @param {Record<string, unknown>} query Plain data.
   * @param {Caller} [caller] Who asks from outside; without one it is the app itself.
   * @returns {Eventually<Record<string, unknown>>}
   * @throws {AppError} `UNAVAILABLE` where the host offers none, `INVALID_OUTPUT` for no object.
   */
  inspect(query, caller) {
    return andThen(this.inspectAtRevision(query, caller), ({ value }) => value);
  }

  /**
   * The same, with the revision of what was seen.
   *
   * @param {Record<string, unknown>} query
   * @param {Caller} [caller]
   * @returns {Eventually<Seen<Record<string, unknown>>>}
   */
  inspectAtRevision(query, caller) {
    return this.reading.inspect(query, caller);
  }

  /**
   * Reads a part of a resource, in turn.
   *
   * @param {string} uri
   * @param {number} offset Bytes.
   * @param {number} limit Bytes, at most 65,536.
   * @param {Caller} [caller] As above.
   * @returns {Eventually<Resource>} Rejects or throws `UNKNOWN_RESOURCE`.
   */
  readResource(uri, offset, limit, caller) {
    return andThen(this.reading.resource(uri, offset, limit, caller), ({ value }) => value);
  }

  /**
   * The same, with the revision of what was read.
   *
   * @param {string} uri
   * @param {number} offset
   * @param {number} limit
   * @param {Caller} [caller]
   * @returns {Eventually<Seen<Resource>>}
   */
  readResourceAtRevision(uri, offset, limit, caller) {
    return this.reading.resource(uri, offset, limit, caller);
  }

  /**
   * @param {ActionSpec} spec
   * @param {ExternalCall} call
   * @param {Outside} [outside] Undefined for a call that is answered with its output only; one without a
   *   session too is the app's own.
   * @returns {Eventually<Ended>}
   */
  _run(spec, call, outside) {
    const external = outside !== undefined;
    const left = outside?.left ?? (() => {});
    const { done, failed } = this._observers.begin({
      action: spec.name,
      kind: spec.kind,
      session: call.session,
    });
    const seal = (/** @type {Executed} */ executed) => {
      const revision = outside === undefined ? null : outside.revision();
      left();
      return { ...executed, revision };
    };
    const run = (/** @type {() => void} */ giveUp) => {
      // Its turn may have come long after it was asked for.
      try {
        if (external || call.session !== undefined) this.requireEnabled();
        const input = this._checks.run(spec, call, external);
        const how = { session: call.session, external, giveUp, seal, failed: left };
        return new HostCall(this._around, spec, how).run(input);
      } catch (error) {
        left();
        throw error;
      }
    };
    return watched(
      () => (this._checkedHost.overlaps(spec.name) ? run(() => {}) : this._turns.run(run)),
      (executed) => done(executed.status === "deferred"),
      failed,
    );
  }
}

/** @param {Executed} executed */
function outputOf(executed) {
  return executed.status === "deferred" ? executed.task : executed.output;
}
