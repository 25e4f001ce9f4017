// @ts-check
/** Takes its port as an app does, and never answers by it. */

const MARK = { bascule: "bus", version: 1 };

addEventListener("message", ({ source, data, ports }) => {
  if (source !== parent) return;
  if (data.step === "probe") parent.postMessage({ ...MARK, step: "ready", nonce: data.nonce }, "*");
  if (data.step === "port") {
    const [port] = ports;
    if (port === undefined) return;
    port.onmessage = () => {};
    document.body.append(" It has its port.");
  }
});
parent.postMessage({ ...MARK, step: "ready" }, "*");
