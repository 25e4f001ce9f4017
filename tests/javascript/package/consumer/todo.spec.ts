import { test as base, expect } from "@playwright/test";
import type { Page } from "@playwright/test";
import { attach, basculeFixtures, startBridge } from "bascule/node";
import type { BasculeOptions, BasculeTestFixtures, BasculeWorkerFixtures } from "bascule/node";

const test = base.extend<BasculeTestFixtures, BasculeWorkerFixtures>(basculeFixtures);

const basculeOptions: BasculeOptions = { button: (page: Page) => page.locator("#attach") };
test.use({ basculeOptions });

test("a to-do is added", async ({ page, app, basculeBridge }) => {
  const { output } = await app.call("todo.add", { title: "x" }, { expectedRevision: "latest" });
  expect(output.length).toBe(1);
  expect(basculeBridge.running).toBe(true);
  await expect(page.getByRole("listitem")).toHaveText("x");
});

test("without fixtures", async ({ page }) => {
  const bridge = await startBridge({ origin: "http://127.0.0.1:8765" });
  await attach(page, bridge, { button: page.getByRole("button", { name: "Attach" }) });
  await attach(page, bridge, { button: (opened) => opened.locator("#attach"), timeoutMs: 1 });
  await bridge.close();
});
