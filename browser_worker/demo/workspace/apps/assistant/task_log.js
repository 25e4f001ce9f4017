// @ts-check
/** What the assistant did, line by line, as a person reads it. */

/** @typedef {"asked" | "working" | "done" | "failed"} LineKind */

const MOST_LINES = 100;

export class TaskLog {
  /** @param {HTMLElement} list */
  constructor(list) {
    this._list = list;
    /** The step that runs: its line becomes what it has done. @type {HTMLElement | null} */
    this._running = null;
  }

  /** @param {string} task */
  asked(task) {
    this._running = null;
    this._add("asked", task);
  }

  /** @param {string} text */
  working(text) {
    this._running = this._add("working", text);
  }

  /** @param {string} text */
  done(text) {
    if (this._running === null) this._add("done", text);
    else this._become(this._running, "done", text);
    this._running = null;
  }

  /** @param {string} text */
  failed(text) {
    this._running?.remove();
    this._running = null;
    this._add("failed", text);
  }

  /**
   * @param {LineKind} kind
   * @param {string} text
   */
  _add(kind, text) {
    const line = document.createElement("li");
    this._become(line, kind, text);
    this._list.append(line);
    while (this._list.childElementCount > MOST_LINES) this._list.firstElementChild?.remove();
    line.scrollIntoView({ block: "nearest" });
    return line;
  }

  /**
   * @param {HTMLElement} line
   * @param {LineKind} kind
   * @param {string} text
   */
  _become(line, kind, text) {
    line.dataset["kind"] = kind;
    line.textContent = text;
  }
}
