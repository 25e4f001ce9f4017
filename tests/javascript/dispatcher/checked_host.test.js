// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { CheckedHost } from "../../../browser_worker/dispatcher/checked_host.js";
import { ActionSpec } from "../../../browser_worker/index.js";

/** @param {Record<string, unknown>} changes */
function checked(changes) {
  return new CheckedHost(
    /** @type {any} */ ({
      actions: () => [],
      revision: () => null,
      capabilities: () => 0,
      execute: () => ({}),
      ...changes,
    }),
  );
}

test("a revision and capabilities are integers of any size", () => {
  for (const good of [0, -1, 7, 2n ** 70n]) {
    assert.equal(checked({ revision: () => good }).revision(), good);
    assert.equal(checked({ capabilities: () => good }).capabilities(), good);
  }
  for (const bad of ["7", 1.5, NaN, 2 ** 53, true, {}, []]) {
    assert.throws(() => checked({ revision: () => bad }).revision(), TypeError);
    assert.throws(() => checked({ capabilities: () => bad }).capabilities(), TypeError);
  }
  assert.equal(checked({ revision: () => undefined }).revision(), null);
  assert.throws(() => checked({ capabilities: () => null }).capabilities(), TypeError);
});

test("an unavailability is a code and a reason, and nothing else", () => {
  const away = { code: "AWAY", reason: "Away." };
  const found = checked({ availability: () => ({ ...away, secret: 1 }) }).unavailable("a");
  assert.deepEqual(found, away);
  assert.deepEqual(checked({ modal: () => away, availability: () => null }).unavailable("a"), away);
  for (const none of [null, undefined]) {
    assert.equal(checked({ modal: () => none, availability: () => none }).unavailable("a"), null);
  }
  for (const bad of [false, "AWAY", {}, { code: "AWAY" }, { code: 1, reason: "x" }]) {
    assert.throws(() => checked({ availability: () => bad }).unavailable("a"), TypeError);
  }
});

test("actions are specs with names and command ids of their own", async () => {
  const a = ActionSpec.read("a", "A", { commandId: 1 });
  const b = ActionSpec.read("b", "B", { commandId: 2 });
  assert.deepEqual(
    [...(await checked({ actions: async () => [b, a] }).actions()).keys()],
    ["b", "a"],
  );
  for (const bad of [[a, a], [a, {}], [a, ActionSpec.read("c", "C", { commandId: 1 })], 5, null]) {
    assert.throws(() => checked({ actions: () => bad }).actions(), TypeError);
  }
});

test("a state is an object", async () => {
  assert.deepEqual(checked({ inspect: (/** @type {any} */ q) => ({ q }) }).inspect({ a: 1 }), {
    q: { a: 1 },
  });
  for (const bad of [null, undefined, 5, "x", []]) {
    assert.throws(() => checked({ inspect: () => bad }).inspect({}), { code: "INVALID_OUTPUT" });
    await assert.rejects(Promise.resolve(checked({ inspect: async () => bad }).inspect({})), {
      code: "INVALID_OUTPUT",
    });
  }
  assert.throws(() => checked({}).inspect({}), { code: "UNAVAILABLE" });
});

test("a transaction begins and ends at once", async () => {
  const late = async () => {
    throw new Error("late");
  };
  const host = checked({
    beginTransaction: late,
    commitTransaction: late,
    rollbackTransaction: late,
  });
  assert.throws(() => host.beginTransaction("d"), TypeError);
  assert.throws(() => host.commitTransaction("d"), TypeError);
  assert.throws(() => host.rollbackTransaction("d"), TypeError);
  const fine = checked({ beginTransaction: () => true });
  fine.beginTransaction("d");
  assert.equal(fine.supportsTransaction("d"), false);
});

test("methods of a host are called as its own", async () => {
  class App {
    text = "mine";
    actions() {
      return [];
    }
    revision() {
      return this.text.length;
    }
    capabilities() {
      return this.text.length;
    }
    execute() {
      return this.text;
    }
    modal() {
      return { code: "M", reason: this.text };
    }
    inspect() {
      return { text: this.text };
    }
    supportsTransaction() {
      return this.text === "mine";
    }
    beginTransaction() {
      this.text += "!";
    }
    readResource() {
      return { mimeType: this.text, size: 0, data: new Uint8Array() };
    }
  }
  const host = new CheckedHost(/** @type {any} */ (new App()));
  assert.equal(host.revision(), 4);
  assert.equal(host.capabilities(), 4);
  assert.equal(host.execute("a", {}, /** @type {any} */ ({})), "mine");
  assert.equal(host.unavailable("a")?.reason, "mine");
  assert.deepEqual(host.inspect({}), { text: "mine" });
  assert.equal(host.supportsTransaction("d"), true);
  host.beginTransaction("d");
  assert.equal((await host.readResource("x", 0, 1))?.mimeType, "mine!");
});

test("what an inspection tells is a copy, and what cannot be sent of it is named", () => {
  const live = { document: { text: "old" } };
  const seen = checked({ inspect: () => live }).inspect({});
  live.document.text = "new";
  assert.deepEqual(seen, { document: { text: "old" } });
  assert.throws(
    () => checked({ inspect: () => ({ size: 1, of: new Map() }) }).inspect({}),
    (/** @type {any} */ error) =>
      error.code === "INVALID_OUTPUT" && error.data.errors[0].path === "/of",
  );
});

test("a list of resources has what is known of each, and nothing else", async () => {
  const whole = { uri: "a:b", name: "B", title: "T", description: "D", mimeType: "m/t", size: 0 };
  const listed = checked({
    resources: () => [
      { ...whole, secret: 1 },
      { uri: "a:c", name: "C" },
    ],
  });
  assert.deepEqual(listed.resources(), [whole, { uri: "a:c", name: "C" }]);
  const later = checked({ resources: async () => [whole] });
  assert.deepEqual(await later.resources(), [whole]);
  const { uri: _uri, size: _size, ...rest } = whole;
  const templates = checked({
    resourceTemplates: () => [{ uriTemplate: "a:{b}", size: -1, ...rest }],
  });
  assert.deepEqual(templates.resourceTemplates(), [{ uriTemplate: "a:{b}", ...rest }]);
  assert.deepEqual([checked({}).resources(), checked({}).resourceTemplates()], [[], []]);
});

test("a list of resources that is none is INVALID_OUTPUT", async () => {
  const good = { uri: "a:b", name: "B" };
  /** @type {unknown[]} */
  const bad = [
    5,
    "x",
    {},
    [5],
    [null],
    [{ uri: "a:b" }],
    [{ name: "B" }],
    [good, { ...good, uri: "" }],
  ];
  for (const [name, value] of Object.entries({ name: "", title: 5, mimeType: null, size: -1 })) {
    bad.push([{ ...good, [name]: value }]);
  }
  bad.push([{ ...good, size: 1.5 }], [{ ...good, size: "1" }]);
  for (const each of bad) {
    assert.throws(() => checked({ resources: () => each }).resources(), { code: "INVALID_OUTPUT" });
    await assert.rejects(Promise.resolve(checked({ resources: async () => each }).resources()), {
      code: "INVALID_OUTPUT",
    });
  }
  for (const each of [good, [good], [{ uriTemplate: "a:{b}" }]]) {
    assert.throws(() => checked({ resourceTemplates: () => each }).resourceTemplates(), {
      code: "INVALID_OUTPUT",
    });
  }
});
