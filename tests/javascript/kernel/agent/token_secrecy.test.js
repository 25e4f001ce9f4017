// @ts-check
/**
 * Where a capability travels, and where not: in one member of the messages to and from the endpoint that
 * it is of. The whole of a turn runs with the real runtime, and every message of it is searched.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { AppRuntime } from "../../../../browser_worker/app/app_runtime.js";
import { HELPER, NOTES, makeAgentKernel } from "./agent_kernel.js";

const ANY = { description: "Takes anything.", inputSchema: { type: "object" } };
const TILE = "app:helper:tile:main:instance:1";

/** Runtimes on a kernel, and all messages that their ports carry. */
function recorded() {
  const made = makeAgentKernel();
  const { kernel, ports, time } = made;
  /** @type {{ port: string, data: any }[]} */
  const messages = [];
  /** @type {Map<unknown, string>} */
  const names = new Map();
  const add = ports.add.bind(ports);
  ports.add = (message) => {
    messages.push({ port: names.get(message.port) ?? "", data: message.data });
    add(message);
  };
  ports.deliverThemselves();
  /** @param {any} place */
  const connect = (place) => {
    const [ours, theirs] = ports.pair();
    const name = `${place.app} ${place.kind}`;
    names.set(ours, name).set(theirs, name);
    const endpoint = kernel.connect(place, ours);
    const runtime = new AppRuntime({ now: time.now, setTimer: time.after });
    runtime.connect(theirs);
    return { endpoint, runtime };
  };
  return { ...made, messages, connect };
}

/**
 * Takes the capability out of a message, and gives it.
 *
 * @param {any} data
 */
function taken({ attachment: _attachment, ...data }) {
  const copy = structuredClone(data);
  const token = copy.type === "exec" ? copy.payload.invocation : undefined;
  if (token !== undefined) delete copy.payload.invocation;
  return { token, rest: JSON.stringify(copy) };
}

test("capabilities are in private metadata alone, each on the port of its own endpoint", async () => {
  const { click, connect, enable, kernel, messages } = recorded();
  const helper = connect({ app: "helper", kind: "background" });
  const tile = connect({ app: "helper", kind: "tile", tile: "main", instance: "1" });
  const notes = connect({ app: "notes", kind: "background" });
  const board = connect({ app: "board", kind: "background" });
  /** @type {unknown[]} */
  const contexts = [];
  board.runtime.exposeTool("draw", ANY, (args, context) => {
    contexts.push({ ...context, kernel: undefined, args });
    context.reportProgress({ at: 1 });
    return { drawn: true };
  });
  notes.runtime.exposeTool("find", ANY, async (args, context) => {
    contexts.push({ ...context, kernel: undefined, args });
    await context.kernel.callTool({ target: board.endpoint.id, name: "draw" });
    return { found: await context.kernel.listTools(board.endpoint.id) };
  });
  helper.runtime.exposeTool("run", ANY, async (args, context) => {
    contexts.push({ ...context, kernel: undefined, args });
    context.reportProgress({ phase: "begins" });
    const apps = await context.kernel.listApps();
    const endpoints = await context.kernel.listEndpoints();
    const tools = await context.kernel.listTools(NOTES);
    /** @type {unknown[]} */
    const progress = [];
    const found = await context.kernel.callTool(
      { target: NOTES, name: "find", arguments: { query: "a" } },
      { onProgress: (value) => void progress.push(value) },
    );
    return { apps, endpoints, tools, found, progress };
  });
  await enable();
  click(TILE);
  const result = await tile.runtime.callTool({ target: HELPER, name: "run" }, { timeout: 600 });
  assert.equal(result.tools[0].name, "find");

  /** Whose it is, by capability. @type {Map<string, string>} */
  const owners = new Map();
  let rest = JSON.stringify([kernel.audit.entries(), kernel.endpoints(), result, contexts]);
  for (const { port, data } of messages) {
    const { token, rest: others } = taken(data);
    rest += others;
    if (token === undefined) continue;
    assert.equal(owners.get(token) ?? port, port, "two endpoints had the same capability");
    owners.set(token, port);
  }
  // The positive control: the run of the agent, and one of each routed child.
  assert.deepEqual(
    [...owners.values()],
    ["helper background", "notes background", "board background"],
  );
  for (const token of owners.keys()) assert.ok(!rest.includes(token), "a capability was told");
  assert.equal(kernel.invocations.size, 0);
});

test("a delegation is told to who asked for it alone, and to the audit to nobody", async () => {
  const { click, connect, enable, kernel, messages } = recorded();
  const helper = connect({ app: "helper", kind: "background" });
  const tile = connect({ app: "helper", kind: "tile", tile: "main", instance: "1" });
  const notes = connect({ app: "notes", kind: "background" });
  notes.runtime.exposeTool("find", ANY, () => ({ found: 1 }));
  /** @type {string} */
  let delegation = "";
  helper.runtime.exposeTool("run", ANY, async (_args, context) => {
    const call = { target: NOTES, name: "find" };
    const given = { target: "kernel", name: "attachments.delegate", arguments: call };
    ({ delegation } = await context.kernel.callTool(given));
    // A client without the context: the one that the app has for itself.
    return helper.runtime.callTool(call, { delegation });
  });
  await enable();
  click(TILE);
  const ran = await tile.runtime.callTool({ target: HELPER, name: "run" }, { timeout: 600 });
  assert.deepEqual(ran, { found: 1 });
  const told = messages.filter(({ data }) => taken(data).rest.includes(delegation));
  assert.deepEqual(
    told.map(({ port, data }) => [port, data.type]),
    [
      ["helper background", "response"],
      ["helper background", "exec"],
    ],
  );
  assert.equal(told[1]?.data.payload.payload.delegation, delegation);
  assert.ok(!JSON.stringify(kernel.audit.entries()).includes(delegation));
});
