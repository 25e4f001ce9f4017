// @ts-check
/**
 * One call of a backend's method: what goes in and what comes out is checked against its interface, and
 * whoever waits is answered when the signal says so, whatever the connector does.
 * Contract: bus, kernel tools, private actions.
 */

import {
  checkInputAttachment,
  checkOutputAttachment,
  isArrayBuffer,
} from "../../contract/bus_attachments.js";
import { BusError } from "../../contract/bus_error.js";
import { copyJson } from "../../contract/bus_json.js";
import { EndLinks } from "../calls/end_links.js";
import { backendError } from "./backend_errors.js";

/** @import { CanisterAnswer } from "./canister_connector.js" */
/** @import { FoundMethod } from "./installed_canisters.js" */

/** @typedef {{ result: unknown, attachment: ArrayBuffer | undefined }} CanisterResult */

/**
 * @typedef {object} PreparedCall Checked, and not made yet.
 * @property {(signals: readonly (AbortSignal | null | undefined)[]) => Promise<CanisterResult>} run Once.
 *   Rejects with a `BusError`, of a signal where one aborts.
 */

/**
 * @param {FoundMethod} found
 * @param {Record<string, unknown>} given
 * @param {ArrayBuffer | undefined} attachment
 * @returns {PreparedCall}
 * @throws {BusError} `INVALID_INPUT`, and what an attachment can be refused with.
 */
export function prepare({ connector, method }, given, attachment) {
  checkInputAttachment(method.attachments, attachment);
  const args = method.read(given);
  return {
    run: (signals) =>
      untilEnded(signals, async (signal) => {
        const answer = await connector.call(method.name, args, { attachment, signal });
        return checkedAnswer(answer, method);
      }),
  };
}

/**
 * @param {CanisterAnswer} answer
 * @param {FoundMethod["method"]} method
 * @returns {CanisterResult}
 */
function checkedAnswer(answer, method) {
  const result = copyJson(method.write(answer.result), { what: "result" });
  const { attachment } = answer;
  if (attachment !== undefined && !isArrayBuffer(attachment)) {
    const text = `${method.name} ran, and gave an attachment that is no ArrayBuffer.`;
    throw new BusError("ATTACHMENT_UNSUPPORTED", text);
  }
  checkOutputAttachment(method.attachments, attachment);
  return { result, attachment };
}

/**
 * @template T
 * @param {readonly (AbortSignal | null | undefined)[]} signals
 * @param {(signal: AbortSignal) => Promise<T>} run
 * @returns {Promise<T>}
 */
function untilEnded(signals, run) {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const links = new EndLinks((error) => {
      reject(error);
      controller.abort(error);
    });
    for (const signal of signals) links.add(signal);
    if (controller.signal.aborted) return;
    run(controller.signal).then(
      (value) => {
        links.clear();
        resolve(value);
      },
      (error) => {
        links.clear();
        reject(backendError(error));
      },
    );
  });
}
