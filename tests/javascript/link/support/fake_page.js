// @ts-check
/** A page without a browser: its window, document, locks, storage, and a worker in the same thread. */

import { Attachment } from "../../../../browser_worker/link/attachment.js";
import { makeWorkerService } from "../../../../browser_worker/link/worker_service.js";
import { FakeSockets } from "./fake_sockets.js";
import { FakeTime } from "./fake_time.js";
import { ScriptedBridge, TOKEN, URL_OF_BRIDGE } from "./scripted_bridge.js";

/** @import { PagePowers } from "../../../../browser_worker/link/attachment.js" */
/** @import { Endpoint } from "../../../../browser_worker/link/delivery.js" */
/** @import { Locks } from "../../../../browser_worker/link/tab_lock.js" */
/** @import { ToPage, ToWorker } from "../../../../browser_worker/link/worker_messages.js" */
/** @import { WorkerLike } from "../../../../browser_worker/link/worker_transport.js" */

/** The locks of one browser. */
export class FakeLocks {
  /** @type {Set<string>} */
  #held = new Set();
  /** @type {string[]} */
  names = [];
  /** Requests wait for it before they are decided. */
  gate = Promise.resolve();

  get held() {
    return this.#held.size > 0;
  }

  /**
   * @param {string} name
   * @param {{ ifAvailable: boolean }} _options
   * @param {(lock: unknown) => unknown} callback
   */
  async #request(name, _options, callback) {
    this.names.push(name);
    await this.gate;
    if (this.#held.has(name)) return callback(null);
    this.#held.add(name);
    try {
      return await callback({ name });
    } finally {
      // Browsers keep locks in another process, which hears of the end later.
      await new Promise((resolve) => setImmediate(resolve));
      this.#held.delete(name);
    }
  }

  api = /** @type {Locks} */ (/** @type {unknown} */ ({ request: this.#request.bind(this) }));
}

/** @implements {WorkerLike} */
export class FakeWorker {
  /** @type {WorkerLike["onmessage"]} */
  onmessage = null;
  /** @type {WorkerLike["onerror"]} */
  onerror = null;
  terminated = false;
  /** Messages to the page wait in its queue while its main thread is busy. */
  held = false;
  /** @type {ToPage[]} */
  #queue = [];
  #receive;
  policy = new EventTarget();

  /**
   * @param {FakeTime} time
   * @param {typeof globalThis.fetch} fetch
   * @param {FakeSockets} sockets
   */
  constructor(time, fetch, sockets) {
    this.#receive = makeWorkerService({
      makeSocket: sockets.make,
      policy: this.policy,
      fetch: (input, init) => (this.terminated ? new Promise(() => {}) : fetch(input, init)),
      setTimer: time.setTimer,
      // A worker's own clock begins later than its page's.
      clock: () => ({ monotonicMs: time.monotonicMs - 777, wallMs: time.wallMs }),
      random: () => 0.5,
      post: (message) => {
        this.#queue.push(structuredClone(message));
        if (!this.held) queueMicrotask(() => this.flush());
      },
    });
  }

  flush() {
    for (const data of this.#queue.splice(0)) {
      if (!this.terminated) this.onmessage?.({ data });
    }
  }

  /** @param {ToWorker} message */
  postMessage(message) {
    const clone = structuredClone(message);
    queueMicrotask(() => {
      if (!this.terminated) this.#receive(clone);
    });
  }

  terminate() {
    this.terminated = true;
  }
}

export class FakeStorage {
  /** @type {Map<string, string>} */
  items = new Map();

  /** @param {string} key */
  getItem(key) {
    return this.items.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    this.items.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.items.delete(key);
  }
}

export class FakePage {
  time = new FakeTime();
  bridge = new ScriptedBridge();
  sockets = new FakeSockets();
  locks = new FakeLocks();
  storage = new FakeStorage();
  window = new EventTarget();
  document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  userActivation = { isActive: true };
  /** @type {FakeWorker[]} */
  workers = [];
  /** @type {string[]} */
  runs = [];
  /** @type {Endpoint} */
  endpoint = {
    request: async (text) => {
      this.runs.push(text);
      return '{"jsonrpc":"2.0","id":1,"result":{}}';
    },
    /** @type {Endpoint["closeSession"]} */
    closeSession: () => {},
    /** @type {NonNullable<Endpoint["sessionUnreached"]>} */
    sessionUnreached: () => {},
  };

  /** @returns {PagePowers} */
  get powers() {
    return {
      fetch: this.bridge.fetch,
      makeWorker: () => {
        const worker = new FakeWorker(this.time, this.bridge.fetch, this.sockets);
        this.workers.push(worker);
        return worker;
      },
      setTimer: this.time.setTimer,
      defer: (callback) => setImmediate(callback),
      clock: this.time.clock,
      random: () => 0.5,
      window: this.window,
      document: this.document,
      location: { protocol: "https:", hostname: "app.example", origin: "https://app.example" },
      isSecureContext: true,
      permissions: { query: async () => ({ state: "granted" }) },
      userActivation: this.userActivation,
      locks: this.locks.api,
      storage: this.storage,
    };
  }

  /**
   * @param {Partial<import("../../../../browser_worker/link/attachment.js").AttachmentOptions>} [options]
   * @param {Partial<PagePowers>} [powers]
   */
  attach(options = {}, powers = {}) {
    const attachment = new Attachment(
      {
        url: URL_OF_BRIDGE,
        token: TOKEN,
        app: "Editor",
        endpoint: this.endpoint,
        remember: false,
        ...options,
      },
      { ...this.powers, ...powers },
    );
    /** @type {string[]} */
    const states = [attachment.state];
    attachment.addEventListener("statechange", () => {
      const now =
        attachment.cause === null ? attachment.state : `${attachment.state} ${attachment.cause}`;
      // The event also tells of the transport.
      if (states.at(-1) !== now) states.push(now);
    });
    return { attachment, states };
  }

  get worker() {
    const worker = this.workers.at(-1);
    if (worker === undefined) throw new Error("no worker was started");
    return worker;
  }

  /** @param {string} type */
  fire(type, members = {}) {
    const target = type.startsWith("page") ? this.window : this.document;
    target.dispatchEvent(Object.assign(new Event(type), members));
  }
}
