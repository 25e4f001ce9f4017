// @ts-check
/**
 * Runs the command `bascule browser-bridge` for as long as it is wanted: until `close()`, and never
 * longer than this process. Knows nothing of pages.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { BridgeFailure } from "./bascule_error.js";

/** @import { ChildProcess } from "node:child_process" */

/**
 * @typedef {object} BridgeOptions
 * @property {string} origin The app's origin as the address bar shows it, such as `http://127.0.0.1:8765`.
 * @property {string} [page] The page to attach; by default the origin's root.
 * @property {boolean} [channel] False to use long polling only.
 * @property {string} [command] The program to run; by default the environment's BASCULE_COMMAND, else
 *   `bascule` on the PATH.
 * @property {Record<string, string | undefined>} [env] The program's environment; by default this process's.
 * @property {number} [timeoutMs] How long its start may take, 20 s by default.
 */

const START_MS = 20_000;
/** A bridge ends within two seconds. */
const STOP_MS = 5_000;
const LOG_LINES = 200;

/** A running bridge. Made by `startBridge`. */
export class BridgeProcess {
  #child;
  #log;
  #exited;
  #token;
  #link;

  /**
   * @param {ChildProcess} child
   * @param {{ url: string, token: string, origin: string, link: string }} endpoint
   * @param {string[]} log
   */
  constructor(child, { url, token, origin, link }, log) {
    this.#child = child;
    this.#log = log;
    this.#exited = hasExited(child) ? Promise.resolve() : once(child, "exit").then(() => {});
    /** @readonly */
    this.url = url;
    /** @readonly */
    this.origin = origin;
    // Not shown where the object is printed: a report of a failed test may be public.
    this.#token = token;
    this.#link = link;
  }

  /** The capability token: whoever has it can call the app. */
  get token() {
    return this.#token;
  }

  /** The attach link, which is as secret as the token. */
  get link() {
    return this.#link;
  }

  /** Whether it still runs. */
  get running() {
    return !hasExited(this.#child);
  }

  /** What it said last, attach links left out. */
  get log() {
    return [...this.#log];
  }

  /**
   * End it. Pages that are attached to it are detached, calls fail.
   *
   * @returns {Promise<void>} when it has ended
   */
  async close() {
    if (!this.running) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** For `await using`. */
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

/**
 * Start a bridge for one web app.
 *
 * @param {BridgeOptions} options
 * @returns {Promise<BridgeProcess>} when it takes connections
 * @throws {BridgeFailure} START_FAILED, with what the program said
 */
export async function startBridge({
  origin,
  page,
  channel = true,
  command = process.env["BASCULE_COMMAND"] || "bascule",
  env = process.env,
  timeoutMs = START_MS,
}) {
  const args = ["browser-bridge", "--origin", origin, "--owner-pid", String(process.pid)];
  if (page !== undefined) args.push("--page", page);
  if (!channel) args.push("--no-channel");
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"], env });
  /** @type {string[]} */
  const log = [];
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    const endpoint = await announced(child, log);
    // A bridge that nobody closed must not keep this process from its end, with which it ends too.
    child.unref();
    /** @type {{ unref?: () => void }} */ (child.stderr).unref?.();
    return new BridgeProcess(child, endpoint, log);
  } catch (error) {
    child.kill("SIGKILL");
    throw new BridgeFailure("START_FAILED", `\`${command} browser-bridge\` did not start:`, {
      cause: error,
      hint: [...log, whyNot(error)].join("\n"),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** @param {unknown} error */
function whyNot(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  const cure = "install Bascule where the PATH has it, or name it by BASCULE_COMMAND";
  return code === "ENOENT" ? `there is no such command (ENOENT): ${cure}` : message;
}

/**
 * Reads the lines of a bridge's start, and goes on reading: a pipe that nobody reads would stop it.
 *
 * @param {ChildProcess} child
 * @param {string[]} log
 * @returns {Promise<{ url: string, token: string, origin: string, link: string }>}
 */
function announced(child, log) {
  return new Promise((resolve, reject) => {
    /** @type {{ url: string, token: string, origin: string } | undefined} */
    let endpoint;
    child.once("error", reject);
    child.once("close", (code, signal) =>
      reject(
        new Error(signal === null ? `it ended with status ${code}` : `it was ended by ${signal}`),
      ),
    );
    const { stderr } = child;
    if (stderr === null) return;
    createInterface({ input: stderr }).on("line", (line) => {
      const link = line.split(/\s+/).find((word) => word.includes("#bascule="));
      if (endpoint === undefined) endpoint = readEndpoint(line);
      else if (link !== undefined) return resolve({ ...endpoint, link });
      else return keep(log, line);
      if (endpoint === undefined) keep(log, line);
    });
  });
}

/** @param {string} line */
function readEndpoint(line) {
  try {
    const { url, token, origin } = JSON.parse(line);
    return typeof url === "string" && typeof token === "string"
      ? { url, token, origin }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string[]} log
 * @param {string} line
 */
function keep(log, line) {
  log.push(line);
  if (log.length > LOG_LINES) log.shift();
}

/** @param {ChildProcess} child */
function hasExited(child) {
  return child.exitCode !== null || child.signalCode !== null;
}
