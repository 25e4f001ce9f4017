// @ts-check
/** Runs the runtime's suite in a frame without an origin, over ports that frames were given. */

import { AppRuntime } from "/app/app_runtime.js";
import { runtimeSuite } from "/suite/runtime_suite.js";

const setTimer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** Who waits for a message of this kind. @type {Map<string, (event: MessageEvent) => void>} */
const waiting = new Map();
addEventListener("message", (event) => {
  const { lent, unmounted } = event.data;
  const key = lent ?? unmounted;
  waiting.get(key)?.(event);
  waiting.delete(key);
});

let count = 0;

async function connect(app, kind) {
  const hash = `#${++count}`;
  const lent = new Promise((resolve) => waiting.set(hash, resolve));
  parent.postMessage({ suite: "mount", hash, app, kind }, "*");
  const { ports } = await lent;
  const runtime = new AppRuntime({ now: () => performance.now(), setTimer });
  const connected = new Promise((resolve) => runtime.onConnect(() => resolve(undefined)));
  runtime.connect(ports[0]);
  await connected;
  return {
    bus: runtime,
    endpoint: runtime.connected.endpoint,
    disconnect: async () => {
      const unmounted = new Promise((resolve) => waiting.set(hash, resolve));
      parent.postMessage({ suite: "unmount", hash }, "*");
      await unmounted;
      runtime.close("its frame went away");
    },
  };
}

async function runAll() {
  const ended = [];
  for (const { name, run } of runtimeSuite(connect)) {
    try {
      await run();
      ended.push([name, "passed"]);
    } catch (error) {
      ended.push([name, String(error)]);
    }
  }
  return ended;
}

Object.assign(window, { runAll });
