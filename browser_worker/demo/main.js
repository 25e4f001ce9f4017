// @ts-check
/** The word processor as a page of its own: kept in this browser, and reached from a terminal. */

import { AttachPanel } from "../link/panel/attach_panel.js";
import { element } from "./page/elements.js";
import { NAME, openWordProcessor } from "./page/word_processor.js";

const { dispatcher } = openWordProcessor({ storage: () => localStorage });

const panel = element("panel", AttachPanel);
panel.app = NAME;
panel.dispatcher = dispatcher;
