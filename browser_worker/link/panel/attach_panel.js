// @ts-check
/**
 * `<bascule-panel>`: by which a person attaches the page to a bridge, sees who uses it and for what,
 * and pauses or ends that. Importing this module defines the element.
 *
 * Wires the other modules to the page. It attaches for a person's click only, once for each link.
 */

import { AgentEndpoint } from "../../dispatcher/agent_endpoint.js";
import { attach, recallAttachment } from "../attach.js";
import { readAttachLink } from "../attach_link.js";
import { readClocks, setTimer } from "../powers.js";
import { CallAnnouncer } from "./call_announcer.js";
import { CallList } from "./call_list.js";
import { isLive, panelState } from "./panel_state.js";
import { panelStyle } from "./panel_style.js";
import { PanelView } from "./panel_view.js";
import { readPastedLink } from "./pasted_link.js";
import { recallPause, rememberPause } from "./remembered_pause.js";
import { SessionList } from "./session_list.js";
import { shownName } from "./shown_name.js";

/** @import { SessionEvent } from "../../dispatcher/agent_endpoint.js" */
/** @import { Dispatcher } from "../../dispatcher/dispatcher.js" */
/** @import { Attachment } from "../attachment.js" */
/** @import { AttachConfiguration } from "../attach_link.js" */

const TAG = "bascule-panel";
/** What an app may set before the element is defined. */
const PROPERTIES = /** @type {const} */ (["dispatcher", "app", "remember", "collapsed"]);
/** Modules are imported where there is no document, too: by tests and by servers that render pages. */
const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

/**
 * The attach panel. Give it its `dispatcher`, and name the app by `app` or the attribute.
 *
 * While the page is attached the dispatcher is enabled, unless a person has paused it; afterwards it is
 * as it was before. An attachment outlives the element's removal from the page: call `detach()` to end
 * it. At most one panel of a page should `remember`, as a tab remembers one attachment.
 *
 * @fires Event#statechange whenever the attachment's state has changed, or another attachment is there
 */
export class AttachPanel extends Base {
  static observedAttributes = ["app", "remember", "collapsed"];

  /** @type {Dispatcher | null} */
  #dispatcher = null;
  /** @type {AttachConfiguration | null} */
  #offered = null;
  #trouble = "";
  /** @type {Attachment | null} */
  #attachment = null;
  /** Counts attachments; calls of earlier ones may still end. */
  #era = 0;
  #enabledBefore = false;
  #ended = false;
  #recalled = false;
  #calls = new CallList(readClocks, undefined, () => this.#drawSoon());
  #sessions = new SessionList(readClocks);
  #announcer = new CallAnnouncer(setTimer, (words) => this.#view.say(words));
  /** @type {(() => void)[]} */
  #watches = [];
  #frame = 0;
  #view;

