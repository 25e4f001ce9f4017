/* global document, window */
/** The page of `scripts/bench bus`: what is measured, as functions that answer with samples. */

import { FrameHandshake } from "../../bascule/kernel/frames/frame_handshake.js";
import { Kernel } from "../../bascule/kernel/kernel.js";
import { pagePowers } from "../../bascule/kernel/kernel_powers.js";
import { MountedFrame } from "../../bascule/kernel/frames/mounted_frame.js";
import { WindowMessenger, connect } from "../../penpal/penpal.js";
import { timed } from "./timed.js";

const frames = document.getElementById("frames");
const powers = pagePowers();
const kernel = new Kernel({ powers, policy: { decide: () => ({ allow: true }) } });
const handshake = new FrameHandshake(
  {
    addEventListener: (type, listener) => window.addEventListener(type, listener),
    removeEventListener: (type, listener) => window.removeEventListener(type, listener),
    makeChannel: () => new MessageChannel(),
  },
  powers,
);

/** Mounts an app, and waits until it is on the bus. */
function mounted(place, page) {
  return new Promise((resolve, reject) => {
    const frame = new MountedFrame(
      frames,
      {
        place,
        url: `./${page}`,
        title: place.app,
        onState: (state, reason) => {
          // Its port is on its way: who made the frame has it by then.
          if (state === "connected") setTimeout(() => resolve(frame));
          else if (state !== "loading") reject(new Error(`${state}: ${reason}`));
        },
      },
      { kernel, handshake, powers },
    );
  });
}

/** A frame as ours are, without the bus. */
function bareFrame(page) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.src = `./${page}`;
  const loaded = new Promise((resolve) => frame.addEventListener("load", () => resolve(frame)));
  frames.append(frame);
  return loaded;
}

/** Gives a frame a port of its own. */
async function bareEnd() {
  const frame = await bareFrame("transfer.html");
  const { port1, port2 } = new MessageChannel();
  const ready = new Promise((resolve) => void (port1.onmessage = resolve));
  frame.contentWindow.postMessage({}, "*", [port2]);
  await ready;
  return port1;
}

await mounted({ app: "caller", kind: "background" }, "caller.html");
await mounted({ app: "echo", kind: "background" }, "echo.html");
const penpalFrame = await bareFrame("penpal_frame.html");
const remote = await connect({
  messenger: new WindowMessenger({
    remoteWindow: penpalFrame.contentWindow,
    allowedOrigins: ["*"],
  }),
}).promise;
const [sender, receiver] = [await bareEnd(), await bareEnd()];

async function ofCaller(name, given) {
  const call = { target: "app:caller:background", name, arguments: given, timeoutSeconds: 600 };
  return (await kernel.call(call)).result.ms;
}

globalThis.bench = {
  busCalls: (samples, each) => ofCaller("calls", { samples, each }),
  penpalCalls: (samples, each) => timed(samples, each, () => remote.echo({ n: 1 })),
  busTransfers: (samples, bytes) => ofCaller("transfers", { samples, bytes }),
  bareTransfers: (samples, bytes) =>
    new Promise((resolve) => {
      receiver.onmessage = ({ data }) => sender.postMessage(data, [data.buffer]);
      sender.onmessage = ({ data }) =>
        data.ms === undefined ? receiver.postMessage(data, [data.buffer]) : resolve(data.ms);
      sender.postMessage({ samples, bytes });
    }),
  /** Mounts and unmounts apps, one after another. Gives how many endpoints are left. */
  mounts: async (count) => {
    const before = kernel.endpoints().length;
    for (let mount = 0; mount < count; mount++) {
      const place = { app: "leaf", kind: "tile", tile: "main", instance: String(mount) };
      const frame = await mounted(place, "leaf.html");
      const target = frame.endpoint;
      await kernel.call({ target, name: "nothing" });
      frame.unmount();
    }
    return kernel.endpoints().length - before;
  },
};
