// @ts-check
/** A frame's port: all goes through it as before, with the wish that the browser says who was clicked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { attestedPort } from "../../../browser_worker/app/attested_port.js";

test("each message asks the browser to say whether this frame was clicked", () => {
  /** @type {any[]} */
  const posted = [];
  const port = /** @type {any} */ ({
    postMessage: (/** @type {any[]} */ ...sent) => void posted.push(sent),
  });
  const buffer = new ArrayBuffer(1);
  attestedPort(port).postMessage({ one: 1 }, []);
  attestedPort(port).postMessage({ two: 2 }, [buffer]);
  assert.deepEqual(posted, [
    [{ one: 1 }, { transfer: [], includeUserActivation: true }],
    [{ two: 2 }, { transfer: [buffer], includeUserActivation: true }],
  ]);
});

test("it is heard and closed as the port itself", () => {
  let closed = 0;
  const port = /** @type {any} */ ({ onmessage: null, close: () => void (closed += 1) });
  const attested = attestedPort(port);
  const listener = () => {};
  attested.onmessage = listener;
  assert.deepEqual([port.onmessage, attested.onmessage], [listener, listener]);
  attested.onmessage = null;
  assert.equal(port.onmessage, null);
  attested.close();
  assert.equal(closed, 1);
});
