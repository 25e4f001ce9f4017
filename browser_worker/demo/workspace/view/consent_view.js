// @ts-check
/**
 * Shows the question that a kernel asks the owner, in a modal dialog of the trusted page, and gives the
 * answer back. Knows nothing of what is asked: the words are the kernel's. What apps say is shown as
 * text, never as markup. Contract: bus, consent.
 */

import { activeElement } from "../../../kernel/frames/active_element.js";
import { giveKeyboard } from "../../../kernel/frames/give_keyboard.js";
import { DialogGuard } from "./dialog_guard.js";
import { KeyboardKeeper } from "./keyboard_keeper.js";
import { PromptForm } from "./prompt_form.js";

/** @import { ConsentQueue, Shown } from "../../../kernel/consent/consent_queue.js" */
/** @import { AskingTurn } from "./asking_turn.js" */
/** @import { GuardPowers } from "./dialog_guard.js" */
/** @import { KeeperFrames } from "./keyboard_keeper.js" */

/**
 * @typedef {object} ConsentElements
 * @property {HTMLDialogElement} dialog
 * @property {HTMLElement} title Takes the keyboard first: neither answer is under a key that is pressed.
 * @property {HTMLElement} body
 * @property {HTMLElement} left How long is left.
 * @property {HTMLElement} waiting How many questions come after it.
 * @property {HTMLButtonElement} stop Of the agent's turn that asks; hidden where none does.
 * @property {HTMLButtonElement} deny
 * @property {HTMLButtonElement} allow
 */

/**
 * @typedef {object} ConsentSurroundings
 * @property {KeeperFrames} frames
 * @property {(subject: string) => AskingTurn | null} turnOf The turn that a question comes from.
 */

const TICK_MS = 1_000;

export class ConsentView {
  /**
   * @param {ConsentElements} elements
   * @param {ConsentQueue} queue
   * @param {GuardPowers} powers
   * @param {ConsentSurroundings} around
   */
  constructor(elements, queue, powers, { frames, turnOf }) {
    this._elements = elements;
    this._queue = queue;
    this._powers = powers;
    this._turnOf = turnOf;
    /** @type {AskingTurn | null} */
    this._turn = null;
    /** @type {Shown | null} */
    this._shown = null;
    /** @type {PromptForm | null} */
    this._form = null;
    /** Where the keyboard was before. @type {HTMLElement | null} */
    this._before = null;
    this._place = "";
    this._cancelTick = () => {};
    this._guard = new DialogGuard(powers, () => this._drawAllow());
    this._keeper = new KeyboardKeeper(elements.dialog, powers, {
      onAttended: (attended) => this._guard.attend(attended),
      frames,
    });
    this._bind();
    queue.onChange(() => this._see());
    this._see();
  }

  _bind() {
    const { dialog, stop, deny, allow } = this._elements;
    for (const type of ["pointerdown", "keydown"]) {
      dialog.addEventListener(type, (event) => {
        if (event.isTrusted) this._guard.press();
      });
    }
    stop.addEventListener("click", () => this._stop());
    deny.addEventListener("click", () => this._deny());
    allow.addEventListener("click", (event) => this._allow(event));
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this._deny();
    });
    // A browser may close a dialog without asking: nobody said yes. What is told late of an older one
    // says nothing of one that is open.
    dialog.addEventListener("close", () => {
      if (!dialog.open) this._deny();
    });
    const disturb = () => {
      if (this._shown !== null) this._guard.disturb();
    };
    window.addEventListener("resize", disturb);
    window.visualViewport?.addEventListener("resize", disturb);
  }

  _see() {
    const current = this._queue.current;
    if (current?.id === this._shown?.id) {
      this._drawWaiting();
      return;
    }
    this._shown = current;
    this._cancelTick();
    if (current === null) this._close();
    else this._show(current);
  }

  /** @param {Shown} shown */
  _show({ id, prompt }) {
    const { dialog, title, body, stop, allow } = this._elements;
    title.textContent = prompt.title;
    // Two questions in a row may have the same words.
    title.dataset["asked"] = id;
    this._form = new PromptForm(prompt, () => this._drawAllow());
    body.replaceChildren(...this._form.elements);
    allow.textContent = prompt.confirm ?? "Allow";
    this._turn = this._turnOf(prompt.subject);
    stop.hidden = this._turn === null;
    stop.textContent = this._turn === null ? "" : `Stop ${this._turn.name}`;
    if (!dialog.open) {
      const active = activeElement(document);
      this._before = active instanceof HTMLElement ? active : null;
      dialog.showModal();
    }
    // A frame that has the keyboard keeps it otherwise.
    window.focus();
    title.focus();
    body.scrollTop = 0;
    this._guard.show(this._keeper.attended);
    this._keeper.keep(title);
    this._place = placeOf(dialog);
    this._drawAllow();
    this._drawWaiting();
    this._tick();
  }

  _close() {
    const { dialog, body } = this._elements;
    this._guard.hide();
    this._keeper.release();
    this._form = null;
    // What was entered is not left in the page.
    body.replaceChildren();
    if (!dialog.open) return;
    dialog.close();
    // Where it was, a frame too; what the browser remembers is where a thief has put it.
    if (this._before?.isConnected) giveKeyboard(this._before);
    this._before = null;
  }

  _deny() {
    if (this._shown !== null) this._queue.answer(this._shown.id, { allow: false });
  }

  /** No answer but an end: the question goes with the turn, and is none that was denied to a later one. */
  _stop() {
    const asked = this._shown;
    this._turn?.stop();
    if (asked !== null && this._queue.current?.id === asked.id) this._deny();
  }

  /** @param {MouseEvent} event */
  _allow(event) {
    const { dialog } = this._elements;
    if (this._shown === null || this._form === null) return;
    const place = placeOf(dialog);
    if (place !== this._place) {
      // It was moved without a word: what was aimed at may have been elsewhere.
      this._place = place;
      this._guard.disturb();
      return;
    }
    if (!this._guard.accepts(event)) return;
    const { choice, value } = this._form;
    if (!this._form.complete) return;
    // Synchronously: what a yes begins may need this very click.
    this._queue.answer(this._shown.id, {
      allow: true,
      choice,
      ...(value === null ? {} : { value }),
    });
  }

  _drawAllow() {
    const ready = this._guard.armed && this._form?.complete === true;
    // A button that is disabled would lose the keyboard.
    this._elements.allow.setAttribute("aria-disabled", String(!ready));
    // The dialog may have grown since it was put up; from here on it does not.
    if (ready) this._place = placeOf(this._elements.dialog);
  }

  _drawWaiting() {
    const count = this._shown === null ? 0 : this._queue.waiting;
    const words =
      count === 0 ? "" : `${count} more ${count === 1 ? "question" : "questions"} after it`;
    const { waiting } = this._elements;
    if (waiting.textContent !== words) waiting.textContent = words;
  }

  _tick() {
    if (this._shown === null) return;
    const seconds = Math.max(0, Math.ceil((this._shown.endsAt - this._powers.now()) / TICK_MS));
    this._elements.left.textContent = `Without an answer it is denied in ${seconds} s.`;
    this._cancelTick = this._powers.setTimer(TICK_MS, () => this._tick());
  }
}

/** @param {Element} element */
function placeOf(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join();
}
