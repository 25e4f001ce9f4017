// @ts-check
/**
 * Runs the vectors of the control protocol on the JavaScript twin, in node and in browsers alike.
 * `tests/vectors/README.md` says what a step is.
 */

import { AgentEndpoint } from "../../../browser_worker/dispatcher/agent_endpoint.js";
import { RpcSession } from "../../../browser_worker/dispatcher/rpc_session.js";
import { Task } from "../../../browser_worker/dispatcher/task_table.js";
import { JsonNumber, numberToken, parse } from "../../../browser_worker/contract/strict_json.js";
import { JSON_LIMITS } from "../../../browser_worker/contract/limits.js";
import { makeFixture } from "./fixture_host.js";
import { ManualRuntime } from "./manual_runtime.js";

/** Files of vectors are larger than messages. */
const FILE_LIMITS = { ...JSON_LIMITS, maxEncodedBytes: 1 << 24, maxDepth: 64, maxValues: 1 << 20 };

/** @typedef {any} Step */
/** @typedef {{ name: string, steps: Step[], disabled?: boolean, mcp?: boolean, absent?: string, present?: string }} Vector */

/** A vector that does not hold. */
export class VectorError extends Error {}

/** How a text ends that stands for what is too long to be told twice. */
const ELSEWHERE = "is in structuredContent.";

/**
 * @param {string} text A file of vectors.
 * @param {string} catalog The file with the catalog of MCP's tools.
 * @returns {Vector[]} With numbers as they are written.
 */
export function readVectors(text, catalog) {
  return filledIn(parse(text, FILE_LIMITS).cases, parse(catalog, FILE_LIMITS));
}

/**
 * Puts in place what a file of vectors only names: built texts, and parts of the catalog.
 *
 * @param {any} value
 * @param {any} catalog
 * @returns {any}
 */
function filledIn(value, catalog) {
  if (Array.isArray(value)) return value.map((member) => filledIn(member, catalog));
  if (value === null || typeof value !== "object" || isNumber(value)) return value;
  if (Object.hasOwn(value, "$build")) return built(value.$build);
  if (Object.hasOwn(value, "$catalog")) return catalog[value.$catalog];
  const filled = Object.create(null);
  for (const name of Object.keys(value)) filled[name] = filledIn(value[name], catalog);
  return filled;
}

/** Lets everything happen that waits for nothing but its turn. */
export const settle = () => new Promise((resolve) => setTimeout(resolve));

/**
 * @param {boolean} holds
 * @param {() => string} what
 */
