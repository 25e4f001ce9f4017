// @ts-check
/**
 * Connections as an app's background asks for them. A credential goes to that background's own port, and
 * nowhere else: to no tile, no progress, no log and no error. Contract: bus, private actions.
 */

import { BusError } from "../../contract/bus_error.js";
import { seen } from "../well_formed.js";
import { Connections } from "./connections.js";
import { askerFact, payloadReader, requireThere, requireYes } from "./private_parts.js";

/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { AskOwner, ConnectionProvider } from "./entered_credentials.js" */
/** @import { PrivateKernel } from "./private_parts.js" */
/** @import { PrivateContext } from "./private_requests.js" */

const NAME = { type: "string", minLength: 1, maxLength: 60 };
const MAX_REASON = 300;
/** To find and enter a credential takes longer than to say yes. */
const SECONDS_TO_ENTER = 120;

const readList = payloadReader("connections.list");
const readRequest = payloadReader(
  "connections.request",
  { provider: NAME, reason: { type: "string", maxLength: MAX_REASON } },
  ["provider"],
);
const readCredential = payloadReader("connections.credential", { connection: NAME });
const readDisconnect = payloadReader("connections.disconnect", { connection: NAME });

/**
 * @param {PrivateKernel} kernel
 * @param {object} more
 * @param {Consent} more.consent
 * @param {(id: string) => ConnectionProvider | null} more.providers By the ids that manifests declare.
 * @param {Pick<KernelPowers, "newId" | "wallNow">} more.powers
 * @returns {Connections}
 */
export function addConnectionActions(kernel, { consent, providers, powers }) {
  const connections = new Connections(powers);
  kernel.addKeeper(connections);

  kernel.private.on("connections.list", (payload, { app, declares }) => {
    readList(payload);
    return {
      connections: (declares.connections ?? []).flatMap((id) => {
        const provider = providers(id);
        if (provider === null) return [];
        return [{ provider: id, title: provider.title, connection: connections.of(app, id) }];
      }),
    };
  });

  kernel.private.on("connections.request", async (payload, source) => {
    const { provider: id, reason } = readRequest(payload);
    const { app, declares, signal } = source;
    const declared = declares.connections?.includes(id) === true;
    const provider = declared ? providers(id) : null;
    if (provider === null) {
      const why = declared ? "this page has no such provider" : "its manifest does not declare it";
      throw new BusError(
        "OWNER_REQUIRED",
        `The app cannot be connected, and nobody was asked: ${why}.`,
      );
    }
    const ask = asker(kernel, consent, source, provider, reason);
    return { provider: id, connection: await connections.connect(app, provider, ask, signal) };
  });

  kernel.private.on("connections.credential", async (payload, source) => {
    const { connection } = readCredential(payload);
    const credential = await connections.credential(source.app, connection);
    requireThere(source, "nothing was given");
    return { credential };
  });

  kernel.private.on("connections.disconnect", (payload, { app }) => {
    const { connection } = readDisconnect(payload);
    connections.disconnect(app, connection);
    return {};
  });

  return connections;
}

/**
 * @param {PrivateKernel} kernel
 * @param {Consent} consent
 * @param {PrivateContext} source
 * @param {ConnectionProvider} provider
 * @param {string | undefined} reason In the app's words.
 * @returns {AskOwner}
 */
function asker(kernel, consent, source, provider, reason) {
  const { app } = source;
  return async ({ label, maxChars }) => {
    const title = seen(provider.title, 60);
    const answer = await requireYes(
      consent,
      source,
      {
        subject: `app:${app}`,
        title: `Connect the app ${app} to ${title}?`,
        facts: [
          askerFact(kernel, app),
          { label: "What happens", value: "The app is given what you enter here." },
        ],
        ...(reason === undefined ? {} : { quote: seen(reason, MAX_REASON) }),
        choices: [{ id: "connect", label: "Until the workspace is locked or reloaded" }],
        input: { kind: "secret", label: seen(label, 100), maxChars },
        confirm: "Connect",
        seconds: SECONDS_TO_ENTER,
      },
      `connect ${app} to ${title}`,
    );
    return answer.value ?? "";
  };
}
