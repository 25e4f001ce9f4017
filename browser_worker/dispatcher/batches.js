// @ts-check
/** Which of the two kinds of batch one is, and in whose turn it runs. Contract: batches. */

import { OrderedBatch } from "./batch.js";
import { andThen } from "./eventually.js";
import { Transaction } from "./transaction.js";

/** @import { BatchResult, OrderedPowers } from "./batch.js" */
/** @import { Batch, ExternalCall } from "./calls.js" */
/** @import { Eventually } from "./eventually.js" */
/** @import { TransactionPowers } from "./transaction.js" */
/** @import { TurnQueue } from "./turn_queue.js" */

/** @typedef {TransactionPowers & Pick<OrderedPowers, "execute"> & { turns: TurnQueue }} BatchPowers */

/** The batches of one dispatcher. */
export class Batches {
  /** @param {BatchPowers} powers */
  constructor(powers) {
    this._powers = powers;
  }

  /**
   * @param {Batch} batch Of a caller who was let in.
   * @returns {Eventually<BatchResult>}
   * @throws {AppError} For an atomic batch what `Transaction.run` says.
   */
  run({ calls, atomic = false, stopOnError = true, ...caller }) {
    const { execute, host, onError } = this._powers;
    const whole = calls.map((call) => ({ ...call, ...caller }));
    if (atomic) return this._atomic(whole);
    const ordered = { execute, onError, revision: () => host.revision() };
    return new OrderedBatch(ordered, { calls: whole, stopOnError }).run();
  }

  /**
   * @param {readonly ExternalCall[]} calls
   * @returns {Eventually<BatchResult>}
   */
  _atomic(calls) {
    const { host, turns, requireEnabled } = this._powers;
    return andThen(host.actions(), (specs) =>
      turns.run(() => {
        // Its turn may have come long after it was asked for.
        requireEnabled();
        return new Transaction(this._powers).run(specs, calls);
      }),
    );
  }
}
