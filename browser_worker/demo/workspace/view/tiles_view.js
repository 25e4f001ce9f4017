// @ts-check
/**
 * The open tiles on the screen: a bar and a place for the frame each. A frame that is moved in the
 * document would load anew, so tiles are arranged without moving one.
 */

import { framePlace, placeOutlivesMove } from "../../../kernel/frames/frame_place.js";
import { giveKeyboard } from "../../../kernel/frames/give_keyboard.js";
import { bindArrowKeys } from "./arrow_keys.js";
import { ICONS, icon } from "./icons.js";

/** @import { OpenTile, OpenTiles } from "../shell/open_tiles.js" */

/**
 * @typedef {object} TileElements
 * @property {HTMLElement} section
 * @property {Element | ShadowRoot} place
 * @property {HTMLElement} state
 * @property {HTMLElement} message
 * @property {HTMLElement} why
 * @property {HTMLButtonElement} earlier
 * @property {HTMLButtonElement} later
 * @property {HTMLButtonElement} wide
 */

/**
 * @typedef {object} DeskElements
 * @property {HTMLElement} tiles
 * @property {HTMLElement} aside
 * @property {HTMLElement} none
 * @property {HTMLElement} apps Where the keyboard goes when no tile is left.
 */

export class TilesView {
  /** @param {DeskElements} elements */
  constructor(elements) {
    this._elements = elements;
    /** @type {Map<string, TileElements>} */
    this._tiles = new Map();
    /** @type {OpenTiles | null} */
    this._model = null;
    /** @type {(endpoint: string) => boolean} */
    this._silent = () => false;
    /** The tile whose app gets the keyboard when it runs. @type {string | null} */
    this._awaited = null;
    /** @type {boolean | undefined} */
    this._hides = undefined;
    bindArrowKeys(elements.aside);
  }

  /** Where frames are mounted. @type {import("../shell/open_tiles.js").TileStage} */
  get stage() {
    return {
      place: (tile) => this._place(tile),
      remove: ({ key }) => {
        this._tiles.get(key)?.section.remove();
        this._tiles.delete(key);
      },
    };
  }

  /**
   * Draws a model from now on.
   *
   * @param {OpenTiles} model
   * @param {(endpoint: string) => boolean} silent Whether an endpoint does not respond.
   */
  show(model, silent) {
    this._model = model;
    this._silent = silent;
    model.onChange(() => this.draw());
    this.draw();
  }

  /** Puts the keyboard into a tile's app. @param {string} key */
  enter(key) {
    const tile = this._model?.all.find((each) => each.key === key);
    const frame = tile?.frame?.element;
    if (frame !== undefined) giveKeyboard(frame);
    this._tiles.get(key)?.section.scrollIntoView({ block: "nearest" });
  }

  /**
   * Gives a tile another frame. Its app gets the keyboard when it runs: until then the tile itself has
   * it, and who has gone on elsewhere meanwhile stays there.
   *
   * @param {OpenTiles} model
   * @param {string} key
   */
  _restart(model, key) {
    const section = this._tiles.get(key)?.section;
    if (section === undefined) return;
    // What is hidden takes no focus, and what is about to go would lose it.
    section.hidden = false;
    section.focus();
    this._awaited = key;
    model.show(key);
    model.focus(key);
    section.scrollIntoView({ block: "nearest" });
  }

  /** @param {OpenTile} tile @param {TileElements} elements */
  _enterAwaited({ key, state }, { section, message }) {
    if (this._awaited !== key || state === "loading") return;
    this._awaited = null;
    if (document.activeElement !== section) return;
    if (state === "connected") this.enter(key);
    else message.querySelector("button")?.focus();
  }

  /** Whose element it is. @param {Element | null} element @returns {string | null} */
  keyOf(element) {
    const section = element?.closest(".tile");
    return section instanceof HTMLElement ? (section.dataset["key"] ?? null) : null;
  }

  /** Brings the screen in line with the model. */
  draw() {
    const model = this._model;
    if (model === null) return;
    const shown = model.all.filter(({ state }) => state !== "aside");
    shown.forEach((tile, at) => {
      const elements = this._tiles.get(tile.key);
      if (elements === undefined) return;
      elements.section.style.order = String(at);
      elements.section.classList.toggle("focused", model.focused === tile);
      elements.earlier.disabled = at === 0;
      elements.later.disabled = at === shown.length - 1;
      this._state(tile, elements);
      this._enterAwaited(tile, elements);
    });
    this._inOrder(shown);
    for (const { key, state } of model.all) {
      const section = this._tiles.get(key)?.section;
      if (section !== undefined) section.hidden = state === "aside";
    }
    this._elements.none.hidden = shown.length > 0;
    this._drawAside(model);
  }

  /**
   * @param {OpenTile} tile
   * @param {TileElements} elements
   */
  _state(tile, { section, state, message, why }) {
    const endpoint = tile.frame?.endpoint ?? null;
    const silent = endpoint !== null && this._silent(endpoint);
    const words = silent
      ? "Not responding"
      : { loading: "Starting", connected: "", silent: "No answer", gone: "Stopped", aside: "" }[
          tile.state
        ];
    if (state.textContent !== words) state.textContent = words;
    const over = tile.state === "gone" || tile.state === "silent";
    section.dataset["state"] = silent ? "not-responding" : tile.state;
    message.hidden = !over;
    if (!over) return;
    const end = tile.state === "gone" ? "was stopped" : "did not start";
    const told = `${tile.app.name} ${end}: ${tile.reason}.`;
    if (why.textContent !== told) why.textContent = told;
  }

