// @ts-check
/** A text for the clipboard: written at once, or in a click of the owner's in the page itself. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addClipboardAction } from "../../../../browser_worker/kernel/private/clipboard_action.js";
import { makePrivateKernel } from "./private_kernel.js";

const WRITE = "clipboard.write_text";

function make() {
  const made = makePrivateKernel();
  const page = {
    written: /** @type {string[]} */ ([]),
    asked: /** @type {string[]} */ ([]),
    stays: true,
    fails: false,
  };
  addClipboardAction(made.kernel, {
    consent: made.consent,
    attention: {
      staysWith: async (endpoint) => {
        page.asked.push(endpoint);
        return page.stays;
      },
    },
    writeText: async (text) => {
      if (page.fails) throw new DOMException("no", "NotAllowedError");
      page.written.push(text);
    },
  });
  const { app, endpoint } = made.connect("notes", "tile");
  return { ...made, page, app, endpoint };
}

test("a click that stays the tile's own for a moment writes, and nobody is asked", async () => {
  const { clicked, ask, app, endpoint, page, consent } = make();
  clicked(endpoint.id);
  assert.deepEqual((await ask(app, WRITE, { text: "taken" })).ok, {});
  assert.deepEqual(page.written, ["taken"]);
  assert.deepEqual(page.asked, [endpoint.id]);
  assert.equal(consent.current, null);
});

test("a click that turns out to be another's asks the owner", async () => {
  const { clicked, asked, app, endpoint, page } = make();
  clicked(endpoint.id);
  page.stays = false;
  const { response } = await asked(app, WRITE, { text: "taken" });
  assert.deepEqual(response.ok, {});
  assert.deepEqual(page.written, ["taken"]);
});

test("a click that was perhaps another's asks for one, and a no writes nothing", async () => {
  const { clicked, app, endpoint, page, consent, deny, ports } = make();
  clicked(endpoint.id, true);
  const id = app.ask(WRITE, { text: "evil" });
  await ports.settle();
  assert.deepEqual(page.written, []);
  assert.equal(consent.current?.prompt.title, "Copy 4 characters from the app notes?");
  deny();
  await ports.settle();
  assert.equal(app.response(id).error.code, "OWNER_REQUIRED");
  assert.deepEqual(page.written, []);

  const second = make();
  second.clicked(second.endpoint.id, true);
  const text = "a\u202eb\r\n\tc\rd";
  const { response, prompt } = await second.asked(second.app, WRITE, { text });
  assert.deepEqual(response.ok, {});
  assert.deepEqual(second.page.written, [text]);
  assert.equal(prompt.quote, undefined);
  assert.deepEqual(prompt.facts, [
    { label: "Asks", value: "notes, version 1, which calls itself “Notes�”" },
    { label: "Text to be copied", value: "a�b\n\tc�d", code: true },
  ]);
});

test("of a long text the owner is shown how it begins", async () => {
  const { asked, app, clicked, endpoint } = make();
  clicked(endpoint.id, true);
  const { prompt } = await asked(app, WRITE, { text: "x".repeat(501) });
  assert.equal(prompt.title, "Copy 501 characters from the app notes?");
  const [, shown] = prompt.facts;
  assert.equal(shown?.label, "How the text to be copied begins");
  assert.equal(shown?.value, `${"x".repeat(499)}…`);
});

test("without a click, or from a tile without the focus, nothing is written or asked", async () => {
  const { ask, clicked, app, endpoint, page, consent, attention } = make();
  clicked(endpoint.id);
  attention.active = false;
  assert.equal((await ask(app, WRITE, { text: "x" })).error.code, "OWNER_REQUIRED");
  clicked("app:board:tile:main:instance:9");
  assert.equal((await ask(app, WRITE, { text: "x" })).error.code, "OWNER_REQUIRED");
  assert.equal(consent.current, null);
  assert.deepEqual(page.written, []);
});

test("a text has at most 256 KiB in UTF-8", async () => {
  const { ask, clicked, app, endpoint, page } = make();
  clicked(endpoint.id);
  const whole = "é".repeat(131_072);
  assert.deepEqual((await ask(app, WRITE, { text: whole })).ok, {});
  assert.equal(page.written.length, 1);
  const { error } = await ask(app, WRITE, { text: `${whole}x` });
  assert.equal(error.code, "TOO_LARGE");
  assert.equal(page.written.length, 1);
});

test("what is no text, or half a character, is not written", async () => {
  const { ask, clicked, app, endpoint, page } = make();
  clicked(endpoint.id);
  for (const payload of [{}, { text: 3 }, { text: "x", html: "<b>" }, { text: "\ud800" }]) {
    assert.equal((await ask(app, WRITE, payload)).error.code, "INVALID_INPUT");
  }
  assert.deepEqual(page.written, []);
});

test("a browser that does not write is told as that", async () => {
  const { ask, clicked, app, endpoint, page } = make();
  clicked(endpoint.id);
  page.fails = true;
  const { error } = await ask(app, WRITE, { text: "x" });
  assert.equal(error.code, "TOOL_FAILED");
  assert.match(error.message, /the clipboard is as it was/);
});

test("a tile that goes takes its question with it", async () => {
  const { kernel, clicked, app, endpoint, consent, ports, page } = make();
  clicked(endpoint.id, true);
  app.ask(WRITE, { text: "x" });
  await ports.settle();
  assert.notEqual(consent.current, null);
  kernel.disconnect(endpoint);
  await ports.settle();
  assert.equal(consent.current, null);
  assert.deepEqual(page.written, []);
});
