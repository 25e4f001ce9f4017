import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";

import { dispatcher, getState, subscribe } from "./store.js";

function App() {
  const { todos } = useSyncExternalStore(subscribe, getState);
  const add = (form) => dispatcher.executeLocal("todo.add", { title: form.get("title") });
  return (
    <>
      <form action={add}>
        <input name="title" aria-label="New to-do" /> <button>Add</button>
      </form>
      <ul id="todos">
        {todos.map(({ id, title, done }) => (
          <li key={id}>{done ? `${title} (done)` : title}</li>
        ))}
      </ul>
      <bascule-panel dispatcher={dispatcher} />
    </>
  );
}

createRoot(document.querySelector("#root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
