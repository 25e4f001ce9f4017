// @ts-check
/** An app's runtime on a port whose other end a test holds. */

import { AppRuntime } from "../../../browser_worker/app/app_runtime.js";
import { ManualRuntime } from "./manual_runtime.js";
import { MemoryPorts } from "./memory_ports.js";

export function appOnPort() {
  const time = new ManualRuntime();
  const ports = new MemoryPorts();
  const runtime = new AppRuntime({ now: time.now, setTimer: time.after });
  const [kernel, theirs] = ports.pair();
  /** What the kernel's end was sent. @type {any[]} */
  const sent = [];
  kernel.onmessage = ({ data }) => void sent.push(data);
  runtime.connect(theirs);
  return { kernel, ports, runtime, sent, time };
}
