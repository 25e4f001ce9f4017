// @ts-check
/**
 * Ports whose messages arrive when a test says so: cloned and transferred as a browser does it, one at
 * a time, in order.
 */

/** @typedef {{ isActive: boolean, hasBeenActive: boolean }} UserActivation */
/** @typedef {{ port: MemoryPort, data: any, userActivation?: UserActivation | null | undefined }} Waiting */

/** All messages that are under way between the ports of one test. */
export class MemoryPorts {
  constructor() {
    /** @type {Waiting[]} */
    this.waiting = [];
    /** Ports that are open. */
    this.open = 0;
    this._deliver = false;
  }

  /** From now on messages arrive in turns of the microtask queue, without being told to. */
  deliverThemselves() {
    this._deliver = true;
  }

  /** @param {Waiting} message */
  add(message) {
    this.waiting.push(message);
    if (this._deliver) queueMicrotask(() => void this.deliver());
  }

  /** @returns {[MemoryPort, MemoryPort]} */
  pair() {
    const one = new MemoryPort(this);
    const two = new MemoryPort(this);
    one.other = two;
    two.other = one;
    return [one, two];
  }

  /** Delivers everything, and what comes of it, with turns of the microtask queue between. */
  async settle() {
    for (let quiet = 0; quiet < 3;) {
      await Promise.resolve();
      if (this.deliver()) quiet = 0;
      else {
        await new Promise((resolve) => void setImmediate(resolve));
        quiet += 1;
      }
    }
  }

  /** @returns {boolean} Whether there was one to deliver. */
  deliver() {
    const next = this.waiting.shift();
    if (next === undefined) return false;
    const { port, data, userActivation } = next;
    const told = userActivation === undefined ? {} : { userActivation };
    if (!port.closed) port.onmessage?.({ data, ...told });
    return true;
  }
}

export class MemoryPort {
  /** @param {MemoryPorts} ports */
  constructor(ports) {
    this._ports = ports;
    ports.open += 1;
    /** @type {MemoryPort | null} */
    this.other = null;
    this.closed = false;
    /**
     * What the browser says with what is sent from here; undefined in one that says nothing.
     *
     * @type {UserActivation | null | undefined}
     */
    this.userActivation = undefined;
    /** @type {((event: { data: any, userActivation?: UserActivation | null }) => void) | null} */
    this.onmessage = null;
    /** @type {((event: any) => void) | null} */
    this.onmessageerror = null;
  }

  /**
   * @param {any} message
   * @param {ArrayBuffer[]} [transfer]
   */
  postMessage(message, transfer = []) {
    const data = structuredClone(message, { transfer });
    if (this.closed || this.other === null) return;
    this._ports.add({ port: this.other, data, userActivation: this.userActivation });
  }

  start() {}

  close() {
    if (this.closed) return;
    this.closed = true;
    this._ports.open -= 1;
  }
}
