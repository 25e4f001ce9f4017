// @ts-check
/** Names on the bus. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  endpointId,
  isAppId,
  isKernelToolName,
  isToolName,
  isTopic,
  readEndpointId,
} from "../../../browser_worker/contract/bus_names.js";

const ENDPOINTS = /** @type {const} */ ([
  ["app:notes:background", { app: "notes", kind: "background" }],
  ["app:notes:tile:main:instance:7", { app: "notes", kind: "tile", tile: "main", instance: "7" }],
  ["app:a_b-c:tray:instance:x1", { app: "a_b-c", kind: "tray", instance: "x1" }],
]);

for (const [id, place] of ENDPOINTS) {
  test(`${id} is written and read`, () => {
    assert.equal(endpointId(place), id);
    assert.deepEqual(readEndpointId(id), place);
  });
}

for (const id of [
  "kernel",
  "app:notes",
  "app:Notes:background",
  "app:notes:background:instance:1",
  "app:notes:tile:main",
  "app:notes:tile::instance:1",
  "app:notes:tray:instance:",
  "app:notes:background\n",
  "app:constructor:tile:__proto__:instance:1",
  `app:${"a".repeat(41)}:background`,
  7,
]) {
  test(`${JSON.stringify(id)} is no endpoint of an app`, () => {
    assert.equal(readEndpointId(id), undefined);
  });
}

test("an endpoint cannot be made of what is no name", () => {
  assert.throws(() => endpointId({ app: "a:b", kind: "background" }), TypeError);
  assert.throws(() => endpointId({ app: "notes", kind: "tile", tile: "main" }), TypeError);
});

test("names have 1 to 40 signs and no dots; the kernel's tools have dots", () => {
  for (const check of [isAppId, isToolName]) {
    assert.ok(check("a") && check("0_-") && check("a".repeat(40)));
    for (const bad of ["", "a".repeat(41), "A", "-a", "a.b", "a b", "ä", "a\n", null]) {
      assert.ok(!check(bad), String(bad));
    }
  }
  assert.ok(isKernelToolName("apps.list") && isKernelToolName("workspace.open_tile"));
  for (const bad of ["apps", "apps.", ".list", "apps..list", "Apps.list", "apps.list\n", 1]) {
    assert.ok(!isKernelToolName(bad), String(bad));
  }
  assert.ok(isTopic("state") && isTopic("notes.list-1") && isTopic("a".repeat(64)));
  for (const bad of ["", "a".repeat(65), "State", ".a", "a/b"]) assert.ok(!isTopic(bad), bad);
});
