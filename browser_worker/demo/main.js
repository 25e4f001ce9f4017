// @ts-check
/** Puts the demo together: a text, its actions, one dispatcher, and the elements of the page. */

import { Dispatcher } from "../dispatcher/dispatcher.js";
import { browserRuntime } from "../link/browser_runtime.js";
import { AttachPanel } from "../link/panel/attach_panel.js";
import { documentHost } from "./document_host.js";
import { bindEditor } from "./editor.js";
import { TextDocument } from "./text_document.js";

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return found;
}

/** @param {string} id */
const button = (id) => element(id, HTMLButtonElement);

const field = element("text", HTMLTextAreaElement);
const text = new TextDocument(
  "A bascule is a bridge that stays up until somebody lowers it.\n\nEdit this text here, or from a terminal.\n",
);
const dispatcher = new Dispatcher(
  documentHost(text, () => field.selectionEnd),
  {
    app: { name: "Bascule demo", version: "1" },
    runtime: browserRuntime,
  },
);

bindEditor({
  field,
  buttons: {
    undo: button("undo"),
    redo: button("redo"),
    stamp: button("stamp"),
    clear: button("clear"),
  },
  status: element("status", HTMLOutputElement),
  text,
  dispatcher,
});

const panel = element("panel", AttachPanel);
panel.app = "Bascule demo";
panel.dispatcher = dispatcher;
