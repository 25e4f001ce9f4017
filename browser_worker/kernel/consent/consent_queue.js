// @ts-check
/**
 * Questions to the owner of a workspace, one at a time. Whoever asks takes turns with the others, has
 * few questions waiting, and is not heard for a while after a no. Draws nothing: a view shows `current`
 * and answers it. Contract: bus, consent.
 */

import { BUS_LIMITS } from "../../contract/limits.js";
import { Observers } from "../../dispatcher/observers.js";
import { CoolDowns } from "./cool_downs.js";
import { opened } from "./open_questions.js";

/** @import { KernelPowers } from "../kernel_powers.js" */

/**
 * @typedef {object} Prompt
 * @property {string} subject Who asks: `app:notes`, `external:bridge:SESSION`, `agent:assistant:agent_run`.
 * @property {string} title The question, in the kernel's words.
 * @property {readonly Fact[]} facts What the owner has to know, in order.
 * @property {string} [quote] Why, in the words of who asks.
 * @property {readonly Choice[]} choices How far a yes goes, at least one; the first is the narrowest.
 * @property {{ kind: "secret" | "text", label: string, maxChars: number }} [input] What the owner enters.
 * @property {string} [confirm] What the button of the yes says.
 * @property {number} [seconds] How long it is shown.
 */

/** @typedef {{ label: string, value: string, code?: boolean }} Fact `code`: as it is, line by line. */
/** @typedef {{ id: string, label: string }} Choice */

/** @typedef {{ allowed: true, choice: string, value: string | null }} Yes */

/**
 * @typedef {object} No
 * @property {false} allowed
 * @property {"denied" | "timeout" | "busy" | "gone" | "others"} reason `gone`: nobody waits for the answer
 *   any more. `others`: too many terminals were refused, whatever their names.
 * @property {number | null} retryAfterMs When to ask again, where asking again can help.
 * @property {boolean} [unasked] It is an earlier no, which is heard yet: nobody was asked.
 */

/** @typedef {Yes | No} ConsentAnswer */
/** @typedef {{ allow: true, choice: string, value?: string } | { allow: false }} OwnerAnswer */
/** @typedef {{ id: string, prompt: Prompt, endsAt: number }} Shown `endsAt` on the clock of `now`. */

/**
 * @typedef {object} Waiting
 * @property {string} id
 * @property {Prompt} prompt
 * @property {(answer: ConsentAnswer) => void} settle
 */

/** @typedef {Pick<ConsentQueue, "ask">} Consent Where the owner is asked. */

export class ConsentQueue {
  /** @param {Pick<KernelPowers, "now" | "setTimer" | "newId">} powers */
  constructor(powers) {
    this._powers = powers;
    /** Of each subject, oldest first; the subjects in the order of their turns. @type {Map<string, Waiting[]>} */
    this._waiting = new Map();
    /** @type {(Waiting & { endsAt: number, cancelTimer: () => void }) | null} */
    this._shown = null;
    this._coolDowns = new CoolDowns(powers.now);
    this._closed = false;
    /** @type {Observers<void>} */
    this._observers = new Observers();
  }

  /** The question that the owner sees. @returns {Shown | null} */
  get current() {
    if (this._shown === null) return null;
    const { id, prompt, endsAt } = this._shown;
    return { id, prompt, endsAt };
  }

  /** How many wait behind it. */
  get waiting() {
    let count = 0;
    for (const prompts of this._waiting.values()) count += prompts.length;
    return count;
  }

  /**
   * Watches which question is shown, and how many wait.
   *
   * @param {() => void} observer
   * @returns {() => void} Ends the watching.
   */
  onChange(observer) {
    return this._observers.add(observer);
  }

  /**
   * Asks the owner.
   *
   * @param {Prompt} prompt
   * @param {AbortSignal} [signal] Takes the question away: nobody needs the answer any more.
   * @param {() => void} [onAsked] Called where it is a question, and not answered at once by a no.
   * @returns {Promise<ConsentAnswer>} Never rejects.
   */
  ask(prompt, signal = undefined, onAsked = () => {}) {
    const refused = this._refused(prompt.subject, signal);
    if (refused !== null) return Promise.resolve(refused);
    return new Promise((resolve) => {
      const id = this._powers.newId();
      const onAbort = () => this._withdraw(id);
      const close = opened(signal);
      /** @type {Waiting} */
      const waiting = {
        id,
        prompt,
        settle: (answer) => {
          signal?.removeEventListener("abort", onAbort);
          close(answer.allowed);
          resolve(answer);
        },
      };
      signal?.addEventListener("abort", onAbort);
      const ofSubject = this._waiting.get(prompt.subject);
      if (ofSubject === undefined) this._waiting.set(prompt.subject, [waiting]);
      else ofSubject.push(waiting);
      onAsked();
      this._next();
    });
  }

