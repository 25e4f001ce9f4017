// @ts-check
/**
 * What a tool says of binary attachments in its annotations: one buffer each way, beside the JSON.
 * Contract: bus, binary attachments.
 */

import { BusError } from "./bus_error.js";
import { isObject } from "./json_number.js";
import { BUS_LIMITS } from "./limits.js";

/** The annotation, and the older name of it that is taken as well. */
const NAMES = ["bascule:attachments", "neutron:attachments"];
const API = 1;

/**
 * @typedef {object} AttachmentRule
 * @property {boolean} input Whether a call may bring one.
 * @property {boolean} inputRequired
 * @property {boolean} output Whether a result may bring one.
 */

/**
 * @param {Record<string, unknown> | undefined} annotations
 * @returns {AttachmentRule | null} Null where the tool takes and gives none.
 */
export function readAttachmentRule(annotations) {
  const rule = NAMES.map((name) => annotations?.[name]).find((value) => value !== undefined);
  if (!isObject(rule) || rule["api"] !== API) return null;
  const { input, output } = rule;
  // Without a word about either way, both are open.
  const open = input === undefined && output === undefined;
  return {
    input: open || isObject(input) || input === true,
    inputRequired: isObject(input) && input["required"] === true,
    output: open || isObject(output) || output === true,
  };
}

/**
 * Checks what a call brings against what the tool takes.
 *
 * @param {AttachmentRule | null} rule
 * @param {ArrayBuffer | undefined} attachment
 * @throws {BusError} `ATTACHMENT_UNSUPPORTED`, `ATTACHMENT_TOO_LARGE`, `INVALID_INPUT`
 */
export function checkInputAttachment(rule, attachment) {
  if (attachment === undefined) {
    if (rule?.inputRequired) {
      throw new BusError("INVALID_INPUT", "This tool needs an attachment; nothing was run.");
    }
    return;
  }
  if (!rule?.input) {
    throw new BusError("ATTACHMENT_UNSUPPORTED", "This tool takes no attachment; nothing was run.");
  }
  requireAttachmentSize(attachment.byteLength, "nothing was run");
}

/**
 * Checks what a result brings.
 *
 * @param {AttachmentRule | null} rule
 * @param {ArrayBuffer | undefined} attachment
 * @throws {BusError} `ATTACHMENT_UNSUPPORTED`, `ATTACHMENT_TOO_LARGE`
 */
export function checkOutputAttachment(rule, attachment) {
  if (attachment === undefined) return;
  if (!rule?.output) {
    throw new BusError(
      "ATTACHMENT_UNSUPPORTED",
      "The tool ran, but gave an attachment that it does not advertise.",
    );
  }
  requireAttachmentSize(attachment.byteLength, "the tool ran");
}

const byteLengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")?.get;

/**
 * Whether it is an ArrayBuffer, of whatever window.
 *
 * @param {unknown} value
 * @returns {value is ArrayBuffer}
 */
export function isArrayBuffer(value) {
  if (value instanceof ArrayBuffer) return true;
  if (typeof value !== "object" || value === null) return false;
  try {
    // The getter looks at what the object is, not at what it says of itself.
    byteLengthOf?.call(value);
    return byteLengthOf !== undefined;
  } catch {
    return false;
  }
}

/**
 * Checks a buffer before it is sent. One that was transferred already has no bytes left, and would
 * arrive empty.
 *
 * @param {unknown} attachment
 * @throws {BusError} `ATTACHMENT_UNSUPPORTED`, `ATTACHMENT_TOO_LARGE`, `ATTACHMENT_DETACHED`
 */
export function requireSendable(attachment) {
  if (attachment === undefined) return;
  if (!isArrayBuffer(attachment)) {
    throw new BusError(
      "ATTACHMENT_UNSUPPORTED",
      "An attachment is an ArrayBuffer; nothing was sent.",
    );
  }
  requireAttachmentSize(attachment.byteLength, "it was not sent");
  if (attachment.byteLength > 0) return;
  try {
    new Uint8Array(attachment);
  } catch {
    throw detached();
  }
}

/** Somebody sent the buffer before, and it cannot be sent again. */
export function detached() {
  return new BusError(
    "ATTACHMENT_DETACHED",
    "The attachment was not sent: it went elsewhere before. Send a copy of your own.",
  );
}

/**
 * @param {number} bytes
 * @param {string} outcome What has been done until now, for the error.
 * @throws {BusError} `ATTACHMENT_TOO_LARGE`
 */
export function requireAttachmentSize(bytes, outcome) {
  const maximum = BUS_LIMITS.maxAttachmentBytes;
  if (bytes <= maximum) return;
  throw new BusError(
    "ATTACHMENT_TOO_LARGE",
    `An attachment has at most ${maximum} bytes, this one ${bytes}; ${outcome}.`,
    { data: { maximum } },
  );
}
