// @ts-check
/** The runtime's suite over ports in memory, and over real channels. */

import { after, before, describe, test } from "node:test";

import { createMemoryKernel } from "../../../browser_worker/testing/memory_kernel.js";
import { MemoryPorts } from "../support/memory_ports.js";
import { runtimeSuite } from "./runtime_suite.js";

/** @import { MemoryKernel } from "../../../browser_worker/testing/memory_kernel.js" */

const APPS = ["notes", "board"].map((id) => ({ id, name: id, version: "1" }));

/** @param {() => MemoryKernel} make */
function runSuite(make) {
  /** @type {MemoryKernel} */
  let memory;
  before(() => void (memory = make()));
  after(() => memory.close());
  const cases = runtimeSuite((app, kind) => {
    const { runtime, endpoint, disconnect } = memory.connect(app, kind);
    return { bus: runtime, endpoint: endpoint.id, disconnect };
  });
  for (const { name, run } of cases) test(name, run);
}

describe("over real channels", () => runSuite(() => createMemoryKernel({ apps: APPS })));

describe("over ports in memory", () =>
  runSuite(() => {
    const ports = new MemoryPorts();
    ports.deliverThemselves();
    return createMemoryKernel({ apps: APPS, makePorts: () => ports.pair() });
  }));
