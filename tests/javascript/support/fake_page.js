// @ts-check
/** As much of a page as frames need: elements, their windows, and what a test does to them. */

import { MemoryPorts } from "./memory_ports.js";

/** Of one kind of target: who listens to what. */
class Listeners {
  constructor() {
    /** @type {[string, (event: any) => void][]} */
    this.all = [];
  }

  /** @param {string} type @param {(event: any) => void} listener */
  addEventListener(type, listener) {
    this.all.push([type, listener]);
  }

  /** @param {string} type @param {(event: any) => void} listener */
  removeEventListener(type, listener) {
    this.all = this.all.filter(([of, each]) => of !== type || each !== listener);
  }

  /** @param {string} type @param {any} [event] */
  dispatch(type, event = {}) {
    for (const [of, listener] of [...this.all]) if (of === type) listener(event);
  }
}

/** The window of a frame: what the page sends it, and what it sends back. */
export class FakeFrameWindow {
  /** @param {FakePage} page */
  constructor(page) {
    this.page = page;
    /** @type {{ message: any, ports: any[] }[]} */
    this.received = [];
  }

  /** @param {any} message @param {string} _origin @param {any[]} [ports] */
  postMessage(message, _origin, ports = []) {
    this.received.push({ message, ports });
  }

  /** @param {any} data */
  send(data) {
    this.page.window.dispatch("message", { source: this, data });
  }

  /** Messages of one step of the handshake. @param {string} step */
  steps(step) {
    return this.received.filter(({ message }) => message.step === step);
  }

  /** Answers the last probe, as a runtime does. @returns {any} The port, if it got one. */
  answer() {
    const { message } = this.steps("probe").at(-1) ?? { message: {} };
    this.send({ bascule: "bus", version: 1, step: "ready", nonce: message.nonce });
    return this.steps("port").at(-1)?.ports[0];
  }
}

class FakeElement extends Listeners {
  /** @param {FakePage} page @param {string} tag */
  constructor(page, tag) {
    super();
    this.ownerDocument = page.document;
    this.tag = tag;
    /** @type {Map<string, string>} */
    this.attributes = new Map();
    this.style = {};
    /** @type {FakeElement | null} */
    this.parent = null;
    /** @type {FakeElement[]} */
    this.children = [];
    /** @type {FakeFrameWindow | null} */
    this.contentWindow = null;
    /** @type {FakeElement | null} */
    this.shadowRoot = null;
    this._page = page;
  }

  attachShadow() {
    this.shadowRoot = new FakeElement(this._page, "#shadow-root");
    this.shadowRoot.parent = this;
    return this.shadowRoot;
  }

  get isConnected() {
    /** @type {FakeElement | null} */
    let top = this;
    while (top.parent !== null) top = top.parent;
    return top === this._page.body;
  }

  getRootNode() {
    return this.ownerDocument;
  }

  /** @param {string} name @param {string} value */
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  /** @param {FakeElement} child */
  append(child) {
    child.parent?._drop(child);
    child.parent = this;
    this.children.push(child);
    if (child.tag === "iframe") child.contentWindow = new FakeFrameWindow(this._page);
    this._page.changed();
  }

  remove() {
    this.parent?._drop(this);
    this.parent = null;
    this.contentWindow = null;
    this._page.changed();
  }

  /** @param {FakeElement | null} other @returns {boolean} */
  contains(other) {
    return other !== null && (other === this || this.contains(other.parent));
  }

  focus() {
    this.ownerDocument.activeElement = this;
  }

  blur() {
    this.ownerDocument.activeElement = this._page.body;
  }

  /** @param {FakeElement} child */
  _drop(child) {
    this.children = this.children.filter((each) => each !== child);
  }
}

export class FakePage {
  constructor() {
    const page = this;
    /** @type {Set<() => void>} */
    this.observers = new Set();
    /** Whether changes of the page are told at once: some are not seen at all. */
    this.tells = true;
    this.ports = new MemoryPorts();
    this.window = Object.assign(new Listeners(), {
      MutationObserver: class {
        /** @param {() => void} told */
        constructor(told) {
          this.told = told;
        }

        observe() {
          page.observers.add(this.told);
        }

        disconnect() {
          page.observers.delete(this.told);
        }
      },
      CSSStyleSheet: class {
        replaceSync() {}
      },
      focus: () => {},
      makeChannel: () => {
        const [port1, port2] = page.ports.pair();
        return { port1, port2 };
      },
    });
    /** @type {any} */
    this.document = {
      defaultView: this.window,
      activeElement: null,
      createElement: (/** @type {string} */ tag) => new FakeElement(page, tag),
    };
    this.body = new FakeElement(this, "body");
  }

  changed() {
    if (!this.tells) return;
    for (const told of [...this.observers]) told();
  }

  /** @param {string} [tag] */
  element(tag = "div") {
    const made = new FakeElement(this, tag);
    this.body.append(made);
    return made;
  }

  /** Everything that somebody holds of this page. */
  get held() {
    return { listeners: this.window.all.length, observers: this.observers.size };
  }
}
