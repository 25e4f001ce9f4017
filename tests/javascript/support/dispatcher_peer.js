// @ts-check
/**
 * The JavaScript side of comparing the dispatchers: reads conversations, a list of steps on one
 * line each, and answers with what arrived after every step. `tests/python/support/conversation.py`
 * is the other side.
 */

import { createInterface } from "node:readline";

import { AgentEndpoint } from "../../../browser_worker/dispatcher/agent_endpoint.js";
import { makeFixture } from "./fixture_host.js";
import { ManualRuntime } from "./manual_runtime.js";

/** Lets everything happen that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** @param {any[]} steps */
async function converse(steps) {
  const runtime = new ManualRuntime();
  const fixture = makeFixture({ runtime });
  const endpoint = new AgentEndpoint(fixture.dispatcher);
  /** @type {[number, string | null][][]} */
  const arrived = [];
  for (const [index, step] of steps.entries()) {
    /** @type {[number, string | null][]} */
    const now = [];
    arrived.push(now);
    if (step.line !== undefined) {
      void endpoint
        .request(step.line, { session: step.session })
        .then((text) => void arrived.at(-1)?.push([index, text]));
    }
    if (step.advance !== undefined) runtime.pass(step.advance * 1000);
    if (step.tick) fixture.tick();
    if (step.enable !== undefined) fixture.dispatcher.setEnabled(step.enable);
    if (step.modal !== undefined) fixture.notes.modal = step.modal;
    if (step.resources !== undefined) fixture.notes.listed = step.resources;
    await settle();
    now.sort(([a], [b]) => a - b);
  }
  return { arrived, log: fixture.notes.log, enabled: fixture.dispatcher.enabled };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await converse(JSON.parse(line)))}\n`);
}
