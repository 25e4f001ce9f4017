/** Fails on purpose: to see what a report of a failed test has. */

import { test as base, expect } from "@playwright/test";
import { basculeFixtures } from "bascule/node";

const test = base.extend(basculeFixtures);

test("fails", async ({ app, basculeBridge }, testInfo) => {
  console.log(`bridge ${basculeBridge.url} ${testInfo.title} ${(await app.info()).app.name}`);
  expect(1).toBe(2);
});
