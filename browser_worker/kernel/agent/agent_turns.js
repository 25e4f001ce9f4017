// @ts-check
/**
 * The turns of agents: each begins with a person's click in a tile, is named by one root, and ends with
 * its call, by its owner, or with the right to it. Routes nothing. Contract: bus, agent mode.
 */

import { BusError } from "../../contract/bus_error.js";
import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";
import { BUS_LIMITS } from "../../contract/limits.js";
import { Observers } from "../../dispatcher/observers.js";
import { EndReason } from "../calls/call_end.js";
import { refusalOf } from "../consent/refusals.js";
import { agentSubject, startPrompt } from "./agent_prompts.js";
import { beginProblem } from "./turn_gate.js";

/** @import { CallSource } from "../calls/broker.js" */
/** @import { StartedTurn, TurnRequest } from "../calls/call_admission.js" */
/** @import { Consent } from "../consent/consent_queue.js" */
/** @import { Invocation, Root } from "../calls/invocations.js" */
/** @import { KernelPowers } from "../kernel_powers.js" */
/** @import { Attention } from "../private/private_gate.js" */
/** @import { AgentMode, AppOf } from "./agent_mode.js" */

/**
 * @typedef {object} TurnParts
 * @property {AgentMode} mode
 * @property {AppOf} appOf
 * @property {Consent} consent
 * @property {Attention} attention
 * @property {Pick<KernelPowers, "wallNow" | "newId">} powers
 * @property {(app: string) => Invocation | undefined} foreignTo
 */

/** @typedef {StartedTurn | { refusal: BusError }} Admission */

/**
 * @typedef {object} TurnSummary For the owner.
 * @property {string} id
 * @property {string} app
 * @property {string} version
 * @property {string} entrypoint
 * @property {number} startedAt Unix milliseconds.
 * @property {number} calls That were begun in it.
 */

/** @typedef {TurnSummary & { root: Root, controller: AbortController }} Turn */

/** When to try again where others have to end first: nobody knows when they do. */
const RETRY_MS = 5_000;

export class AgentTurns {
  /** @param {TurnParts} parts */
  constructor(parts) {
    this._parts = parts;
    /** By id. @type {Map<string, Turn>} */
    this._turns = new Map();
    /** Apps whose owner is asked whether one begins. @type {Set<string>} */
    this._asking = new Set();
    /** @type {Observers<void>} */
    this._observers = new Observers();
    parts.mode.onChange(() => this._review());
  }

  /**
   * Watches which turns there are.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /** The turns that run, oldest first. @returns {TurnSummary[]} */
  all() {
    return [...this._turns.values()].map(
      ({ root: _root, controller: _controller, ...turn }) => turn,
    );
  }

  /** Whether an app has one. @param {string} app */
  runs(app) {
    return [...this._turns.values()].some((turn) => turn.app === app);
  }

  /**
   * Begins a turn with a call, if it is one that a turn begins with.
   *
   * @param {TurnRequest} request
   * @returns {Promise<Admission> | null} Null for a call like any other. Never rejects.
   */
  admit({ source, target, tool, waits }) {
    const { app, kind } = target.place;
    // The page itself is nobody's agent: what it calls is called for its owner.
    if (source.id === KERNEL_ENDPOINT || kind !== "background") return null;
    return this._parts.mode.entrypoints(app).includes(tool)
      ? this._begin(source, app, tool, waits.signal)
      : null;
  }

  /**
   * Counts a call of a turn.
   *
   * @param {Root} root
   * @returns {BusError | null} Why it is not to be begun.
   */
  count(root) {
    if (root.kind !== "agent") return null;
    const turn = this._turns.get(root.session ?? "");
    if (turn === undefined) return over();
    const most = BUS_LIMITS.maxCallsOfTurn;
    if (turn.calls >= most) {
      return new BusError(
        "AGENT_MODE_LIMIT",
        `A turn makes ${most} calls at most; this one was not begun. Start another turn.`,
        { data: { limit: "calls", maximum: most } },
      );
    }
    turn.calls += 1;
    return null;
  }

  /**
   * Stops a turn: what it called is cancelled, and what was done stays done.
   *
   * @param {string} id
   * @returns {boolean} Whether there was one.
   */
  stop(id) {
    return this._end(id, new EndReason("CANCELLED", "The owner stopped this turn"));
  }

  /** @param {string} app One that was removed, or is of another version now. */
  forgetApp(app) {
    for (const turn of [...this._turns.values()]) {
      if (turn.app === app) this._end(turn.id, revoked(app));
    }
  }

  lock() {
    const error = new EndReason("LOCKED", "The workspace was locked");
    for (const id of [...this._turns.keys()]) this._end(id, error);
  }

