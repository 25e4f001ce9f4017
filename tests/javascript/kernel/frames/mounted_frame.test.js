// @ts-check
/** A frame from mount to its end, in a page that the test holds in its hand. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BUS_LIMITS } from "../../../../browser_worker/contract/limits.js";
import { makeFrames } from "../../support/framed_kernel.js";

const ENDPOINT = "app:notes:tile:main:instance:1";

/**
 * Begins a call to a frame's tool that never answers, and tells how it ended.
 *
 * @param {ReturnType<typeof makeFrames>} made
 * @param {ReturnType<ReturnType<typeof makeFrames>["mount"]>} mounted
 */
async function callInFlight({ kernel, page }, { start }) {
  const app = start();
  app.expose({ hang: {} });
  const ended = { code: "" };
  const call = kernel.call({ target: ENDPOINT, name: "hang" });
  call.catch((error) => void (ended.code = error.code));
  await page.ports.settle();
  assert.ok(app.received.some((m) => m.payload?.action === "tools.invoke"));
  return { app, ended };
}

describe("a mounted frame", () => {
  test("is sandboxed without an origin and without any power", () => {
    const { element } = makeFrames().mount();
    assert.deepEqual(
      [...element.attributes],
      [
        ["sandbox", "allow-scripts"],
        ["referrerpolicy", "no-referrer"],
        ["aria-label", "Notes"],
      ],
    );
    assert.equal(element.src, "/app");
    assert.equal("title" in element, false, "its tooltip would stand over the app");
  });

  test("is offered its port when its first document has loaded, and is then an endpoint", async () => {
    const { kernel, mount, states, page } = makeFrames();
    const { frame, element, window } = mount();
    assert.deepEqual([window.answer(), frame.state, frame.endpoint], [undefined, "loading", null]);
    element.dispatch("load");
    assert.ok(window.answer());
    assert.deepEqual([frame.state, frame.endpoint], ["connected", ENDPOINT]);
    assert.deepEqual(
      kernel.endpoints().map(({ endpoint }) => endpoint),
      [ENDPOINT],
    );
    assert.deepEqual(states, [["connected", ""]]);
    await page.ports.settle();
  });

  test("that never asks for its port is silent, and may not ask later", () => {
    const { mount, time, states } = makeFrames();
    const { frame, element, window } = mount();
    element.dispatch("load");
    for (let passed = 0; passed < 15_000; passed += 250) time.pass(250);
    assert.equal(window.answer(), undefined);
    assert.deepEqual([frame.state, states.map(([state]) => state)], ["silent", ["silent"]]);
  });

  test("whose document has not loaded in time is silent, and is connected if it still does", () => {
    const { mount, time, states } = makeFrames();
    const { frame, start } = mount();
    time.pass(BUS_LIMITS.maxProbeSeconds * 1000 - 1);
    assert.equal(frame.state, "loading");
    time.pass(1);
    assert.deepEqual(states, [["silent", "its page has not finished loading"]]);
    start();
    assert.equal(frame.state, "connected");
    const other = mount();
    other.frame.unmount();
    time.pass(BUS_LIMITS.maxProbeSeconds * 1000);
    assert.equal(other.frame.state, "gone", "what is gone is not silent");
  });

  test("whose place is none, or that is in no page, is not mounted", () => {
    const { mount, page } = makeFrames();
    const before = page.held;
    assert.throws(() => mount({ place: { app: "NOTES", kind: "background" } }), /no.* endpoint/);
    assert.throws(() => mount({ parent: page.document.createElement("div") }), /shown/);
    assert.deepEqual([page.body.children, page.held], [[], before]);
  });

  test("whose place is taken gets no port and is taken away", () => {
    const { mount, states, page } = makeFrames();
    const place = { app: "notes", kind: "background" };
    mount({ place }).start();
    const second = mount({ place });
    second.element.dispatch("load");
    assert.equal(second.window.answer(), undefined);
    assert.deepEqual([second.frame.state, second.element.isConnected], ["gone", false]);
    assert.match(states.at(-1)?.[1] ?? "", /connected already/);
    assert.equal(page.ports.open, 3);
  });

  test("gets no port while the workspace is locked", () => {
    const { mount, kernel } = makeFrames();
    const { frame, element, window } = mount();
    kernel.lock();
    element.dispatch("load");
    assert.equal(window.answer(), undefined);
    assert.equal(frame.state, "gone");
  });

  test("goes on where who watches it throws", () => {
    const { mount } = makeFrames();
    const { frame, start } = mount({
      onState: () => {
        throw new Error("a watcher's own");
      },
    });
    start();
    assert.equal(frame.state, "connected");
    frame.unmount();
    assert.equal(frame.state, "gone");
  });

  test("that is unmounted while its watcher hears that it is connected gets no port", () => {
    const made = makeFrames();
    /** @type {ReturnType<typeof made.mount>} */
    const mounted = made.mount({ onState: () => mounted.frame.unmount() });
    mounted.element.dispatch("load");
    assert.equal(mounted.window.answer(), undefined);
    assert.deepEqual([made.kernel.endpoints(), mounted.frame.state], [[], "gone"]);
  });
});

