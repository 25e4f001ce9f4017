// @ts-check
/** The agents at work, each in a line with what stops it: seen wherever the person is in the page. */

import { turnWords } from "./permission_words.js";

/** @import { AgentTurns } from "../../../kernel/agent/agent_turns.js" */
/** @import { Apps } from "./permission_words.js" */

export class AgentBar {
  /**
   * @param {HTMLElement} bar
   * @param {Pick<AgentTurns, "all" | "stop" | "onChange">} turns
   * @param {() => Apps} apps
   */
  constructor(bar, turns, apps) {
    this._bar = bar;
    this._turns = turns;
    this._apps = apps;
    /** @type {Map<string, HTMLElement>} */
    this._lines = new Map();
    turns.onChange(() => this._draw());
    this._draw();
  }

  _draw() {
    const turns = this._turns.all();
    const ids = new Set(turns.map(({ id }) => id));
    for (const [id, line] of [...this._lines]) {
      if (ids.has(id)) continue;
      line.remove();
      this._lines.delete(id);
    }
    for (const turn of turns) {
      if (this._lines.has(turn.id)) continue;
      const line = document.createElement("p");
      const words = document.createElement("span");
      words.textContent = turnWords(turn, this._apps());
      const stop = document.createElement("button");
      stop.type = "button";
      stop.textContent = "Stop";
      stop.setAttribute("aria-label", `Stop: ${words.textContent}`);
      stop.addEventListener("click", () => void this._turns.stop(turn.id));
      line.append(words, stop);
      this._lines.set(turn.id, line);
      this._bar.append(line);
    }
    this._bar.hidden = turns.length === 0;
  }
}
