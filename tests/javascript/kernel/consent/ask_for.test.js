// @ts-check
/** How often an agent has its owner asked in one turn: by whichever tool, they are all counted together. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { addInstallOffer } from "../../../../browser_worker/kernel/tools/install_offer.js";
import { addOpenTileTool } from "../../../../browser_worker/kernel/tools/open_tile_tool.js";
import { appRoot, turnRoot } from "../../support/roots.js";
import { backedKernel } from "../canister/backed_kernel.js";

/** @import { Root } from "../../../../browser_worker/kernel/calls/invocations.js" */

function workspace() {
  const made = backedKernel();
  const { kernel, consent, powers, time, ports, policy, summaries } = made;
  const parts = { consent, apps: () => summaries, invocations: kernel.invocations, powers };
  addInstallOffer(kernel.tools, { ...parts, origin: "https://page.test", onOffer: () => {} });
  addOpenTileTool(kernel.tools, {
    ...parts,
    tilesOf: () => [{ id: "main", title: "Main" }],
    isShown: () => true,
    openTile: async () => "app:notes:tile:main:instance:1",
  });
  const ends = new AbortController().signal;
  const id = "app:board:background";
  /** @param {Root} root @param {string} name @param {any} given */
  const run = async (root, name, given) => {
    const source = { id, app: "board", endpoint: null, invocation: null, root };
    return kernel.tools.run(name, given, source, ends);
  };
  /** Each way in which the owner can be asked. @type {((root: Root) => Promise<unknown>)[]} */
  const ways = [
    (root) =>
      run(root, "canister.call_dialog", { app: "notes", method: "get", arguments: { key: "a" } }),
    (root) => run(root, "apps.install_offer", { url: "https://apps.test/" }),
    (root) => run(root, "workspace.open_tile", { app: "notes" }),
    async (root) => {
      const target = { target: "app:notes:background", targetApp: "notes", tool: "work" };
      const caller = { caller: id, callerApp: "board", via: [id] };
      const decided = await policy.decide(
        { ...caller, ...target, arguments: {}, attachmentBytes: null, root },
        ends,
      );
      if (!decided.allow) throw Object.assign(new Error(decided.message), { code: decided.code });
      return null;
    },
  ];
  /** @param {Root} root @param {number} way @returns {Promise<string>} */
  const ask = async (root, way) => {
    // Tiles are opened at a pace of their own.
    time.pass(10_000);
    const asked = ways[way % ways.length]?.(root) ?? Promise.reject(new TypeError("no such way"));
    const ended = asked.then(
      () => "done",
      (/** @type {any} */ error) => String(error.code),
    );
    await ports.settle();
    const shown = consent.current;
    if (shown !== null)
      consent.answer(shown.id, { allow: true, choice: shown.prompt.choices[0]?.id ?? "" });
    return ended;
  };
  return { ...made, ask, ways };
}

test("a turn has the owner asked 16 times, whichever tools ask, and not once more", async () => {
  const { ask, ways } = workspace();
  const turn = turnRoot("turn1");
  for (let n = 0; n < BUS_LIMITS.maxConsentsOfTurn; n++) assert.equal(await ask(turn, n), "done");
  for (let way = 0; way < ways.length; way++) {
    assert.equal(await ask(turn, way), "AGENT_CONSENT_LIMIT");
  }
  // Another turn may, and so may the app itself.
  for (let way = 0; way < ways.length; way++) {
    assert.equal(await ask(turnRoot("turn2"), way), "done");
    assert.equal(await ask(appRoot(), way), "done");
  }
});
