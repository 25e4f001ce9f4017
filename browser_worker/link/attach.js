// @ts-check
/**
 * `attach`: puts a page's dispatcher within reach of a terminal, through a bridge on this machine.
 *
 * The only module of the page that touches globals. What it does with them is in `attachment.js`.
 */

import { AgentEndpoint } from "../dispatcher/agent_endpoint.js";
import { Dispatcher } from "../dispatcher/dispatcher.js";
import { offerModelContextTools } from "../webmcp/offer_tools.js";
import { Attachment } from "./attachment.js";
import { browserRuntime } from "./browser_runtime.js";
import { makeDefer, readClocks, setTimer } from "./powers.js";
import { recall } from "./remembered.js";

/** @import { AttachConfiguration } from "./attach_link.js" */
/** @import { Cause } from "./attachment_cause.js" */
/** @import { State } from "./attachment_state.js" */
/** @import { PagePowers } from "./attachment.js" */
/** @import { Endpoint } from "./delivery.js" */
/** @import { Carrier } from "./transport.js" */
/** @import { WorkerLike } from "./worker_transport.js" */

/**
 * @typedef {object} Change The members of the `Attachment` that a person may want to see.
 * @property {State} state
 * @property {Cause | null} cause
 * @property {string} message
 * @property {Carrier | null} transport
 * @property {string} transportNote
 */

/**
 * @typedef {object} CommonOptions
 * @property {string} url The bridge's address, `http://127.0.0.1:PORT`.
 * @property {string} token Its capability token.
 * @property {string} app The app's name, which the terminal shows; 1 to 200 characters.
 * @property {boolean} [remember] Attach again without a click when this tab is reloaded: see
 *   `recallAttachment`. Keeps the token in the tab's session storage, where every script of the
 *   page's origin can read it.
 * @property {boolean} [channel] false: answer by polling only, where a WebSocket is not wanted.
 * @property {(change: Change) => void} [onState] Called on every change, and once at first.
 */

/**
 * @typedef {object} OwnActions What is offered: the app's own actions.
 * @property {Dispatcher | Endpoint} dispatcher
 * @property {false} [webmcp]
 */

/**
 * @typedef {object} BrowserTools What is offered: the tools that the page has registered with its browser
 *   (`offerModelContextTools`), while it is attached.
 * @property {true} webmcp
 * @property {Dispatcher} [dispatcher] The app's own actions come first. Without one there is nothing
 *   else.
 */

/** @typedef {CommonOptions & (OwnActions | BrowserTools)} AttachOptions */

/** @type {ReadonlySet<State>} */
const LIVE = new Set(["connecting", "attached", "suspended"]);

/**
 * Attach this page to a bridge. Call it within a click or a key press: browsers ask the person for
 * permission at the first request, and a link opened from anywhere must not attach a page by itself.
 * Contract: secrets.
 *
 * Nothing rejects or throws later on; what happens is told by the attachment's `state` ("connecting",
 * "attached", "suspended" while it tries to come back, "elsewhere", "refused", "detached"), `cause` and
 * `message`, and by its "statechange" event. Calls come over a WebSocket where one can be opened and by
 * polling elsewhere; `transport` says which ("channel", "polling"), `transportNote` why it is polling
 * and what would change that. When it has ended, the token is wiped; attach again for
 * another try.
 *
 * @param {AttachOptions} options
 * @returns {Attachment} call its `detach()` to end it
 * @throws {TypeError} where `app` is not a name, or for `webmcp` without a Dispatcher to add to
 */
export function attach({ url, token, app, remember = false, channel = true, onState, ...what }) {
  const { dispatcher = noActions(app, what.webmcp), webmcp = false } = what;
  if (webmcp && !(dispatcher instanceof Dispatcher)) {
    throw new TypeError("webmcp adds to a Dispatcher; an endpoint's takes offerModelContextTools");
  }
  const endpoint = "request" in dispatcher ? dispatcher : new AgentEndpoint(dispatcher);
  const attachment = new Attachment({ url, token, app, endpoint, remember, channel }, pagePowers());
  if (webmcp) offerWhileAttached(attachment, /** @type {Dispatcher} */ (dispatcher));
  if (onState !== undefined) {
    const tell = () => {
      const { state, cause, message, transport, transportNote } = attachment;
      onState({ state, cause, message, transport, transportNote });
    };
    attachment.addEventListener("statechange", tell);
    tell();
  }
  return attachment;
}

/**
 * The bridge that this tab was attached to with `remember` before it was reloaded. `attach` accepts it
 * without a click.
 *
 * @returns {AttachConfiguration | null}
 */
export function recallAttachment() {
  return recall(tabStorage());
}

/**
 * A dispatcher without actions of its own, to which the browser's tools are added.
 *
 * @param {string} app
 * @param {boolean | undefined} webmcp
 * @throws {TypeError} where nothing would be added
 */
function noActions(app, webmcp) {
  if (!webmcp) throw new TypeError("attach needs a dispatcher, or webmcp");
  const dispatcher = new Dispatcher(
    {
      actions: () => [],
      revision: () => null,
      capabilities: () => 0,
      // There is no action that could bring a call here.
      execute: () => ({}),
    },
    {
      app: { name: app, version: "0" },
      runtime: browserRuntime,
      onHostError: (error) => console.error(error),
    },
  );
  dispatcher.setEnabled(true);
  return dispatcher;
}

/**
 * @param {Attachment} attachment
 * @param {Dispatcher} dispatcher
 */
function offerWhileAttached(attachment, dispatcher) {
  const stop = offerModelContextTools(dispatcher);
  attachment.addEventListener("statechange", () => {
    if (!LIVE.has(attachment.state)) stop();
  });
}

/** @returns {PagePowers} */
function pagePowers() {
  return {
    fetch: (input, init) => fetch(input, init),
    makeWorker: () =>
      /** @type {WorkerLike} */ (
        /** @type {unknown} */ (
          new Worker(new URL("./worker.js", import.meta.url), { type: "module" })
        )
      ),
    setTimer,
    defer: makeDefer(),
    clock: readClocks,
    random: Math.random,
    window,
    document,
    location,
    isSecureContext,
    permissions: /** @type {PagePowers["permissions"]} */ (
      /** @type {unknown} */ (navigator.permissions)
    ),
    userActivation: navigator.userActivation,
    locks: navigator.locks,
    storage: tabStorage(),
  };
}

/** Its mere mention throws in documents without an origin of their own. */
function tabStorage() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
