// @ts-check
/**
 * Several calls as one unit: all of them are done, or nothing is. Contract: batches.
 *
 * Everything is looked at before anything begins, and all of it happens within one turn, at once:
 * what would have to wait does not belong into a transaction.
 */

import { AppError, contractCode, sendableError } from "./app_error.js";
import { actionNamed } from "./call_checks.js";
import { isPromiseLike } from "./eventually.js";

/** @import { ActionSpec } from "./action_spec.js" */
/** @import { BatchItem, BatchResult } from "./batch.js" */
/** @import { CallChecks } from "./call_checks.js" */
/** @import { CallEnd, CallObservers } from "./call_observers.js" */
/** @import { CheckedHost } from "./checked_host.js" */
/** @import { Executed, ExternalCall } from "./calls.js" */

/**
 * @typedef {object} TransactionPowers What a transaction needs of its dispatcher.
 * @property {CheckedHost} host
 * @property {CallChecks} checks
 * @property {CallObservers} observers
 * @property {(spec: ActionSpec, answer: unknown) => Executed} completed Checks what a host answered.
 * @property {() => void} requireEnabled
 * @property {(error: unknown) => void} onError Told what the host threw.
 * @property {() => void} disable Shuts the way from outside.
 */

/** @typedef {{ spec: ActionSpec, input: unknown, session: string | undefined }} Prepared */
/** @typedef {{ domain: string, revisions: Map<string | undefined, number | bigint | null> }} Begun */

/** One atomic batch. */
export class Transaction {
  /** @param {TransactionPowers} powers */
  constructor(powers) {
    this._powers = powers;
    this._host = powers.host;
    /** @type {CallEnd[]} */
    this._told = [];
    this._failed = false;
    /** What all writes share; undefined while there is none. @type {string | undefined} */
    this._domain = undefined;
  }

  /**
   * Does all of it, within the turn of the caller.
   *
   * @param {ReadonlyMap<string, ActionSpec>} specs
   * @param {readonly ExternalCall[]} calls
   * @returns {BatchResult}
   * @throws {AppError} The error of the first call that may not run, with its `index`, before
   *   anything has begun; `ROLLED_BACK` with `index` and `cause` where a call failed and all is as it
   *   was; `HOST_ERROR`, disabled, where the host could not put it back.
   */
  run(specs, calls) {
    const prepared = calls.map((call, index) => this._prepare(specs, call, index));
    const begun = this._begin(prepared);
    const done = this._do(prepared, begun);
    this._tell(undefined);
    // Revisions are read when all is done: a client acts on the one that it read last.
    const results = done.map((executed, index) => {
      const action = /** @type {Prepared} */ (prepared[index]).spec.name;
      return /** @type {BatchItem} */ ({
        ok: true,
        ...executed,
        revision: this._host.revision(action),
      });
    });
    return { atomic: true, committed: true, results, revision: this._host.revision() };
  }

  /**
   * @param {ReadonlyMap<string, ActionSpec>} specs
   * @param {ExternalCall} call
   * @param {number} index
   * @returns {Prepared}
   */
  _prepare(specs, call, index) {
    try {
      const spec = actionNamed(specs, call.action, this._powers.host);
      const input = this._powers.checks.run(spec, call, true);
      if (spec.kind === "write") this._join(spec);
      return { spec, input, session: call.session };
    } catch (error) {
      throw this._ofCall(error, index);
    }
  }

  /** @param {ActionSpec} spec */
  _join({ transaction }) {
    if (transaction === undefined) {
      throw new AppError(
        "TRANSACTION_UNSUPPORTED",
        "The action cannot be part of an atomic batch.",
      );
    }
    if (this._domain !== undefined && transaction !== this._domain) {
      throw new AppError(
        "TRANSACTION_DOMAIN",
        "All writes of an atomic batch belong to one transaction domain.",
      );
    }
    if (this._domain === undefined && !this._host.supportsTransaction(transaction)) {
      throw new AppError(
        "TRANSACTION_UNSUPPORTED",
        "The app cannot put this transaction domain back to what it was.",
      );
    }
    this._domain = transaction;
  }

