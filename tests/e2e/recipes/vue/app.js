import { ActionSpec, Dispatcher, browserRuntime } from "./bascule.min.js";
import { createApp, h, reactive } from "./vue.runtime.esm-browser.prod.js";

const state = reactive({ todos: [], revision: 0, draft: "" });

const input = (properties) => ({
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const actions = [
  ActionSpec.write("todo.add", "Add a to-do", input({ title: { type: "string", minLength: 1 } })),
  ActionSpec.write("todo.done", "Mark a to-do as done", input({ id: { type: "integer" } })),
  ActionSpec.read("todo.list", "List all to-dos"),
];

// What is given back may be reactive state as it is: it is written out, never posted.
const handlers = {
  "todo.add"({ title }) {
    state.revision++;
    state.todos.push({ id: state.todos.length + 1, title, done: false });
    return state.todos.at(-1);
  },
  "todo.done"({ id }) {
    state.revision++;
    return Object.assign(state.todos[id - 1], { done: true });
  },
  "todo.list": () => ({ todos: state.todos }),
};

const dispatcher = new Dispatcher(
  {
    actions: () => actions,
    revision: () => state.revision,
    capabilities: () => 0,
    execute: (action, given) => handlers[action](given),
  },
  { app: { name: "To-do", version: "1" }, runtime: browserRuntime },
);

function add(event) {
  event.preventDefault();
  dispatcher.executeLocal("todo.add", { title: state.draft });
}
const typed = (event) => (state.draft = event.target.value);

createApp({
  render: () => [
    h("form", { onSubmit: add }, [
      h("input", { "aria-label": "New to-do", value: state.draft, onInput: typed }),
      h("button", "Add"),
    ]),
    h(
      "ul",
      { id: "todos" },
      state.todos.map(({ id, title, done }) =>
        h("li", { key: id }, done ? `${title} (done)` : title),
      ),
    ),
    h("bascule-panel", { dispatcher }),
  ],
}).mount("#root");
