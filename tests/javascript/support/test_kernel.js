// @ts-check
/** A kernel whose clock and ports a test holds in its hand. */

import { Kernel } from "../../../browser_worker/kernel/kernel.js";
import { ManualRuntime } from "./manual_runtime.js";
import { MemoryPorts } from "./memory_ports.js";
import { RawApp } from "./raw_app.js";

/** @import { KernelOptions } from "../../../browser_worker/kernel/kernel.js" */

/** @param {Partial<KernelOptions>} [options] */
export function makeKernel(options = {}) {
  const time = new ManualRuntime();
  const ports = new MemoryPorts();
  let ids = 0;
  const powers = {
    now: time.now,
    wallNow: () => 1_000_000 + time.time,
    setTimer: time.after,
    newId: () => `id${++ids}`,
  };
  const kernel = new Kernel({ powers, ...options });
  /**
   * @param {string} app
   * @param {"background" | "tile" | "tray"} [kind]
   * @param {string} [instance]
   */
  const connect = (app, kind = "background", instance = "1") => {
    const [ours, theirs] = ports.pair();
    const place =
      kind === "background"
        ? { app, kind }
        : kind === "tile"
          ? { app, kind, tile: "main", instance }
          : { app, kind, instance };
    const endpoint = kernel.connect(place, ours);
    return { endpoint, app: new RawApp(theirs), port: theirs };
  };
  return { kernel, time, ports, connect, powers };
}
