// @ts-check
/**
 * An app without a runtime, which keeps to no rule: it does the handshake by hand, and a test reads and
 * writes the messages of its port.
 */

/** Says nothing by itself: a test does. */
const quiet = location.hash === "#quiet";
const MARK = { bascule: "bus", version: 1 };
const raw = {
  /** @type {MessagePort | null} */
  port: null,
  /** Every window message, whoever sent it. @type {any[]} */
  heard: [],
  /** Every message of the port. @type {any[]} */
  received: [],
  nonce: "",
  sent: 0,
  /** Answers to what the kernel asks, by action; undefined answers nothing. */
  answers: {
    ping: () => ({ ok: {} }),
    "tools.describe": ({ name }) => ({ ok: { tools: [described(name ?? "work")] } }),
    "tools.invoke": () => undefined,
  },
  send(message, transfer = []) {
    raw.port?.postMessage(message, transfer);
    raw.sent += 1;
  },
  call(id, target, name, given = {}) {
    const payload = { target, name, arguments: given };
    raw.send({ type: "exec", id, payload: { action: "tools.call", payload } });
  },
  response: (id) =>
    raw.received.find((message) => message.type === "response" && message.id === id),
};

const described = (name) => ({
  name,
  description: name,
  inputSchema: { type: "object" },
  version: 1,
});

addEventListener("message", ({ data, source, ports }) => {
  raw.heard.push({ data, parent: source === parent, ports: ports.length });
  if (data?.bascule !== "bus") return;
  if (data.step === "probe" && source === parent) {
    raw.nonce = data.nonce;
    if (quiet) return;
    parent.postMessage({ ...MARK, step: "ready", nonce: data.nonce }, "*");
  }
  if (data.step !== "port" || raw.port !== null) return;
  raw.port = ports[0];
  raw.port.onmessage = ({ data: message }) => {
    raw.received.push(message);
    if (message.type !== "exec") return;
    const { action, payload } = message.payload;
    const answer = raw.answers[action]?.(payload, message);
    if (answer !== undefined) raw.send({ type: "response", id: message.id, ...answer });
  };
});
if (!quiet) parent.postMessage({ ...MARK, step: "ready" }, "*");

Object.assign(window, { raw });
