// @ts-check
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { candidInterface } from "../../../../browser_worker/kernel/canister/canister_interface.js";
import { InstalledCanisters } from "../../../../browser_worker/kernel/canister/installed_canisters.js";

/** A registry whose one backend counts how often its interface is read. */
function registry() {
  /** @type {{ version: string | null, reads: number, fails: boolean }} */
  const state = { version: "1", reads: 0, fails: false };
  const installed = new InstalledCanisters((app) => (app === "notes" ? state.version : null));
  const connector = {
    interface: async () => {
      state.reads += 1;
      if (state.fails) throw new Error("not now");
      return candidInterface(`service : { v${state.version} : () -> () }`);
    },
    call: async () => ({ result: null }),
  };
  installed.install("notes", connector, { preapproved: () => ["v1"] });
  return { state, installed, connector };
}

describe("An installed backend", () => {
  test("is read once for each version of its app", async () => {
    const { state, installed } = registry();
    await Promise.all([installed.interfaceOf("notes"), installed.interfaceOf("notes")]);
    assert.equal(state.reads, 1);
    state.version = "2";
    assert.deepEqual([...(await installed.interfaceOf("notes")).methods.keys()], ["v2"]);
    await assert.rejects(installed.method("notes", "v1"), { code: "UNKNOWN_TOOL" });
    assert.equal(state.reads, 2);
  });

  test("that cannot be read now is tried again by whoever asks next", async () => {
    const { state, installed } = registry();
    state.fails = true;
    await assert.rejects(installed.interfaceOf("notes"), { code: "TOOL_FAILED" });
    state.fails = false;
    assert.equal((await installed.interfaceOf("notes")).methods.size, 1);
  });

  test("of an app that is not installed any more is none", async () => {
    const { state, installed } = registry();
    assert.equal((await installed.method("notes", "v1")).preapproved, true);
    state.version = null;
    await assert.rejects(installed.interfaceOf("notes"), { code: "UNKNOWN_ENDPOINT" });
    installed.forgetApp("notes");
    assert.equal(installed.has("notes"), false);
  });

  test("that was replaced or is of another version is not the one that was found", async () => {
    const { state, installed, connector } = registry();
    const found = await installed.method("notes", "v1");
    assert.equal(installed.isCurrent(found), true);
    state.version = "2";
    assert.equal(installed.isCurrent(found), false);
    state.version = "1";
    installed.install("notes", { ...connector });
    assert.equal(installed.isCurrent(found), false);
  });
});
