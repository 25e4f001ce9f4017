// @ts-check
/**
 * The panel's elements: builds them once, and shows what it is given. Decides nothing; every text is
 * set as text.
 */

import { drawCall, drawSession } from "./panel_rows.js";
import { RowList } from "./row_list.js";
import { shownName } from "./shown_name.js";

/** @import { CallRow } from "./call_list.js" */
/** @import { PanelState } from "./panel_state.js" */
/** @import { SessionRow } from "./session_list.js" */

/**
 * @typedef {object} PanelHandlers
 * @property {() => void} attach Called for a person's own click or key only.
 * @property {() => void} dismiss
 * @property {() => void} pause
 * @property {() => void} resume Called for a person's own click or key only.
 * @property {() => void} detach
 * @property {() => void} clear
 * @property {(text: string) => void} paste
 */

/** @typedef {Node | string} Content */

export class PanelView {
  #root;
  #details;
  #dot;
  #state;
  #badge;
  #body;
  #message;
  #offer;
  #app;
  #bridge;
  #attach;
  #dismiss;
  #switch;
  #resumes = false;
  #detach;
  #transport;
  #linkForm;
  #link;
  #sessionsPart;
  #noCalls;
  #clear;
  #heard;
  /** @type {RowList<CallRow>} */
  #calls;
  /** @type {RowList<SessionRow>} */
  #sessions;

