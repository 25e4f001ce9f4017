/** Not a recipe: answers with what apps have at hand, to see what a terminal makes of it. */

import { ActionSpec, Dispatcher } from "./bascule.min.js";
import { reactive, ref } from "./vue.runtime.esm-browser.prod.js";

class Point {
  #x = 1;
  get x() {
    return this.#x;
  }
}
const deep = (value) =>
  value !== null && typeof value === "object"
    ? new Proxy(value, { get: (target, key) => deep(Reflect.get(target, key)) })
    : value;

const values = {
  reactive: reactive({ a: { b: [1, { c: "x" }] } }),
  nested: deep({ a: { b: [1, { c: "x" }] } }),
  frozen: Object.freeze({ a: Object.freeze({ b: [1, { c: "x" }] }) }),
  map: { m: new Map([[1, 2]]) },
  reactiveMap: reactive({ m: new Map([[1, 2]]) }),
  date: { m: new Date(0) },
  instance: { m: new Point() },
  ref: { m: ref(1) },
  function: { m() {} },
};
const kind = { type: "object", properties: { kind: { enum: Object.keys(values) } } };

const dispatcher = new Dispatcher(
  {
    actions: () => [
      ActionSpec.read("value.get", "Gives a value", { inputSchema: kind }),
      ActionSpec.read("value.later", "Gives a value by a promise", { inputSchema: kind }),
    ],
    revision: () => null,
    capabilities: () => 0,
    concurrent: true,
    execute: (action, input) =>
      action === "value.get" ? values[input.kind] : Promise.resolve(values[input.kind]),
    inspect: (query) => ({ value: values[query.kind] }),
  },
  { app: { name: "Values", version: "1" } },
);
document.querySelector("bascule-panel").dispatcher = dispatcher;
