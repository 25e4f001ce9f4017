// @ts-check
/** The board's background: it has the board, and all tools of it; a tile only shows it. */

import * as bus from "../../../../app/index.js";
import { exposeBoard } from "./board_tools.js";
import { Board } from "./model/board.js";
import { drawPng, isDrawable } from "./page_powers.js";

let revision = 0;
// From the clock, so that revisions rise over reloads too.
const board = new Board(() => (revision = Math.max(Date.now(), revision + 1)));
exposeBoard(bus, board, { png: drawPng, drawable: isDrawable });