  /**
   * @param {CallSource} source
   * @param {string} app
   * @param {string} tool
   * @param {AbortSignal} signal
   * @returns {Promise<Admission>}
   */
  async _begin(source, app, tool, signal) {
    await this._caughtUp(source, app, tool);
    if (signal.aborted) return { refusal: over() };
    const { attention, consent } = this._parts;
    const known = this._parts.appOf(app);
    if (known === undefined) return { refusal: revoked(app) };
    // Looked at now: what it says is of the click that this call comes from.
    const { active, moved } = attention.activation();
    const focused = attention.focusedEndpoint() === source.endpoint?.id;
    const problem =
      beginProblem(source, app, tool, { focused, active }) ??
      this._standingProblem(app, tool) ??
      this._roomProblem(app) ??
      this._scopeProblem(app);
    if (problem !== null) return { refusal: problem };
    if (moved) {
      this._asking.add(app);
      const answer = await consent.ask(startPrompt(known, tool), signal);
      this._asking.delete(app);
      if (!answer.allowed) {
        const refusal = refusalOf(answer, { what: `start a turn of ${app}`, agent: true });
        return { refusal };
      }
      // The owner took their time: all of it may be otherwise by now.
      const later =
        this._standingProblem(app, tool) ??
        this._roomProblem(app) ??
        this._scopeProblem(app) ??
        (source.endpoint?.open === true && !signal.aborted ? null : over());
      if (later !== null) return { refusal: later };
    }
    return this._start(app, known.version, tool);
  }

  /**
   * The page can be told later of a click than of what a tile has sent in it.
   *
   * @param {CallSource} source
   * @param {string} app
   * @param {string} tool
   */
  async _caughtUp(source, app, tool) {
    const { caughtUp } = this._parts.attention;
    const { endpoint } = source;
    const atWork = { focused: true, active: true };
    if (endpoint === null || beginProblem(source, app, tool, atWork) !== null) return;
    await caughtUp?.call(this._parts.attention, endpoint.id);
  }

  /**
   * @param {string} app
   * @param {string} version
   * @param {string} entrypoint
   * @returns {StartedTurn}
   */
  _start(app, version, entrypoint) {
    const { newId, wallNow } = this._parts.powers;
    const id = newId();
    const controller = new AbortController();
    /** @type {Root} */
    const root = Object.freeze({
      kind: "agent",
      subject: agentSubject(app, entrypoint),
      app,
      version,
      entrypoint,
      session: id,
      signal: controller.signal,
    });
    const startedAt = wallNow();
    this._turns.set(id, { id, app, version, entrypoint, startedAt, calls: 0, root, controller });
    this._observers.notify();
    const ended = () => void this._end(id, new EndReason("INVOCATION_INVALID", "The turn is over"));
    return { root, ended };
  }

  /** @param {string} app @param {string} tool */
  _standingProblem(app, tool) {
    switch (this._parts.mode.standing(app, tool)) {
      case "enabled":
        return null;
      case "revoked":
        return revoked(app);
      case "never": {
        const text =
          `The owner has not let ${app} act as an agent; nothing was run. The app asks for that by ` +
          "agentMode.request, in the handler of a click.";
        return new BusError("OWNER_REQUIRED", text);
      }
    }
  }

  /** @param {string} app */
  _roomProblem(app) {
    const again = { retryAfterMs: RETRY_MS };
    if (this.runs(app) || this._asking.has(app)) {
      const text = `A turn of ${app} runs already; this one was not begun. Stop that one, or wait.`;
      return new BusError("AGENT_MODE_LIMIT", text, again);
    }
    const most = BUS_LIMITS.maxTurns;
    if (this._turns.size + this._asking.size < most) return null;
    const text = `${most} turns run already; this one was not begun.`;
    return new BusError("AGENT_MODE_LIMIT", text, again);
  }

  /**
   * Who is being called could otherwise have its own agent do what its caller may not.
   *
   * @param {string} app
   */
  _scopeProblem(app) {
    if (this._parts.foreignTo(app) === undefined) return null;
    const text = `${app} answers to somebody else now; no turn was begun. Try again when it has ended.`;
    return new BusError("SCOPED_CONTEXT_REQUIRED", text);
  }

  /** Ends the turns whose entrypoint is enabled no longer. */
  _review() {
    for (const { id, app, entrypoint } of [...this._turns.values()]) {
      if (this._parts.mode.standing(app, entrypoint) !== "enabled") this._end(id, revoked(app));
    }
  }

  /**
   * @param {string} id
   * @param {BusError} error
   */
  _end(id, error) {
    const turn = this._turns.get(id);
    if (turn === undefined) return false;
    this._turns.delete(id);
    turn.controller.abort(error);
    this._observers.notify();
    return true;
  }
}

/** @param {string} app */
function revoked(app) {
  return new EndReason(
    "AGENT_MODE_REVOKED",
    `${app} may not act as an agent any more, since it was disabled or has changed, and asks anew by agentMode.request`,
  );
}

function over() {
  const text = "The turn is over; what was not begun was not run.";
  return new BusError("INVOCATION_INVALID", text);
}
