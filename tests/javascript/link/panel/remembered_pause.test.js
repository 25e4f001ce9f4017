// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  recallPause,
  rememberPause,
} from "../../../../browser_worker/link/panel/remembered_pause.js";
import { FakeStorage } from "../support/fake_page.js";

test("a pause is remembered until it is lifted", () => {
  const storage = new FakeStorage();
  assert.equal(recallPause(storage), false);
  rememberPause(storage, true);
  assert.equal(recallPause(storage), true);
  rememberPause(storage, false);
  assert.equal(recallPause(storage), false);
  assert.equal(storage.items.size, 0);
});

test("a tab without storage remembers nothing and breaks nothing", () => {
  const denied = () => {
    throw new Error("denied");
  };
  const storage = { getItem: denied, setItem: denied, removeItem: denied };
  for (const tab of [storage, undefined]) {
    rememberPause(tab, true);
    assert.equal(recallPause(tab), false);
  }
});
