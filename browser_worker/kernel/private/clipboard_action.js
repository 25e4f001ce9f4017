// @ts-check
/**
 * A text of an app's for the clipboard, which the trusted page writes: at once where the click was the
 * tile's own, else in a click of its own. Reads nothing. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { exceedsUtf8, isWellFormed } from "../../contract/utf8.js";
import { seenLines } from "../well_formed.js";
import { askerFact, payloadReader, requireYes } from "./private_parts.js";

/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { ActivationWatch } from "./activation_watch.js" */
/** @import { PrivateKernel } from "./private_parts.js" */
/** @import { PrivateContext } from "./private_requests.js" */

/**
 * @typedef {object} ClipboardPowers
 * @property {Consent} consent
 * @property {Pick<ActivationWatch, "staysWith">} attention To know whose a click was takes a moment, for
 *   which it is still fresh.
 * @property {(text: string) => Promise<void>} writeText Writes while a click in the page, or in a frame
 *   of it, is fresh.
 */

const MAX_SHOWN_CHARS = 500;

const readWrite = payloadReader("clipboard.write_text", { text: { type: "string" } });

/**
 * @param {PrivateKernel} kernel
 * @param {ClipboardPowers} powers
 */
export function addClipboardAction(kernel, powers) {
  kernel.private.on("clipboard.write_text", (payload, source) => {
    const text = readText(payload);
    return writeIn(kernel, text, source, powers);
  });
}

/**
 * @param {PrivateKernel} kernel
 * @param {string} text
 * @param {PrivateContext} source
 * @param {ClipboardPowers} powers
 */
async function writeIn(kernel, text, source, powers) {
  const { click, endpoint, signal } = source;
  if (click || !(await powers.attention.staysWith(endpoint.id))) {
    return writeAsked(kernel, text, source, powers);
  }
  if (signal.aborted) throw new BusError("CANCELLED", "Nobody waits; nothing was written.");
  return write(text, powers);
}

/** @param {Record<string, unknown>} payload @returns {string} */
function readText(payload) {
  const { text } = readWrite(payload);
  const maximum = BUS_LIMITS.maxClipboardBytes;
  if (exceedsUtf8(text, maximum)) {
    throw new BusError(
      "TOO_LARGE",
      `A text for the clipboard has at most ${maximum} bytes in UTF-8; nothing was written.`,
      { data: { limit: "bytes", maximum } },
    );
  }
  if (isWellFormed(text)) return text;
  throw new BusError("INVALID_INPUT", "The text has half a character; nothing was written.");
}

/**
 * @param {PrivateKernel} kernel
 * @param {string} text
 * @param {PrivateContext} source
 * @param {ClipboardPowers} powers
 */
async function writeAsked(kernel, text, source, powers) {
  const { app } = source;
  const size = `${[...text].length} character${[...text].length === 1 ? "" : "s"}`;
  await requireYes(
    powers.consent,
    source,
    {
      subject: `app:${app}`,
      title: `Copy ${size} from the app ${app}?`,
      facts: [askerFact(kernel, app), textFact(text)],
      choices: [{ id: "once", label: "Only this time" }],
      confirm: "Copy",
    },
    `write to the clipboard from ${app}`,
  );
  return write(text, powers);
}

/** @param {string} text */
function textFact(text) {
  const cut = text.length > MAX_SHOWN_CHARS;
  const label = cut ? "How the text to be copied begins" : "Text to be copied";
  return { label, value: seenLines(text, MAX_SHOWN_CHARS), code: true };
}

/**
 * @param {string} text
 * @param {ClipboardPowers} powers
 */
async function write(text, { writeText }) {
  try {
    await writeText(text);
  } catch {
    throw new BusError(
      "TOOL_FAILED",
      "The browser did not let the page write; the clipboard is as it was. Ask again in a click.",
    );
  }
  return {};
}