  constructor() {
    super();
    this.#view = new PanelView(this.attachShadow({ mode: "open" }), {
      attach: () => this.#attach(),
      dismiss: () => this.#offer(null, ""),
      pause: () => this.#dispatcher?.setEnabled(false),
      resume: () => this.#dispatcher?.setEnabled(true),
      detach: () => void this.detach(),
      clear: () => {
        this.#calls.clear();
        this.#drawSoon();
      },
      paste: (text) => this.#take(() => readPastedLink(text)),
    });
  }

  /** @returns {Dispatcher | null} What a terminal will reach. Setting another one detaches first. */
  get dispatcher() {
    return this.#dispatcher;
  }

  set dispatcher(dispatcher) {
    if (dispatcher === this.#dispatcher) return;
    void this.detach();
    this.#unwatch();
    this.#dispatcher = dispatcher;
    if (this.isConnected) this.#watch();
  }

  /** The name by which the bridge and the terminal know this page; the dispatcher's own by default. */
  get app() {
    return this.getAttribute("app") ?? this.#dispatcher?.app.name ?? "";
  }

  set app(name) {
    this.setAttribute("app", name);
  }

  /** Whether a reload of the tab attaches again without a click: see `attach`. */
  get remember() {
    return this.hasAttribute("remember");
  }

  set remember(remember) {
    this.toggleAttribute("remember", Boolean(remember));
  }

  /** Whether only the panel's first line is shown. An offer opens it. */
  get collapsed() {
    return !this.#view.open;
  }

  set collapsed(collapsed) {
    this.#view.open = !collapsed;
  }

  /** @returns {Attachment | null} The latest one, ended or not. */
  get attachment() {
    return this.#attachment;
  }

  /**
   * Ends the attachment, if there is one.
   *
   * @returns {Promise<void>} when the bridge has heard it, or cannot
   */
  async detach() {
    await this.#attachment?.detach();
  }

  connectedCallback() {
    for (const name of PROPERTIES) this.#upgrade(name);
    const root = /** @type {ShadowRoot} */ (this.shadowRoot);
    root.adoptedStyleSheets = [panelStyle(this.ownerDocument)];
    this.#watch();
  }

  disconnectedCallback() {
    this.#unwatch();
    this.#announcer.stop();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /**
   * @param {string} name
   * @param {string | null} _before
   * @param {string | null} value
   */
  attributeChangedCallback(name, _before, value) {
    if (name === "collapsed") this.collapsed = value !== null;
    else if (this.isConnected) {
      this.#recall();
      this.#show();
    }
  }

  /**
   * What was set on the element before it was defined hides the accessor: set it again.
   *
   * @param {(typeof PROPERTIES)[number]} name
   */
  #upgrade(name) {
    if (!Object.hasOwn(this, name)) return;
    const self = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (this));
    const value = self[name];
    delete self[name];
    self[name] = value;
  }

  #watch() {
    this.#unwatch();
    const takeOpened = () => this.#take(readAttachLink);
    window.addEventListener("hashchange", takeOpened);
    this.#watches.push(() => window.removeEventListener("hashchange", takeOpened));
    const dispatcher = this.#dispatcher;
    if (dispatcher !== null) {
      this.#watches.push(
        dispatcher.onEnabledChange(() => {
          this.#keepPause();
          this.#show();
        }),
        dispatcher.onCall(({ action, kind }) => this.#calls.learn(action, kind)),
      );
    }
    takeOpened();
    this.#recall();
    this.#show();
    this.#drawSoon();
  }

  #unwatch() {
    for (const stop of this.#watches.splice(0)) stop();
  }

  /** @param {() => AttachConfiguration | null} read */
  #take(read) {
    try {
      const found = read();
      if (found !== null) this.#offer(found, "");
    } catch (error) {
      this.#offer(this.#offered, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * @param {AttachConfiguration | null} configuration
   * @param {string} trouble
   */
  #offer(configuration, trouble) {
    this.#offered = configuration;
    this.#trouble = trouble;
    if (configuration !== null || trouble !== "") this.#view.open = true;
    this.#show();
  }

  /** After a reload: what a person's click had attached, and no link asks for something else. */
  #recall() {
    if (this.#recalled || !this.remember || this.#dispatcher === null) return;
    this.#recalled = true;
    const known = this.#offered === null ? recallAttachment() : null;
    if (known === null) return;
    const paused = recallPause(tabStorage());
    this.#start(known);
    if (paused && isLive(this.#state)) this.#dispatcher.setEnabled(false);
  }

  /** A pause is kept over reloads, where the attachment is. */
  #keepPause() {
    if (!this.remember || !isLive(this.#state)) return;
    rememberPause(tabStorage(), this.#dispatcher?.enabled === false);
  }

  #attach() {
    const configuration = this.#offered;
    // One click, one attachment: a link that was used up is not used again by itself.
    this.#offered = null;
    this.#trouble = "";
    if (configuration !== null) this.#start(configuration);
    this.#show();
  }

  /** @param {AttachConfiguration} configuration */
  #start(configuration) {
    const dispatcher = this.#dispatcher;
    if (dispatcher === null) return;
    // A new link replaces an attachment, even one that still waits for a bridge that is gone.
    void this.detach();
    const era = (this.#era += 1);
    const endpoint = new AgentEndpoint(dispatcher);
    try {
      const { app, remember } = this;
      const attachment = attach({ ...configuration, app, dispatcher: endpoint, remember });
      this.#attachment = attachment;
      this.#ended = false;
      this.#enabledBefore = dispatcher.enabled;
      endpoint.onSession((event) => this.#sessionTold(event, era, dispatcher));
      dispatcher.setEnabled(true);
      this.#keepPause();
      attachment.addEventListener("statechange", () => this.#followed(attachment, dispatcher));
      this.#followed(attachment, dispatcher);
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
    }
  }

  get #state() {
    return this.#attachment?.state ?? "detached";
  }

  /**
   * @param {Attachment} attachment
   * @param {Dispatcher} dispatcher the one that it was made with
   */
  #followed(attachment, dispatcher) {
    if (attachment !== this.#attachment) return;
    if (!this.#ended && !isLive(attachment.state)) {
      this.#ended = true;
      this.#sessions.clear();
      // Who was paused stays shut: nothing opens without a person.
      if (dispatcher.enabled) dispatcher.setEnabled(this.#enabledBefore);
      if (attachment.cause !== "by-request") this.#view.open = true;
    }
    this.#show();
    this.#drawSoon();
    this.dispatchEvent(new Event("statechange"));
  }

  /**
   * @param {SessionEvent} event
   * @param {number} era
   * @param {Dispatcher} dispatcher the one that was asked
   */
  #sessionTold(event, era, { tasks }) {
    const begun = this.#calls.take(event, era, (id) => keptTask(tasks, id));
    if (era === this.#era && isLive(this.#state)) this.#sessions.take(event);
    if (begun !== null && this.isConnected) this.#announcer.came(shownName(begun.name));
    this.#drawSoon();
  }

  /** Calls may come by thousands a second: they are drawn once a frame. */
  #drawSoon() {
    if (this.#frame !== 0 || !this.isConnected) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#view.showLists(this.#calls.rows, this.#sessions.rows);
      this.#show();
    });
  }

  #show() {
    const attachment = this.#attachment;
    const state = this.#state;
    const enabled = this.#dispatcher?.enabled ?? false;
    const shown = panelState({
      state,
      cause: attachment?.cause ?? null,
      attachmentMessage: attachment?.message ?? "",
      enabled,
      ready: this.#dispatcher !== null,
      offered: this.#offered?.url ?? null,
      trouble: this.#trouble,
      transport: attachment?.transport ?? null,
      transportNote: attachment?.transportNote ?? "",
      running: this.#calls.running,
      origin: location.origin,
    });
    this.#view.show(shown, this.app);
  }
}

/** Its mere mention throws in documents without an origin of their own. */
function tabStorage() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/**
 * @param {Dispatcher["tasks"]} tasks
 * @param {string} id
 */
function keptTask(tasks, id) {
  try {
    return tasks.get(id);
  } catch {
    // It has ended, and made room for another.
    return undefined;
  }
}

// Two copies of these modules may meet in a page; the first one's element stays.
if (globalThis.customElements?.get(TAG) === undefined) {
  globalThis.customElements?.define(TAG, AttachPanel);
}