  /** Keyboard and readers go the way the eye goes, where frames can be moved alive. @param {readonly OpenTile[]} shown */
  _inOrder(shown) {
    const { tiles } = this._elements;
    if (!canMove(tiles)) return;
    const move = /** @type {any} */ (tiles).moveBefore;
    const sections = shown.flatMap(({ key }) => this._tiles.get(key)?.section ?? []);
    sections.forEach((section, at) => {
      if (tiles.children[at] !== section) move.call(tiles, section, tiles.children[at] ?? null);
    });
  }

  /**
   * Out of the sight of other apps' frames, where the tile can be moved all the same.
   *
   * @param {HTMLElement} stage
   */
  _placeIn(stage) {
    const { tiles } = this._elements;
    this._hides ??= !canMove(tiles) || placeOutlivesMove(tiles);
    return this._hides ? framePlace(stage) : stage;
  }

  /** @param {OpenTiles} model */
  _drawAside(model) {
    const { aside } = this._elements;
    const tiles = model.all.filter(({ state }) => state === "aside");
    const keys = tiles.map(({ key }) => key).join();
    if (aside.dataset["keys"] === keys) return;
    aside.dataset["keys"] = keys;
    aside.hidden = tiles.length === 0;
    aside.replaceChildren(
      ...tiles.map(({ key, app, tile }) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(icon(app.icon), tile.title);
        button.setAttribute("aria-label", `Show ${tile.title}`);
        button.addEventListener("click", () => this._restart(model, key));
        return button;
      }),
    );
  }

  /** @param {OpenTile} tile */
  _place(tile) {
    const elements = this._tiles.get(tile.key) ?? this._make(tile);
    elements.section.hidden = false;
    elements.message.hidden = true;
    return elements.place;
  }

  /** @param {OpenTile} open @returns {TileElements} */
  _make({ key, app, tile }) {
    const section = document.createElement("section");
    section.className = "tile";
    section.tabIndex = -1;
    section.dataset["key"] = key;
    section.dataset["app"] = app.id;
    const bar = document.createElement("header");
    const title = document.createElement("h2");
    title.id = `tile-${key}`;
    title.textContent = tile.title;
    section.setAttribute("aria-labelledby", title.id);
    const state = document.createElement("span");
    state.className = "state";
    state.setAttribute("role", "status");
    const toolbar = document.createElement("div");
    toolbar.className = "tools";
    toolbar.setAttribute("role", "toolbar");
    toolbar.setAttribute("aria-label", `Arrange ${tile.title}`);
    const model = () => /** @type {OpenTiles} */ (this._model);
    const earlier = tool("Move earlier", ICONS.earlier, () => model().move(key, -1));
    const later = tool("Move later", ICONS.later, () => model().move(key, 1));
    const wide = tool("Full width", ICONS.wide, () => {
      wide.setAttribute("aria-pressed", String(section.classList.toggle("wide")));
    });
    wide.setAttribute("aria-pressed", "false");
    const aside = tool("Put aside", ICONS.aside, () =>
      this._away(section, () => model().putAside(key)),
    );
    const close = tool("Close", ICONS.close, () => this._away(section, () => model().close(key)));
    toolbar.append(earlier, later, wide, aside, close);
    bindArrowKeys(toolbar);
    bar.append(icon(app.icon), title, state, toolbar);
    bar.addEventListener("keydown", (event) => {
      if (event.shiftKey && event.key === "ArrowLeft") model().move(key, -1);
      else if (event.shiftKey && event.key === "ArrowRight") model().move(key, 1);
      else if (event.key === "Delete") close.click();
      else return;
      event.preventDefault();
    });
    const stage = document.createElement("div");
    stage.className = "stage";
    const { message, why } = this._message(() => this._restart(model(), key));
    section.append(bar, stage, message);
    this._elements.tiles.append(section);
    const made = {
      section,
      place: this._placeIn(stage),
      state,
      message,
      why,
      earlier,
      later,
      wide,
    };
    this._tiles.set(key, made);
    return made;
  }

  /** @param {() => void} again */
  _message(again) {
    const message = document.createElement("div");
    message.className = "message";
    message.hidden = true;
    const why = document.createElement("p");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Start again";
    button.addEventListener("click", again);
    message.append(why, button);
    return { message, why };
  }

  /**
   * Takes a tile off the screen, and the keyboard to its neighbour, or else to the list of apps.
   *
   * @param {HTMLElement} section
   * @param {() => void} take
   */
  _away(section, take) {
    const others = [...this._elements.tiles.querySelectorAll("section:not([hidden])")];
    const at = others.indexOf(section);
    const next = others[at + 1] ?? others[at - 1];
    take();
    const button = (next ?? this._elements.apps).querySelector("button:not(:disabled)");
    if (button instanceof HTMLElement) button.focus();
  }
}

/**
 * @param {string} words
 * @param {string} path
 * @param {() => void} run
 */
function tool(words, path, run) {
  const button = document.createElement("button");
  button.type = "button";
  button.title = words;
  button.setAttribute("aria-label", words);
  button.append(icon(path));
  button.addEventListener("click", run);
  return button;
}

/** Whether what holds frames can be moved within it, and they live on. @param {HTMLElement} parent */
function canMove(parent) {
  return "moveBefore" in parent;
}
