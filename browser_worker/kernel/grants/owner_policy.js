// @ts-check
/**
 * The policy of a workspace: who has a grant may, whoever has none is asked about, and nobody but the
 * owner says yes. Which calls it is asked about, and for which root, is the broker's business.
 * Contract: bus, grants.
 */

import { BusError } from "../../contract/bus_error.js";
import { KERNEL_ENDPOINT } from "../../contract/bus_names.js";
import { MAX_SHOWN_CHARS, between, callPrompt, grantPrompt, whatOf } from "./call_prompt.js";
import { askFor } from "../consent/ask_for.js";
import { refusalOf } from "../consent/refusals.js";
import { EndLinks } from "../calls/end_links.js";
import { LISTING } from "./grants.js";

/** @import { Asked } from "./call_prompt.js" */
/** @import { Consent, ConsentAnswer, No, Prompt, Yes } from "../consent/consent_queue.js" */
/** @import { Grant, Grants, Use } from "./grants.js" */
/** @import { Root } from "../calls/invocations.js" */
/** @import { AppSummary } from "../kernel.js" */
/** @import { Decision, Question } from "./routing_policy.js" */

/**
 * @typedef {object} GrantRequest Leave that is asked for ahead of its use.
 * @property {Root} root
 * @property {string} caller An endpoint, or a terminal.
 * @property {string | null} callerApp
 * @property {readonly string[]} via
 * @property {string} target An app.
 * @property {readonly string[]} tools None: to list its tools.
 * @property {string | null} reason In the words of who asks.
 */

/**
 * @typedef {object} OwnerPolicyParts
 * @property {Grants} grants
 * @property {Consent} consent
 * @property {() => readonly AppSummary[]} apps
 */

/**
 * @typedef {object} Doubt What the owner has to decide on.
 * @property {Asked["prompt"]} prompt
 * @property {Asked["reaches"]} reaches
 * @property {Use} use
 * @property {() => boolean} unchanged
 * @property {string} what
 * @property {() => void} waiting
 */

/**
 * @typedef {object} Outcome Of one question.
 * @property {Decision} decision For the call that it was about.
 * @property {No | null} no The owner's, which is for those too that waited for it.
 */

/** @type {Decision} */
const ALLOWED = Object.freeze({ allow: true });

export class OwnerPolicy {
  /** @param {OwnerPolicyParts} parts */
  constructor({ grants, consent, apps }) {
    this._grants = grants;
    this._consent = consent;
    this._apps = apps;
    /** Questions that the owner is asked, by what they are about. @type {Map<string, Promise<Outcome>>} */
    this._asking = new Map();
  }

  /**
   * Decides at once where a grant, or none, is needed; else as the owner answers.
   *
   * @param {Question} question
   * @param {AbortSignal} signal Aborts when the call is over, which takes away the question, and the leave
   *   for that one call.
   * @param {() => void} [waiting] Called where the owner is asked, or will be.
   * @returns {Decision | Promise<Decision>} Never rejects.
   */
  decide(question, signal, waiting = () => {}) {
    const { root, caller, callerApp, targetApp: target, tool } = question;
    if (root === null) {
      if (caller === KERNEL_ENDPOINT) return ALLOWED;
      return refused(
        new BusError("OWNER_REQUIRED", "Nobody asked for this call; nothing was run."),
      );
    }
    const use = { root, by: between(root, callerApp), target, tool };
    // Whoever attached a terminal lets it look around; an app that it calls is no terminal.
    if (root.kind === "external" && use.by === null && tool === LISTING) return ALLOWED;
    const granted = this._granted(use);
    if (granted !== null) return granted;
    const composed = callPrompt({ ...question, root }, use.by, this._apps());
    if (composed === null) return refused(tooLong(question));
    const unchanged = this._watch(root, target);
    return this._inTurn({ ...composed, use, unchanged, what: whatOf(question), waiting }, signal);
  }

  /**
   * Asks the owner for grants ahead of their use.
   *
   * @param {GrantRequest} request
   * @param {AbortSignal} signal
   * @returns {Promise<ConsentAnswer>} A yes where nothing was missing.
   */
  async request(request, signal) {
    const { root, callerApp, target } = request;
    const by = between(root, callerApp);
    const wanted = request.tools.length === 0 ? [LISTING] : request.tools;
    const missing = wanted.filter((tool) => this._grants.find({ root, by, target, tool }) === null);
    /** @type {ConsentAnswer} */
    const yes = { allowed: true, choice: "session", value: null };
    if (missing.length === 0) return yes;
    const tools = missing.filter((tool) => tool !== LISTING);
    const prompt = grantPrompt({ ...request, tools, by }, this._apps());
    const unchanged = this._watch(root, target);
    const answer = await this._consent.ask(prompt, signal);
    if (!answer.allowed) return answer;
    if (signal.aborted || !unchanged()) {
      return { allowed: false, reason: "gone", retryAfterMs: null };
    }
    for (const tool of missing) this._grants.give({ root, by, target, tool });
    return yes;
  }

  /**
   * @param {Use} use
   * @returns {Decision | null}
   */
  _granted(use) {
    const grant = this._grants.find(use);
    return grant === null ? null : this._used(grant);
  }

