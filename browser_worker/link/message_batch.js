// @ts-check
/**
 * What the page tells its worker, gathered: a message between threads costs more than a short action.
 *
 * Everything leaves together as soon as nothing that was begun is unfinished, which for one short
 * action is at once; otherwise before the browser's next task.
 */

/** @import { BatchMessage, BegunMessage, ResultMessage } from "./worker_messages.js" */

/** @typedef {(callback: () => void) => void} Defer Calls back in a task of its own, soon. */

export class MessageBatch {
  #post;
  #defer;
  /** @type {(BegunMessage | ResultMessage)[]} */
  #messages = [];
  /** @type {Set<string>} */
  #unfinished = new Set();
  #deferred = false;

  /**
   * @param {(message: BatchMessage) => void} post
   * @param {Defer} defer
   */
  constructor(post, defer) {
    this.#post = post;
    this.#defer = defer;
  }

  /**
   * @param {string} id
   * @param {number} seq
   */
  begun(id, seq) {
    this.#unfinished.add(id);
    this.#messages.push({ type: "begun", id, seq });
    this.#deferFlush();
  }

  /**
   * @param {string} id
   * @param {string | null} response
   */
  result(id, response) {
    this.#unfinished.delete(id);
    this.#messages.push({ type: "result", id, response });
    if (this.#unfinished.size === 0) this.flush();
    else this.#deferFlush();
  }

  /** Let go what is gathered. */
  flush() {
    const messages = this.#messages;
    if (messages.length === 0) return;
    this.#messages = [];
    this.#post({ type: "batch", messages });
  }

  #deferFlush() {
    if (this.#deferred) return;
    this.#deferred = true;
    this.#defer(() => {
      this.#deferred = false;
      this.flush();
    });
  }
}
