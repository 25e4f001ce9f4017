// @ts-check
/**
 * The word processor of one page: a document, its actions, one dispatcher, and the page's elements.
 * Where it is kept, and who else reaches its actions, is the page's own business.
 */

import { Dispatcher } from "../../dispatcher/dispatcher.js";
import { browserRuntime } from "../../link/browser_runtime.js";
import { documentHost } from "../document/document_host.js";
import { DocumentSelection } from "../document/document_selection.js";
import { SavedDocument } from "../document/saved_document.js";
import { TextDocument } from "../document/text_document.js";
import { welcome } from "../document/welcome.js";
import { bindClipboard } from "./clipboard.js";
import { buildPage } from "./page_parts.js";
import { pagePowers } from "./page_powers.js";
import { bindKeys, styleCommands } from "./commands.js";
import { Editor } from "./editor.js";
import { button, dialog, element, input } from "./elements.js";
import { bindExportDialog } from "./export_dialog.js";
import { FindBar } from "./find_bar.js";
import { bindFormatControls } from "./format_controls.js";
import { localActions } from "./local_actions.js";
import { Notices } from "./notices.js";
import { Saving } from "./saving.js";
import { bindShortcutsDialog } from "./shortcuts_dialog.js";
import { bindStatusBar } from "./status_bar.js";
import { showTerminalEdits } from "./terminal_edits.js";
import { bindTheme } from "./theme.js";
import { bindTitleField } from "./title_field.js";

/** @import { HostPowers } from "../document/document_host.js" */
/** @import { DocumentState } from "../document/text_document.js" */
/** @import { StringStorage } from "../document/saved_document.js" */

export const NAME = "Bascule Write";

/**
 * @typedef {object} WordProcessor
 * @property {TextDocument} text
 * @property {Dispatcher} dispatcher Shut for calls from outside until somebody opens it.
 * @property {HostPowers["pause"]} pause
 */

/**
 * Puts it together, once for a page.
 *
 * @param {object} options
 * @param {() => StringStorage} options.storage May throw: a browser can forbid it.
 * @param {string} [options.savedWords] What a person reads while everything is saved.
 * @param {() => DocumentState} [options.newcomer] What is there where nothing was saved yet.
 * @returns {WordProcessor}
 */
export function openWordProcessor({ storage, savedWords, newcomer = welcome }) {
  buildPage(document);
  bindTheme(button("theme"));

  const saved = new SavedDocument(storage, () => crypto.randomUUID());
  const found = saved.load();
  const text = new TextDocument(found.kind === "found" ? found.document : newcomer());
  const selection = new DocumentSelection(text);
  /** @type {HostPowers} */
  const powers = pagePowers(() => dispatcher.tasks);
  /** @type {Dispatcher} */
  const dispatcher = new Dispatcher(documentHost(text, selection, powers), {
    app: { name: NAME, version: "1" },
    runtime: browserRuntime,
    onHostError: (error) => console.error(error),
  });

  const notices = new Notices(element("notice", HTMLElement));
  const run = localActions(dispatcher, (message) => notices.show(message));
  const saving = new Saving(text, saved, notices, element("saved", HTMLElement), savedWords);
  saving.begin(found.kind);

  const root = element("text", HTMLElement);
  const title = element("title", HTMLTextAreaElement);
  const editor = new Editor({ root, text, selection, run });
  const around = { text, selection, editor, run };
  bindClipboard(around);
  bindTitleField(title, text, run, () => editor.focus());
  bindStatusBar(
    { counts: element("counts", HTMLElement), revision: element("revision", HTMLElement) },
    text,
  );
  showTerminalEdits(dispatcher, text, editor.view);

  const findBar = new FindBar(
    {
      bar: element("find", HTMLElement),
      form: element("find-form", HTMLFormElement),
      query: input("find-query"),
      replacement: input("find-replacement"),
      matchCase: input("find-case"),
      wholeWord: input("find-word"),
      count: element("find-count", HTMLElement),
      buttons: {
        previous: button("find-previous"),
        next: button("find-next"),
        replace: button("find-replace"),
        replaceAll: button("find-replace-all"),
        close: button("find-close"),
      },
    },
    around,
  );

  const openExport = bindExportDialog(
    {
      dialog: dialog("export"),
      format: element("export-format", HTMLSelectElement),
      output: element("export-output", HTMLTextAreaElement),
      copy: button("export-copy"),
      download: button("export-download"),
      told: element("export-told", HTMLElement),
    },
    text,
  );

  /** @type {import("./commands.js").Command[]} */
  const commands = [
    { name: "undo", label: "Undo", keys: { key: "z" }, run: () => run("document.undo") },
    {
      name: "redo",
      label: "Redo",
      keys: { key: "z", shift: true },
      run: () => run("document.redo"),
    },
    { name: "redo-too", label: "Redo, too", keys: { key: "y" }, run: () => run("document.redo") },
    { name: "bold", label: "Bold", keys: { key: "b" }, run: () => toggle("bold") },
    { name: "italic", label: "Italic", keys: { key: "i" }, run: () => toggle("italic") },
    { name: "code", label: "Code in a line", keys: { key: "e" }, run: () => toggle("code") },
    ...styleCommands((style) => run("document.paragraph.style", { style })),
    {
      name: "find",
      label: "Find",
      keys: { key: "f" },
      run: () => findBar.open(),
      everywhere: true,
    },
    {
      name: "replace",
      label: "Find and replace",
      keys: { key: "h" },
      run: () => findBar.open({ replacing: true }),
      everywhere: true,
    },
    {
      name: "date",
      label: "Insert the date",
      keys: { key: ";" },
      run: () => run("document.text.insert", { text: new Date().toLocaleDateString("en-CA") }),
    },
    { name: "new", label: "New document", keys: null, run: () => startNew() },
    { name: "export", label: "Export", keys: { key: "s" }, run: openExport, everywhere: true },
    {
      name: "shortcuts",
      label: "Keyboard shortcuts",
      keys: { key: "/" },
      run: () => openShortcuts(),
      everywhere: true,
    },
  ];
  const openShortcuts = bindShortcutsDialog(
    dialog("shortcuts"),
    element("shortcut-list", HTMLElement),
    commands.filter(({ name }) => name !== "redo-too"),
  );
  const showFormat = bindFormatControls(
    { toolbar: element("toolbar", HTMLElement), style: element("style", HTMLSelectElement) },
    commands,
    around,
  );
  bindKeys(commands, (target) => {
    editor.view.readSelection();
    return target === root || target === title;
  });

  /** @param {import("../document/paragraph_styles.js").Mark} mark */
  function toggle(mark) {
    editor.toggleMark(mark);
    showFormat();
  }

  function startNew() {
    run("document.clear");
    notices.show("A new document. The old one is a step of undo away.", [
      { label: "Undo", run: () => run("document.undo") },
      { label: "Dismiss", run: () => {} },
    ]);
    title.focus();
  }

  return { text, dispatcher, pause: powers.pause };
}
