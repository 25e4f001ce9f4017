// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { addHost } from "../../../browser_worker/dispatcher/added_hosts.js";
import { ActionSpec, Dispatcher } from "../../../browser_worker/index.js";
import { ManualRuntime } from "../support/manual_runtime.js";

/** @import { Host } from "../../../browser_worker/index.js" */

/**
 * @param {string[]} names
 * @param {Partial<Host>} [changes]
 * @returns {Host}
 */
function hostOf(names, changes = {}) {
  return {
    actions: () => names.map((name) => ActionSpec.write(name, `Does ${name}`)),
    revision: () => 1,
    capabilities: () => 0,
    execute: (action) => ({ by: names[0], action }),
    ...changes,
  };
}

/** @param {Host} host */
function dispatcherOf(host) {
  const dispatcher = new Dispatcher(host, {
    app: { name: "App", version: "1" },
    runtime: new ManualRuntime(),
  });
  dispatcher.setEnabled(true);
  return dispatcher;
}

test("an added host that fails, or lists no actions, takes nothing from the app", async () => {
  const dispatcher = dispatcherOf(hostOf(["own"]));
  for (const actions of /** @type {any[]} */ ([
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
    () => null,
    async () => 5,
    () => [{}, null],
  ])) {
    addHost(dispatcher, hostOf([], { actions }));
  }
  addHost(dispatcher, hostOf(["other", "own"]));
  assert.deepEqual([...(await dispatcher.actions()).keys()], ["own", "other"]);
  assert.deepEqual(await dispatcher.executeLocal("own"), { by: "own", action: "own" });
  assert.deepEqual(await dispatcher.executeLocal("other"), { by: "other", action: "other" });
});

test("a call whose host is taken away meanwhile never reaches the app's own", async () => {
  /** @type {() => void} */
  let goOn = () => {};
  const gate = new Promise((resolve) => (goOn = () => resolve({})));
  /** @type {string[]} */
  const reached = [];
  const dispatcher = dispatcherOf(
    hostOf(["own"], {
      execute: (action) => {
        reached.push(action);
        return gate;
      },
    }),
  );
  const remove = addHost(dispatcher, hostOf(["other"]));
  const first = dispatcher.executeLocal("own");
  const second = dispatcher.executeLocal("other");
  remove();
  assert.deepEqual(reached, ["own"], "the other waits for its turn");
  goOn();
  await first;
  assert.deepEqual(await second, { by: "other", action: "other" });
  assert.deepEqual(reached, ["own"]);
  assert.throws(() => dispatcher.executeLocal("other"), { code: "UNKNOWN_ACTION" });
});

test("revision, availability and turns are those of the host that has the action", async () => {
  const away = { code: "AWAY", reason: "Away." };
  const pending = new Promise(() => {});
  const dispatcher = dispatcherOf(
    hostOf(["own", "slow"], { execute: (action) => (action === "slow" ? pending : {}) }),
  );
  addHost(
    dispatcher,
    hostOf(["free", "away"], {
      revision: () => null,
      availability: (action) => (action === "away" ? away : null),
      concurrent: true,
    }),
  );
  await dispatcher.actions();
  assert.equal(dispatcher.revision("free"), null);
  assert.equal(dispatcher.revision("own"), 1);
  assert.equal(dispatcher.revision(), 1);
  assert.deepEqual(dispatcher.unavailable("away"), away);
  assert.equal(dispatcher.unavailable("own"), null);
  void dispatcher.executeLocal("slow");
  let ran = false;
  void Promise.resolve(dispatcher.executeLocal("own")).then(() => (ran = true));
  assert.deepEqual(dispatcher.executeLocal("free"), { by: "free", action: "free" });
  assert.equal(ran, false, "the app's own waits for its turn");
});
