// @ts-check
/** An app without a runtime: a test writes and reads its messages itself. */

/** @import { MemoryPort } from "./memory_ports.js" */

export class RawApp {
  /** @param {MemoryPort} port */
  constructor(port) {
    this.port = port;
    /** Whatever came. @type {any[]} */
    this.received = [];
    /** Answers to actions of the kernel's; without one nothing is answered. @type {Map<string, (payload: any, message: any) => any>} */
    this.handlers = new Map([["ping", () => ({ ok: {} })]]);
    this._lastId = 0;
    port.onmessage = ({ data }) => this._receive(data);
  }

  /** @param {any} message @param {ArrayBuffer[]} [transfer] */
  send(message, transfer = []) {
    this.port.postMessage(message, transfer);
  }

  /**
   * @param {string} action
   * @param {any} payload
   * @param {ArrayBuffer} [attachment]
   * @returns {number} The id.
   */
  ask(action, payload, attachment = undefined) {
    const id = ++this._lastId;
    const message = { type: "exec", id, payload: { action, payload } };
    if (attachment === undefined) this.send(message);
    else this.send({ ...message, attachment }, [attachment]);
    return id;
  }

  /** @param {string} target @param {string} name @param {any} [given] @param {any} [more] */
  call(target, name, given = {}, more = {}) {
    return this.ask("tools.call", { target, name, arguments: given, ...more });
  }

  /**
   * Asks in the name of whoever stands behind a call.
   *
   * @param {string} invocation
   * @param {any} payload
   * @param {string} [action]
   * @returns {number} The id.
   */
  askUnder(invocation, payload, action = "tools.call") {
    const id = ++this._lastId;
    this.send({ type: "exec", id, payload: { action, payload, invocation } });
    return id;
  }

  /** @param {number} id @returns {any} The response to it, if it has come. */
  response(id) {
    return this.received.find((message) => message.type === "response" && message.id === id);
  }

  /**
   * Exposes tools as a runtime would: each answers at once with what its handler gives.
   *
   * @param {Record<string, { handler?: (args: any, message: any) => any } & Record<string, any>>} tools
   */
  expose(tools) {
    /** @param {string} name */
    const described = (name) => {
      const { handler: _handler, ...rest } = tools[name] ?? {};
      return { name, description: name, inputSchema: { type: "object" }, version: 1, ...rest };
    };
    this.handlers.set("tools.describe", ({ name }) => ({
      ok: {
        tools: (name === undefined ? Object.keys(tools) : [name])
          .filter((each) => Object.hasOwn(tools, each))
          .map(described),
      },
    }));
    this.handlers.set("tools.invoke", ({ name, arguments: given }, message) => {
      const handler = tools[name]?.handler;
      if (handler === undefined) return undefined;
      const answer = handler(given, message);
      return answer === undefined ? undefined : { ok: { result: answer } };
    });
  }

  /** @param {any} message */
  _receive(message) {
    this.received.push(message);
    if (message.type !== "exec") return;
    const { action, payload } = message.payload;
    const answer = this.handlers.get(action)?.(payload, message);
    if (answer !== undefined) {
      const { attachment, ...rest } = answer;
      const response = { type: "response", id: message.id, ...rest };
      if (attachment === undefined) this.send(response);
      else this.send({ ...response, attachment }, [attachment]);
    }
  }
}