function hold(holds, what) {
  if (!holds) throw new VectorError(what());
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function shown(value) {
  return (
    JSON.stringify(value, (_key, each) =>
      typeof each === "bigint" || each instanceof JsonNumber ? `number ${String(each)}` : each,
    ) ?? "nothing"
  ).slice(0, 500);
}

/** @param {unknown} value @returns {value is number | bigint | JsonNumber} */
const isNumber = (value) =>
  typeof value === "number" || typeof value === "bigint" || value instanceof JsonNumber;

/**
 * Holds a value against what is expected: `"*"` is anything, and numbers are the same by their
 * tokens. The order of members has no meaning.
 *
 * @param {any} actual
 * @param {any} expected
 * @param {string} [at]
 */
export function assertMatches(actual, expected, at = "") {
  const wrong = () => `${at || "/"}: ${shown(actual)} where ${shown(expected)} is expected`;
  if (expected === "*") {
    hold(actual !== undefined, wrong);
  } else if (isNumber(expected)) {
    hold(isNumber(actual) && numberToken(actual) === numberToken(expected), wrong);
  } else if (expected === null || typeof expected !== "object") {
    hold(actual === expected, wrong);
  } else {
    hold(actual !== null && typeof actual === "object" && !isNumber(actual), wrong);
    hold(Array.isArray(actual) === Array.isArray(expected), wrong);
    const names = Object.keys(expected);
    hold(shown(Object.keys(actual).sort()) === shown([...names].sort()), wrong);
    for (const name of names) assertMatches(actual[name], expected[name], `${at}/${name}`);
  }
}

/**
 * @param {(string | [string, number])[]} parts
 * @returns {string}
 */
export function built(parts) {
  return parts.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");
}

/**
 * Holds the text of a tool's answer against its structured content, which says the same: models
 * are shown the one or the other.
 *
 * @param {string} answer
 */
function assertToldTwice(answer) {
  const { result } = parse(answer);
  if (result?.structuredContent === undefined) return;
  let text = result.content
    .map((/** @type {any} */ block) => (block.type === "text" ? block.text : ""))
    .join("");
  if (result.isError) {
    const { message, data } = result.structuredContent.error;
    const said = text.slice(0, text.lastIndexOf("\n") + 1);
    const hint = data.hint === undefined ? "" : `${data.hint}\n`;
    const toldFirst = said.startsWith(`${message}\n`) && said.endsWith(hint);
    const named = `${data.code}: `.slice(0, Math.max(0, said.length - 2));
    const toldShort = text.endsWith(ELSEWHERE) && said.startsWith(named);
    hold(toldFirst || toldShort, () => `the text is ${text.slice(0, 400)}`);
    text = text.slice(said.length);
  }
  if (text.endsWith(ELSEWHERE)) return;
  hold(answer.includes(`"structuredContent":${text}`), () => `another text: ${text.slice(0, 400)}`);
}

/** One run of one vector. */
class Run {
  /** @param {Vector} vector */
  constructor(vector) {
    this.vector = vector;
    this.runtime = new ManualRuntime();
    this.fixture = makeFixture({ runtime: this.runtime });
    if (vector.disabled) this.fixture.dispatcher.setEnabled(false);
    this.endpoint = new AgentEndpoint(this.fixture.dispatcher);
    /** @type {string[]} */
    this.notified = [];
    this.session = vector.mcp
      ? new RpcSession(this.fixture.dispatcher, undefined, {
          protocol: "mcp",
          notify: (line) => void this.notified.push(line),
        })
      : new RpcSession(this.fixture.dispatcher);
    /** Answers that are waited for. @type {Map<string, { answer?: string | null }>} */
    this.pending = new Map();
    /** @type {string[]} */
    this.answers = [];
    this.seen = 0;
  }

  /** @param {Step} step */
  async step(step) {
    const { dispatcher, notes } = this.fixture;
    if (step.enable !== undefined) dispatcher.setEnabled(step.enable);
    if (step.modal !== undefined) notes.modal = step.modal;
    if (step.capabilities !== undefined) notes.capabilities = step.capabilities;
    if (step.revision !== undefined) notes.revision = step.revision;
    if (step.resources !== undefined) notes.listed = step.resources;
    if (step.wordy !== undefined) notes.wordy = step.wordy;
    if (step.close_session !== undefined) this.endpoint.closeSession(step.close_session);
    if (step.advance !== undefined) this.runtime.pass(Number(step.advance) * 1000);
    if (step.tick) this.fixture.tick();
    if (step.advance !== undefined || step.tick || step.enable !== undefined) await settle();
    if (step.local !== undefined || step.command !== undefined) await this.local(step);
    if (step.line !== undefined || step.line_build !== undefined) await this.send(step);
    if (step.answer !== undefined) this.arrived(step);
    if (step.notified !== undefined) {
      assertMatches(
        this.notified.map((line) => parse(line)),
        step.notified,
      );
      this.notified = [];
    }
    if (step.executed !== undefined) {
      const done = notes.log.slice(this.seen);
      hold(shown(done) === shown(step.executed), () => `the host was asked for ${shown(done)}`);
      this.seen = notes.log.length;
    }
    if (step.enabled !== undefined) {
      hold(dispatcher.enabled === step.enabled, () => `enabled is ${dispatcher.enabled}`);
    }
  }

  /** @param {Step} step */
  async send(step) {
    const line = step.line ?? built(step.line_build);
    /** @type {{ answer?: string | null }} */
    const place = {};
    const answer =
      step.session === undefined
        ? this.session.receive(line)
        : this.endpoint.request(line, { session: step.session });
    void answer.then((text) => (place.answer = text ?? null));
    await settle();
    if (step.pending === undefined) {
      this.judge(step, place.answer);
    } else {
      hold(place.answer === undefined, () => `${step.pending} is answered: ${place.answer}`);
      this.pending.set(step.pending, place);
    }
  }

  /** @param {Step} step */
  arrived(step) {
    const place = this.pending.get(step.answer);
    hold(place !== undefined, () => `nobody asked ${step.answer}`);
    this.judge(step, place?.answer);
  }

  /**
   * @param {Step} step
   * @param {string | null | undefined} answer
   */
  judge(step, answer) {
    if (step.silent) {
      hold(answer === null, () => `there is an answer: ${answer}`);
      return;
    }
    if (typeof answer !== "string") throw new VectorError("there is no answer");
    hold(!/[\n\r\u2028\u2029]/.test(answer), () => `the answer has a line break: ${answer}`);
    this.answers.push(answer);
    assertToldTwice(answer);
    if (step.expect !== undefined) assertMatches(parse(answer), step.expect);
    if (step.text !== undefined) hold(answer === step.text, () => `the answer is ${answer}`);
    if (step.id !== undefined) {
      hold(answer.includes(`"id":${step.id},`), () => `the id is another: ${answer}`);
    }
  }

  /** A call of the app's own interface. @param {Step} step */
  async local(step) {
    const { dispatcher } = this.fixture;
    let given;
    try {
      given =
        step.local === undefined
          ? await dispatcher.executeCommand(step.command, step.input)
          : await dispatcher.executeLocal(step.local, step.input);
    } catch (error) {
      const code = /** @type {any} */ (error).code ?? "HOST_ERROR";
      hold(code === step.raises, () => `it throws ${code}`);
      return;
    }
    hold(step.raises === undefined, () => `it does not throw ${step.raises}`);
    if (given instanceof Task) hold(step.gives === "task", () => "it gives a task");
    else assertMatches(given, step.gives);
  }

  end() {
    const all = this.answers.join("");
    const { absent, present } = this.vector;
    hold(!all.includes("secret of the host"), () => "the host's words leaked");
    if (absent !== undefined) hold(!all.includes(absent), () => `there is ${absent}`);
    if (present !== undefined) hold(all.includes(present), () => `there is no ${present}`);
  }
}

/**
 * @param {Vector} vector
 * @throws {VectorError} Where it does not hold.
 */
export async function runVector(vector) {
  const run = new Run(vector);
  for (const [index, step] of vector.steps.entries()) {
    try {
      await run.step(step);
    } catch (error) {
      if (!(error instanceof VectorError)) throw error;
      throw new VectorError(`step ${index + 1}: ${error.message}`);
    }
  }
  run.end();
}
