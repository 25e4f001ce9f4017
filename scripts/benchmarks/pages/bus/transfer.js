/* global addEventListener, parent */
/** A frame of the bare transfer: a port, and nothing else. Told to, it sends; else it gives back. */

import { timed } from "./timed.js";

let port;
let arrived = () => {};
addEventListener("message", ({ source, ports }) => {
  if (source !== parent || ports.length !== 1) return;
  [port] = ports;
  port.onmessage = ({ data }) => {
    if (data.samples !== undefined) void send(data);
    else if (data.sent === true) arrived(data.buffer);
    else port.postMessage({ sent: true, buffer: data.buffer }, [data.buffer]);
  };
  port.postMessage({ ready: true });
});

async function send({ samples, bytes }) {
  let buffer = new ArrayBuffer(bytes);
  const ms = await timed(samples, 1, async () => {
    const back = new Promise((resolve) => void (arrived = resolve));
    port.postMessage({ buffer }, [buffer]);
    buffer = await back;
    if (buffer.byteLength !== bytes) throw new Error("the bytes did not come back");
  });
  port.postMessage({ ms });
}
