// @ts-check
/** What an app's own unit tests import: a workspace in memory. */

export { BusError } from "../contract/bus_error.js";
export { MemoryKernel, createMemoryKernel } from "./memory_kernel.js";

/** @typedef {import("../app/app_runtime.js").AppRuntime} AppRuntime */
/** @typedef {import("./memory_kernel.js").MemoryApp} MemoryApp */
/** @typedef {import("./memory_kernel.js").MemoryOptions} MemoryOptions */
