// @ts-check
/** What is read off an event of whether its sender was clicked, and what comes of it on a port. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { addClipboardAction } from "../../../../browser_worker/kernel/private/clipboard_action.js";
import { senderActivation } from "../../../../browser_worker/kernel/private/sender_activation.js";
import { makePrivateKernel } from "./private_kernel.js";

const CLICKED = { isActive: true, hasBeenActive: true };
const BEFORE = { isActive: false, hasBeenActive: true };

test("it is read off the event, and is unknown where the browser has no word of it", () => {
  const unknown = /** @type {any} */ ({ data: { userActivation: CLICKED } });
  assert.equal(senderActivation(unknown), null);
  assert.deepEqual(senderActivation({ userActivation: CLICKED }), { fresh: true, ever: true });
  assert.deepEqual(senderActivation({ userActivation: BEFORE }), { fresh: false, ever: true });
});

test("a sender that does not have the browser say it was not clicked", () => {
  assert.deepEqual(senderActivation({ userActivation: null }), { fresh: false, ever: false });
});

describe("a tile with the keyboard, while a click is fresh somewhere in the page", () => {
  function make() {
    const made = makePrivateKernel();
    /** @type {string[]} */
    const written = [];
    addClipboardAction(made.kernel, {
      consent: made.consent,
      attention: { staysWith: async () => true },
      writeText: async (text) => void written.push(text),
    });
    const { app, endpoint, port } = made.connect("notes", "tile");
    made.clicked(endpoint.id);
    /** @param {any} userActivation @param {any} [payload] */
    const write = async (userActivation, payload = { text: "x" }) => {
      port.userActivation = userActivation;
      const { error } = await made.ask(app, "clipboard.write_text", payload);
      return error?.code ?? "written";
    };
    return { ...made, app, written, write };
  }

  test("writes nothing, and has nobody asked, where the browser says it was not its own", async () => {
    const { write, written, consent } = make();
    assert.equal(await write(BEFORE), "OWNER_REQUIRED");
    assert.equal(await write(null), "OWNER_REQUIRED");
    assert.deepEqual([written, consent.current], [[], null]);
    assert.equal(await write(CLICKED), "written");
    assert.equal(await write(undefined), "written");
    assert.deepEqual(written, ["x", "x"]);
  });

  test("gains nothing by what it writes into its message", async () => {
    const { app, write, written, ports } = make();
    app.port.userActivation = null;
    const payload = { action: "clipboard.write_text", payload: { text: "x" } };
    const forged = { userActivation: CLICKED, sender: { fresh: true, ever: true } };
    app.send({ type: "exec", id: 77, payload: { ...payload, ...forged }, ...forged });
    await ports.settle();
    assert.equal(app.response(77).error.code, "OWNER_REQUIRED");
    assert.deepEqual(written, []);
    assert.equal(await write(CLICKED), "written");
  });
});