describe("what a frame was asked ends at once, and the frame is taken away", () => {
  /** @type {[string, RegExp, (made: ReturnType<typeof makeFrames>, mounted: any, app: any) => unknown][]} */
  const ends = [
    [
      "where it loads another document",
      /another document/,
      (_m, { element }) => element.dispatch("load"),
    ],
    ["where it is unmounted", /closed/, (_m, { frame }) => frame.unmount()],
    ["where its element is removed", /out of the page/, (_m, { element }) => element.remove()],
    [
      "where it is moved, which gives it another window",
      /out of the page/,
      ({ page }, { element }) => page.element().append(element),
    ],
    [
      "where it is removed and nothing tells so",
      /out of the page/,
      ({ page, time }, { element }) => {
        page.tells = false;
        element.remove();
        time.pass(1_000);
      },
    ],
    [
      "where its document says that it leaves",
      /port was closed/,
      ({ page }, _mounted, app) => {
        app.send({ type: "event", payload: { event: "leaving" } });
        return page.ports.settle();
      },
    ],
    [
      "where it floods the kernel",
      /port was closed/,
      ({ page }, _mounted, app) => {
        for (let sent = 0; sent <= 2 * BUS_LIMITS.maxMessagesPerSecond; sent++) app.send("x");
        return page.ports.settle();
      },
    ],
    ["where the workspace is locked", /port was closed/, ({ kernel }) => kernel.lock()],
  ];
  for (const [name, why, end] of ends) {
    test(name, async () => {
      const made = makeFrames();
      const mounted = made.mount();
      const { app, ended } = await callInFlight(made, mounted);
      assert.equal(ended.code, "");
      await end(made, mounted, app);
      await Promise.resolve();
      await Promise.resolve();
      assert.match(ended.code, /^(ENDPOINT_GONE|FLOODED|LOCKED)$/);
      assert.deepEqual([mounted.frame.state, mounted.element.isConnected], ["gone", false]);
      assert.match(made.states.at(-1)?.[1] ?? "", why);
      assert.deepEqual(made.kernel.endpoints(), []);
      // It was told once, and whatever comes later is nobody's.
      const told = made.states.length;
      mounted.element.dispatch("load");
      mounted.window.answer();
      mounted.frame.unmount();
      assert.equal(made.states.length, told);
      assert.equal(mounted.window.steps("port").length, 1);
    });
  }
});

test("an event that an app makes up changes nothing of its connection", async () => {
  const { mount, page, kernel } = makeFrames();
  const { start } = mount();
  const app = start();
  app.send({ type: "event", payload: { event: "connected", endpoint: "app:other:background" } });
  app.send({ type: "event", payload: { event: "app.state", topic: "notes", revision: 1 } });
  await page.ports.settle();
  assert.deepEqual(
    kernel.endpoints().map(({ endpoint }) => endpoint),
    [ENDPOINT],
  );
});

test("a thousand mounts and unmounts leave no port, listener, observer, timer or offer", async () => {
  const { mount, page, kernel, time, handshake } = makeFrames();
  const held = () => ({
    ...page.held,
    ports: page.ports.open,
    timers: time.timers.size,
    offers: handshake.waiting,
    observers: Number(/** @type {any} */ (kernel)._registry._observers.size),
    elements: page.body.children.length,
  });
  const before = held();
  const { start, frame } = mount();
  const one = start();
  assert.notDeepEqual(held(), before);
  frame.unmount();
  one.port.close();
  for (let each = 0; each < 1_000; each++) {
    const mounted = mount();
    // Some are gone before they have loaded, and some before they are ready.
    if (each % 3 === 1) mounted.element.dispatch("load");
    if (each % 3 === 2) mounted.start().port.close();
    mounted.frame.unmount();
  }
  await page.ports.settle();
  assert.deepEqual(held(), before);
});
