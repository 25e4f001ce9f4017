// @ts-check
/** A page that registers tools with its browser; with `?own` it has a dispatcher of its own as well. */

import { ActionSpec } from "../dispatcher/action_spec.js";
import { Dispatcher } from "../dispatcher/dispatcher.js";
import { attach } from "../link/attach.js";
import { readAttachLink } from "../link/attach_link.js";
import { browserRuntime } from "../link/browser_runtime.js";
import { registerWithModelContext } from "../webmcp/register_actions.js";

const scope = /** @type {any} */ (window);
const modelContext =
  scope.document.modelContext ?? /** @type {any} */ (scope.navigator).modelContext;
const TITLE = {
  type: "object",
  properties: { title: { type: "string" } },
  required: ["title"],
  additionalProperties: false,
};

/** @param {string} title */
function addTodo(title) {
  const item = document.createElement("li");
  item.textContent = title;
  return document.getElementById("todos")?.appendChild(item);
}

const todos = () =>
  [...document.querySelectorAll("#todos li")].map(({ textContent }) => textContent);

let revision = 1;
const dispatcher = new Dispatcher(
  {
    actions: () => [
      ActionSpec.read("own.list", "Lists the to-dos"),
      ActionSpec.write("own.add", "Adds a to-do", { inputSchema: TITLE }),
    ],
    revision: () => revision,
    capabilities: () => 0,
    execute(action, input) {
      if (action === "own.add") {
        addTodo(input.title);
        revision++;
      }
      return { todos: todos() };
    },
  },
  { app: { name: "To-do", version: "1" }, runtime: browserRuntime },
);
dispatcher.setEnabled(true);

/** @type {(() => void) | undefined} */
let stop;
const controller = new AbortController();

Object.assign(window, {
  webmcp: {
    there: modelContext !== undefined,
    /** The tools of the page itself, as a script of anybody's may register them. */
    async registerTools() {
      const { signal } = controller;
      await modelContext.registerTool(
        {
          name: "add_todo",
          description: "Adds a to-do to the page",
          inputSchema: TITLE,
          async execute(/** @type {{ title: string }} */ { title }) {
            addTodo(title);
            return { content: [{ type: "text", text: `${title} is added` }] };
          },
        },
        { signal },
      );
      await modelContext.registerTool(
        {
          name: "list_todos",
          description: "Lists the to-dos of the page",
          annotations: { readOnlyHint: true },
          execute: async () => ({ todos: todos() }),
        },
        { signal },
      );
      await modelContext.registerTool(
        {
          name: "refuse",
          description: "Says that it failed",
          execute: async () => ({ isError: true, content: [{ type: "text", text: "Not today." }] }),
        },
        { signal },
      );
    },
    async takeBack() {
      controller.abort();
      if (modelContext.unregisterTool) modelContext.unregisterTool("add_todo");
    },
    register: () => void (stop = registerWithModelContext(dispatcher)),
    stop: () => stop?.(),
    /** What the app's own dispatcher has. */
    actions: async () => [...(await dispatcher.actions()).keys()],
    /** What an agent in the page sees. */
    names: async () =>
      (await modelContext.getTools())
        .map((/** @type {{ name: string }} */ { name }) => name)
        .sort(),
    async call(/** @type {string} */ name, /** @type {object} */ input) {
      if (modelContext.invokeTool) return modelContext.invokeTool(name, input);
      const tools = await modelContext.getTools();
      const tool = tools.find((/** @type {{ name: string }} */ each) => each.name === name);
      return JSON.parse(await modelContext.executeTool(tool, input));
    },
  },
});

let link = readAttachLink();
addEventListener("hashchange", () => {
  link = readAttachLink() ?? link;
});
const own = new URLSearchParams(location.search).has("own");
/** @type {import("../link/attachment.js").Attachment | undefined} */
let attachment;
document.getElementById("attach")?.addEventListener("click", () => {
  if (!link) return;
  attachment = attach({
    ...link,
    app: "To-do",
    webmcp: true,
    ...(own ? { dispatcher } : {}),
    onState({ state, cause }) {
      for (const [id, text] of Object.entries({ state, cause: cause ?? "" })) {
        const element = document.getElementById(id);
        if (element) element.textContent = text;
      }
    },
  });
});
document.getElementById("detach")?.addEventListener("click", () => attachment?.detach());
document.documentElement.dataset["ready"] = "yes";