  /**
   * Makes of what a call failed with an error that names the call.
   *
   * @param {unknown} error
   * @param {number} index
   * @returns {AppError}
   */
  _ofCall(error, index) {
    if (contractCode(error) === undefined) this._powers.onError(error);
    const { message, data = {} } = sendableError(error);
    const { code = "HOST_ERROR", ...rest } = data;
    return new AppError(/** @type {any} */ (code), message, { ...rest, index });
  }

  /**
   * @param {readonly Prepared[]} prepared
   * @returns {Begun | undefined} Undefined where there is nothing to put back.
   */
  _begin(prepared) {
    const domain = this._domain;
    if (domain === undefined) return undefined;
    // Read first: these are what a rollback has to restore.
    const writes = prepared.filter(({ spec }) => spec.kind === "write");
    const names = [undefined, ...writes.map(({ spec }) => spec.name)];
    const revisions = new Map(names.map((name) => [name, this._host.revision(name)]));
    this._host.beginTransaction(domain);
    return { domain, revisions };
  }

  /**
   * @param {readonly Prepared[]} prepared
   * @param {Begun | undefined} begun
   * @returns {Executed[]}
   */
  _do(prepared, begun) {
    /** @type {Executed[]} */
    const done = [];
    let index = 0;
    try {
      for (const [at, call] of prepared.entries()) {
        index = at;
        done.push(this._execute(call));
      }
      if (begun !== undefined) this._host.commitTransaction(begun.domain);
      return done;
    } catch (error) {
      this._failed = true;
      this._powers.onError(error);
      if (begun !== undefined) this._rollBack(begun);
      const undone = new AppError(
        "ROLLED_BACK",
        "A call of the batch failed, and nothing of the batch was done.",
        { index, cause: sendableError(error) },
      );
      this._tell(undone);
      throw undone;
    }
  }

  /**
   * @param {Prepared} call
   * @returns {Executed}
   */
  _execute({ spec, input, session }) {
    this._told.push(this._powers.observers.begin({ action: spec.name, kind: spec.kind, session }));
    // What the calls before it did may have changed what is allowed.
    this._powers.requireEnabled();
    this._powers.checks.again(spec);
    const answer = this._host.execute(
      spec.name,
      input,
      Object.freeze({
        session,
        cancelRequested: () => this._failed,
        defer: () => {},
        report: () => {},
      }),
    );
    if (isPromiseLike(answer)) {
      // The state that it works on is about to be put back; how it ends is nobody's answer.
      Promise.resolve(answer).catch((error) => this._powers.onError(error));
      throw deferred();
    }
    const executed = this._powers.completed(spec, answer);
    if (executed.status === "deferred") {
      executed.task.cancel();
      throw deferred();
    }
    return executed;
  }

  /**
   * @param {Begun} begun
   * @throws {AppError} `HOST_ERROR` where it is not as it was.
   */
  _rollBack({ domain, revisions }) {
    try {
      this._host.rollbackTransaction(domain);
      for (const [name, revision] of revisions) {
        if (!isSame(this._host.revision(name), revision)) {
          throw new Error(`rolling ${domain} back did not restore its revision`);
        }
      }
    } catch (error) {
      this._powers.disable();
      this._powers.onError(error);
      const broken = new AppError(
        "HOST_ERROR",
        "A call of the batch failed and the app could not put back what was done; " +
          "it takes no calls from outside until it is enabled again.",
      );
      this._tell(broken);
      throw broken;
    }
  }

  /**
   * Tells who watches of the end of every call that was begun: they end together.
   *
   * @param {AppError | undefined} error
   */
  _tell(error) {
    for (const { done, failed } of this._told.splice(0)) {
      if (error === undefined) done(false);
      else failed(error);
    }
  }
}

function deferred() {
  return new AppError(
    "DEFERRED_IN_TRANSACTION",
    "The action takes its time, which an atomic batch does not have.",
  );
}

/**
 * @param {number | bigint | null} one
 * @param {number | bigint | null} other
 */
function isSame(one, other) {
  return one === null || other === null ? one === other : BigInt(one) === BigInt(other);
}
