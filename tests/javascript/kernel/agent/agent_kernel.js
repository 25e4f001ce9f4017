// @ts-check
/**
 * A kernel with agent mode, of which a test holds everything in its hand: clock, ports, the person's
 * focus and clicks, and what the owner says. The app `helper` declares the entrypoint `run`.
 */

import assert from "node:assert/strict";

import { addAgent } from "../../../../browser_worker/kernel/agent/add_agent.js";
import { ConsentQueue } from "../../../../browser_worker/kernel/consent/consent_queue.js";
import { makeKernel } from "../../support/test_kernel.js";

/** @import { RawApp } from "../../support/raw_app.js" */
/** @import { RoutingPolicy } from "../../../../browser_worker/kernel/grants/routing_policy.js" */

export const HELPER = "app:helper:background";
export const NOTES = "app:notes:background";

/** Whatever is asked is let through: what is refused is refused by something else. @type {RoutingPolicy} */
export const ALL = { decide: () => ({ allow: true }) };

/** @param {{ policy?: RoutingPolicy }} [options] */
export function makeAgentKernel({ policy = ALL } = {}) {
  /** @type {any[]} */
  const apps = [
    { id: "helper", name: "Helper", version: "1.0", declares: { agent: ["run"] } },
    { id: "notes", name: "Notes", version: "1.0" },
    { id: "board", name: "Board", version: "1.0" },
  ];
  const person = { focused: "", active: false, moved: false };
  /** Tells the page of a click that it was not told of yet. @type {{ tell: () => void }} */
  const late = { tell: () => {} };
  const attention = {
    focusedEndpoint: () => person.focused,
    activation: () => ({ active: person.active, moved: person.moved }),
    caughtUp: async () => late.tell(),
  };
  const made = makeKernel({ policy, apps: () => apps, attention });
  const { kernel, ports, powers, time } = made;
  const consent = new ConsentQueue(powers);
  const agent = addAgent(kernel, { powers, consent, attention });

  /** The person clicks in an endpoint. @param {string} id @param {boolean} [moved] */
  const click = (id, moved = false) => {
    Object.assign(person, { focused: id, active: true, moved });
  };
  /** The owner's answer to the question that is shown. @param {boolean} yes */
  const answer = async (yes) => {
    const shown = consent.current;
    assert.ok(shown !== null, "the owner is asked nothing");
    const choice = shown.prompt.choices[0]?.id ?? "";
    assert.ok(consent.answer(shown.id, yes ? { allow: true, choice } : { allow: false }));
    await ports.settle();
    return shown.prompt;
  };
  /** @param {RawApp} app @param {number} id @returns {Promise<any>} */
  const response = async (app, id) => {
    await ports.settle();
    return app.response(id);
  };
  /** @param {RawApp} app @param {number} id @returns {Promise<string>} "ok", or the error's code. */
  const outcome = async (app, id) => {
    const got = await response(app, id);
    return got === undefined ? "waits" : "ok" in got ? "ok" : got.error.code;
  };
  /** A call by an app, with an invocation. @param {RawApp} app @param {string} token @param {any} payload @param {string} [action] */
  const scoped = (app, token, payload, action) => app.askUnder(token, payload, action);
  /** Has the owner enable the helper, by its tile. */
  const enable = async () => {
    const asked = agent.mode.request("helper", "run");
    await answer(true);
    await asked;
  };
  /**
   * A helper that is enabled, whose turns wait in its background until a test answers, and notes.
   *
   * @param {{ enabled?: boolean }} [options]
   */
  const workspace = async ({ enabled = true } = {}) => {
    const helper = made.connect("helper");
    const tile = made.connect("helper", "tile");
    const notes = made.connect("notes");
    /** What the helper was invoked with, newest last. @type {any[]} */
    const invoked = [];
    helper.app.expose({
      run: { handler: (_args, message) => void invoked.push(message) },
      other: { handler: (_args, message) => void invoked.push(message) },
    });
    notes.app.expose({ find: { handler: () => 1 }, wait: { handler: () => undefined } });
    if (enabled) await enable();
    /** A turn begins. @returns {Promise<{ call: number, token: string, message: any }>} */
    const begin = async () => {
      click(tile.endpoint.id);
      const call = tile.app.call(HELPER, "run", {}, { timeout: 600 });
      await ports.settle();
      const message = invoked.at(-1);
      assert.ok(message !== undefined, JSON.stringify(tile.app.response(call)));
      return {
        call,
        token: message.payload.invocation,
        message,
      };
    };
    return { helper, tile, notes, invoked, begin };
  };
  return {
    late,
    ...made,
    ...{
      apps,
      person,
      consent,
      agent,
      click,
      answer,
      response,
      outcome,
      scoped,
      enable,
      workspace,
    },
    kernel,
    time,
  };
}
