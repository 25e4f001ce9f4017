import { ActionSpec, Dispatcher, browserRuntime } from "./bascule/index.js";

const todos = [];
let revision = 0;

const input = (properties) => ({
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const actions = [
  ActionSpec.write("todo.add", "Add a to-do", input({ title: { type: "string", minLength: 1 } })),
  ActionSpec.write("todo.done", "Mark a to-do as done", input({ id: { type: "integer" } })),
  ActionSpec.read("todo.list", "List all to-dos"),
];

const handlers = {
  "todo.add": ({ title }) =>
    changed(todos[todos.push({ id: todos.length + 1, title, done: false }) - 1]),
  "todo.done": ({ id }) => changed(Object.assign(todos[id - 1], { done: true })),
  "todo.list": () => ({ todos }),
};

function changed(todo) {
  revision++;
  document.querySelector("#todos").replaceChildren(
    ...todos.map(({ title, done }) => {
      const item = document.createElement("li");
      item.textContent = done ? `${title} (done)` : title;
      return item;
    }),
  );
  return todo;
}

const dispatcher = new Dispatcher(
  {
    actions: () => actions,
    revision: () => revision,
    capabilities: () => 0,
    execute: (action, given) => handlers[action](given),
  },
  { app: { name: "To-do", version: "1" }, runtime: browserRuntime },
);

// The page's own form runs the same action, with the same checks.
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  dispatcher.executeLocal("todo.add", { title: event.target.elements.title.value });
});
document.querySelector("bascule-panel").dispatcher = dispatcher;
