// @ts-check
/**
 * Whatever apps, terminals and agents do in whatever order, by clients of their own or by those that they
 * were given: no call reaches a tool of another app that the owner has not allowed to whom it is for.
 */

import assert from "node:assert/strict";
import { getEventListeners, setMaxListeners } from "node:events";
import { test } from "node:test";

import fc from "fast-check";

import { PLACES, ProvenanceModel } from "../../support/provenance_model.js";

// Many calls hang on one leave, or one turn: that none stays is looked at below.
setMaxListeners(0);

const place = fc.nat({ max: PLACES.length - 1 });
/** An agent's turns are the board's background's. */
const from = fc.constantFrom(0, 1, 1, 2, 3);
const pick = fc.constantFrom(0, 0, 0, 1, 2, 3, 5, 7);
const tool = fc.constantFrom("work", "draw");
/** By which client: one's own, one that a run was given, one of a run that is over, another's. */
const by = fc.constantFrom("own", "scoped", "scoped", "scoped", "any", "stolen");

const action = fc.oneof(
  { weight: 1, arbitrary: fc.record({ type: fc.constant("disconnect"), place }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("connect"), place }) },
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant("call"), place: from, target: place, tool, by, pick }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("list"), place, target: place, by, pick }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("request"), place, target: place, by, pick }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("terminal"),
      terminal: fc.nat({ max: 1 }),
      target: place,
      tool,
    }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("turn"), place: fc.constantFrom(1, 2) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("answer"), pick, ok: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("owner"),
      allow: fc.constantFrom(true, true, true, true, false),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("revoke"), pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("change"), app: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("detach"), pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("stop"), pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("cancel"), place, pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("time"), ms: fc.constantFrom(500, 5_000, 61_000) }),
  },
  { weight: 8, arbitrary: fc.record({ type: fc.constant("settle") }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("deliver"), pick }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("lock"), odds: fc.nat({ max: 9 }) }) },
);

const settle = { type: "settle" };
const scoped = { type: "call", place: 1, target: 0, tool: "work", by: "scoped", pick: 0 };

/** How it begins: some things take many steps in a row, which chance seldom finds. */
const beginning = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 1, 2)
      .map((choice) => [
        { type: "turn", place: 2 },
        settle,
        scoped,
        settle,
        { type: "owner", allow: true, pick: choice },
        settle,
        scoped,
        settle,
      ]),
  },
);

/**
 * @param {Record<string, number>} reached
 * @param {((model: ProvenanceModel) => void) | null} [spoil] Breaks something: only who reaches what is looked at.
 */
function property(reached, spoil = null) {
  const steps = fc.array(action, { minLength: 20, maxLength: 90, size: "max" });
  return fc.asyncProperty(beginning, steps, async (first, others) => {
    const model = new ProvenanceModel(reached);
    spoil?.(model);
    const { kernel, ports, time, consent, grants } = model.made;
    await ports.settle();
    for (const step of [...first, ...others]) {
      await model.do(step);
      // What the owner has said is heard before anything else happens: it was a click of its own.
      await new Promise((resolve) => void setImmediate(resolve));
      assert.deepEqual(model.faults, []);
    }
    // Whoever is still waited for has had time enough, and so have the questions behind it.
    for (let n = 0; n < 8; n++) {
      time.pass(61_000);
      await ports.settle();
    }
    assert.deepEqual(model.faults, []);
    if (spoil !== null) return;
    await Promise.all(model.promises);
    assert.equal(kernel.callsInFlight, 0);
    assert.equal(kernel.attachmentBytes, 0);
    assert.equal(kernel.invocations.size, 0);
    assert.equal(consent.current, null);
    assert.equal(consent.waiting, 0);
    assert.ok(grants.all().every(({ scope }) => scope === "session"));
    assert.ok(kernel.audit.entries().every(({ status }) => status !== "running"));
    for (const live of model.live) {
      if (!live) continue;
      assert.equal(live.endpoint.requests.size, 0);
      for (const { app, id } of model.asked) {
        if (app === live.app) assert.ok(app.response(id), `no answer to ${id}`);
      }
    }
    for (const { stop } of model.turns) {
      assert.equal(getEventListeners(stop.signal, "abort").length, 0);
    }
    kernel.close();
    assert.equal(time.timers.size, 0);
  });
}

test("no mix of frames, clients, terminals and agents reaches a tool that its root was not granted", async () => {
  /** @type {Record<string, number>} */
  const reached = {};
  await fc.assert(property(reached), { numRuns: 250 });
  // Without these the test would have seen nothing.
  for (const how of [
    "in-app",
    "app once",
    "app lasting",
    "agent once",
    "agent lasting",
    "external once",
    "external lasting",
    "list app once",
    "list app lasting",
  ]) {
    assert.ok((reached[how] ?? 0) > 0, `nothing was reached by ${how}: ${JSON.stringify(reached)}`);
  }
});

for (const [what, spoil] of /** @type {[string, (model: ProvenanceModel) => void][]} */ ([
  [
    "a policy that lets all through",
    ({ made }) => void (made.policy.decide = () => ({ allow: true })),
  ],
  ["grants that nothing ends", ({ made }) => void Object.assign(made.grants, { _end: () => true })],
  [
    "grants that are for whoever is called too",
    ({ made }) => {
      const { grants } = made;
      const find = grants.find.bind(grants);
      grants.find = (use) => find({ ...use, by: null });
    },
  ],
  [
    "apps that call in their own name while they run for another",
    ({ made }) => void (made.kernel._broker.admission.scopeRefusal = () => null),
  ],
])) {
  test(`the same look finds ${what}`, async () => {
    const found = await fc.check(property({}, spoil), { numRuns: 300, endOnFailure: true });
    assert.equal(found.failed, true);
    assert.match(String(found.errorInstance), /deep-equal/u);
  });
}
