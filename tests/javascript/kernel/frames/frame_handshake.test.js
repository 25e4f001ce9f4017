// @ts-check
/** The handshake, from the messages of windows. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { FrameHandshake } from "../../../../browser_worker/kernel/frames/frame_handshake.js";
import { FakeFrameWindow, FakePage } from "../../support/fake_page.js";
import { makeKernel } from "../../support/test_kernel.js";

const MARK = { bascule: "bus", version: 1 };

/** @param {{ accepts?: boolean }} [options] */
function offered({ accepts = true } = {}) {
  const { time, powers } = makeKernel();
  const page = new FakePage();
  const handshake = new FrameHandshake(page.window, powers);
  const frame = new FakeFrameWindow(page);
  /** @type {any[]} */
  const ports = [];
  const told = { silent: 0 };
  const options = {
    onPort: (/** @type {any} */ port) => {
      ports.push(port);
      return accepts;
    },
    onSilence: () => void (told.silent += 1),
  };
  const withdraw = handshake.offer(frame, options);
  // A kernel's own timers are none of these.
  const timers = () => time.timers.size - 1;
  return { time, page, handshake, frame, ports, told, options, withdraw, timers };
}

describe("a frame that was registered", () => {
  test("is probed at once and every quarter of a second until it is ready, and then never", () => {
    const { time, frame, ports, timers } = offered();
    assert.equal(frame.steps("probe").length, 1);
    time.pass(250);
    time.pass(250);
    assert.equal(frame.steps("probe").length, 3);
    const nonces = new Set(frame.received.map(({ message }) => message.nonce));
    assert.equal(nonces.size, 1);
    frame.answer();
    time.pass(20_000);
    assert.deepEqual([frame.steps("probe").length, ports.length, timers()], [3, 1, 0]);
  });

  test("gets one port, and no second one however often it asks", () => {
    const { frame, ports, handshake } = offered();
    const port = frame.answer();
    assert.equal(port.other, ports[0]);
    frame.answer();
    frame.send({ ...MARK, step: "ready" });
    assert.deepEqual([frame.steps("port").length, ports.length], [1, 1]);
    assert.equal(frame.steps("probe").length, 1);
    assert.equal(handshake.waiting, 0);
  });

  test("that says by itself that it is ready is probed, and only then given the port", () => {
    const { frame, ports } = offered();
    frame.send({ ...MARK, step: "ready" });
    assert.deepEqual([frame.steps("probe").length, ports.length], [2, 0]);
    frame.answer();
    assert.equal(ports.length, 1);
  });

  test("that is not ready after fifteen seconds gets no port any more", () => {
    const { time, frame, ports, told, timers } = offered();
    for (let passed = 0; passed < 14_750; passed += 250) time.pass(250);
    assert.equal(told.silent, 0);
    time.pass(250);
    assert.equal(told.silent, 1);
    frame.answer();
    assert.deepEqual([ports.length, timers()], [0, 0]);
  });

  test("whose offer was withdrawn gets no port", () => {
    const { frame, ports, withdraw, timers } = offered();
    withdraw();
    frame.answer();
    assert.deepEqual([ports.length, timers()], [0, 0]);
  });

  test("that is offered a port anew needs the new nonce", () => {
    const { handshake, frame, ports, options } = offered();
    const [first] = frame.steps("probe");
    handshake.offer(frame, options);
    frame.send({ ...MARK, step: "ready", nonce: first?.message.nonce });
    assert.equal(ports.length, 0);
    frame.answer();
    assert.equal(ports.length, 1);
  });

  test("whose port is not wanted is sent none", () => {
    const { frame, ports } = offered({ accepts: false });
    frame.answer();
    assert.deepEqual([ports.length, frame.steps("port").length], [1, 0]);
  });
});

describe("a forged message", () => {
  test("with another nonce, another mark or another step gets no port", () => {
    const { frame, ports } = offered();
    const nonce = frame.steps("probe")[0]?.message.nonce;
    const forged = [
      { ...MARK, step: "ready", nonce: "guessed" },
      { ...MARK, step: "ready", nonce: [nonce] },
      { ...MARK, step: "port", nonce },
      { ...MARK, version: 2, step: "ready", nonce },
      { bascule: "other", version: 1, step: "ready", nonce },
      { step: "ready", nonce },
      nonce,
      null,
      undefined,
    ];
    for (const data of forged) frame.send(data);
    assert.deepEqual([ports.length, frame.received.length], [0, 1]);
    frame.send({ ...MARK, step: "ready", nonce });
    assert.equal(ports.length, 1);
  });

  test("of another window gets no port, whatever it knows", () => {
    const { page, frame, ports } = offered();
    const nonce = frame.steps("probe")[0]?.message.nonce;
    const stranger = new FakeFrameWindow(page);
    stranger.send({ ...MARK, step: "ready", nonce });
    stranger.send({ ...MARK, step: "ready" });
    page.window.dispatch("message", { source: null, data: { ...MARK, step: "ready", nonce } });
    assert.deepEqual([ports.length, stranger.received], [0, []]);
    frame.send({ ...MARK, step: "ready", nonce });
    assert.equal(ports.length, 1);
  });

  test("of a window that is to have no port is not even unpacked", () => {
    const { page, frame } = offered();
    let unpacked = 0;
    const from = (/** @type {unknown} */ source) => ({
      source,
      get data() {
        unpacked += 1;
        return {};
      },
    });
    page.window.dispatch("message", from(new FakeFrameWindow(page)));
    assert.equal(unpacked, 0);
    page.window.dispatch("message", from(frame));
    assert.equal(unpacked, 1);
    frame.answer();
    page.window.dispatch("message", from(frame));
    assert.equal(unpacked, 1);
  });
});

test("a handshake that is closed listens no longer and leaves no timer", () => {
  const { page, handshake, frame, ports, timers } = offered();
  handshake.close();
  frame.answer();
  assert.deepEqual([page.window.all.length, ports.length, timers()], [0, 0, 0]);
});
