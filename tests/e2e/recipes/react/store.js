import { ActionSpec, Dispatcher, browserRuntime } from "./bascule.min.js";

let state = { todos: [], revision: 0 };
const listeners = new Set();

export const getState = () => state;
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(todos) {
  state = { todos, revision: state.revision + 1 };
  for (const listener of listeners) listener();
}

const input = (properties) => ({
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});
const actions = [
  ActionSpec.write("todo.add", "Add a to-do", input({ title: { type: "string", minLength: 1 } })),
  ActionSpec.write("todo.done", "Mark a to-do as done", input({ id: { type: "integer" } })),
  ActionSpec.read("todo.list", "List all to-dos"),
];

const handlers = {
  "todo.add"({ title }) {
    const todo = { id: state.todos.length + 1, title, done: false };
    change([...state.todos, todo]);
    return todo;
  },
  "todo.done"({ id }) {
    change(state.todos.map((todo) => (todo.id === id ? { ...todo, done: true } : todo)));
    return state.todos[id - 1];
  },
  "todo.list": () => ({ todos: state.todos }),
};

export const dispatcher = new Dispatcher(
  {
    actions: () => actions,
    revision: () => state.revision,
    capabilities: () => 0,
    execute: (action, given) => handlers[action](given),
  },
  { app: { name: "To-do", version: "1" }, runtime: browserRuntime },
);
