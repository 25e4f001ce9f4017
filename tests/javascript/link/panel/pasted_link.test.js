// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { AttachLinkError } from "../../../../browser_worker/link/attach_link.js";
import { readPastedLink } from "../../../../browser_worker/link/panel/pasted_link.js";
import { TOKEN, URL_OF_BRIDGE } from "../support/scripted_bridge.js";

const FRAGMENT = `#bascule=${Buffer.from(JSON.stringify({ url: URL_OF_BRIDGE, token: TOKEN })).toString("base64url")}`;
const CONFIGURATION = { url: URL_OF_BRIDGE, token: TOKEN };

test("a whole link and its fragment alone are read alike", () => {
  for (const text of [
    `https://app.example/write${FRAGMENT}`,
    FRAGMENT,
    `  https://app.example/${FRAGMENT}\n`,
  ]) {
    assert.deepEqual(readPastedLink(text), CONFIGURATION);
  }
});

test("a link that a terminal has wrapped is read all the same", () => {
  const link = `https://app.example/${FRAGMENT}`;
  assert.deepEqual(readPastedLink(`${link.slice(0, 50)}\n  ${link.slice(50)}`), CONFIGURATION);
});

test("what is no attach link is refused with a sentence that says so", () => {
  for (const text of ["", "hello", "https://app.example/", "https://app.example/#top", "#"]) {
    assert.throws(
      () => readPastedLink(text),
      (error) => {
        assert.ok(error instanceof AttachLinkError);
        assert.match(error.message, /no attach link/);
        return true;
      },
    );
  }
});

test("a link to another machine is refused", () => {
  const far = Buffer.from(JSON.stringify({ url: "http://10.0.0.1:80", token: TOKEN }));
  assert.throws(() => readPastedLink(`#bascule=${far.toString("base64url")}`), AttachLinkError);
});

test("no message repeats the token", () => {
  const damaged = FRAGMENT.slice(0, -6) + "!";
  assert.throws(
    () => readPastedLink(damaged),
    (error) => {
      assert.ok(error instanceof AttachLinkError && !error.message.includes(TOKEN));
      return true;
    },
  );
});
