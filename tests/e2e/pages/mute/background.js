// @ts-check
/** Takes its port as an app does, and never answers by it. */

const MARK = { bascule: "bus", version: 1 };

addEventListener("message", ({ source, data, ports: [port] }) => {
  if (source !== parent) return;
  if (data.step === "probe") parent.postMessage({ ...MARK, step: "ready", nonce: data.nonce }, "*");
  if (port !== undefined) port.onmessage = () => {};
});
