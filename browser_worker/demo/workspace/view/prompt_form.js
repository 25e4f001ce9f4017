// @ts-check
/** What is in a question to the owner: facts, the asker's own words, how far a yes goes, and a field. */

import { textElement } from "./text_element.js";

/** @import { Fact, Prompt } from "../../../kernel/consent/consent_queue.js" */

export class PromptForm {
  /**
   * @param {Prompt} prompt
   * @param {() => void} onChange Told when it becomes complete, or no longer is.
   */
  constructor({ facts, quote, choices, input }, onChange) {
    this._choice = choices[0]?.id ?? "";
    /** @type {HTMLInputElement | null} */
    this._field = null;
    /** @type {HTMLElement[]} */
    this._elements = [];
    if (facts.length > 0) this._elements.push(factList(facts));
    if (quote !== undefined && quote !== "") this._elements.push(quotation(quote));
    if (input !== undefined) this._elements.push(this._entry(input, onChange));
    if (choices.length === 1)
      this._elements.push(textElement("p", choices[0]?.label ?? "", "only-choice"));
    else this._elements.push(this._choices(choices));
  }

  /** @returns {readonly HTMLElement[]} */
  get elements() {
    return this._elements;
  }

  /** The choice that a yes would make. */
  get choice() {
    return this._choice;
  }

  /** What was entered; null where nothing is asked for. */
  get value() {
    return this._field?.value ?? null;
  }

  /** Whether a yes says all that is asked for. */
  get complete() {
    return this._field === null || this._field.value !== "";
  }

  /** @param {Prompt["choices"]} choices */
  _choices(choices) {
    const group = document.createElement("fieldset");
    group.append(textElement("legend", "How far a yes goes"));
    choices.forEach(({ id, label }, at) => {
      const radio = document.createElement("input");
      radio.type = "radio";
      radio.name = "consent-choice";
      radio.value = String(at);
      radio.checked = at === 0;
      radio.addEventListener("change", () => {
        if (radio.checked) this._choice = id;
      });
      const line = document.createElement("label");
      line.append(radio, textElement("span", label));
      group.append(line);
    });
    return group;
  }

  /**
   * @param {NonNullable<Prompt["input"]>} input
   * @param {() => void} onChange
   */
  _entry({ kind, label, maxChars }, onChange) {
    const field = document.createElement("input");
    field.type = kind === "secret" ? "password" : "text";
    field.maxLength = maxChars;
    field.autocomplete = "off";
    field.spellcheck = false;
    field.addEventListener("input", onChange);
    this._field = field;
    const line = document.createElement("label");
    line.className = "entry";
    line.append(textElement("span", label), field);
    return line;
  }
}

/** @param {readonly Fact[]} facts */
function factList(facts) {
  const list = document.createElement("dl");
  for (const { label, value, code = false } of facts) {
    const row = document.createElement("div");
    const said = document.createElement("dd");
    if (code) {
      row.className = "code";
      const box = textElement("pre", value);
      // What is longer than its box is read by keyboard too.
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", label);
      said.append(box);
    } else said.textContent = value;
    row.append(textElement("dt", label), said);
    list.append(row);
  }
  return list;
}

/** @param {string} words */
function quotation(words) {
  const figure = document.createElement("figure");
  figure.append(textElement("figcaption", "In its own words"), textElement("blockquote", words));
  return figure;
}