  /**
   * @param {Grant} grant
   * @returns {Decision}
   */
  _used(grant) {
    return { allow: true, signal: this._grants.use(grant) };
  }

  /**
   * Asks, but nothing twice at a time: calls that one answer can be for wait for it.
   *
   * @param {Doubt} doubt
   * @param {AbortSignal} signal
   * @returns {Promise<Decision>}
   */
  async _inTurn(doubt, signal) {
    const about = aboutOf(doubt.use);
    for (let other = this._asking.get(about); other; other = this._asking.get(about)) {
      doubt.waiting();
      const { decision, no } = await other;
      const granted = this._granted(doubt.use);
      if (granted !== null) return granted;
      // A no is for all of them, in words of each one's own. A yes to another call alone is none to this one.
      if (no !== null) return refusedBy({ ...no, unasked: true }, doubt);
      if (!decision.allow && decision.code !== "CANCELLED") return decision;
    }
    const asked = this._ask(doubt, signal).catch((error) => {
      if (error instanceof BusError) return outcome(refused(error));
      const text = "The owner could not be asked; nothing was run.";
      return outcome(refused(new BusError("OWNER_REQUIRED", text)));
    });
    this._asking.set(about, asked);
    try {
      return (await asked).decision;
    } finally {
      this._asking.delete(about);
    }
  }

  /**
   * @param {Doubt} doubt
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>} Rejects with a `BusError`.
   */
  async _ask(doubt, signal) {
    const { prompt, use, waiting } = doubt;
    const answer = await this._answer(prompt, use, signal, waiting);
    if (answer.allowed) return outcome(this._allowed(doubt, answer, signal));
    const granted = this._granted(use);
    if (granted !== null) return outcome(granted);
    const decision = refusedBy(answer, doubt);
    return answer.reason === "gone" ? outcome(decision) : { decision, no: answer };
  }

  /**
   * @param {Doubt} doubt
   * @param {Yes} answer
   * @param {AbortSignal} signal
   * @returns {Decision}
   */
  _allowed({ reaches, use, unchanged }, answer, signal) {
    const { root, by } = use;
    if (signal.aborted || root.signal?.aborted || !unchanged()) {
      const text =
        "What the owner was asked about has changed meanwhile; nothing was run. Try again.";
      return refused(new BusError("CANCELLED", text));
    }
    const reach = reaches.get(answer.choice);
    if (reach === undefined) throw new TypeError(`not a choice: ${answer.choice}`);
    if (reach === null) return { allow: true, signal: this._grants.giveOnce(use, signal) };
    return this._used(this._grants.give({ root, by, ...reach }));
  }

  /**
   * Asks, until nobody needs the answer any more: the call has ended, or a grant that was given meanwhile
   * is for it too.
   *
   * @param {Prompt} prompt
   * @param {Use} use
   * @param {AbortSignal} signal
   * @param {() => void} waiting
   * @returns {Promise<ConsentAnswer>}
   * @throws {BusError} `AGENT_CONSENT_LIMIT`
   */
  async _answer(prompt, use, signal, waiting) {
    const { root } = use;
    const needless = new AbortController();
    const stop = this._grants.onChange(() => {
      if (this._grants.find(use) !== null) needless.abort();
    });
    const links = new EndLinks((why) => needless.abort(why));
    links.add(signal);
    links.add(root.signal);
    try {
      return await askFor(this._consent, root, prompt, needless.signal, waiting);
    } finally {
      stop();
      links.clear();
    }
  }

  /**
   * A yes is for the apps that the owner was told of.
   *
   * @param {Root} root
   * @param {string} target
   * @returns {() => boolean} Whether both are still the same.
   */
  _watch({ app }, target) {
    const apps = app === null ? [target] : [app, target];
    const standing = () => apps.map((each) => this._grants.standingOf(each)).join();
    const before = standing();
    return () => standing() === before;
  }
}

/**
 * @param {Decision} decision
 * @returns {Outcome}
 */
function outcome(decision) {
  return { decision, no: null };
}

/**
 * @param {No} no
 * @param {Doubt} doubt
 * @returns {Decision}
 */
function refusedBy(no, { what, use }) {
  return refused(refusalOf(no, { what, agent: use.root.kind === "agent" }));
}

/**
 * Which questions one answer can be for.
 *
 * @param {Use} use
 */
function aboutOf({ root, by, target, tool }) {
  const { kind, subject, session } = root;
  if (kind === "external" && by === null) return JSON.stringify([subject, session]);
  if (kind === "app") return JSON.stringify([subject, session, by, target, tool]);
  return JSON.stringify([subject, session, by, target]);
}

/** @param {Question} question */
function tooLong(question) {
  const text = `The owner can be shown ${MAX_SHOWN_CHARS} characters of arguments, and these are longer; nothing was run. They are not shown once the owner has given leave to ${whatOf(question)} for longer than one call.`;
  return new BusError("TOO_LARGE", text, {
    data: { limit: "characters", maximum: MAX_SHOWN_CHARS },
  });
}

/**
 * @param {BusError} error
 * @returns {Decision}
 */
function refused({ code, message, retryAfterMs, data }) {
  return {
    allow: false,
    code,
    message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(data === undefined ? {} : { data }),
  };
}
