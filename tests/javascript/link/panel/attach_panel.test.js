// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

test("the element's module can be imported where there is no document", async () => {
  assert.equal("HTMLElement" in globalThis, false);
  const { AttachPanel } = await import("../../../../browser_worker/link/panel/attach_panel.js");
  assert.deepEqual(AttachPanel.observedAttributes, ["app", "remember", "collapsed"]);
});
