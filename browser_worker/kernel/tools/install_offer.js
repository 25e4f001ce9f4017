// @ts-check
/**
 * The kernel's tool by which an app offers another app, or an agent, by its address alone. Nothing is fetched:
 * the owner sees the address, and what becomes of a yes is the page's business. Contract: bus, kernel tools.
 */

import { BusError } from "../../contract/bus_error.js";
import { between, callerFacts, whoIs } from "../grants/call_prompt.js";
import { requireYesFor } from "../consent/ask_for.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { Consent, Prompt } from "../consent/consent_queue.js" */
/** @import { Invocations, Root } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { KernelTools } from "./kernel_tools.js" */

/**
 * @typedef {object} InstallOfferParts
 * @property {Consent} consent
 * @property {() => readonly AppSummary[]} apps
 * @property {Pick<Invocations, "via">} invocations
 * @property {string} origin Of the page.
 * @property {(url: string) => void} onOffer Told of an address that the owner said yes to.
 */

const MAX_URL_CHARS = 2_048;
/** No host has a longer name. In one that is longer its end, which says whose it is, is out of sight. */
const MAX_HOST_CHARS = 253;

/**
 * @param {KernelTools} tools
 * @param {InstallOfferParts} parts
 */
export function addInstallOffer(tools, parts) {
  tools.add("apps.install_offer", {
    description: {
      title: "Offer an app",
      description:
        "Shows the owner the address of an app or an agent that could be installed. It is not fetched, and a yes installs nothing yet.",
      inputSchema: {
        type: "object",
        properties: { url: { type: "string", maxLength: MAX_URL_CHARS } },
        required: ["url"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { offered: { const: true } },
        required: ["offered"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    asksOwner: true,
    run: async (/** @type {{ url: string }} */ input, source, signal) => {
      const url = readOffer(input.url, parts.origin);
      const { root } = source;
      if (root !== null) {
        const prompt = promptFor(url, root, source, parts);
        await requireYesFor(parts.consent, root, prompt, signal, "offer this app");
      }
      parts.onOffer(url.href);
      return { offered: true };
    },
  });
}

/**
 * @param {string} text
 * @param {string} origin
 * @returns {URL}
 */
function readOffer(text, origin) {
  /** @type {URL} */
  let url;
  try {
    url = new URL(text);
  } catch {
    throw refused("it is no whole address");
  }
  // A blob has the origin of its page, and whatever a script has put in it.
  const isOwn = url.protocol === "http:" && url.origin === origin;
  if (url.protocol !== "https:" && !isOwn) {
    throw refused("it is neither https nor of this page's own origin");
  }
  // Who writes a name before the host may want another host to be read.
  if (url.username !== "" || url.password !== "")
    throw refused("it has a name or a password in it");
  if (url.hostname.length > MAX_HOST_CHARS) {
    throw refused(`its host has more than ${MAX_HOST_CHARS} characters`);
  }
  if (url.href.length > MAX_URL_CHARS) {
    throw refused(`written out it has more than ${MAX_URL_CHARS} characters`);
  }
  return url;
}

/** @param {string} why */
function refused(why) {
  return new BusError("INVALID_INPUT", `The address was not shown: ${why}.`);
}

/**
 * @param {URL} url
 * @param {Root} root
 * @param {CallSource} source
 * @param {InstallOfferParts} parts
 * @returns {Prompt}
 */
function promptFor(url, root, { id, app, invocation }, { apps, invocations }) {
  return {
    subject: root.subject,
    title: `Take an offer of ${whoIs(root, between(root, app))}?`,
    facts: [
      ...callerFacts({ root, caller: id, via: invocations.via(invocation) }, apps()),
      // As the browser writes them: a host in another script is seen as what it is.
      { label: "Origin", value: url.origin },
      { label: "Address", value: url.href, code: true },
    ],
    choices: [{ id: "take", label: "Take the address; nothing is installed yet" }],
    confirm: "Take it",
  };
}
