// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { callWords } from "../../../../browser_worker/demo/workspace/view/endpoint_names.js";

/** @param {string} id @param {string} name */
const app = (id, name) => /** @type {any} */ ({ id, name });

test("a call is told of by the names of its apps and the kinds of its ends", () => {
  const apps = [app("notes", "Notes"), app("board", "Board")];
  assert.equal(
    callWords(apps, "app:notes:tile:main:instance:1", "app:notes:background"),
    "Notes: tile → background",
  );
  assert.equal(
    callWords(apps, "app:board:tray:instance:1", "app:notes:background"),
    "Board (tray) → Notes (background)",
  );
  assert.equal(
    callWords(apps, "external:bridge:1", "app:notes:background"),
    "Terminal → Notes (background)",
  );
  assert.equal(
    callWords(apps, "external:bridge:browser/1", "app:notes:background"),
    "Agent of the browser → Notes (background)",
  );
  assert.equal(callWords(apps, "app:notes:background", "kernel"), "Notes (background) → Workspace");
  assert.equal(callWords([], "app:gone:background", "nothing"), "gone (background) → Unknown");
});

test("an app that calls itself the terminal is not shown as the terminal", () => {
  const apps = [app("fake", "Terminal"), app("notes", "Notes")];
  const real = callWords(apps, "external:bridge:1", "app:notes:background");
  const fake = callWords(apps, "app:fake:background", "app:notes:background");
  assert.equal(real, "Terminal → Notes (background)");
  assert.equal(fake, "fake (“Terminal”) (background) → Notes (background)");
});

test("an app that calls itself as another is not shown as the other, whatever it writes", () => {
  const apps = [app("notes", "Notes"), app("fake", "Notes"), app("odd", "Notes (tile) → Notes")];
  const by = (/** @type {string} */ id) => callWords(apps, `app:${id}:background`, "kernel");
  assert.equal(by("notes"), "Notes (background) → Workspace");
  assert.equal(by("fake"), "fake (“Notes”) (background) → Workspace");
  assert.ok(by("odd").startsWith("odd (“"));
});
