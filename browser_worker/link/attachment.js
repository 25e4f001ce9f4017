// @ts-check
/**
 * One attachment of this page to a bridge, from the click to its end: the first request, the worker,
 * the page's comings and goings, and the state that a person sees.
 *
 * Composes the other modules and touches no global: `attach.js` passes a browser's powers in.
 */

import { BRIDGE_LIMITS } from "../contract/limits.js";
import { eventOf, messageOf, messageOfState } from "./attachment_cause.js";
import { nextState } from "./attachment_state.js";
import { isToken, readBridgeAddress } from "./bridge_address.js";
import { makeBridgeApi } from "./bridge_api.js";
import { watchCsp } from "./csp_watch.js";
import { Delivery } from "./delivery.js";
import { diagnose } from "./diagnosis.js";
import { connectFromWindow } from "./first_connect.js";
import { watchLifecycle } from "./page_lifecycle.js";
import { forget, recall, remember } from "./remembered.js";
import { visibilityOf, watchPageState } from "./state_reports.js";
import { takeTabLock } from "./tab_lock.js";
import { textOfNote } from "./transport_note.js";
import { makeWorkerTransport } from "./worker_transport.js";

/** @import { Cause } from "./attachment_cause.js" */
/** @import { State, StateEvent } from "./attachment_state.js" */
/** @import { PageState } from "./bridge_api.js" */
/** @import { ConnectAnswer } from "./connect_answer.js" */
/** @import { Endpoint } from "./delivery.js" */
/** @import { DiagnosisPowers } from "./diagnosis.js" */
/** @import { Defer } from "./message_batch.js" */
/** @import { Clock, Fetch, SetTimer } from "./powers.js" */
/** @import { TabStorage } from "./remembered.js" */
/** @import { DocumentLike } from "./state_reports.js" */
/** @import { Locks } from "./tab_lock.js" */
/** @import { Carrier, Transport } from "./transport.js" */
/** @import { TransportNote } from "./transport_note.js" */
/** @import { WorkerLike } from "./worker_transport.js" */

/**
 * @typedef {object} PagePowers
 * @property {Fetch} fetch
 * @property {() => WorkerLike} makeWorker
 * @property {SetTimer} setTimer
 * @property {Defer} defer
 * @property {Clock} clock
 * @property {() => number} random
 * @property {Pick<EventTarget, "addEventListener" | "removeEventListener">} window
 * @property {DocumentLike} document
 * @property {{ readonly protocol: string, readonly hostname: string, readonly origin: string }} location
 * @property {boolean} isSecureContext
 * @property {DiagnosisPowers["permissions"]} permissions
 * @property {{ readonly isActive: boolean } | undefined} userActivation
 * @property {Locks | undefined} locks
 * @property {TabStorage | undefined} storage
 */

/**
 * @typedef {object} AttachmentOptions
 * @property {string} url
 * @property {string} token
 * @property {string} app
 * @property {Endpoint} endpoint
 * @property {boolean} remember
 * @property {boolean} [channel] false: never use one.
 */

/**
 * @fires Event#statechange whenever `state`, `message`, `transport` or `transportNote` has changed
 */
export class Attachment extends EventTarget {
  #powers;
  #app;
  #remember;
  #wantsChannel;
  #place;
  #api;
  #delivery;
  #csp;
  #token;
  /** @type {State} */
  #state = "detached";
  /** @type {Cause | null} */
  #cause = null;
  /** @type {string | null} null while the bridge does not know this page */
  #client = null;
  /** @type {Transport | null} */
  #transport = null;
  /** @type {Carrier | null} */
  #carrier = null;
  /** @type {TransportNote} */
  #note = "none";
  /** @type {PageState} */
  #pageState;
  /** @type {(() => void)[]} */
  #watches = [];
  #releaseTab = () => {};
  #cancelWait = () => {};
  #ended = false;
  /** Counts the beginnings: what an earlier one still waits for is no longer wanted. */
  #era = 0;
  #connecting = 0;
  #losses = 0;