  /**
   * The owner's answer to the question that is shown.
   *
   * @param {string} id
   * @param {OwnerAnswer} answer
   * @returns {boolean} Whether it was taken: false where another question is shown by now, or for a
   *   choice that there is not.
   */
  answer(id, answer) {
    const shown = this._shown;
    if (shown === null || shown.id !== id) return false;
    const { subject, choices, input } = shown.prompt;
    if (!answer.allow) {
      this._refuse("denied");
      return true;
    }
    if (!choices.some((choice) => choice.id === answer.choice)) return false;
    const value = answer.value ?? null;
    if (input !== undefined && (value === null || value.length > input.maxChars)) return false;
    this._coolDowns.allowed(subject);
    this._end({ allowed: true, choice: answer.choice, value: input === undefined ? null : value });
    return true;
  }

  /**
   * Takes away what a subject has asked. A no is still heard: one that comes back under its name has not
   * got round it.
   *
   * @param {string} subject
   */
  forget(subject) {
    this._coolDowns.forget(subject);
    const waiting = this._waiting.get(subject) ?? [];
    this._waiting.delete(subject);
    for (const { settle } of waiting) settle(gone());
    if (this._shown?.prompt.subject === subject) this._end(gone());
    else if (waiting.length > 0) this._observers.notify();
  }

  /** Takes all questions away: the workspace is locked. */
  clear() {
    for (const subject of [...this._waiting.keys()]) this.forget(subject);
    if (this._shown !== null) this._end(gone());
    this._coolDowns.clear();
  }

  /** For good: whoever asks is told that nobody answers. */
  close() {
    this._closed = true;
    this.clear();
  }

  /**
   * @param {string} subject
   * @param {AbortSignal | undefined} signal
   * @returns {No | null}
   */
  _refused(subject, signal) {
    if (this._closed || signal?.aborted) return gone();
    const cooling = this._coolDowns.find(subject);
    if (cooling !== null) return { allowed: false, ...cooling, unasked: true };
    const own =
      (this._waiting.get(subject)?.length ?? 0) + (this._shown?.prompt.subject === subject ? 1 : 0);
    const all = this.waiting + (this._shown === null ? 0 : 1);
    if (own < BUS_LIMITS.maxConsentsOfSubject && all < BUS_LIMITS.maxConsents) return null;
    const until = this._shown === null ? 0 : this._shown.endsAt - this._powers.now();
    return { allowed: false, reason: "busy", retryAfterMs: Math.max(1_000, Math.ceil(until)) };
  }

  /** Shows the first question of the subject whose turn it is. */
  _next() {
    const [turn] = this._waiting;
    if (this._shown === null && turn !== undefined) {
      const [subject, prompts] = turn;
      const [first, ...others] = prompts;
      // Its next question comes after those of all the others.
      this._waiting.delete(subject);
      if (others.length > 0) this._waiting.set(subject, others);
      if (first !== undefined) this._show(first);
    }
    this._observers.notify();
  }

  /** @param {Waiting} waiting */
  _show(waiting) {
    const { seconds = BUS_LIMITS.consentSeconds } = waiting.prompt;
    const ms = seconds * 1_000;
    const cancelTimer = this._powers.setTimer(ms, () => this._refuse("timeout"));
    this._shown = { ...waiting, endsAt: this._powers.now() + ms, cancelTimer };
  }

  /** @param {ConsentAnswer} answer */
  _end(answer) {
    const shown = this._shown;
    if (shown === null) return;
    this._shown = null;
    shown.cancelTimer();
    shown.settle(answer);
    this._next();
  }

  /** @param {string} id */
  _withdraw(id) {
    if (this._shown?.id === id) {
      this._end(gone());
      return;
    }
    for (const [subject, prompts] of this._waiting) {
      const found = prompts.find((each) => each.id === id);
      if (found === undefined) continue;
      const others = prompts.filter((each) => each !== found);
      if (others.length === 0) this._waiting.delete(subject);
      else this._waiting.set(subject, others);
      found.settle(gone());
      this._observers.notify();
    }
  }

  /**
   * The owner did not say yes to the question that is shown. Whose others are for the same reason not to
   * be asked now is told so, instead of being shown next.
   *
   * @param {"denied" | "timeout"} reason
   */
  _refuse(reason) {
    if (this._shown === null) return;
    const { subject } = this._shown.prompt;
    const retryAfterMs = this._coolDowns.refused(subject, reason);
    for (const [other, prompts] of [...this._waiting]) {
      const cooling = other === subject ? null : this._coolDowns.find(other);
      if (cooling === null) continue;
      this._waiting.delete(other);
      for (const { settle } of prompts) settle({ allowed: false, ...cooling, unasked: true });
    }
    this._end({ allowed: false, reason, retryAfterMs });
  }
}

/** @returns {No} */
function gone() {
  return { allowed: false, reason: "gone", retryAfterMs: null };
}
