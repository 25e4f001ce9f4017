// @ts-check
/** The board's tile: shows what the background has, and sends it what a person does. */

import * as bus from "../../../../app/index.js";
import { dialog, element, input } from "../../../page/elements.js";
import { Notices } from "../../../page/notices.js";
import { cut } from "../../../page/whole_text.js";
import { BoardView } from "./view/board_view.js";
import { Hands } from "./view/hands.js";
import { KEYS, bindKeys } from "./view/keys.js";
import { bindPointer } from "./view/pointer.js";
import { Selection } from "./view/selection.js";
import { ShownBoard } from "./view/shown_board.js";
import { ShownPictures, addressOf } from "./view/shown_pictures.js";
import { bindToolsBar } from "./view/tools_bar.js";

const notices = new Notices(element("notice", HTMLElement));
const tell = (/** @type {string} */ message) => notices.show(message);
const told = element("told", HTMLElement);
const board = new ShownBoard(bus, tell);
const selection = new Selection();
const hands = new Hands(board, selection, (words) => void (told.textContent = words));

const root = document.querySelector("svg#board");
if (!(root instanceof SVGSVGElement)) throw new Error("the page has no board");
const pictures = new ShownPictures(board, () => show());
const view = new BoardView(root, pictures);
const words = element("words", HTMLTextAreaElement);
bindPointer(view, hands);
bindKeys(root, hands, () => {
  words.focus();
  words.select();
});

const file = input("file");
file.addEventListener("change", async () => {
  const [chosen] = file.files ?? [];
  file.value = "";
  if (chosen === undefined) return;
  const attachment = await chosen.arrayBuffer();
  const text = cut(chosen.name, 100);
  const added = await board.change("board_import_image", { text }, { attachment });
  if (added !== undefined) selection.select(added.shape.id);
});

const keys = dialog("keys");
for (const [names, what] of KEYS) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  term.textContent = what;
  const definition = document.createElement("dd");
  const key = document.createElement("kbd");
  key.textContent = names;
  definition.append(key);
  row.append(term, definition);
  element("key-list", HTMLElement).append(row);
}

async function showPicture() {
  try {
    const { attachment, result } = await board.read("board_export_image", {});
    const blob = new Blob(attachment === undefined ? [] : [attachment], { type: result.mimeType });
    element("picture-image", HTMLImageElement).src = await addressOf(blob);
    dialog("picture").showModal();
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
  }
}

bindToolsBar(
  {
    bar: element("bar", HTMLElement),
    colour: element("colour", HTMLSelectElement),
    words,
  },
  hands,
  {
    undo: () => void hands.undo(),
    redo: () => void hands.redo(),
    remove: () => void hands.remove(),
    import: () => file.click(),
    export: () => void showPicture(),
    keys: () => keys.showModal(),
  },
  () => root.focus(),
);

function show() {
  const { shapes } = board;
  view.show(shapes, selection.shape);
  root?.toggleAttribute("data-drawing", selection.drawing !== null);
  element("empty", HTMLElement).hidden = !board.known || shapes.length > 0;
  element("count", HTMLElement).textContent =
    `${shapes.length} ${shapes.length === 1 ? "shape" : "shapes"}`;
}
board.onChange(() => {
  if (board.shape(selection.shape) === undefined) selection.select(null);
  show();
});
selection.onChange(show);
board.follow();