  /**
   * @param {AttachmentOptions} options
   * @param {PagePowers} powers
   */
  constructor({ url, token, app, endpoint, remember: keep, channel = true }, powers) {
    super();
    const { maxAppNameChars } = BRIDGE_LIMITS;
    if (typeof app !== "string" || app === "" || [...app].length > maxAppNameChars) {
      throw new TypeError(`app must be a name of 1 to ${maxAppNameChars} characters`);
    }
    const address = readBridgeAddress(url);
    this.#powers = powers;
    this.#app = app;
    this.#remember = keep;
    this.#wantsChannel = channel;
    this.#token = token;
    this.#place = { url: address ?? "", origin: powers.location.origin };
    this.#pageState = visibilityOf(powers.document);
    this.#api = makeBridgeApi({ fetch: powers.fetch, url: this.#place.url, token });
    this.#delivery = new Delivery({ endpoint, clock: powers.clock });
    this.#csp = watchCsp(powers.document, this.#place.url);
    this.#watches.push(this.#csp.stop);
    this.#move("connect", null);
    if (address === null || !isToken(token)) this.#end("bad-address");
    else if (!this.#isWanted()) this.#end("needs-click");
    else {
      this.#watch();
      void this.#begin();
    }
  }

  /** @returns {State} */
  get state() {
    return this.#state;
  }

  /** @returns {Cause | null} why it is in its state; null while nothing is wrong */
  get cause() {
    return this.#cause;
  }

  /** What happened and what to do about it, for a person. Never holds the token. */
  get message() {
    return this.#cause === null
      ? messageOfState(this.#state, this.#place)
      : messageOf(this.#cause, this.#place);
  }

  /** @returns {Carrier | null} what carries the calls; null while it is not attached or not yet known */
  get transport() {
    return this.#state === "attached" ? this.#carrier : null;
  }

  /** Why calls go by polling and what to do about it, for a person; "" while nothing is to be said. */
  get transportNote() {
    return this.transport === null ? "" : textOfNote(this.#note, this.#place);
  }

  /**
   * Let go of the bridge for good. What runs in the page runs on, and nobody hears its answer; what
   * waits for its turn is not begun.
   *
   * @returns {Promise<void>} when the bridge has heard it, or cannot
   */
  async detach() {
    const goodbye = this.#goodbye();
    if (!this.#ended) this.#end("by-request");
    else if (this.#state !== "detached") this.#move("detach", "by-request");
    await goodbye;
  }

  /** A person asked for it just now, or did before this tab was reloaded. */
  #isWanted() {
    const { userActivation } = this.#powers;
    return userActivation === undefined || userActivation.isActive || this.#isRemembered();
  }

  #isRemembered() {
    const known = recall(this.#powers.storage);
    return known !== null && known.url === this.#place.url && known.token === this.#token;
  }

  #watch() {
    const { document, window } = this.#powers;
    this.#watches.push(
      watchPageState(document, (state) => this.#pageIs(state)),
      watchLifecycle(window, {
        onLeave: () => this.#leave(),
        onReturn: () => {
          if (!this.#ended) void this.#begin();
        },
      }),
    );
  }

  /** From nothing to a running worker: once for the click, again after the page was restored. */
  async #begin() {
    const era = (this.#era += 1);
    const stale = () => era !== this.#era;
    this.#connecting += 1;
    const result = await connectFromWindow({
      ...this.#powers,
      api: this.#api,
      app: this.#app,
      reloaded: this.#isRemembered(),
      diagnose: () =>
        diagnose({ ...this.#powers, url: this.#place.url, blockedByCsp: this.#csp.blocked }),
      wait: (ms) => this.#wait(ms),
      stale,
    });
    this.#connecting -= 1;
    if (stale()) this.#decline(result);
    else if ("cause" in result) this.#end(result.cause);
    else {
      this.#releaseTab = result.releaseTab;
      this.#startTransport(result.answer);
    }
  }

  /**
   * The page was left or detached while the request was under way.
   *
   * @param {Awaited<ReturnType<typeof connectFromWindow>>} result
   */
  #decline(result) {
    if ("answer" in result) {
      result.releaseTab();
      void this.#api.disconnect(result.answer.client);
    }
    if (this.#ended && this.#connecting === 0) this.#api.forget();
  }

  /** @param {number} ms */
  #wait(ms) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const cancel = this.#powers.setTimer(ms, resolve);
        this.#cancelWait = () => {
          cancel();
          resolve();
        };
      })
    );
  }

  /** @param {ConnectAnswer} answer */
  #startTransport(answer) {
    this.#connected(answer);
    const transport = makeWorkerTransport({
      makeWorker: this.#powers.makeWorker,
      setTimer: this.#powers.setTimer,
      defer: this.#powers.defer,
      clock: this.#powers.clock,
      url: this.#place.url,
      token: this.#token,
      app: this.#app,
      pageState: this.#pageState,
      channel: this.#wantsChannel,
      onStarted: () => this.#accepted(),
      onBlocked: () => {
        void this.#goodbye();
        this.#end("worker-blocked");
      },
      onItems: (items, receivedAt) => this.#delivery.accept(items, receivedAt, transport),
      onConnected: (again) => {
        this.#connected(again);
        this.#report(this.#pageState);
      },
      onLive: () => void this.#regained(),
      onLost: (cause) => {
        this.#losses += 1;
        // Whoever opens the link of the next bridge in another tab must find the place free.
        this.#releaseTab();
        this.#releaseTab = () => {};
        this.#move("lost", cause);
      },
      onUnreached: () => this.#delivery.unreached(),
      onCarrier: (carrier, note) => {
        this.#carrier = carrier;
        this.#note = note;
        if (this.#state === "attached") this.#changed();
      },
      onEnded: (cause) => this.#end(cause),
    });
    this.#transport = transport;
    transport.start(answer.client, answer.channel);
  }

  /** @param {ConnectAnswer} answer */
  #connected(answer) {
    this.#client = answer.client;
    this.#delivery.restart(answer.maxMessageBytes);
  }

  #accepted() {
    if (this.#remember) {
      remember(this.#powers.storage, { url: this.#place.url, token: this.#token });
    }
    this.#report(this.#pageState);
    this.#move("accepted", null);
  }

  async #regained() {
    const { losses, era } = { losses: this.#losses, era: this.#era };
    const release = await takeTabLock(this.#powers.locks);
    if (era !== this.#era || losses !== this.#losses) {
      release?.();
      return;
    }
    if (release === null) {
      void this.#goodbye();
      this.#end("other-tab");
      return;
    }
    this.#releaseTab = release;
    this.#move("accepted", null);
  }

  /** @param {PageState} state */
  #pageIs(state) {
    this.#pageState = state;
    this.#transport?.setPageState(state);
    if (this.#state === "attached") this.#report(state);
  }

  /** @param {PageState} state */
  #report(state) {
    if (this.#client === null) return;
    void this.#api.state(this.#client, state, this.#delivery.taken, { keepalive: true });
  }

  /** The page is left; it may be restored as it was. */
  #leave() {
    void this.#goodbye();
    this.#letGo();
    if (this.#state === "attached") this.#move("lost", "page-hidden");
  }

  /** Tell the bridge that nobody is here any more, even while the page is being left. */
  #goodbye() {
    const client = this.#client;
    this.#client = null;
    return client === null ? Promise.resolve() : this.#api.disconnect(client).then(() => {});
  }

  #letGo() {
    this.#era += 1;
    this.#delivery.abandon();
    this.#cancelWait();
    this.#transport?.stop();
    this.#transport = null;
    this.#carrier = null;
    this.#note = "none";
    this.#releaseTab();
    this.#releaseTab = () => {};
  }

  /** @param {Cause} cause */
  #end(cause) {
    this.#ended = true;
    this.#letGo();
    for (const stop of this.#watches.splice(0)) stop();
    if (this.#isRemembered()) forget(this.#powers.storage);
    this.#token = "";
    // A request that is under way may still bring a place at the bridge, to be given back.
    if (this.#connecting === 0) this.#api.forget();
    this.#move(eventOf(cause), cause);
  }

  /**
   * @param {StateEvent} event
   * @param {Cause | null} cause
   */
  #move(event, cause) {
    this.#state = nextState(this.#state, event);
    this.#cause = cause;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("statechange"));
  }
}
