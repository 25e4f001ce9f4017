// @ts-check
/**
 * Does what a sentence asks for, step by step, with the tools of other apps. What it reads there is
 * text to be shown or drawn, and never a command.
 */

import { BusError } from "../../../../contract/bus_error.js";
import { cut } from "../../../page/whole_text.js";
import { readTask } from "./commands.js";
import { FoundTools } from "./found_tools.js";

/** @import { MsgBusClient } from "../../../../app/bus_client.js" */
/** @import { Command } from "./commands.js" */

/**
 * @typedef {object} TaskContext What a handler is given for it.
 * @property {MsgBusClient} kernel
 * @property {AbortSignal} signal
 * @property {(value: unknown) => void} reportProgress
 */

/** @typedef {{ step: number, steps: number, text: string, done: boolean }} TaskProgress */
/** @typedef {{ done: string[] }} TaskResult */

const MOST_FOUND = 6;
const CARD = Object.freeze({ width: 440, height: 140, gap: 40, left: 100, top: 80, columns: 3 });
const BOARD_HEIGHT = 1_000;
const LINE_CHARS = 24;
const LINES = 3;

/**
 * @param {string} sentence
 * @param {TaskContext} context
 * @returns {Promise<TaskResult>} Rejects with a `BusError`; what was done by then stays done.
 */
export async function runTask(sentence, { kernel, signal, reportProgress }) {
  const { commands, unknown } = readTask(sentence);
  if (unknown.length > 0 || commands.length === 0) {
    const what = unknown[0] === undefined ? "" : `: ${unknown[0].slice(0, 80)}`;
    const text = `This is not understood${what}. Nothing was done. Try: find roadmap in my notes and draw it on the board`;
    throw new BusError("INVALID_INPUT", text);
  }
  const run = new TaskRun(new FoundTools(kernel));
  /** @type {string[]} */
  const done = [];
  for (const [index, command] of commands.entries()) {
    const place = { step: index + 1, steps: commands.length };
    if (signal.aborted) throw stopped(done.length);
    reportProgress({ ...place, text: BEGINS[command.kind], done: false });
    const text = await run.do(command);
    done.push(text);
    reportProgress({ ...place, text, done: true });
  }
  return { done };
}

/** @type {Readonly<Record<Command["kind"], string>>} */
const BEGINS = Object.freeze({
  find: "Looking through the notes",
  draw: "Drawing on the board",
  add: "Adding a note",
  tools: "Asking the apps for their tools",
});

class TaskRun {
  /** @param {FoundTools} tools */
  constructor(tools) {
    this._tools = tools;
    /** Titles of the notes that were found last. @type {string[]} */
    this._found = [];
  }

  /**
   * @param {Command} command
   * @returns {Promise<string>} What was done, for a person.
   */
  do(command) {
    switch (command.kind) {
      case "find":
        return this._find(command.query);
      case "add":
        return this._add(command.title);
      case "draw":
        return this._draw(command.text === null ? this._found : [command.text]);
      case "tools":
        return this._list();
    }
  }

  /** @param {string} query */
  async _find(query) {
    const given = { query: cut(query, 200), limit: MOST_FOUND };
    const { matches } = await this._tools.call("notes", "notes_search", given);
    this._found = matches.map((/** @type {{ title: string }} */ { title }) => title || "Untitled");
    if (this._found.length === 0) return `No note has the words “${query}”.`;
    return `Found ${counted(this._found.length, "note")}: ${this._found.join(", ")}`;
  }

  /** @param {string} title */
  async _add(title) {
    await this._tools.call("notes", "notes_add", { title: cut(title, 200) });
    return `Added the note “${title}”`;
  }

  /** @param {readonly string[]} texts */
  async _draw(texts) {
    if (texts.length === 0) return "Nothing to draw.";
    const { shapes } = await this._tools.call("board", "board_list", {});
    const top = freeTop(shapes);
    for (const [index, text] of texts.entries()) {
      const { width, height, gap, left, columns } = CARD;
      await this._tools.call("board", "board_add", {
        kind: "rectangle",
        x: left + (index % columns) * (width + gap),
        y: Math.min(top + Math.floor(index / columns) * (height + gap), BOARD_HEIGHT - height),
        width,
        height,
        colour: "amber",
        text: inLines(text),
      });
    }
    return `Drew ${counted(texts.length, "card")} on the board`;
  }

  async _list() {
    /** @type {string[]} */
    const said = [];
    for (const app of await this._tools.apps()) {
      const names = await this._tools.namesOf(app);
      said.push(`${app}: ${names.join(", ")}`);
    }
    return said.length === 0 ? "No other app runs now." : said.join("\n");
  }
}

/**
 * Below what is on the board already, as far as there is room.
 *
 * @param {readonly { y: number, height: number }[]} shapes
 */
function freeTop(shapes) {
  const bottoms = shapes.map(({ y, height }) => y + Math.max(0, height) + CARD.gap);
  const top = Math.max(CARD.top, ...bottoms);
  return top + CARD.height > BOARD_HEIGHT ? CARD.top : top;
}

/** @param {string} text */
function inLines(text) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/\s+/u)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE_CHARS) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word.slice(0, LINE_CHARS));
  }
  const shown = lines.slice(0, LINES).join("\n");
  return lines.length > LINES ? `${shown}…` : shown;
}

/**
 * @param {number} count
 * @param {string} what
 */
function counted(count, what) {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** @param {number} done */
function stopped(done) {
  const text = `Stopped after ${counted(done, "step")}; what was done stays done.`;
  return new BusError("CANCELLED", text);
}