  /**
   * @param {ShadowRoot} root
   * @param {PanelHandlers} handlers
   */
  constructor(root, handlers) {
    this.#root = root;
    const { make, button } = maker(root.ownerDocument);
    this.#dot = make("span", { id: "bascule-dot", part: "dot", "aria-hidden": "true" });
    this.#state = make("strong", { id: "bascule-state", part: "state" });
    this.#badge = make("span", { id: "bascule-badge", part: "badge" });
    const summary = make("summary", { part: "summary" }, [
      this.#dot,
      make("span", { class: "title" }, ["Terminal"]),
      this.#state,
      this.#badge,
    ]);

    this.#message = make("p", { id: "bascule-message", part: "message", role: "status" });
    this.#app = make("bdi", { class: "name" });
    this.#bridge = make("span", { class: "name" });
    this.#attach = button("Attach", { id: "bascule-attach", class: "primary" });
    this.#dismiss = button("Not now", { id: "bascule-dismiss" });
    this.#offer = make("div", { id: "bascule-offer", part: "offer" }, [
      make("dl", {}, [
        make("dt", {}, ["This page"]),
        make("dd", {}, [this.#app]),
        make("dt", {}, ["The bridge"]),
        make("dd", {}, [this.#bridge]),
      ]),
      make("p", { class: "detail" }, [
        // A page that knows more of it says so in this slot.
        make("slot", { name: "power" }, [
          "It will be able to do what this page’s actions can, until you pause or detach it.",
        ]),
      ]),
      make("div", { class: "buttons" }, [this.#attach, this.#dismiss]),
    ]);
    this.#switch = button("Pause", { id: "bascule-switch" });
    this.#detach = button("Detach", { id: "bascule-detach" });
    this.#transport = make("p", { id: "bascule-transport", class: "detail" });
    const input = make("input", {
      id: "bascule-link",
      part: "input",
      // The link is as secret as a password: nobody reads it over a shoulder or from a screenshot.
      type: "password",
      autocomplete: "off",
      spellcheck: "false",
      required: "",
    });
    this.#link = /** @type {HTMLInputElement} */ (input);
    const use = button("Use it", {});
    use.setAttribute("type", "submit");
    this.#linkForm = make("form", { id: "bascule-link-form" }, [
      make("label", { for: "bascule-link" }, ["Attach link"]),
      make("div", { class: "row" }, [input, use]),
    ]);

    const sessions = make("ul", {
      id: "bascule-sessions",
      role: "list",
      "aria-labelledby": "bascule-sessions-title",
    });
    // No headings: an element cannot know which level the page around it is at.
    this.#sessionsPart = make("div", { class: "lists" }, [
      make("span", { id: "bascule-sessions-title", class: "heading" }, ["In use by"]),
      scroller(make, "Sessions", sessions),
    ]);
    const calls = make("ol", {
      id: "bascule-calls",
      role: "list",
      "aria-labelledby": "bascule-calls-title",
    });
    this.#noCalls = make("p", { id: "bascule-no-calls", class: "detail" }, ["None yet."]);
    this.#clear = button("Clear", {
      id: "bascule-clear",
      class: "small",
      "aria-label": "Clear calls",
    });
    this.#heard = make("p", { id: "bascule-heard", class: "heard", role: "status" });
    this.#body = make("div", { id: "bascule-body", tabindex: "-1" }, [
      make("div", { class: "status" }, [
        this.#message,
        make("div", { class: "buttons end" }, [this.#switch, this.#detach]),
      ]),
      this.#transport,
      this.#offer,
      this.#linkForm,
      this.#sessionsPart,
      make("div", { class: "lists" }, [
        make("div", { class: "row" }, [
          make("span", { id: "bascule-calls-title", class: "heading" }, ["Calls"]),
          this.#clear,
        ]),
        scroller(make, "Calls", calls),
        this.#noCalls,
      ]),
      this.#heard,
    ]);
    const details = make("details", { id: "bascule-panel", part: "panel", open: "" }, [
      summary,
      this.#body,
    ]);
    this.#details = /** @type {HTMLDetailsElement} */ (details);
    this.#calls = new RowList(calls, drawCall);
    this.#sessions = new RowList(sessions, drawSession);
    root.append(details);
    this.#listen(handlers);
  }

  get open() {
    return this.#details.open;
  }

  set open(open) {
    this.#details.open = open;
  }

  /**
   * @param {PanelState} to
   * @param {string} app The app's name, as it is.
   */
  show(to, app) {
    const focused = this.#root.activeElement;
    this.#details.dataset["tone"] = to.tone;
    text(this.#state, to.state);
    text(this.#badge, to.badge);
    text(this.#message, to.message);
    text(this.#app, shownName(app));
    showAddress(this.#bridge, to.bridge);
    text(this.#transport, to.transport);
    this.#resumes = to.switch === "resume";
    text(this.#switch, this.#resumes ? "Resume" : "Pause");
    this.#switch.classList.toggle("primary", this.#resumes);
    this.#badge.hidden = to.badge === "";
    this.#offer.hidden = to.bridge === "";
    this.#attach.toggleAttribute("disabled", !to.canAttach);
    this.#switch.hidden = to.switch === null;
    this.#detach.hidden = !to.canDetach;
    this.#linkForm.hidden = !to.takesLink;
    this.#transport.hidden = to.transport === "";
    // A button that goes away takes the focus along: it stays in the panel, on nothing that a second
    // press could set off.
    if (focused instanceof HTMLElement && focused.closest("[hidden]") !== null) {
      this.#body.focus({ preventScroll: true });
    }
  }

  /**
   * @param {readonly CallRow[]} calls
   * @param {readonly SessionRow[]} sessions
   */
  showLists(calls, sessions) {
    this.#calls.show(calls);
    this.#sessions.show(sessions);
    this.#sessionsPart.hidden = sessions.length === 0;
    this.#noCalls.hidden = calls.length > 0;
    this.#clear.hidden = calls.length === 0;
  }

  /** @param {string} words for those who hear the page */
  say(words) {
    text(this.#heard, words);
  }

  /** @param {PanelHandlers} handlers */
  #listen(handlers) {
    /** @param {HTMLElement} element @param {() => void} handle */
    const onClick = (element, handle) => element.addEventListener("click", handle);
    // What gives power needs a person; what takes it away may come from anywhere.
    this.#attach.addEventListener("click", (event) => {
      if (event.isTrusted) handlers.attach();
    });
    this.#switch.addEventListener("click", (event) => {
      if (!this.#resumes) handlers.pause();
      else if (event.isTrusted) handlers.resume();
    });
    onClick(this.#dismiss, handlers.dismiss);
    onClick(this.#detach, handlers.detach);
    onClick(this.#clear, handlers.clear);
    this.#linkForm.addEventListener("submit", (event) => {
      event.preventDefault();
      const { value } = this.#link;
      this.#link.value = "";
      handlers.paste(value);
    });
  }
}

/** @typedef {(tag: string, attributes: Record<string, string>, children?: Content[]) => HTMLElement} Make */

/** @param {Document} document */
function maker(document) {
  /** @type {Make} */
  const make = (tag, attributes, children = []) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  /**
   * @param {string} label
   * @param {Record<string, string>} attributes
   */
  const button = (label, attributes) => {
    const part = attributes["class"] === "primary" ? "button primary-button" : "button";
    return make("button", { type: "button", part, ...attributes }, [label]);
  };
  return { make, button };
}

/**
 * A list that scrolls must be reached by the keyboard as well.
 *
 * @param {Make} make
 * @param {string} label
 * @param {HTMLElement} list
 */
function scroller(make, label, list) {
  return make("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": label }, [
    list,
  ]);
}

/**
 * An address that has no room breaks before its host, and not within its port.
 *
 * @param {HTMLElement} element
 * @param {string} address
 */
function showAddress(element, address) {
  if (element.textContent === address) return;
  const [scheme = "", host] = address.split("//", 2);
  const { ownerDocument } = element;
  if (host === undefined) element.replaceChildren(address);
  else element.replaceChildren(`${scheme}//`, ownerDocument.createElement("wbr"), host);
}

/**
 * A text is written only where it changes, so that it is not read out again.
 *
 * @param {HTMLElement} element
 * @param {string} words
 */
function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
