// @ts-check
/** A frame's port: all goes through it as before, with the wish that the browser says who was clicked. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { attestedPort } from "../../../browser_worker/app/attested_port.js";
import { exec, success } from "../../../browser_worker/contract/bus_messages.js";

test("each request asks the browser to say whether this frame was clicked, and nothing else does", () => {
  /** @type {any[]} */
  const posted = [];
  const port = /** @type {any} */ ({
    postMessage: (/** @type {any[]} */ ...sent) => void posted.push(sent),
  });
  const buffer = new ArrayBuffer(1);
  const request = exec(1, "tools.call", {});
  const answer = success(2, {});
  attestedPort(port).postMessage(request, []);
  attestedPort(port).postMessage(request, [buffer]);
  attestedPort(port).postMessage(answer, [buffer]);
  assert.deepEqual(posted, [
    [request, { transfer: [], includeUserActivation: true }],
    [request, { transfer: [buffer], includeUserActivation: true }],
    [answer, { transfer: [buffer], includeUserActivation: false }],
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
