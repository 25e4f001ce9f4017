// @ts-check
/**
 * The last calls that went over the bus: who called what, and how it ended. Newest first. What apps
 * call of themselves is only counted, until a person wants to see it.
 */

import { DrawnWhileSeen } from "./drawn_while_seen.js";
import { isWithinApp } from "./endpoint_names.js";
import { textElement } from "./text_element.js";

/** @import { AuditEntry, AuditRing } from "../../../kernel/audit/audit_ring.js" */

/** Of a call that the owner has not answered for: the terminal's panel says the same of it. */
const WAITS = "waits for a yes";

/**
 * @typedef {object} ActivityElements
 * @property {HTMLElement} list
 * @property {HTMLElement} none
 * @property {HTMLInputElement} all Whether calls within an app are shown too.
 * @property {HTMLElement} hidden How many are not.
 */

export class ActivityView {
  /**
   * @param {ActivityElements} elements
   * @param {AuditRing} audit
   * @param {(caller: string, target: string) => string} words Who called whom.
   */
  constructor({ list, none, all, hidden }, audit, words) {
    this._list = list;
    this._none = none;
    this._all = all;
    this._hidden = hidden;
    this._audit = audit;
    this._words = words;
    /** @type {Map<number, { item: HTMLLIElement, status: string }>} */
    this._items = new Map();
    this._drawn = new DrawnWhileSeen(() => this._draw());
    audit.onChange(() => this._drawn.soon());
    all.addEventListener("change", () => {
      // Older ones come between those that are there.
      this._items.clear();
      list.replaceChildren();
      this._drawn.soon();
    });
  }

  /** Nothing is drawn while it is not seen. @param {boolean} visible */
  setVisible(visible) {
    this._drawn.setVisible(visible);
  }

  _draw() {
    const kept = this._audit.entries();
    const wanted = this._all.checked
      ? kept
      : kept.filter(({ caller, target }) => !isWithinApp(caller, target));
    const unseen = kept.length - wanted.length;
    this._hidden.textContent =
      unseen === 0
        ? ""
        : `${unseen} of the last ${kept.length} ${unseen === 1 ? "is" : "are"} not shown`;
    const numbers = new Set(wanted.map(({ number }) => number));
    for (const [number, { item }] of [...this._items]) {
      if (numbers.has(number)) continue;
      item.remove();
      this._items.delete(number);
    }
    const waiting = this._audit.waiting();
    for (const entry of wanted) {
      const known = this._items.get(entry.number);
      const status = waiting.has(entry.number) ? WAITS : entry.status;
      if (known?.status === status) continue;
      const item = this._item(entry, status);
      if (known === undefined) this._list.prepend(item);
      else {
        const open = known.item.querySelector("details")?.open ?? false;
        known.item.replaceWith(item);
        const details = item.querySelector("details");
        if (details !== null) details.open = open;
      }
      this._items.set(entry.number, { item, status });
    }
    this._none.hidden = wanted.length > 0;
    this._list.hidden = wanted.length === 0;
  }

  /**
   * @param {AuditEntry} entry
   * @param {string} status As it is shown.
   */
  _item(entry, status) {
    const item = document.createElement("li");
    item.dataset["status"] = status.replaceAll(" ", "-");
    const tool = textElement("span", entry.tool, "tool");
    // Apps and agents never see these.
    if (entry.private) tool.append(textElement("span", "only you see this", "private"));
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    summary.append(
      tool,
      textElement("span", endOf(status, entry.durationMs), "status"),
      textElement("span", this._words(entry.caller, entry.target), "ends"),
      textElement("span", new Date(entry.startedAt).toLocaleTimeString(), "time"),
    );
    const list = document.createElement("dl");
    for (const [term, value] of rowsOf(entry)) {
      const row = document.createElement("div");
      row.append(textElement("dt", term), textElement("dd", value));
      list.append(row);
    }
    details.append(summary, list);
    item.append(details);
    return item;
  }
}

/**
 * @param {AuditEntry} entry
 * @returns {[term: string, value: string][]}
 */
function rowsOf({ caller, target, root, arguments: given, outcome, status, private: isPrivate }) {
  const ended = outcome ?? (status === "running" ? "none yet" : "not kept");
  return [
    ["From", caller],
    ["To", target],
    ...(root === null || root === caller
      ? []
      : /** @type {[[string, string]]} */ ([["For", root]])),
    ["Arguments", isPrivate ? "not kept" : given],
    ["Outcome", ended],
  ];
}

/**
 * @param {string} status
 * @param {number | null} durationMs
 */
function endOf(status, durationMs) {
  if (durationMs === null) return status;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  return `${status}, ${durationMs < 1000 ? `${Math.round(durationMs)} ms` : seconds}`;
}
